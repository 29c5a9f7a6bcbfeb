#include "source/data/times.h"

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

std::vector<double> times_in(const ArrayFile& file, const ArrayInfo& array, const DataLayout& layout) {
  std::vector<double> times = file.values(array, max_times);
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
