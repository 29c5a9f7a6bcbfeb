#include "sink/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "error.h"

namespace simreel {

FilePattern::FilePattern(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& part = numbered_ ? after_ : before_;
    if (text[i] != '%') {
      part += text[i];
      continue;
    }
    if (text.compare(i, 2, "%%") == 0) {
      part += '%';
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    const std::string digits = text.substr(i + 1, end - i - 1);
    const bool width_is_good =
        digits.empty() || (digits.size() <= 3 && digits[0] == '0' && std::stoi(digits) >= 1 && std::stoi(digits) <= 18);
    if (end >= text.size() || text[end] != 'd' || !width_is_good) {
      throw UsageError(fmt::format("{}: the frame's number is written %d or %06d, and a percent sign %%", text));
    }
    if (numbered_) throw UsageError(fmt::format("{}: the frame's number may stand in a name once", text));
    numbered_ = true;
    digits_ = digits.empty() ? 0 : std::stoi(digits);
    i = end;
  }
}

std::string FilePattern::name(std::int64_t index) const {
  if (!numbered_) return before_;
  return fmt::format("{}{:0{}}{}", before_, index, digits_, after_);
}

std::string extension_of(const std::string& target) {
  std::string extension = std::filesystem::path(target).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return extension;
}

}  // namespace simreel
