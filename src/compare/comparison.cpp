#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <iterator>
#include <tuple>

#include "base/error.h"
#include "base/input_file.h"
#include "base/input_image.h"
#include "base/text.h"
#include "compare/video.h"
#include "files/pattern.h"
#include "sink/outputs.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

// "a picture", "frame hashes"
std::string with_article(ComparedKind kind) {
  return kind == ComparedKind::hashes ? "frame hashes" : fmt::format("a {}", kind_word(kind));
}

bool is_picture(const fs::path& file) {
  if (is_jpeg(file)) return true;
  const SinkKind* const kind = kind_by_extension(file.string());
  return kind && kind->content == Content::picture;
}

// Whether a file starts like a text; a video has bytes that no text has.
bool is_text(const fs::path& file) {
  std::string start(512, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (start.starts_with("YUV4MPEG2")) return false;  // bright pictures have the bytes of letters
  return !start.empty() && std::ranges::none_of(start, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
  });
}

// The names of the pictures in a folder, sorted.
std::vector<std::string> pictures_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_picture(entry->path())) names.push_back(entry->path().filename().string());
  if (error) throw UsageError("{}: cannot be read: {}", folder.string(), error.message());
  if (names.empty()) throw UsageError("{}: no PNG or JPEG in this folder", folder.string());
  std::ranges::sort(names);
  return names;
}

// "b: 3 pictures are missing: 1.png, 2.png, 3.png"; only the first few are named.
std::string listed(const std::vector<std::string>& names, const fs::path& folder, const char* what) {
  if (names.empty()) return "";
  std::string text = fmt::format("{}: {} {} {}:", folder.string(), names.size(),
                                 names.size() == 1 ? "picture is" : "pictures are", what);
  constexpr std::size_t max = 8;
  for (std::size_t i = 0; i < std::min(max, names.size()); ++i) text += (i == 0 ? " " : ", ") + names[i];
  if (names.size() > max) text += ", ...";
  return text;
}

Picture decode(const std::string& bytes, const fs::path& file) {
  if (!is_jpeg(file)) return decode_png(bytes, file.string());
  VideoReader reader(file);
  if (!reader.next()) throw UsageError("{}: no picture in it", file.string());
  Picture picture = reader.picture();
  picture.pixels = upright(std::move(picture.pixels), picture.size, exif_orientation(file));
  return picture;
}

// Invisible colours become one.
Picture decode_visible(const std::string& bytes, const fs::path& file, bool only_visible) {
  Picture picture = decode(bytes, file);
  if (!only_visible) return picture;
  for (Color& pixel : picture.pixels)
    if (pixel.a == 0) pixel = {0, 0, 0, 0};
  for (DeepColor& pixel : picture.deep)
    if (pixel.a == 0) pixel = {0, 0, 0, 0};
  return picture;
}

class Pictures : public PicturePairs {
 public:
  // Pictures of the same name below two folders.
  Pictures(fs::path expected, fs::path actual, bool only_visible, std::vector<std::string> names, LeftOver left_over)
      : expected_(std::move(expected)),
        actual_(std::move(actual)),
        only_visible_(only_visible),
        names_(std::move(names)),
        left_over_(std::move(left_over)) {}
  // One picture each.
  Pictures(const fs::path& expected, const fs::path& actual, bool only_visible)
      : Pictures(expected, actual, only_visible, {""}, {}) {}

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

  // Files with equal bytes are equal pictures, if they are pictures at all.
  bool known_equal() override {
    if (expected_bytes_ != actual_bytes_) return false;
    decode(expected_bytes_, path(expected_));
    return true;
  }

  std::optional<PairRows> rows() override {
    const auto read = [this](const std::string& bytes, const fs::path& side) {
      return decode_visible(bytes, path(side), only_visible_);
    };
    auto actual = std::async(std::launch::async, [&] { return read(actual_bytes_, actual_); });
    pair_.first = read(expected_bytes_, expected_);
    pair_.second = actual.get();
    if (pair_.first.size != pair_.second.size) return {};
    return rows_of(pair_.first, pair_.second);
  }

  std::pair<Size, Size> sizes() const override { return {pair_.first.size, pair_.second.size}; }

  std::pair<Picture, Picture> pictures() override { return pair_; }

  LeftOver left_over() override { return left_over_; }

 private:
  fs::path path(const fs::path& side) const {
    const std::string& name = names_[next_ - 1];
    return name.empty() ? side : side / name;
  }

  fs::path expected_, actual_;
  bool only_visible_;
  std::vector<std::string> names_;
  LeftOver left_over_;
  std::size_t next_ = 0;
  std::string expected_bytes_, actual_bytes_;
  std::pair<Picture, Picture> pair_;
};

std::unique_ptr<PicturePairs> open_folders(const fs::path& expected, const fs::path& actual, bool only_visible) {
  const std::vector<std::string> all = pictures_in(expected), found = pictures_in(actual);
  std::vector<std::string> both;
  LeftOver rest;
  std::ranges::set_intersection(all, found, std::back_inserter(both));
  std::ranges::set_difference(all, found, std::back_inserter(rest.missing));
  std::ranges::set_difference(found, all, std::back_inserter(rest.extra));
  const std::string gaps = listed(rest.missing, actual, "missing"), more = listed(rest.extra, actual, "extra");
  rest.text = gaps + (gaps.empty() || more.empty() ? "" : "\n") + more;
  return std::make_unique<Pictures>(expected, actual, only_visible, std::move(both), std::move(rest));
}

class Videos : public PicturePairs {
 public:
  Videos(const fs::path& expected, const fs::path& actual) : expected_(expected), actual_(actual) {}

  bool next() override {
    more_expected_ = expected_.next();
    more_actual_ = actual_.next();
    return more_expected_ && more_actual_;
  }

  std::string name() const override { return fmt::format("frame {}", actual_.index()); }

  bool known_equal() override { return expected_.stored_alike(actual_); }

  std::optional<PairRows> rows() override {
    if (expected_.size() != actual_.size()) return {};
    converted_ = true;
    auto actual = std::async(std::launch::async, [&] { actual_.prepare_rows(); });
    expected_.prepare_rows();
    actual.get();
    const bool alike = expected_.same_layout(actual_);
    return PairRows{expected_.size(), expected_.rounded() || actual_.rounded(), [this, alike](int y, Color* room) {
                      if (alike && expected_.row_stored_alike(actual_, y))
                        return std::pair<const Color*, const Color*>();
                      return std::pair(expected_.row(y, room), actual_.row(y, room + actual_.size().width));
                    }};
  }

  std::pair<Size, Size> sizes() const override { return {expected_.size(), actual_.size()}; }

  std::pair<Picture, Picture> pictures() override { return {expected_.picture(), actual_.picture()}; }

  LeftOver left_over() override {
    if (more_expected_ == more_actual_) return {};
    LeftOver rest;
    VideoReader& longer = more_expected_ ? expected_ : actual_;
    std::vector<std::string>& names = more_expected_ ? rest.missing : rest.extra;
    do {
      names.push_back(fmt::format("frame {}", longer.index()));
    } while (longer.next());
    rest.text = fmt::format("{} has {} frames and {} has {}", expected_.name(), expected_.index() + 1, actual_.name(),
                            actual_.index() + 1);
    return rest;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const VideoReader* const video : {&expected_, &actual_}) {
      if (converted_ && !video->matrix_named())
        notes.push_back(fmt::format("{} names no colour matrix; BT.709 is assumed", video->name()));
      if (video->rotated())
        notes.push_back(fmt::format("{} is to be shown rotated, which is not looked at", video->name()));
    }
    if (expected_.frame_rate() != actual_.frame_rate())
      notes.push_back(fmt::format("the frame rates differ: {} and {} a second; frames are compared one by one",
                                  expected_.frame_rate(), actual_.frame_rate()));
    return notes;
  }

 private:
  VideoReader expected_, actual_;
  bool more_expected_ = true, more_actual_ = true;
  bool converted_ = false;  // at least one frame was
};

// Where a .svg of simreel begins to draw: behind its description and its fonts, which follow from the scene and the
// letters. 0 of other texts.
std::size_t start_of_drawing(const std::string& page) {
  for (const std::string_view end : {"</style>\n", "</metadata>\n"})
    if (const std::size_t at = page.find(end); at != page.npos) return at + end.size();
  return 0;
}

}  // namespace

ComparedKind compared_kind(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) throw UsageError("{}: no such file or folder", path.string());
  if (type == fs::file_type::directory) return ComparedKind::folder;
  if (const std::string why = refusal_to_read(path); !why.empty()) throw UsageError("{}: {}", path.string(), why);
  if (is_jpeg(path)) return ComparedKind::picture;
  const SinkKind* const kind = kind_by_extension(path.string());
  if (path.extension() == ".toml")
    throw UsageError("{}: a scene; render both first, each with -o x.hashes or -o x.mp4, and compare what comes out",
                     path.string());
  if (!kind) return ComparedKind::video;
  switch (kind->content) {
    case Content::picture: return ComparedKind::picture;
    case Content::hashes: return ComparedKind::hashes;
    case Content::video: return ComparedKind::video;
    case Content::page: return ComparedKind::page;
    default: break;
  }
  throw UsageError("{}: holds {}, and only pictures, videos, pages and frame hashes can be compared", path.string(),
                   kind->summary);
}

std::string_view kind_word(ComparedKind kind) {
  switch (kind) {
    case ComparedKind::picture: return "picture";
    case ComparedKind::folder: return "folder";
    case ComparedKind::hashes: return "hashes";
    case ComparedKind::video: return "video";
    case ComparedKind::page: return "page";
  }
  return "";
}

DifferingLine differing_line(std::string_view before, std::string_view now) {
  for (int number = 1;; ++number) {
    const std::string_view old = take_line(before), line = take_line(now);
    if (old == line && !(before.empty() && now.empty())) continue;
    constexpr std::size_t shown = 60, earlier = 20;  // bytes
    auto from = static_cast<std::size_t>(std::ranges::mismatch(old, line).in1 - old.begin());
    from = std::max(old.size(), line.size()) > shown ? from - std::min(from, earlier) : 0;
    while (from > 0 && (static_cast<unsigned char>(old[from]) & 0xC0) == 0x80) --from;  // no character is split
    const auto part = [&](std::string_view text) {
      return quote((from > 0 ? "..." : "") + shorten(text.substr(from), shown));
    };
    return {number, part(old), part(line)};
  }
}

std::string page_difference(const std::string& expected, const std::string& actual) {
  const std::string form = extension_of(expected);
  if (extension_of(actual) != form)
    throw UsageError("{} and {}: pages are compared in one form; write both as x.svg, whose lines can be read",
                     expected, actual);
  const std::string before = read_file(expected), now = read_file(actual);
  if (before == now) return "";
  if (form == ".pdf")
    return fmt::format("from byte {} on; two of x.svg instead of x.pdf show where",
                       std::ranges::mismatch(before, now).in1 - before.begin());
  std::size_t old_start = start_of_drawing(before), start = start_of_drawing(now);
  const auto rest = [](const std::string& text, std::size_t from) { return std::string_view(text).substr(from); };
  const bool drawn_alike = rest(before, old_start) == rest(now, start);
  if (drawn_alike) old_start = start = 0;
  const DifferingLine found = differing_line(rest(before, old_start), rest(now, start));
  const auto line_of = [&](std::string_view above) { return found.number + std::ranges::count(above, '\n'); };
  const auto old_line = line_of(before.substr(0, old_start)), line = line_of(now.substr(0, start));
  return fmt::format("{}line {} is {} in {}, and {}{} in {}", drawn_alike ? "the drawing is the same; " : "", old_line,
                     found.before, expected, line == old_line ? "" : fmt::format("line {} is ", line), found.now,
                     actual);
}

std::unique_ptr<PicturePairs> open_pairs(const fs::path& expected, const fs::path& actual, bool only_visible) {
  const ComparedKind kind = compared_kind(expected), other = compared_kind(actual);
  if (kind != other)
    throw UsageError("{} is {} and {} is {}: only things of one kind can be compared", expected.string(),
                     with_article(kind), actual.string(), with_article(other));
  switch (kind) {
    case ComparedKind::picture: return std::make_unique<Pictures>(expected, actual, only_visible);
    case ComparedKind::folder: return open_folders(expected, actual, only_visible);
    case ComparedKind::video:
      if (only_visible) throw UsageError("{}: a video; --visible is for pictures", expected.string());
      for (const fs::path& file : {expected, actual})
        if (is_text(file)) throw UsageError("{}: not a video, but a text", file.string());
      return std::make_unique<Videos>(expected, actual);
    case ComparedKind::hashes:
    case ComparedKind::page: break;
  }
  throw UsageError("{}: {} has no pixels to compare", expected.string(), with_article(kind));
}

Comparison compare_pairs(PicturePairs& pairs, const Tolerance& tolerance, bool keep) {
  Comparison result;
  const auto badness = [](const DifferingPair& pair) {
    return std::tuple(!pair.exceeded.empty(), -pair.metrics->psnr);
  };
  const PerceptualMetrics wanted = keep ? PerceptualMetrics::all() : tolerance.perceptual();
  while (pairs.next()) {
    ++result.pairs;
    if (pairs.known_equal()) {
      ++result.identical;
      continue;
    }
    DifferingPair pair{pairs.name(), {}, ""};
    std::pair<Picture, Picture> pictures;
    if (const std::optional<PairRows> rows = pairs.rows()) {
      pair.metrics = compare_rows(*rows);
      if (pair.metrics->identical) {
        ++result.identical;
        if (rows->rounded) ++result.rounded;
        continue;
      }
      if (wanted.any()) {
        pictures = pairs.pictures();
        add_perceptual(*pair.metrics, pictures.first, pictures.second, wanted);
      }
      pair.exceeded = exceeds(*pair.metrics, tolerance);
    } else {
      const auto [expected, actual] = pairs.sizes();
      pair.exceeded = different_sizes(expected, actual);
    }
    if (!pair.exceeded.empty()) ++result.differing;
    if (!pair.exceeded.empty() && result.first.name.empty()) result.first = pair;
    if (pair.metrics && (result.worst.name.empty() || badness(pair) > badness(result.worst))) {
      result.worst = pair;
      if (!wanted.any()) pictures = pairs.pictures();
      std::tie(result.worst_expected, result.worst_actual) = std::move(pictures);
    }
    if (keep) result.kept.push_back(pair);
  }
  result.left_over = pairs.left_over();
  result.notes = pairs.notes();
  if (!result.worst.name.empty()) {
    const PerceptualMetrics lacking{!wanted.ssim, !wanted.flip};
    add_perceptual(*result.worst.metrics, result.worst_expected, result.worst_actual, lacking);
  }
  return result;
}

}  // namespace simreel
