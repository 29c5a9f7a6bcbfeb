#include "golden/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "compare/picture.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t min_digits = 6;
constexpr std::string_view numbers_ending = ".golden.csv";

// The frame number between "NAME." and ".png"; -1 for any other text, including a number that still() formats
// otherwise.
std::int64_t frame_number(std::string_view digits) {
  const std::int64_t frame = parse_number<std::int64_t>(digits).value_or(-1);
  return frame >= 0 && fmt::format("{:0{}}", frame, min_digits) == digits ? frame : -1;
}

// `recursive`: with those of the folders in it.
std::vector<fs::directory_entry> entries_of(const fs::path& folder, bool recursive = false) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!recursive) entry.disable_recursion_pending();
    entries.push_back(*entry);
  }
  if (error) throw UsageError("{}: cannot be read as a folder: {}", folder.string(), error.message());
  return entries;
}

bool is_file(const fs::directory_entry& entry) {
  std::error_code unknown;
  return entry.is_regular_file(unknown);
}

// The scene and the frame of "NAME.000059.png"; frame -1 for other names.
std::pair<std::string, std::int64_t> still_of(const std::string& file) {
  constexpr std::string_view extension = ".png";
  if (!file.ends_with(extension)) return {"", -1};
  const std::string name = file.substr(0, file.size() - extension.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", -1};
  return {name.substr(0, dot), frame_number(std::string_view(name).substr(dot + 1))};
}

}  // namespace

std::string read_golden_text(const fs::path& file) {
  std::string text = read_file(file, limits::text_bytes);
  std::erase(text, '\r');
  return text;
}

GoldenFolder::GoldenFolder(fs::path path, bool recursive) : path_(std::move(path)), recursive_(recursive) {
  for (const auto& entry : entries_of(path_, recursive))
    if (fs::path file = entry.path().lexically_relative(path_); file.extension() == ".toml" && file.has_stem())
      names_.push_back(file.replace_extension().string());
  if (names_.empty())
    throw UsageError("{}: holds no scene (*.toml); golden images are in the folder of their scenes", path_.string());
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

fs::path GoldenFolder::numbers(const std::string& name) const { return path_ / (name + std::string(numbers_ending)); }

fs::path GoldenFolder::page(const std::string& name) const { return path_ / (name + ".svg"); }

std::vector<std::string> GoldenFolder::sets(const std::string& name) const {
  std::vector<std::string> found = {name};
  std::error_code unknown;
  for (int i = 2;; ++i) {
    const std::string set = fmt::format("{}.{}", name, i);
    if (std::ranges::binary_search(names_, set) || !fs::exists(hashes(set), unknown)) return found;
    found.push_back(set);
  }
}

bool GoldenFolder::has_scene(const std::string& set) const {
  if (std::ranges::binary_search(names_, set)) return true;
  const std::string name = set.substr(0, set.rfind('.'));
  return std::ranges::binary_search(names_, name) && std::ranges::count(sets(name), set) == 1;
}

fs::path GoldenFolder::still(const std::string& name, std::int64_t frame) const {
  return path_ / fmt::format("{}.{:0{}}.png", name, frame, min_digits);
}

std::map<std::int64_t, fs::path> GoldenFolder::stills(const std::string& name) const {
  std::map<std::int64_t, fs::path> found;
  for (const auto& entry : entries_of(scene(name).parent_path())) {
    const auto [owner, frame] = still_of(entry.path().filename().string());
    if (frame >= 0 && owner == fs::path(name).filename() && is_file(entry)) found.emplace(frame, entry.path());
  }
  return found;
}

std::vector<std::string> GoldenFolder::orphans() const {
  std::vector<std::string> found;
  for (const auto& entry : entries_of(path_, recursive_)) {
    const fs::path file = entry.path().lexically_relative(path_);
    const auto [owner, frame] = still_of(file.filename().string());
    const bool of_numbers = file.string().ends_with(numbers_ending);
    if (file.extension() != ".hashes" && !of_numbers && frame < 0) continue;
    const fs::path stem = of_numbers ? file.stem().stem() : frame < 0 ? file.stem() : fs::path(owner);
    if (!has_scene((file.parent_path() / stem).string()) && is_file(entry)) found.push_back(file.string());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> GoldenFolder::skipped() const {
  std::vector<std::string> found;
  if (recursive_) return found;
  for (const auto& entry : entries_of(path_)) {
    std::error_code unknown;
    if (!entry.is_directory(unknown)) continue;
    try {
      const GoldenFolder below(entry.path(), true);
      found.push_back(entry.path().filename().string());
    } catch (const UsageError&) {  // without a scene
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace simreel
