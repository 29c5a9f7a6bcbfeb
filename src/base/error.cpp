#include "base/error.h"

#include <fmt/format.h>

namespace simreel {
namespace {

std::string text_of(WayOut way, const OptionWords& words) {
  switch (way) {
    case WayOut::cpu: return fmt::format("use {}", words.cpu);
    case WayOut::overwrite: return fmt::format("pass {}", words.overwrite);
    case WayOut::resume_or_overwrite: return fmt::format("{}move the file or pass {}", words.resume, words.overwrite);
    case WayOut::none: break;
  }
  return "";
}

}  // namespace

UsageError::UsageError(const std::string& text, WayOut way)
    : FormattedError(text + text_of(way, {})), way_out_(way), end_(text.size()) {}

std::string UsageError::text(const OptionWords& words) const {
  return way_out_ == WayOut::none ? what() : std::string(what(), end_) + text_of(way_out_, words);
}

}  // namespace simreel
