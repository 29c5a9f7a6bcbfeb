#include "plot/plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <set>

#include "base/cf_time.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "base/version.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "figure/text.h"
#include "files/pattern.h"
#include "plot/read_csv.h"
#include "sink/page/page_file.h"

namespace simreel {
namespace {

struct PlotArguments {
  std::vector<std::string> files, outputs, y, slopes, triangles;
  std::vector<std::string> style = {"auto"};
  std::vector<std::string> error, band, right;
  std::string legend_at = "auto", xlim, ylim, right_label;
  std::string legend, x, by, width = "85mm", height, font_size = "7pt";
  std::string title;
  std::optional<std::string> xlabel, ylabel;
  std::string x2, y2, ratio, x_dates;
  bool log_x = false, log_y = false, loglog = false, overwrite = false;
  int dpi = 300;
};

// "85mm" in a unit of `per_unit`; throws UsageError that begins with the option.
double length_of(const char* option, const std::string& text,
                 const std::vector<std::pair<std::string_view, double>>& units, double low, double high,
                 const char* example) {
  const auto [value, unit] = quantity_of(text);
  for (const auto& [name, size] : units)
    if (unit == name && value * size >= low && value * size <= high) return value * size;
  throw UsageError("{} {}: write a length with its unit, as in {}", option, text, example);
}

double mm_of(const char* option, const std::string& text) {
  return length_of(option, text, {{"mm", 1}, {"cm", 10}, {"in", 25.4}, {"pt", 25.4 / 72}}, 20, 1000,
                   "85mm, 8.5cm, 3.35in or 241pt, from 20 mm to 1 m");
}

// "-2" or "-2:a label"; `usual` is the label of a power without one.
PlotSlope slope_of(const char* option, const std::string& text, const char* usual) {
  std::string_view rest = text;
  const std::optional<double> power = take_leading<double>(rest);
  if (!power || !std::isfinite(*power) || (!rest.empty() && !rest.starts_with(':')))
    throw UsageError("{} {}: write a power and, after a colon, its label: 2 or '2:$N^2$'", option, text);
  const std::string written = text.substr(0, text.size() - rest.size());
  return {*power, rest.size() > 1 ? std::string(rest.substr(1)) : fmt::format("{}{}", usual, written)};
}

// "1000:t (ms)".
std::optional<SecondAxis> second_axis(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::string_view rest = text;
  const double factor = take_leading<double>(rest).value_or(0);
  if (!(factor > 0) || !std::isfinite(factor) || rest.size() < 2 || rest[0] != ':')
    throw UsageError(
        "{} {}: write the factor that leads to the other unit, above 0, and after a colon the label: '1000:t (ms)'",
        option, text);
  return SecondAxis{factor, std::string(rest.substr(1))};
}

PlotStyle style_named(const std::string& name) {
  return static_cast<PlotStyle>(std::ranges::find(plot_style_names, name) - plot_style_names.begin());
}

// "days since 1850-01-01" or "days since 1850-01-01,noleap".
CfTime dates_of(const std::string& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto since =
      parse_cf_time(text.substr(0, comma), trim(std::string_view(text).substr(std::min(comma + 1, text.size()))));
  if (!since)
    throw UsageError(
        "--x-dates {}: write since when the numbers count and, after a comma, the calendar if it is not the usual one: "
        "'days since 1850-01-01,noleap'; units are days, hours, minutes and seconds, calendars standard, "
        "proleptic_gregorian, noleap, all_leap and 360_day",
        text);
  return *since;
}

// "2024-02-29,2024-03-15".
std::array<double, 2> date_limits_of(const char* option, const std::string& text, const CfTime& dates) {
  std::vector<double> ends;
  for (const std::string& cell : csv_cells(text, ',')) {
    if (const std::string year_first = with_year_first(cell); !year_first.empty())
      throw UsageError("{} {}: {} has its year last; write year, month and day: {}", option, text, quote(cell),
                       year_first);
    if (const auto at = parse_cf_time("days since " + cell, dates.calendar))
      ends.push_back((at->start - dates.start) / dates.unit);
    else
      break;
  }
  if (ends.size() != 2 || !(ends[0] < ends[1]))
    throw UsageError("{} {}: write both ends of the axis as dates, the earlier one first: 2024-02-29,2024-03-15",
                     option, text);
  return {ends[0], ends[1]};
}

// "0,2.5".
std::optional<std::array<double, 2>> limits_of(const char* option, const std::string& text, bool log,
                                               const std::optional<CfTime>& dates) {
  if (text.empty()) return {};
  if (dates) return date_limits_of(option, text, *dates);
  std::string_view rest = text;
  const std::optional<double> low = take_leading<double>(rest);
  const bool comma = rest.starts_with(',') || rest.starts_with(':');
  const std::optional<double> high = parse_number<double>(rest.substr(comma ? 1 : 0));
  if (!low || !comma || !high || !(*low < *high) || !std::isfinite(*high - *low) || (log && !(*low > 0)))
    throw UsageError("{} {}: write both ends of the axis, finite and the lower one first{}", option, text,
                     log ? ", above 0 on a logarithmic axis: 0.1,2.5" : ": 0,2.5");
  return std::array{*low, *high};
}

// Throws UsageError, with the option in front, for mathematics that cannot be set.
void check_text(const char* option, const std::string& text) {
  try {
    set_text(text, 16);
  } catch (const UsageError& error) {
    throw UsageError("{} {}: {}", option, text, error.what());
  }
}

std::vector<PlotSeries> series_of(const PlotArguments& arguments, const std::vector<CsvTable>& tables) {
  std::vector<PlotSeries> all;
  const std::size_t columns = arguments.y.size() + arguments.right.size(), lines = columns * tables.size();
  const auto expect = [&](const char* option, std::size_t given, std::size_t each, const char* what) {
    if (given != 0 && given != each && given != each * lines)
      throw UsageError(
          "{}: names {} column{}, and the plot has {} line{}; write {} for the first line of a file or for each",
          option, given, given == 1 ? "" : "s", lines, lines == 1 ? "" : "s", what);
  };
  expect("--error", arguments.error.size(), 1, "one");
  expect("--band", arguments.band.size(), 2, "two, the lower and the upper end,");
  for (const CsvTable& table : tables) {
    const std::vector<double> x = table.column(arguments.x.empty() ? table.names.front() : arguments.x);
    for (const bool right : {false, true})
      for (const std::string& name : right ? arguments.right : arguments.y) {
        const std::string stem = std::filesystem::path(table.file).stem().string();
        const bool one = columns == 1;
        const std::string of = table.group.empty()           ? stem
                               : arguments.files.size() == 1 ? table.group
                                                             : stem + " " + table.group;
        const std::string label = tables.size() == 1 && table.group.empty() ? name : one ? of : of + " " + name;
        const std::size_t i = all.size();
        const auto column = [&](const std::vector<std::string>& names, std::size_t each, std::size_t k) {
          // One column belongs to the first line of its file.
          const bool other = names.size() == each && i % columns != 0;
          if (names.empty() || other) return std::vector<double>();
          return table.column(names[names.size() == each ? k : each * i + k]);
        };
        all.push_back({label, x, table.column(name), column(arguments.error, 1, 0), PlotStyle::automatic,
                       column(arguments.band, 2, 0), column(arguments.band, 2, 1), right});
      }
  }
  const std::vector<std::string>& styles = arguments.style;
  if (styles.size() > 1 && styles.size() != all.size())
    throw UsageError("--style: names {} styles, and the plot has {} lines; write one for all or one for each",
                     styles.size(), all.size());
  for (std::size_t i = 0; styles.size() > 1 && i < all.size(); ++i) all[i].style = style_named(styles[i]);
  if (arguments.legend.empty()) return all;
  const std::vector<std::string> names = csv_cells(arguments.legend, ',');
  if (names.size() != all.size())
    throw UsageError("--legend: names {} line{}, and the plot has {}: {}{}", names.size(), names.size() == 1 ? "" : "s",
                     all.size(), fmt::join(std::views::transform(all, &PlotSeries::label), ", "),
                     names.size() > all.size() ? "; a name with a comma stands in quotes: '\"E, total\",W'" : "");
  for (std::size_t i = 0; i < all.size(); ++i) check_text("--legend", all[i].label = names[i]);
  return all;
}

void expect_enough(const PlotArguments& arguments) {
  const CsvTable table = read_csv(arguments.files.front());
  if (arguments.y.empty())
    throw UsageError("simreel plot: -y is missing, the columns to plot, as in -y {}; {} has {}", table.names.back(),
                     table.file, fmt::join(table.names, ", "));
  if (arguments.outputs.empty())
    throw UsageError("simreel plot: -o is missing, the file to write, as in -o plot.pdf; a plot is written as {}",
                     page_names);
}

// Whether every place has two points or more, as of a sweep over two keys: a line would go to and fro.
bool repeats(std::vector<double> x) {
  std::erase_if(x, [](double value) { return !std::isfinite(value); });
  const std::set<double> places(x.begin(), x.end());
  return places.size() > 1 && 2 * places.size() <= x.size();
}

int run(const PlotArguments& arguments) {
  if (arguments.y.empty() || arguments.outputs.empty()) expect_enough(arguments);
  check_text("--title", arguments.title);
  check_text("--xlabel", arguments.xlabel.value_or(""));
  check_text("--ylabel", arguments.ylabel.value_or(""));
  PlotOptions options;
  options.log_x = arguments.log_x || arguments.loglog;
  options.log_y = arguments.log_y || arguments.loglog;
  options.width = mm_of("--width", arguments.width);
  options.height = arguments.height.empty() ? 0.7 * options.width : mm_of("--height", arguments.height);
  options.dpi = arguments.dpi;
  options.font_points = length_of("--font-size", arguments.font_size, {{"pt", 1}}, 3, 144, "7pt, from 3pt to 144pt");
  options.title = arguments.title;
  if (arguments.style.size() == 1) options.style = style_named(arguments.style.front());
  for (const std::string& slope : arguments.slopes) options.slopes.push_back(slope_of("--slope", slope, "slope "));
  for (const std::string& power : arguments.triangles) options.triangles.push_back(slope_of("--triangle", power, ""));
  if (!(arguments.slopes.empty() && arguments.triangles.empty()) && !(options.log_x && options.log_y))
    throw UsageError("{}: a power is a straight line with two logarithmic axes only; add --loglog",
                     arguments.slopes.empty() ? "--triangle" : "--slope");
  options.x2 = second_axis("--x2", arguments.x2);
  options.y2 = second_axis("--y2", arguments.y2);
  options.legend_at =
      static_cast<LegendAt>(std::ranges::find(legend_names, arguments.legend_at) - legend_names.begin());
  if (!arguments.right.empty() && options.y2)
    throw UsageError("--right and --y2 both make an axis at the right; leave one of them out");
  options.right_label =
      arguments.right_label.empty() && arguments.right.size() == 1 ? arguments.right.front() : arguments.right_label;
  std::vector<CsvTable> tables;
  for (const std::string& file : arguments.files) {
    if (arguments.by.empty())
      tables.push_back(read_csv(file));
    else
      std::ranges::move(split_by(read_csv(file), arguments.by), std::back_inserter(tables));
  }
  std::vector<PlotSeries> series = series_of(arguments, tables);
  const auto dates = [&](const std::vector<std::string>& names) {
    std::vector<std::pair<const CsvTable*, std::string>> columns;
    for (const CsvTable& table : tables)
      for (const std::string& name : names) columns.emplace_back(&table, name.empty() ? table.names.front() : name);
    return dates_along(columns);
  };
  options.x_dates = dates({arguments.x});
  options.y_dates = dates(arguments.y), options.right_dates = dates(arguments.right);
  if (!arguments.x_dates.empty()) {
    if (options.x_dates) throw UsageError("--x-dates: the column along x holds dates, not numbers; leave it out");
    options.x_dates = dates_of(arguments.x_dates);
  }
  options.xlim = limits_of("--xlim", arguments.xlim, options.log_x, options.x_dates);
  options.ylim = limits_of("--ylim", arguments.ylim, options.log_y, options.y_dates);
  if (!arguments.ratio.empty())
    series = ratios(series, arguments.ratio == "first/y" ? PlotRatio::first_over : PlotRatio::over_first, options);
  options.legend = series.size() > 1 || !arguments.legend.empty();
  options.xlabel = arguments.xlabel.value_or(arguments.x.empty() ? tables.front().names.front() : arguments.x);
  options.ylabel = arguments.ylabel.value_or(arguments.y.size() == 1 ? arguments.y.front() : "");

  std::vector<std::unique_ptr<PageFile>> files;
  for (const std::string& output : arguments.outputs) {
    if (!is_page_extension(extension_of(output))) throw UsageError("{}: a plot is written as {}", output, page_names);
    for (const std::string& input : arguments.files)
      if (identity_of(input) == identity_of(output))
        throw UsageError("{}: the plot reads this file, so it cannot write there; choose another name", output);
    files.push_back(std::make_unique<PageFile>(output, arguments.overwrite));
  }
  const Page page = draw_plot(series, options);
  const PageFacts facts{
      page.size.width / options.width * 25.4,
      {{"title", options.title.empty() ? "Plot" : options.title}, {"version", fmt::format("simreel {}", version)}}};
  for (const auto& file : files) {
    file->write(page, facts);
    file->commit();
  }
  std::size_t left_out = 0, points = 0;
  for (const PlotSeries& one : series)
    for (std::size_t i = 0; i < one.x.size(); ++i, ++points) left_out += has_place(options, one.x[i], one.y[i]) ? 0 : 1;
  say_message(LogLevel::info, fmt::format("{}: {} points", fmt::join(arguments.outputs, ", "), points - left_out));
  if (std::ranges::any_of(series, [](const PlotSeries& one) { return repeats(one.x); }))
    say_message(LogLevel::info,
                "each x comes several times; --by COLUMN draws a line for each value of another column");
  if (left_out > 0)
    say_message(LogLevel::warning,
                fmt::format("{} of {} points are left out: they have no number{}{}", left_out, points,
                            options.log_x || options.log_y ? ", or none above 0 for a logarithmic axis" : "",
                            options.xlim || options.ylim ? ", or lie beyond the limits" : ""));
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_plot(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("plot", "Plot columns of CSV files, as runs and bench write them, for papers");
  const auto arguments = std::make_shared<PlotArguments>();
  command->add_option("files", arguments->files, "CSV files with names in their first line")->required();
  add_option(*command, "-x", arguments->x, "COLUMN", "Column along x; default: the first");
  const auto add_names = [&](const char* option, std::vector<std::string>& names, const char* about, const char* type) {
    const auto split = [&names](const std::vector<std::string>& given) {
      for (const std::string& some : given) std::ranges::move(csv_cells(some, ','), std::back_inserter(names));
    };
    return command->add_option_function<std::vector<std::string>>(option, split, about)
        ->allow_extra_args(false)
        ->type_name(type);
  };
  add_names("-y", arguments->y, "Columns to plot, separated by commas; one with a comma stands in \"\"", "COLUMN,...");
  add_option(*command, "-o,--output", arguments->outputs, "OUT",
             "x.pdf, x.svg, x.eps, x.tex or x.png; may be given several times");
  add_option(*command, "--by", arguments->by, "COLUMN",
             "A line for each value of this column, as of a sweep over two keys");
  command->add_flag("--log-x", arguments->log_x, "Logarithmic x axis");
  command->add_flag("--log-y", arguments->log_y, "Logarithmic y axis");
  command->add_flag("--loglog", arguments->loglog, "Logarithmic x and y axes");
  add_option(*command, "--style", arguments->style, "STYLE,...",
             "line, points or both; auto: both where the points are few; for all lines, or one for each, "
             "separated by commas")
      ->check(CLI::IsMember({"auto", "line", "points", "both"}))
      ->delimiter(',')
      ->capture_default_str();
  add_names("--error", arguments->error,
            "Column with half of the length of error bars: one for the first line of a file, or one for each "
            "line, separated by commas",
            "COLUMN,...");
  add_names("--band", arguments->band,
            "Columns with the lower and the upper end of a band around a line: two for the first line of a "
            "file, or for each line",
            "LOW,HIGH,...");
  add_names("--right", arguments->right, "Columns along an axis of their own at the right, separated by commas",
            "COLUMN,...");
  command->add_option("--right-label", arguments->right_label, "Label of the axis of --right");
  add_option(*command, "--xlim", arguments->xlim, "LOW,HIGH",
             "Ends of the x axis: 0,2.5; of dates 2024-02-29,2024-03-15");
  add_option(*command, "--ylim", arguments->ylim, "LOW,HIGH", "Ends of the y axis");
  command
      ->add_option(
          "--legend-at", arguments->legend_at,
          "Where the legend stands: auto (where it covers nothing), upper left, upper right, lower left, lower "
          "right, outside (above the axes), or none")
      ->check(CLI::IsMember(std::vector<std::string>(legend_names.begin(), legend_names.end())))
      ->capture_default_str();
  add_option(*command, "--slope", arguments->slopes, "POWER[:LABEL]",
             "With --loglog a dashed line of this power, and its label: 2 or '2:$N^2$'; may be given several times");
  add_option(*command, "--triangle", arguments->triangles, "POWER[:LABEL]",
             "With --loglog a triangle of this power next to a line, the first one next to the first: 2 or "
             "'-2:$-2$'; may be given several times");
  add_option(*command, "--legend", arguments->legend, "NAME,...",
             "Names of the lines, separated by commas; a name with a comma stands in quotes: '\"E, total\",W'");
  add_option(*command, "--ratio", arguments->ratio, "RATIO",
             "The lines after the first, each divided by it where both have the same x (y/first), or the other "
             "way round (first/y)")
      ->check(CLI::IsMember({"y/first", "first/y"}));
  add_option(*command, "--x2", arguments->x2, "FACTOR:LABEL",
             "A second x axis above, in another unit: the factor that leads to it, and its label: '1000:t (ms)'");
  add_option(*command, "--y2", arguments->y2, "FACTOR:LABEL", "A second y axis at the right, as --x2");
  add_option(*command, "--x-dates", arguments->x_dates, "UNIT[,CALENDAR]",
             "Numbers along x count from a date, as in NetCDF: 'days since 1850-01-01', or with a calendar "
             "'days since 1850-01-01,noleap'");
  command->add_option("--title", arguments->title, "Title above the plot");
  command->add_option("--xlabel", arguments->xlabel,
                      "Label of the x axis, with mathematics between $; default: the column");
  command->add_option("--ylabel", arguments->ylabel, "Label of the y axis");
  command->add_option("--width", arguments->width, "Width in print: mm, cm, in or pt")->capture_default_str();
  command->add_option("--height", arguments->height, "Height in print; default: 0.7 of the width");
  command->add_option("--font-size", arguments->font_size, "Font size, in points")->capture_default_str();
  command->add_option("--dpi", arguments->dpi, "Pixels per inch of a PNG")
      ->check(within(50, 2400))
      ->capture_default_str();
  command->add_flag("--overwrite", arguments->overwrite, "Replace outputs that exist");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
