#include "source/data/stacked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "source/data/series.h"

namespace simreel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The end of "%d" or "%05d" that begins at `at`; `at` where there is none.
std::size_t end_of_number(std::string_view pattern, std::size_t at) {
  std::size_t end = at + 1;
  while (end < pattern.size() && is_digit(pattern[end])) ++end;
  return pattern[at] == '%' && end < pattern.size() && pattern[end] == 'd' ? end + 1 : at;
}

// With "*" for numbers.
std::string with_wildcards(std::string_view pattern) {
  std::string wild;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = end_of_number(pattern, at);
    wild += end > at ? '*' : pattern[at];
    at = std::max(end, at + 1);
  }
  return wild;
}

// Whether a name that fits the wildcards has digits where the pattern has a number.
bool has_numbers(std::string_view pattern, std::string_view name) {
  if (pattern.find('%') == std::string_view::npos) return true;
  const std::string_view before = pattern.substr(0, pattern.find('%'));
  const std::string_view after = pattern.substr(end_of_number(pattern, before.size()));
  if (after.find_first_of("%*?") != std::string_view::npos || before.find_first_of("*?") != std::string_view::npos)
    return true;
  const std::string_view digits = name.substr(before.size(), name.size() - before.size() - after.size());
  return !digits.empty() && std::ranges::all_of(digits, is_digit);
}

std::string rooted(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  return fmt::format("/{}", name);
}

// NaN, which marks a missing value too, counts as equal.
bool alike(const std::optional<double>& a, const std::optional<double>& b) {
  return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
}

// What keeps two arrays from being steps of one; empty: nothing.
std::string difference(const ArrayInfo& part, const ArrayInfo& whole) {
  const auto unlike = [&](const char* what, const std::optional<double>& its, const std::optional<double>& other) {
    const auto words = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.9g}", *value) : "none";
    };
    return fmt::format("its {} is {}, and that of {} is {}", what, words(its), whole.name, words(other));
  };
  if (part.extents != whole.extents || part.element != whole.element)
    return fmt::format("it is {} of {}, and {} is {} of {}", words_for(part.extents), name_of(part.element), whole.name,
                       words_for(whole.extents), name_of(whole.element));
  if (!alike(part.fill, whole.fill)) return unlike("_FillValue", part.fill, whole.fill);
  if (!std::ranges::equal(part.missing, whole.missing, [](double a, double b) { return alike(a, b); }))
    return fmt::format("its missing_value is not that of {}", whole.name);
  if (!alike(part.scale, whole.scale)) return unlike("scale_factor", part.scale, whole.scale);
  if (!alike(part.offset, whole.offset)) return unlike("add_offset", part.offset, whole.offset);
  if (!alike(part.min, whole.min)) return unlike("least valid value", part.min, whole.min);
  if (!alike(part.max, whole.max)) return unlike("greatest valid value", part.max, whole.max);
  if (part.limits_unpacked != whole.limits_unpacked)
    return fmt::format("its valid values are not of the type of those of {}", whole.name);
  return "";
}

class StackedFile final : public ArrayFile {
 public:
  StackedFile(std::unique_ptr<ArrayFile> file, const std::string& pattern)
      : ArrayFile(file->path()), file_(std::move(file)) {
    const std::string name = rooted(pattern), wild = with_wildcards(name);
    for (const ArrayInfo& array : file_->arrays()) {
      const std::string full = rooted(array.name);
      if (fits_wildcards(wild, full) && has_numbers(name, full))
        parts_.push_back(&array);
      else
        arrays_.push_back(array);
    }
    if (parts_.empty()) file_->at(pattern);  // throws
    std::ranges::sort(parts_, in_natural_order, &ArrayInfo::name);
    ArrayInfo whole = *parts_[0];
    for (const ArrayInfo* part : parts_)
      if (const std::string differs = difference(*part, whole); !differs.empty())
        fail(*part, fmt::format("{}; all that fit {} must have one shape and type, and the same attributes", differs,
                                pattern));
    whole.name = pattern;
    whole.auxiliary = false;
    const auto behind_time = [](const auto& list, const auto& time) {
      std::vector all(list.size() + 1, time);
      std::ranges::copy(list, all.begin() + 1);
      return all;
    };
    whole.dimensions = behind_time(whole.dimensions, std::string("t"));
    if (!whole.steps.empty()) whole.steps = behind_time(whole.steps, ArrayInfo::Steps{0, 0});
    whole.extents = {parts_.size()};
    std::ranges::copy(parts_[0]->extents, std::back_inserter(whole.extents));
    check_claims(whole);
    arrays_.push_back(std::move(whole));
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    if (&array != &arrays_.back()) return file_->read(file_->at(array.name), start, count, to);
    std::uint64_t bytes = array.element.bytes;
    for (const std::uint64_t along : count.subspan(1)) bytes *= along;
    for (std::uint64_t i = 0; i < count[0]; ++i)
      file_->read(*parts_[static_cast<std::size_t>(start[0] + i)], start.subspan(1), count.subspan(1), to + i * bytes);
  }

  std::optional<double> attribute(std::string_view name) const override { return file_->attribute(name); }
  std::optional<std::string> text(std::string_view name) const override { return file_->text(name); }

  // Of each array, or of a group that it lies in and that is not around all of them.
  std::vector<double> attribute_list(std::string_view name, std::size_t max) const override {
    std::vector<double> each;
    for (const ArrayInfo* part : parts_) {
      std::string place = part->name;
      std::optional<double> value = file_->attribute(fmt::format("{}/{}", place, name));
      while (!value && place.find_last_of('/') != std::string::npos && place.find_last_of('/') > 0) {
        place.resize(place.find_last_of('/'));
        value = file_->attribute(fmt::format("{}/{}", place, name));
      }
      if (!value || each.size() == max) return file_->attribute_list(name, max);
      each.push_back(*value);
    }
    return each;
  }

 private:
  std::unique_ptr<ArrayFile> file_;
  std::vector<const ArrayInfo*> parts_;
};

// Whether a name is a pattern: it holds %d, %05d, * or ?.
bool is_array_pattern(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at)
    if (name[at] == '*' || name[at] == '?' || end_of_number(name, at) > at) return true;
  return false;
}

}  // namespace

std::unique_ptr<ArrayFile> open_stacked_file(const std::string& path, const std::string& array) {
  std::unique_ptr<ArrayFile> file = open_array_file(path);
  if (!is_array_pattern(array) || file->find(array) != nullptr) return file;
  return std::make_unique<StackedFile>(std::move(file), array);
}

std::string plain_name(const std::string& name) {
  if (!is_array_pattern(name)) return name.empty() ? "value" : name;
  std::string plain = with_wildcards(name);
  std::erase_if(plain, [](char c) { return c == '*' || c == '?'; });
  constexpr const char* joints = "_-. ";
  const std::size_t first = plain.find_first_not_of(joints);
  return first == std::string::npos ? "value" : plain.substr(first, plain.find_last_not_of(joints) + 1 - first);
}

}  // namespace simreel
