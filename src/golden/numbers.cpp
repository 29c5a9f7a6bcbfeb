#include "golden/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "plot/read_csv.h"

namespace simreel {
namespace {

class NumbersRecorder final : public Sink {
 public:
  NumbersRecorder(std::vector<std::size_t> columns, Numbers& numbers)
      : Sink({.diagnostics = true}), columns_(std::move(columns)), numbers_(numbers) {}

  void write(const Frame& frame) override {
    std::vector<double>& row = numbers_.rows.emplace_back();
    for (const std::size_t column : columns_) row.push_back(frame.diagnostics[column]);
  }
  void finish() override {}

 private:
  std::vector<std::size_t> columns_;
  Numbers& numbers_;
};

}  // namespace

std::unique_ptr<Sink> open_numbers(const GoldenOptions& golden, const std::vector<std::string>& columns,
                                   Numbers& numbers) {
  std::vector<std::size_t> places;
  for (const auto& [name, tolerance] : golden.csv) {
    const auto found = std::ranges::find(columns, name);
    if (found == columns.end())
      throw UsageError("{}: \"csv\" in [golden] names {}, but: {}", golden.csv_position.text(), quote(name),
                       choices(name, std::vector<std::string_view>(columns.begin(), columns.end())));
    places.push_back(static_cast<std::size_t>(found - columns.begin()));
    numbers.names.push_back(name);
  }
  return std::make_unique<NumbersRecorder>(std::move(places), numbers);
}

std::string numbers_text(const Numbers& numbers) {
  std::string text = fmt::format("{}\n", fmt::join(numbers.names, ","));
  for (const std::vector<double>& row : numbers.rows) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

std::vector<std::string> differing_numbers(const std::filesystem::path& file, const GoldenOptions& golden,
                                           const Numbers& rendered) {
  const CsvTable accepted = read_csv(file.string());
  const std::string name = file.filename().string();
  if (accepted.names != rendered.names)
    return {fmt::format("{} holds {}, and [golden] csv names {}", name, fmt::join(accepted.names, ", "),
                        fmt::join(rendered.names, ", "))};
  if (accepted.rows.size() != rendered.rows.size())
    return {
        fmt::format("{} holds {} rows, and {} frames are rendered", name, accepted.rows.size(), rendered.rows.size())};
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < golden.csv.size(); ++i) {
    const auto& [column, tolerance] = golden.csv[i];
    const std::vector<double> values = accepted.column(column);
    double magnitude = 0;
    for (const double value : values)
      if (std::isfinite(value)) magnitude = std::max(magnitude, std::abs(value));
    for (std::size_t frame = 0; frame < values.size(); ++frame) {
      const double expected = values[frame], actual = rendered.rows[frame][i];
      if (expected == actual || (std::isnan(expected) && std::isnan(actual))) continue;
      const double difference = std::abs(actual - expected);
      if (difference <= tolerance * magnitude) continue;
      problems.push_back(
          fmt::format("{} of frame {} is {}, and {} was accepted: they differ by {:.3g} of the greatest magnitude of "
                      "this column, and {:g} may be",
                      column, frame, actual, expected, difference / magnitude, tolerance));
      break;
    }
  }
  return problems;
}

}  // namespace simreel
