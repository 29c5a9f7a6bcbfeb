#include "golden/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/text.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t least_digits = 6;

// The frame number between "NAME." and ".png"; -1 for any other text, including a number that still() formats
// otherwise.
std::int64_t frame_number(std::string_view digits) {
  std::int64_t frame = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), frame);
  if (error != std::errc() || end != digits.data() + digits.size() || frame < 0) return -1;
  return fmt::format("{:0{}}", frame, least_digits) == digits ? frame : -1;
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(*entry);
  if (error) throw UsageError("{}: cannot be read as a folder: {}", folder.string(), error.message());
  return entries;
}

bool is_file(const fs::directory_entry& entry) {
  std::error_code unknown;
  return entry.is_regular_file(unknown);
}

}  // namespace

GoldenFolder::GoldenFolder(fs::path path) : path_(std::move(path)) {
  for (const auto& entry : entries_of(path_))
    if (entry.path().extension() == ".toml" && entry.path().has_stem()) names_.push_back(entry.path().stem().string());
  if (names_.empty()) {
    throw UsageError("{}: holds no scene (*.toml); golden images lie beside their scenes", path_.string());
  }
  std::ranges::sort(names_);
}

std::vector<std::string> GoldenFolder::select(const std::vector<std::string>& wanted) const {
  if (wanted.empty()) return names_;
  std::vector<std::string> selected;
  for (const std::string& text : wanted) {
    const std::string name = text.ends_with(".toml") ? text.substr(0, text.size() - 5) : text;
    if (!std::ranges::binary_search(names_, name)) {
      const std::vector<std::string_view> known(names_.begin(), names_.end());
      const std::string_view near = nearest(name, known);
      const std::string list = fmt::format("; there are {}{}", fmt::join(known | std::views::take(20), ", "),
                                           known.size() > 20 ? " and more" : "");
      throw UsageError("{}: there is no scene {}{}", path_.string(), quote(shorten(name, 60)),
                       near.empty() ? list : fmt::format("; did you mean \"{}\"?", near));
    }
    selected.push_back(name);
  }
  std::ranges::sort(selected);
  selected.erase(std::ranges::unique(selected).begin(), selected.end());
  return selected;
}

fs::path GoldenFolder::scene(const std::string& name) const { return path_ / (name + ".toml"); }

fs::path GoldenFolder::hashes(const std::string& name) const { return path_ / (name + ".hashes"); }

fs::path GoldenFolder::still(const std::string& name, std::int64_t frame) const {
  return path_ / fmt::format("{}.{:0{}}.png", name, frame, least_digits);
}

std::map<std::int64_t, fs::path> GoldenFolder::stills(const std::string& name) const {
  std::map<std::int64_t, fs::path> found;
  for (const auto& entry : entries_of(path_)) {
    const std::string file = entry.path().filename().string();
    constexpr std::string_view extension = ".png";
    if (!file.starts_with(name + ".") || !file.ends_with(extension)) continue;
    if (file.size() < name.size() + 1 + least_digits + extension.size()) continue;
    const std::string_view digits(file.data() + name.size() + 1, file.size() - name.size() - 1 - extension.size());
    const std::int64_t frame = frame_number(digits);
    if (frame >= 0 && is_file(entry)) found.emplace(frame, entry.path());
  }
  return found;
}

std::vector<std::string> GoldenFolder::orphans() const {
  std::vector<std::string> found;
  for (const auto& entry : entries_of(path_)) {
    const fs::path file = entry.path().filename();
    if (file.extension() != ".hashes" || !is_file(entry)) continue;
    if (!std::ranges::binary_search(names_, file.stem().string())) found.push_back(file.string());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace simreel
