#include "source/data/series.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// False also for names that no file can have.
bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// The first piece of a step that is not there; empty if all are.
std::string lost_piece(const std::string& file) {
  const std::vector<std::string> pieces = pieces_of(file);
  const auto lost = std::ranges::find_if(pieces, std::not_fn(is_there));
  return lost == pieces.end() ? "" : *lost;
}

}  // namespace

bool fits_wildcards(const std::string& pattern, const std::string& name) {
  // The last * takes one letter more each time that what follows it does not fit.
  std::size_t p = 0, n = 0, star = std::string::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool in_natural_order(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto run = [](const std::string& text, std::size_t at) {
        std::size_t first = at, end = at;
        while (end < text.size() && is_digit(text[end])) ++end;
        while (first + 1 < end && text[first] == '0') ++first;
        return std::pair(std::string_view(text).substr(first, end - first), end);
      };
      const auto [x, x_end] = run(a, i);
      const auto [y, y_end] = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      i = x_end, j = y_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

FileSeries::FileSeries(std::string pattern, bool growing) {
  const std::size_t slash = pattern.rfind('/');
  folder_ = slash == std::string::npos ? "" : pattern.substr(0, slash + 1);
  name_ = slash == std::string::npos ? pattern : pattern.substr(slash + 1);
  const auto fail = [&](const char* message) { throw UsageError("{}: {}", pattern, message); };
  if (name_.empty()) fail("names a folder; name the files in it: \"run/*.npy\"");
  if (is_collection(name_) && is_there(pattern)) {
    kind_ = Kind::listed;
    list_ = pattern;
    append(read_collection(pattern));
    return;
  }
  if (!is_there(pattern)) {  // a name may contain such letters
    for (std::size_t i = 0; i < name_.size(); ++i) {
      if (name_[i] != '%') {
        (kind_ == Kind::numbered ? after_ : before_) += name_[i];
        continue;
      }
      if (name_.compare(i, 2, "%%") == 0) {
        (kind_ == Kind::numbered ? after_ : before_) += name_[i++];
        continue;
      }
      if (kind_ == Kind::numbered) fail("has two numbers; a series has one");
      std::size_t end = i + 1;
      while (end < name_.size() && is_digit(name_[end])) ++end;
      const bool plain = end == i + 1, padded = !plain && name_[i + 1] == '0' && end - i - 2 <= 2;
      if (end == name_.size() || name_[end] != 'd' || (!plain && !padded))
        fail("the number of a step is written %d, or %05d with five digits");
      if (padded) std::from_chars(name_.data() + i + 2, name_.data() + end, digits_);
      kind_ = Kind::numbered;
      i = end;
    }
    const bool wild = name_.find_first_of("*?") != std::string::npos;
    if (wild && kind_ == Kind::numbered) fail("has both a number and a wildcard; take one of them");
    if (wild) kind_ = Kind::wild;
    if (folder_.find_first_of("*?") != std::string::npos) fail("wildcards are for the last part of a path");
    if (kind_ == Kind::single && folder_.find('%') != std::string::npos)
      fail("the number of a step belongs to the last part of the path");
  }
  files_ = kind_ == Kind::single ? std::vector{pattern} : find();
  if (growing && kind_ == Kind::numbered && files_.size() == 2 && rank(files_[1]) != rank(files_[0]) + 1)
    files_.pop_back();
}

std::optional<double> FileSeries::time(std::size_t file) const {
  return file < times_.size() ? std::optional(times_[file]) : std::nullopt;
}

// Appends what comes after the files that are known.
void FileSeries::append(const std::vector<CollectionStep>& steps) {
  for (const CollectionStep& step : steps) {
    if (!times_.empty() && step.time <= times_.back()) continue;
    files_.push_back(step.file);
    times_.push_back(step.time);
    lines_.push_back(step.line);
  }
}

std::int64_t FileSeries::number_of(const std::string& name) const {
  if (name.size() <= before_.size() + after_.size() || !name.starts_with(before_) || !name.ends_with(after_)) return -1;
  const std::string_view digits(name.data() + before_.size(), name.size() - before_.size() - after_.size());
  if (!std::ranges::all_of(digits, is_digit) || digits.size() > 18) return -1;
  const bool whole = digits.size() == digits_ || digits[0] != '0' || digits.size() == 1;
  if (digits.size() < digits_ || !whole) return -1;
  return parse_number<std::int64_t>(digits).value_or(-1);
}

bool FileSeries::fits(const std::string& name) const {
  return kind_ == Kind::numbered ? number_of(name) >= 0 : fits_wildcards(name_, name);
}

std::vector<std::string> FileSeries::find() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder_.empty() ? "." : folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (fits(name) && !name.ends_with(".part") && !entry->is_directory(unknown)) names.push_back(name);
  }
  if (kind_ == Kind::numbered)
    std::ranges::sort(names, {}, [&](const std::string& name) { return number_of(name); });
  else
    std::ranges::sort(names, in_natural_order);
  for (std::string& name : names) name = folder_ + name;
  return names;
}

std::vector<std::string> FileSeries::inputs() const {
  if (kind_ != Kind::listed) return files_;
  std::vector<std::string> all;
  for (const std::string& file : files_) std::ranges::copy(pieces_of(file), std::back_inserter(all));
  all.push_back(list_);
  return all;
}

std::string FileSeries::missing() const {
  if (kind_ == Kind::listed) {
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (const std::string lost = lost_piece(files_[i]); !lost.empty())
        return fmt::format("{}:{}: {} is missing; write it again, or take its line out of the list", list_, lines_[i],
                           lost);
    return "";
  }
  const std::string gap = kind_ == Kind::numbered ? gap_in(files_) : "";
  return gap.empty() ? "" : words_for_gap(gap);
}

std::string words_for_gap(const std::string& missing) {
  return fmt::format(
      "{} is missing, and later steps are there; the numbers of a series have a constant distance; write it again, or "
      "take what is there with a wildcard: \"*\"",
      missing);
}

std::string FileSeries::gap_in(const std::vector<std::string>& files) const {
  if (files.size() < 3) return "";
  std::int64_t step = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 1; i < files.size(); ++i) step = std::min(step, rank(files[i]) - rank(files[i - 1]));
  for (std::size_t i = 1; i < files.size(); ++i)
    if (rank(files[i]) - rank(files[i - 1]) != step) return numbered(rank(files[i - 1]) + step);
  return "";
}

std::string FileSeries::numbered(std::int64_t number) const {
  return fmt::format("{}{}{:0{}}{}", folder_, before_, number, digits_, after_);
}

bool FileSeries::in_order(const std::string& a, const std::string& b) const {
  return kind_ == Kind::numbered ? rank(a) < rank(b) : in_natural_order(a, b);
}

std::optional<std::int64_t> FileSeries::next_number() const {
  if (kind_ != Kind::numbered || files_.size() < 2) return {};
  return rank(files_.back()) + rank(files_[1]) - rank(files_[0]);
}

std::string FileSeries::awaited() const {
  if (kind_ != Kind::numbered) return "";
  const std::vector<std::string> now = find();
  return !now.empty() && in_order(files_.back(), now.back()) ? gap_in(now) : "";
}

bool FileSeries::look_again(bool over) {
  if (kind_ == Kind::single) return false;
  const std::size_t before = files_.size();
  if (kind_ == Kind::listed) {
    try {
      append(read_collection(list_));
    } catch (const RuntimeError&) {  // it is being written
    }
    return files_.size() > before;
  }
  const auto ordered = [this](const std::string& a, const std::string& b) { return in_order(a, b); };
  std::vector<std::string> later;
  for (const std::string& file : find()) {
    if (files_.empty() || in_order(files_.back(), file))
      later.push_back(file);
    else if (late_.empty() && !std::ranges::binary_search(files_, file, ordered))
      late_ = file;
  }
  if (kind_ == Kind::numbered && files_.size() == 1 && !later.empty()) {
    const std::int64_t distance = rank(later[0]) - rank(files_[0]);
    const bool sure = later.size() > 1 ? rank(later[1]) - rank(later[0]) == distance : over;
    if (distance != 1 && !sure) return false;
  }
  for (const std::string& file : later) {
    if (const std::optional<std::int64_t> next = next_number(); next && rank(file) != *next) break;
    files_.push_back(file);
  }
  return files_.size() > before;
}

std::string FileSeries::what_is_there() const {
  std::error_code error;
  if (!fs::is_directory(folder_.empty() ? "." : folder_, error))
    return fmt::format("there is no folder {}", quote(folder_));
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder_.empty() ? "." : folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
    if (names.size() == 1000) break;
  }
  if (names.empty()) return "the folder is empty";
  std::ranges::sort(names, in_natural_order);
  const std::vector<std::string_view> all(names.begin(), names.end());
  const std::string_view near = nearest(name_, all);
  const std::size_t shown = std::min<std::size_t>(names.size(), 4);
  return fmt::format(
      "the folder holds {}{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      names.size() > shown ? ", ..." : "", near.empty() ? "" : fmt::format("; did you mean {}?", quote(near)));
}

}  // namespace simreel
