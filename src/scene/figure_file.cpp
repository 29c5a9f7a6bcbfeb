#include "scene/figure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/input_file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "scene/parse.h"
#include "scene/reads.h"
#include "scene/scene_text.h"
#include "scene/tables.h"

namespace simreel {
namespace {

class Reader {
 public:
  explicit Reader(FigureFile& figure) : figure_(figure) {}

  void read(Table& root) {
    Table figure = root.table("figure", "what the panels share, and the size in print");
    figure.section([&] { read_figure_table(figure, root); });
    Table animation = root.table("animation", "of a video: its frames and their times");
    animation.section([&] { read_animation(animation); });
    Table output = root.table("output", "of a video, as in a scene");
    output.section([&] {
      Scene scene;
      scene.file = figure_.file;
      figure_.output = read_output(output, scene);
    });
    for (Table& panel : root.tables("panel", "a scene, a data file, an image or a plot"))
      panel.section([&] { figure_.panels.push_back(read_panel(panel)); });
    for (Table& part : root.tables("part", "instead of panels: scenes that follow each other in a video"))
      part.section([&] { figure_.parts.push_back(read_part_of(part)); });
    if (!figure_.parts.empty()) refuse_panels(root, figure, animation);
    figure_.overlays = read_overlays(root, HUGE_VAL, [this](const std::string& path) { return resolve(path); });
    for (const OverlayOptions& overlay : figure_.overlays) check_numbers(overlay);
  }

  // Letters, once it is known that all panels could be read.
  void finish() {
    if (!figure_.parts.empty()) return;
    if (figure_.panels.empty())
      throw UsageError("{}: has no panel; write\n\n[[panel]]\nscene = \"scene.toml\"", figure_.file.string());
    for (PanelOptions& panel : figure_.panels)
      if (panel.plot)
        for (PanelPlot::Line& line : panel.plot->lines) line.clock = clock_of(line);
    if (!letters_.value_or(figure_.panels.size() > 1)) return;
    for (std::size_t i = 0; i < figure_.panels.size(); ++i) figure_.panels[i].letter = letter_of(i);
  }

 private:
  // The frame is that of the video; a time is one for all panels where they are in step by it.
  void check_numbers(const OverlayOptions& overlay) const {
    for (const auto& [piece, braced] : split_template(overlay.text)) {
      const std::string name = piece.substr(0, piece.find(':'));
      const bool time = name == "time";
      if (!braced || name == "frame" || (time && figure_.step == FigureFile::Step::time)) continue;
      throw UsageError(
          "{}\"text\" in [[overlay]] shows {{{}}}, which differs from scene to scene, so an overlay of the whole "
          "figure cannot; {}write it into \"time\" in [figure] or an [[overlay]] of a scene",
          overlay.position_of("text").before(), piece, time ? "set step = \"time\" in [animation], or " : "");
    }
  }

  // The panel whose time a line follows.
  std::size_t clock_of(const PanelPlot::Line& line) const {
    std::string runs;
    for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
      const PanelOptions& panel = figure_.panels[i];
      if (line.panel.empty() ? panel.moves() : panel.runs() && line.panel == letter_of(i)) return i;
      if (panel.runs()) runs += (runs.empty() ? "" : ", ") + letter_of(i);
    }
    if (line.panel.empty()) return 0;  // of a page
    throw UsageError("{}\"panel\" in [[panel.plot.line]] is {}, and the panels with a scene are: {}",
                     line.position.before(), quote(line.panel), runs.empty() ? "none" : runs);
  }

  std::string resolve(const std::string& path) const {
    if (path.empty()) return path;
    const std::filesystem::path whole = figure_.file.parent_path() / path;
    if (const std::string why = refusal_to_read(whole); !why.empty())
      throw UsageError("{}: {}: {}", figure_.file.string(), quote(path), why);
    return whole.string();
  }

  void read_animation(Table& table) {
    read_fps(table, figure_.animation);
    figure_.gives_fps = table.has("fps");
    table.read("frames", figure_.frames,
               {"of the video", "those of its longest scene, or of its first with step = \"time\"", "300"},
               Range::at_least(1));
    figure_.duration = read_duration(table);
    if (figure_.duration) figure_.frames.reset();
    read_part(table, figure_.animation);
    if (table.has("speed"))
      table.fail("speed",
                 "\"speed\" in [animation] belongs to scenes here; write it into theirs, or set = "
                 "[\"animation.speed=...\"] in [figure]");
    table.choose(
        "step", figure_.step, FigureFile::step_names,
        "what scenes have in common: \"frame\": frame k of the video shows frame k of each; \"time\": the first "
        "scene sets the times, and the others show their last frame that is not later");
  }

  void read_figure_table(Table& table, const Table& root) {
    FigureOptions& print = figure_.print;
    print = read_figure(table, root);
    for (const auto& [key, place] : print.given_keys)
      if (key != "title" && key != "width" && key != "dpi" && key != "font_size")
        table.fail(key, "\"{}\" in [figure] belongs to scenes here; write it into theirs, or set = [\"figure.{}=...\"]",
                   key, key);
    if (table.has("units") || table.has("inset"))
      table.fail(table.has("units") ? "units" : "inset",
                 "[figure.units] and [figure.inset] belong to scenes; write them into theirs");
    table.read("columns", figure_.columns, "panels side by side", Range::between(1, 20));
    if (!print.width) print.width = figure_.columns == 1 ? 85 : 180;
    std::optional<std::array<int, 2>> size;
    table.read("size", size,
               {"width and height of a video in pixels, instead of dpi", "as large as the page", "[1920, 1080]"},
               Range::between(16, 16384));
    if (size) {
      if (table.has("dpi"))
        table.fail("dpi", "\"dpi\" in [figure] sets the pixels, and so does \"size\"; leave one of them out");
      figure_.size = Size{(*size)[0], (*size)[1]};
      print.dpi = static_cast<int>((*size)[0] * FigureOptions::mm_per_inch / *print.width);
    }
    if (print.font_pixels || print.font_share)
      table.fail("font_size", "\"font_size\" in [figure] of panels is in points, as in \"7pt\"");
    std::vector<std::string> share;
    table.read("share", share,
               {"what scenes have in common: \"range\" of the colours, \"colorbar\" (one bar next to all), \"x\" and "
                "\"y\" (numbers at the outer panels only)",
                "nothing", "[\"colorbar\"]"});
    for (const std::string& name : share) {
      if (name != "range" && name != "colorbar" && name != "x" && name != "y")
        table.fail("share", "\"share\" in [figure] names {}, but: {}", quote(name),
                   choices(name, std::vector<std::string_view>{"range", "colorbar", "x", "y"}));
      if (name == "colorbar") figure_.share_colorbar = true;
      if (name == "colorbar" || name == "range") figure_.share_range = true;
      if (name == "x") figure_.share_x = true;
      if (name == "y") figure_.share_y = true;
    }
    table.choose(
        "labels", figure_.labels, FigureFile::labels_names,
        "where letter, title, time, scale bar and legend of a panel stand; \"inside\": on translucent plates over "
        "its picture, while axes and bar stay outside");
    table.read("letters", letters_, {"a, b, c before the titles of the panels", "with several panels", "true"});
    table.read("scene", scene_, {"of all panels that say nothing else", "none", "\"scene.toml\""});
    table.read("set", set_,
               {"overrides of all scenes, as --set: [\"view.colormap=magma\"]", "none", "[\"figure.axes=ticks\"]"});
    set_position_ = table.position("set");
    std::string gap = "1mm";
    read_quantity(table, "gap", gap, "between panels: mm, cm, in or pt");
    figure_.gap = gap_of(table, gap);
  }

  static double gap_of(Table& table, const std::string& text) {
    const auto [value, unit] = quantity_of(text);
    const double mm = unit == "mm" ? 1 : unit == "cm" ? 10 : unit == "in" ? 25.4 : unit == "pt" ? 25.4 / 72 : -1;
    if (!(value >= 0) || !(mm > 0) || value * mm > 100)
      table.fail("gap", "\"gap\" in [figure] is {}; it is a length up to 10 cm with its unit, as in \"2mm\"",
                 written_quantity(text));
    return value * mm;
  }

  PanelOptions read_panel(Table& table) {
    PanelOptions panel;
    panel.position = table.position("");
    const auto read_path = [&](const char* key, std::string& path, KeyText text) {
      table.read(key, path, text);
      if (table.has(key) && path.empty()) table.fail(key, "\"{}\" in [[panel]] is empty", key);
      path = resolve(path);
    };
    read_path("scene", panel.scene, {"the scene that the panel shows", "that of [figure]", "\"scene.toml\""});
    read_path("data", panel.data, {"a data file, as for `simreel view`", "none", "\"run.h5:/vorticity\""});
    read_path("image", panel.image, {"a PNG", "none", "\"photo.png\""});
    const bool plots = table.has_table("plot");
    Table plot = table.table("plot", "lines and points of CSV files");
    if (plots) panel.plot = read_plot(plot);
    const int given = !panel.scene.empty() + !panel.data.empty() + !panel.image.empty() + plots;
    if (given > 1)
      table.fail("", "a panel shows one of \"scene\", \"data\", \"image\" and \"plot\"; leave the others out");
    if (given == 0) panel.scene = resolve(scene_);
    if (given == 0 && scene_.empty())
      table.fail(
          "",
          "the panel shows nothing; give it \"scene\", \"data\", \"image\" or [panel.plot], or [figure] a \"scene\"");
    double time = 0;
    PlacedText date;
    if (table.read_number_or_text(
            "time", time, date, "a date, as in \"2001-03-05\", where a file has dates",
            {"simulated time of the frame, in the unit that the scene's labels have", "the last frame", "2.5"}))
      panel.date = date.text;
    else if (table.has("time"))
      panel.time = time;
    table.read("frame", panel.frame, {"number of the frame, from 0", "the last one", "100"}, Range::at_least(0));
    panel.time_position = table.position(table.has("time") ? "time" : "frame");
    if (table.has("time") && panel.frame) table.fail("frame", "a panel has either \"time\" or \"frame\"");
    std::vector<std::string> set;
    table.read("set", set, {"overrides of the scene, after those of [figure]", "none", "[\"figure.arrows=20\"]"});
    table.read("title", panel.title, {"over the panel; mathematics between $", "as the scene says", "\"before\""});
    table.read("span", panel.span, "columns and rows that the panel takes", Range::between(1, 20));
    if (panel.span[0] > figure_.columns)
      table.fail("span", "\"span\" in [[panel]] is {} columns, and \"columns\" in [figure] is {}", panel.span[0],
                 figure_.columns);
    const bool runs = !panel.scene.empty() || !panel.data.empty();
    for (const char* key : {"time", "frame", "set"})
      if (!runs && table.has(key))
        table.fail(key, "\"{}\" in [[panel]] is for scenes and data files; leave it out", key);
    if (runs) panel.set = set_;
    panel.set_positions.assign(panel.set.size(), set_position_);
    panel.set.insert(panel.set.end(), set.begin(), set.end());
    panel.set_positions.resize(panel.set.size(), table.position("set"));
    return panel;
  }

  PartOptions read_part_of(Table& table) {
    PartOptions part;
    part.position = table.position("");
    table.require("scene", "scene = \"scene.toml\"");
    table.read("scene", part.scene, {"the scene", "required", "\"scene.toml\""});
    part.scene = resolve(part.scene);
    part.set = set_;
    std::vector<std::string> set;
    table.read("set", set, {"overrides of the scene, after those of [figure]", "none", "[\"view.colormap=magma\"]"});
    part.set.insert(part.set.end(), set.begin(), set.end());
    part.duration = read_duration(table, "[[part]]");
    table.read("fade", part.fade, "how long the part before goes over into this one, seconds; 0: at once",
               Range::between(0, 60));
    constexpr std::array<std::string_view, 2> ways = {"next", "black"};
    int way = 0;
    table.choose("through", way, ways,
                 "\"next\": both pictures are blended, while both scenes go on; \"black\": one ends in black, and the "
                 "other comes out of it");
    part.black = way == 1;
    if (figure_.parts.empty())
      for (const char* key : {"fade", "through"})
        if (table.has(key))
          table.fail(key,
                     "\"{}\" in [[part]] leads from the part before, and this is the first; fade_in in "
                     "[animation] is for the start of the video",
                     key);
    part.captions = read_overlays(table, HUGE_VAL, [this](const std::string& path) { return resolve(path); });
    for (const OverlayOptions& caption : part.captions)
      if (!caption.follow_name.empty())
        throw UsageError(
            "{}\"follow\" in [[part.overlay]] takes the number of a body, from 0; a name is for an [[overlay]] of the "
            "scene",
            caption.position_of("follow").before());
    return part;
  }

  static void refuse_panels(const Table& root, Table& figure, Table& animation) {
    if (root.has("panel"))
      throw UsageError(
          "{}a file has either [[panel]], side by side, or [[part]], one after the other; leave one of them out",
          root.position("panel").before());
    for (const char* key : {"columns", "gap", "share", "labels", "letters", "scene", "width", "dpi", "font_size"})
      if (figure.has(key))
        figure.fail(key, "\"{}\" in [figure] is for panels, and this file has parts; leave it out", key);
    for (const char* key : {"frames", "duration", "step"})
      if (animation.has(key))
        animation.fail(key,
                       "\"{}\" in [animation] is for panels, and a video of parts is as long as they are; write "
                       "duration into [[part]]",
                       key);
  }

  PanelPlot read_plot(Table& table) {
    PanelPlot plot;
    table.read("xlabel", plot.xlabel, {"of the x axis", "the column, where all lines have the same", "\"$x$\""});
    table.read("ylabel", plot.ylabel, {"of the y axis", "the column, where all lines have the same", "\"$y$\""});
    if (table.has("legend"))
      table.fail("legend",
                 "\"legend\" is no key of [panel.plot]: each [[panel.plot.line]] has its own name, label = \"...\"");
    constexpr std::array<std::string_view, 4> names = {"none", "x", "y", "both"};
    int log = 0;
    table.choose("log", log, names, "which axes are logarithmic");
    plot.log_x = log == 1 || log == 3, plot.log_y = log == 2 || log == 3;
    table.read("aspect", plot.aspect, "height by width between the axes, where no picture in the row decides",
               Range::between(0.1, 10));
    table.read("grow", plot.grow,
               "in a video: lines reach up to the time of the frame: by the column \"time\" of their file, or by x "
               "where it has none");
    for (Table& line : table.tables("line", "a line of the plot"))
      line.section([&] {
        plot.lines.push_back(read_line(line));
        if (!plot.grow && line.has("panel"))
          line.fail("panel", "\"panel\" in [[panel.plot.line]] is for grow = true; leave it out");
      });
    if (plot.lines.empty())
      table.fail(
          "",
          "[panel.plot] has no line; write\n\n[[panel.plot.line]]\nfile = \"run.csv\"\nx = \"time\"\ny = \"energy\"");
    const auto read_powers = [&](const char* key, std::vector<PanelPlot::Slope>& powers, const char* usual,
                                 KeyText about) {
      for (Table& slope : table.tables(key, about.meaning)) {
        PanelPlot::Slope& one = powers.emplace_back();
        slope.read("power", one.power, "y ~ x^power");
        one.label = fmt::format("{}{}", usual, one.power);
        slope.read("label", one.label, about);
        if (log != 3)
          slope.fail("", "[[panel.plot.{}]] is a straight line with two logarithmic axes only; set log = \"both\"",
                     key);
      }
    };
    read_powers("slope", plot.slopes, "slope ",
                {"log = \"both\": a dashed line of this power, and its label in the legend", "slope and the power",
                 "\"$N^2$\""});
    read_powers("triangle", plot.triangles, "",
                {"log = \"both\": a triangle of this power next to a line, and its label", "the power", "\"$2$\""});
    constexpr std::array<std::string_view, 3> ratios = {"none", "y/first", "first/y"};
    table.choose("ratio", plot.ratio, ratios,
                 "the lines after the first as multiples of it, or it as multiples of them");
    if (plot.ratio != 0 && plot.lines.size() < 2)
      table.fail("ratio",
                 "\"ratio\" in [panel.plot] compares lines with the first; write a second [[panel.plot.line]]");
    plot.xlim = read_limits(table, "xlim", "ends of the x axis, the lower one first", plot.log_x);
    plot.ylim = read_limits(table, "ylim", "ends of the y axis, the lower one first", plot.log_y);
    table.read("right_label", plot.right_label,
               {"of the axis of lines with right = true", "the column, where it is one line", "\"$T$ (K)\""});
    constexpr std::array<std::string_view, 7> places = {"auto",        "upper left", "upper right", "lower left",
                                                        "lower right", "outside",    "none"};
    table.choose("legend_at", plot.legend_at, places,
                 "where the legend stands; \"auto\": where it covers nothing; \"outside\": above the axes");
    plot.x2 = read_second(table, "x2", "the x axis in another unit, at the top");
    plot.y2 = read_second(table, "y2", "the y axis in another unit, at the right");
    if (plot.y2 && std::ranges::any_of(plot.lines, &PanelPlot::Line::right))
      table.fail("y2", "\"y2\" and lines with right = true both make an axis at the right; leave one of them out");
    return plot;
  }

  static std::optional<std::array<double, 2>> read_limits(Table& plot, const char* key, std::string_view about,
                                                          bool log) {
    std::optional<std::array<double, 2>> ends;
    plot.read(key, ends, {about, "from the values", "[0, 2.5]"}, Range::any());
    if (ends && !((*ends)[0] < (*ends)[1] && (!log || (*ends)[0] > 0)))
      plot.fail(key, "\"{}\" in [panel.plot] is [low, high], with low < high{}", key,
                log ? ", above 0 on a logarithmic axis" : "");
    return ends;
  }

  static std::optional<PanelPlot::Second> read_second(Table& plot, const char* key, std::string_view about) {
    const bool given = plot.has_table(key);
    PanelPlot::Second axis;
    Table table = plot.table(key, about);
    if (given) table.require("factor", "factor = 1000");
    table.read("factor", axis.factor, "leads from the unit of the other side to this one", Range::above(0));
    table.read("label", axis.label, {"of this side", "none", "\"$t$ (ms)\""});
    return given ? std::optional(axis) : std::nullopt;
  }

  PanelPlot::Line read_line(Table& table) {
    PanelPlot::Line line;
    table.require("file", "file = \"run.csv\"");
    table.read("file", line.file, {"comma-separated values with names in the first line", "required", "\"run.csv\""});
    line.file = resolve(line.file);
    table.read("x", line.x, {"column along x", "the first", "\"time\""});
    if (table.text_of("y.0"))
      table.fail("y", "\"y\" in [[panel.plot.line]] is one column; write a [[panel.plot.line]] for each");
    table.require("y", "y = \"energy\"");
    table.read("y", line.y, {"column along y", "required", "\"energy\""});
    table.read("error", line.error, {"column with half of the length of error bars", "none", "\"sigma\""});
    table.read("band", line.band,
               {"columns of the lower and the upper end of a band around it", "none", "[\"low\", \"high\"]"});
    if (!line.band.empty() && line.band.size() != 2)
      table.fail("band", "\"band\" in [[panel.plot.line]] is two columns, the lower and the upper end");
    table.read("right", line.right, "whether the line has an axis of its own at the right");
    table.read("label", line.label, {"in the legend", "none", "\"this work\""});
    constexpr std::array<std::string_view, 4> styles = {"auto", "line", "points", "both"};
    table.choose("style", line.style, styles, "how it is drawn; \"auto\": both where the points are few");
    table.read("panel", line.panel,
               {"grow = true: the letter of the panel whose scene the file is of, which sets the time",
                "the first that moves; required where panels show different times", "\"b\""});
    line.position = table.position(table.has("panel") ? "panel" : "");
    return line;
  }

  FigureFile& figure_;
  std::optional<bool> letters_;
  std::string scene_;
  std::vector<std::string> set_;
  Position set_position_;
};

FigureFile parse(const std::string& text, const std::filesystem::path& file, const std::string& source,
                 const std::vector<std::string>& overrides) {
  FigureFile figure;
  figure.file = file;
  figure.text = text;
  figure.overrides = overrides;
  const std::shared_ptr<Table::Node> node = parse_toml(text, source);
  for (const std::string& argument : overrides) lay_override(*node, argument);
  Table root(node);
  if (root.has("solver") && !root.has("panel") && !root.has("part"))
    throw UsageError("{0}: this is a scene: simreel render {0}; a figure shows it with [[panel]] scene = {1}",
                     file.string(), quote(file.filename().string()));
  root.collect();
  Reader reader(figure);
  reader.read(root);
  root.finish();
  reader.finish();
  return figure;
}

}  // namespace

std::string letter_of(std::size_t i) {
  const std::string last(1, static_cast<char>('a' + i % 26));
  return i < 26 ? last : std::string(1, static_cast<char>('a' + i / 26 - 1)) + last;
}

FigureFile load_figure_file(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse(read_scene_text(file), file, file.string(), overrides);
}

FigureFile parse_figure(const std::string& text, const std::filesystem::path& folder, const std::string& source) {
  return parse(text, folder / "figure", source, {});
}

}  // namespace simreel
