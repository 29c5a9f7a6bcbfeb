#include "base/error.h"

#include <fmt/format.h>

namespace simreel {
namespace {

std::string text_of(Hint way, const OptionNames& words) {
  switch (way) {
    case Hint::cpu: return fmt::format("use {}", words.cpu);
    case Hint::overwrite: return fmt::format("pass {}", words.overwrite);
    case Hint::resume_or_overwrite: return fmt::format("{}move the file or pass {}", words.resume, words.overwrite);
    case Hint::none: break;
  }
  return "";
}

}  // namespace

UsageError::UsageError(const std::string& text, Hint way)
    : FormattedError(text + text_of(way, {})), way_out_(way), end_(text.size()) {}

std::string UsageError::text(const OptionNames& words) const {
  return way_out_ == Hint::none ? what() : std::string(what(), end_) + text_of(way_out_, words);
}

}  // namespace simreel
