#include "files/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The position at which the file name starts.
std::size_t file_name_of(const std::string& text) {
  const std::size_t slash = text.rfind('/');
  return slash == std::string::npos ? 0 : slash + 1;
}

constexpr std::string_view lock_end = ".lock";

// Part of a pattern as part of one file name, however many folders it has.
std::string as_one_name(const std::string& part) {
  std::string name;
  for (const char c : part) name += c == '%' ? "%%" : c == '/' ? "%s" : std::string(1, c);
  return name;
}

}  // namespace

FilePattern::FilePattern(const std::string& text) {
  const std::size_t split = file_name_of(text);
  const std::string folder = text.substr(0, split);
  std::string mistake;
  FilePattern file, folders;
  if (!file.parse(text.substr(split), mistake)) throw UsageError("{}: {}", text, mistake);
  if (file.numbered_ || !folders.parse(folder, mistake) || !folders.numbered_) {
    *this = file;
    before_ = folder + before_;
    return;
  }
  *this = folders;
  after_ += file.before_;
  if (after_.find("/../") != std::string::npos)
    throw UsageError("{}: \"..\" after the frame number puts all frames into one file", text);
}

bool FilePattern::parse(const std::string& text, std::string& mistake) {
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
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::string digits = text.substr(i + 1, end - i - 1);
    const bool width_is_good =
        digits.empty() || (digits.size() <= 3 && digits[0] == '0' && std::stoi(digits) >= 1 && std::stoi(digits) <= 18);
    if (end >= text.size() || text[end] != 'd' || !width_is_good) {
      mistake = "the frame's number is written %d or %06d, and a percent sign %%";
      return false;
    }
    if (numbered_) {
      mistake = "the frame's number may stand in a name once";
      return false;
    }
    numbered_ = true;
    digits_ = digits.empty() ? 0 : std::stoi(digits);
    i = end;
  }
  return true;
}

std::string FilePattern::name(std::int64_t index) const {
  if (!numbered_) return before_;
  return fmt::format("{}{:0{}}{}", before_, index, digits_, after_);
}

FilePattern FilePattern::placed() const {
  FilePattern placed = *this;
  const std::size_t split = file_name_of(before_);
  if (!numbered_) {
    placed.before_ = identity_of(before_);
  } else {
    const std::string folder = identity_of(split == 0 ? "." : before_.substr(0, split));
    placed.before_ = (std::filesystem::path(folder) / before_.substr(split)).string();
  }
  return placed;
}

std::optional<std::int64_t> FilePattern::index_of(const std::string& text) const {
  if (!numbered_) return text == before_ ? std::optional<std::int64_t>(0) : std::nullopt;
  if (text.size() <= before_.size() + after_.size() || !text.starts_with(before_) || !text.ends_with(after_)) return {};
  const std::string_view digits(text.data() + before_.size(), text.size() - before_.size() - after_.size());
  const std::optional<std::int64_t> index = parse_number<std::int64_t>(digits);
  return index && *index >= 0 && name(*index) == text ? index : std::nullopt;
}

bool FilePattern::may_meet(const FilePattern& other) const {
  const auto differ_in_digits = [](const std::string& longer, const std::string& shorter, bool at_the_end) {
    const std::size_t count = longer.size() - shorter.size();
    const std::string extra = at_the_end ? longer.substr(shorter.size()) : longer.substr(0, count);
    return (at_the_end ? longer.starts_with(shorter) : longer.ends_with(shorter)) &&
           std::ranges::all_of(extra, is_digit);
  };
  const auto agree = [&](const std::string& a, const std::string& b, bool at_the_end) {
    return a.size() >= b.size() ? differ_in_digits(a, b, at_the_end) : differ_in_digits(b, a, at_the_end);
  };
  return agree(before_, other.before_, true) && agree(after_, other.after_, false);
}

std::string FilePattern::folder() const {
  const std::size_t split = file_name_of(before_);
  return split == 0 ? "." : before_.substr(0, split);
}

FilePattern FilePattern::component() const {
  FilePattern component = *this;
  component.before_ = before_.substr(file_name_of(before_));
  component.after_ = after_.substr(0, after_.find('/'));
  return component;
}

std::string FilePattern::lock_name() const {
  const std::size_t split = file_name_of(before_);
  const std::string number = digits_ == 0 ? "%d" : fmt::format("%0{}d", digits_);
  return fmt::format("{}{}{}{}{}", before_.substr(0, split), as_one_name(before_.substr(split)), number,
                     as_one_name(after_), lock_end);
}

std::optional<FilePattern> FilePattern::from_lock_name(const std::string& lock) {
  if (!lock.ends_with(lock_end)) return std::nullopt;
  const std::size_t split = file_name_of(lock);
  std::string text;
  for (std::size_t i = split; i < lock.size() - lock_end.size(); ++i) {
    if (lock.compare(i, 2, "%s") == 0) {
      text += '/';
      ++i;
    } else {
      if (lock[i] == '%') text += lock[i++];
      text += lock[i];
    }
  }
  FilePattern pattern;
  std::string mistake;
  if (!pattern.parse(text, mistake) || !pattern.numbered_) return std::nullopt;
  pattern.before_ = lock.substr(0, split) + pattern.before_;
  return pattern;
}

std::string extension_of(const std::string& target) {
  return lower_case(std::filesystem::path(target).extension().string());
}

std::string identity_of(const std::string& file) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(file, error);
  const auto canonical = std::filesystem::weakly_canonical(absolute, error);
  std::string identity = error ? absolute.lexically_normal().string() : canonical.string();
  while (identity.size() > 1 && identity.ends_with('/')) identity.pop_back();
  return identity;
}

}  // namespace simreel
