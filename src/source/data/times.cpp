#include "source/data/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/cf_time.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"

namespace simreel {

std::vector<double> numbers_in(const std::string& file) {
  if (const std::string why = refusal_to_read(file); !why.empty()) throw RuntimeError("{}: {}", file, why);
  std::ifstream in(file);
  if (!in.is_open()) throw RuntimeError("{}: cannot be read", file);
  std::vector<double> values;
  std::int64_t line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    std::string_view cell = trim(text);
    if (cell.empty() || cell.starts_with('#')) continue;
    cell = trim(cell.substr(0, cell.find_first_of(",;\t ")));
    double value = 0;
    const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (result.ec == std::errc() && result.ptr == cell.data() + cell.size())
      values.push_back(value);
    else if (!values.empty() || line > 1)  // the first line may name the column
      throw RuntimeError("{}:{}: {} is no number", file, line,
                         values.empty() ? "what stands there" : quote(shorten(cell, 40)));
    if (values.size() > max_times) throw RuntimeError("{}: more than {} lines", file, max_times);
  }
  if (in.bad()) throw RuntimeError("{}: cannot be read", file);
  return values;
}

namespace {

// "2005-08-28 06:00:00" as a unit; "" for what is no date.
std::string unit_since(std::string date) {
  std::ranges::replace(date, '_', ' ');
  const std::string unit = fmt::format("minutes since {}", date);
  return parse_cf_time(unit, "") ? unit : "";
}

}  // namespace

std::string unit_of_dates(const ArrayFile& file, const std::string& name) {
  const std::vector<std::string> dates = file.words(name, max_times);
  return dates.empty() ? "" : unit_since(dates[0]);
}

std::vector<double> times_in(const ArrayFile& file, const std::string& name, const DataLayout& layout) {
  std::vector<double> times;
  if (const std::vector<std::string> dates = file.words(name, max_times); !dates.empty()) {
    const std::optional<CfTime> first = parse_cf_time(layout.time_unit, "");
    for (const std::string& date : dates) {
      const std::optional<CfTime> own = parse_cf_time(unit_since(date), "");
      if (!first || !own)
        throw RuntimeError("{}: {} is no date", place_of(file.path(), name), quote(shorten(date, 40)));
      times.push_back((own->start - first->start) / first->unit);
    }
    return times;
  }
  const ArrayInfo& array = file.at(name);
  times = file.values(array, max_times, true);
  const std::string calendar = file.text(array.name + "/calendar").value_or("");
  const bool alike = is_same_calendar(calendar, layout.calendar);
  if (array.unit == layout.time_unit && alike) return times;
  const std::optional<CfTime> first = parse_cf_time(layout.time_unit, layout.calendar),
                              own = parse_cf_time(array.unit, calendar);
  if (!first || !own || !alike)
    throw RuntimeError(
        "{}: its times are in {}, and those of the first file in {}, which simreel does not convert; give the time of "
        "a step as timestep in [solver]",
        place_of(file.path(), array.name), quote(shorten(array.unit, 60)), quote(shorten(layout.time_unit, 60)));
  for (double& time : times) time = (time * own->unit + (own->start - first->start)) / first->unit;
  return times;
}

}  // namespace simreel
