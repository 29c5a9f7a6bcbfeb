#include "compare/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>

#include "compare/metrics.h"
#include "compare/video.h"
#include "error.h"
#include "sink/pattern.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

const char* kind_name(ComparedKind kind) {
  switch (kind) {
    case ComparedKind::picture: return "a picture";
    case ComparedKind::folder: return "a folder";
    case ComparedKind::hashes: return "frame hashes";
    case ComparedKind::video: return "a video";
  }
  return "";
}

// Puts the two names before what is wrong with the pair.
std::pair<Picture, Picture> of_equal_sizes(std::pair<Picture, Picture> pair, const std::string& place) {
  try {
    refuse_different_sizes(pair.first, pair.second);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", place, error.what()));
  }
  return pair;
}

// The names of the PNGs in a folder, sorted.
std::vector<std::string> pictures_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (extension_of(entry->path().string()) == ".png") names.push_back(entry->path().filename().string());
  }
  if (error) throw UsageError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  if (names.empty()) throw UsageError(fmt::format("{}: no PNG in this folder", folder.string()));
  std::ranges::sort(names);
  return names;
}

// "3 pictures are missing in b: 1.png, 2.png, 3.png"; only the first few are named.
std::string listed(const std::vector<std::string>& names, const fs::path& folder, const char* what) {
  if (names.empty()) return "";
  std::string text = fmt::format("{}: {} {} {}:", folder.string(), names.size(),
                                 names.size() == 1 ? "picture is" : "pictures are", what);
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? " " : ", ") + names[i];
  if (names.size() > most) text += ", ...";
  return text;
}

class Pngs : public PicturePairs {
 public:
  // Pictures of the same name below two folders.
  Pngs(fs::path expected, fs::path actual, std::vector<std::string> names)
      : expected_(std::move(expected)), actual_(std::move(actual)), names_(std::move(names)) {}
  // One picture each.
  Pngs(const fs::path& expected, const fs::path& actual) : expected_(expected), actual_(actual), names_{""} {}

  bool next() override {
    if (next_ == names_.size()) return false;
    ++next_;
    const fs::path expected = path(expected_), actual = path(actual_);
    expected_bytes_ = read_file(expected);
    actual_bytes_ = read_file(actual);
    return true;
  }

  std::string name() const override {
    const std::string& name = names_[next_ - 1];
    return name.empty() ? actual_.string() : name;
  }

  // Equal bytes are equal pictures, if they are pictures at all.
  bool known_equal() override {
    if (expected_bytes_ != actual_bytes_) return false;
    decode_png(expected_bytes_, path(expected_).string());
    return true;
  }

  std::pair<Picture, Picture> pictures() override {
    auto actual = std::async(std::launch::async, [&] { return decode_png(actual_bytes_, path(actual_).string()); });
    Picture expected = decode_png(expected_bytes_, path(expected_).string());
    return of_equal_sizes({std::move(expected), actual.get()},
                          fmt::format("{} and {}", path(expected_).string(), path(actual_).string()));
  }

 private:
  fs::path path(const fs::path& side) const {
    const std::string& name = names_[next_ - 1];
    return name.empty() ? side : side / name;
  }

  fs::path expected_, actual_;
  std::vector<std::string> names_;
  std::size_t next_ = 0;
  std::string expected_bytes_, actual_bytes_;
};

std::unique_ptr<PicturePairs> open_folders(const fs::path& expected, const fs::path& actual) {
  const std::vector<std::string> all = pictures_in(expected), found = pictures_in(actual);
  std::vector<std::string> missing, extra;
  std::ranges::set_difference(all, found, std::back_inserter(missing));
  std::ranges::set_difference(found, all, std::back_inserter(extra));
  if (!missing.empty() || !extra.empty()) {
    const std::string gaps = listed(missing, actual, "missing"), more = listed(extra, actual, "extra");
    throw UsageError(gaps + (gaps.empty() || more.empty() ? "" : "\n") + more);
  }
  return std::make_unique<Pngs>(expected, actual, all);
}

class Videos : public PicturePairs {
 public:
  Videos(const fs::path& expected, const fs::path& actual)
      : expected_name_(expected.string()), actual_name_(actual.string()), expected_(expected), actual_(actual) {}

  bool next() override {
    more_expected_ = expected_.next();
    more_actual_ = actual_.next();
    return more_expected_ && more_actual_;
  }

  std::string name() const override { return fmt::format("frame {}", actual_.index()); }

  bool known_equal() override { return expected_.stored_alike(actual_); }

  std::pair<Picture, Picture> pictures() override {
    auto actual = std::async(std::launch::async, [&] { return actual_.picture(); });
    Picture expected = expected_.picture();
    return of_equal_sizes({std::move(expected), actual.get()},
                          fmt::format("{} and {}, {}", expected_name_, actual_name_, name()));
  }

  std::string left_over() override {
    if (more_expected_ == more_actual_) return "";
    while (expected_.next()) continue;
    while (actual_.next()) continue;
    return fmt::format("{} has {} frames and {} has {}", expected_name_, expected_.index() + 1, actual_name_,
                       actual_.index() + 1);
  }

 private:
  std::string expected_name_, actual_name_;
  VideoReader expected_, actual_;
  bool more_expected_ = true, more_actual_ = true;
};

}  // namespace

ComparedKind compared_kind(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) throw UsageError(fmt::format("{}: no such file or folder", path.string()));
  if (type == fs::file_type::directory) return ComparedKind::folder;
  const std::string extension = extension_of(path.string());
  if (extension == ".png") return ComparedKind::picture;
  if (extension == ".hashes") return ComparedKind::hashes;
  for (const char* video : {".mp4", ".mkv", ".mov", ".y4m"}) {
    if (extension == video) return ComparedKind::video;
  }
  throw UsageError(fmt::format(
      "{}: not something to compare; that is a .png, a folder of them, a .hashes file or a video (.mp4 .mkv .mov .y4m)",
      path.string()));
}

std::unique_ptr<PicturePairs> open_pairs(const fs::path& expected, const fs::path& actual) {
  const ComparedKind kind = compared_kind(expected), other = compared_kind(actual);
  if (kind != other) {
    throw UsageError(fmt::format("{} is {} and {} is {}: only things of one kind can be compared", expected.string(),
                                 kind_name(kind), actual.string(), kind_name(other)));
  }
  switch (kind) {
    case ComparedKind::picture: return std::make_unique<Pngs>(expected, actual);
    case ComparedKind::folder: return open_folders(expected, actual);
    case ComparedKind::video: return std::make_unique<Videos>(expected, actual);
    case ComparedKind::hashes: break;
  }
  throw UsageError(fmt::format("{}: frame hashes hold no pictures", expected.string()));
}

}  // namespace simreel
