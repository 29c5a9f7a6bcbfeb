#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.h"
#include "base/suggest.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/data/csv.h"
#include "sink/data/hashes.h"
#include "sink/data/hdf5.h"
#include "sink/data/npy.h"
#include "sink/null.h"
#include "sink/picture/png.h"
#include "sink/raw/y4m.h"
#include "sink/sink.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

constexpr std::array table = {
    SinkKind{"x.mp4", "video: H.264 in MP4, plays everywhere", &open_video},
    SinkKind{"x.mov", "video: H.264 in QuickTime", &open_video},
    SinkKind{"x.mkv", "video: lossless FFV1 in Matroska, every pixel exact", &open_video},
    SinkKind{"x.webm", "video: AV1 or VP9 in WebM, for web pages", &open_video},
    SinkKind{"x.gif", "animated picture: GIF, 255 colours a stretch, loops", &open_video},
    SinkKind{"x.webp", "animated picture: WebP, loops", &open_video},
    SinkKind{"x.apng", "animated picture: PNG, every pixel exact, loops", &open_video},
    SinkKind{"x/%06d.png", "a picture a frame, 8 or 16 bits a channel", &open_png_sequence},
    SinkKind{"x.png", "the last frame", &open_png},
    SinkKind{"x.y4m", "raw 4:2:0 video", &open_y4m},
    SinkKind{"-", "raw 4:2:0 video to the standard output, for a pipe", &open_y4m},
    SinkKind{"x/%06d.h5", "the state of each frame (VTKHDF: ParaView, h5py)", &open_hdf5},
    SinkKind{"x/%06d.npy", "the state of each frame as an array of numpy's", &open_npy},
    SinkKind{"x.csv", "the diagnostics, one row a frame", &open_csv},
    SinkKind{"x.hashes", "a 64-bit hash of each frame's RGB pixels", &open_hashes},
    SinkKind{"null:", "nothing, for timing", &open_null},
};

// Only pictures and states come one a frame; in all other names a percent sign is a letter like any other.
bool takes_a_number(const std::string& target) {
  const std::string extension = extension_of(target);
  return extension == ".png" || extension == ".h5" || extension == ".npy";
}

// Whether a name means a file a frame. A mistake in it does; the pattern says then what is wrong.
bool is_numbered(const std::string& target) {
  try {
    return FilePattern(target).numbered();
  } catch (const UsageError&) {
    return true;
  }
}

bool is_file(const std::string& target) { return target != "-" && target != "null:"; }

const SinkKind& kind_of(const std::string& target) {
  const auto kind = std::find_if(table.begin(), table.end(), [&](const SinkKind& k) { return k.accepts(target); });
  if (kind != table.end()) return *kind;
  std::vector<std::string> extensions;
  std::vector<std::string_view> known, patterns;
  for (const SinkKind& k : table) {
    patterns.push_back(k.pattern);
    extensions.push_back(extension_of(std::string(k.pattern)));
  }
  for (const std::string& extension : extensions) known.push_back(extension);
  const std::string extension = extension_of(target);
  const std::string_view near =
      std::ranges::find(extensions, extension) == extensions.end() ? nearest(extension, known) : std::string_view();
  const std::string hint = near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near);
  throw UsageError(fmt::format("{}: the name does not say what to write; {}there are {}",
                               target.empty() ? "-o \"\"" : target, hint, fmt::join(patterns, ", ")));
}

// The files that one target writes.
class Place {
 public:
  Place(const std::string& target, std::int64_t frames) : frames_(frames), identity_(identity_of(target)) {
    if (takes_a_number(target)) pattern_ = FilePattern(target).placed();
  }

  bool writes(const std::string& identity) const {
    if (!pattern_) return identity == identity_;
    const auto index = pattern_->index_of(identity);
    return index && *index < frames_;
  }

  bool meets(const Place& other) const {
    if (is_sequence() && other.is_sequence()) return pattern_->may_meet(*other.pattern_);
    return is_sequence() ? writes(other.only()) : other.writes(only());
  }

  // Whether the other needs a folder where this one writes a file.
  bool stands_above(const Place& other) const {
    return !is_sequence() && (other.is_sequence() ? other.pattern_->name(0) : other.only()).starts_with(only() + "/");
  }

 private:
  bool is_sequence() const { return pattern_ && pattern_->numbered(); }
  std::string only() const { return pattern_ ? pattern_->name(0) : identity_; }

  std::int64_t frames_;
  std::string identity_;
  std::optional<FilePattern> pattern_;
};

void refuse_meeting(const std::vector<std::string>& targets, const StreamInfo& info) {
  std::vector<std::pair<std::string, Place>> earlier;
  for (const std::string& target : targets) {
    if (!is_file(target)) continue;
    const Place place(target, info.frames);
    for (const std::string& input : info.inputs) {
      const std::string read = identity_of(input);
      if (!place.writes(read) && read != identity_of(target) + ".part") continue;
      throw UsageError(
          fmt::format("{}: this run reads {}, so it cannot write there; choose another name", target, input));
    }
    for (const auto& [other, there] : earlier) {
      if (place.meets(there)) {
        throw UsageError(
            fmt::format("{}: names the same file as {} or one of its files; each output needs its own", target, other));
      }
      if (place.stands_above(there) || there.stands_above(place)) {
        throw UsageError(
            fmt::format("{}: one of this and {} is a folder for the other; choose another name", target, other));
      }
    }
    earlier.emplace_back(target, place);
  }
  if (std::ranges::count(targets, "-") > 1) throw UsageError("-: only one output can go to the standard output");
}

std::vector<std::unique_ptr<Sink>> make_sinks(const std::vector<std::string>& targets, const OutputOptions& options,
                                              const StreamInfo& info, Opening opening) {
  std::vector<const SinkKind*> kinds;
  for (const std::string& target : targets) kinds.push_back(&kind_of(target));
  refuse_unknown_codec(options);
  refuse_meeting(targets, info);
  std::vector<std::unique_ptr<Sink>> sinks;
  try {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (is_file(targets[i])) refuse_without_room(targets[i], 1, "choose another place");
      sinks.push_back(kinds[i]->open(targets[i], options, info, opening));
    }
  } catch (...) {
    while (!sinks.empty()) sinks.pop_back();  // backwards: the first one made the folders that the others stand in
    throw;
  }
  return sinks;
}

// What to say of a `depth` that no output heeds; empty where one does, or where it is the default.
std::string idle_depth(const OutputOptions& options, const SinkNeeds& needs) {
  if (options.depth == OutputOptions{}.depth || std::ranges::any_of(needs.layouts, is_deep)) return "";
  return fmt::format(
      "depth = {} in [output] does not apply: it is for pictures (x/%06d.png, x.png), and no output is one; a "
      "video of more than 8 bits has pixel_format = \"yuv420p10\"",
      options.depth);
}

std::vector<std::string> all_remarks(const OutputOptions& options, const SinkNeeds& needs) {
  std::vector<std::string> remarks = needs.remarks;
  if (std::string remark = idle_depth(options, needs); !remark.empty()) remarks.push_back(std::move(remark));
  return remarks;
}

}  // namespace

std::string padding_remark(const std::string& target, Size asked, PixelLayout layout) {
  const Size size = padded(asked, layout);
  if (size == asked) return "";
  return fmt::format("{}: {}x{} becomes {}x{}: 4:2:0 video has even sides, so the last column or row is repeated",
                     target, asked.width, asked.height, size.width, size.height);
}

bool SinkKind::accepts(const std::string& target) const {
  const std::string own(pattern);
  if (!is_file(own)) return target == own;
  if (extension_of(target) != extension_of(own)) return false;
  return !takes_a_number(target) || is_numbered(target) == is_numbered(own);
}

std::span<const SinkKind> sink_kinds() { return table; }

std::vector<std::unique_ptr<Sink>> open_sinks(const std::vector<std::string>& targets, const OutputOptions& options,
                                              const StreamInfo& info) {
  std::vector<std::unique_ptr<Sink>> sinks = make_sinks(targets, options, info, Opening::real);
  for (const std::string& remark : all_remarks(options, needs_of(sinks))) spdlog::info("{}", remark);
  return sinks;
}

SinkNeeds needs_of(const std::vector<std::unique_ptr<Sink>>& sinks) {
  SinkNeeds needs;
  for (const auto& sink : sinks) {
    needs.memory_bytes += sink->memory_bytes();
    needs.state |= sink->wants_state();
    std::ranges::move(sink->remarks(), std::back_inserter(needs.remarks));
    const std::optional<PixelLayout> layout = sink->layout();
    if (layout && std::ranges::find(needs.layouts, *layout) == needs.layouts.end()) needs.layouts.push_back(*layout);
  }
  return needs;
}

SinkNeeds check_sinks(const std::vector<std::string>& targets, const OutputOptions& options, const StreamInfo& info) {
  SinkNeeds needs = needs_of(make_sinks(targets, options, info, Opening::trial));
  needs.remarks = all_remarks(options, needs);
  return needs;
}

}  // namespace simreel
