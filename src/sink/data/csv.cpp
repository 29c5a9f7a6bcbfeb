// The diagnostics as text: a header with their names, then one row per frame. Numbers have as many digits as are needed
// to read back the same double, integers no fraction.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sink/data/lines.h"
#include "sink/open.h"

namespace simreel {
namespace {

class Csv : public Lines {
 public:
  Csv(const std::string& target, const StreamInfo& info, Opening opening)
      : Lines({.diagnostics = true}, target, info, opening, fmt::format("{}\n", fmt::join(info.diagnostics, ","))) {}

 private:
  std::string line_of(const Frame& frame) const override {
    return fmt::format("{}", fmt::join(frame.diagnostics, ","));
  }
};

}  // namespace

std::unique_ptr<Sink> open_csv(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return std::make_unique<Csv>(target, info, opening);
}

}  // namespace simreel
