#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/animated/layouts.h"
#include "sink/data/hdf5.h"
#include "sink/data/lines.h"
#include "sink/data/npy.h"
#include "sink/outputs.h"
#include "sink/picture/png_sinks.h"
#include "sink/video/video.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

constexpr std::array table = {
    SinkKind{"x.mp4", "video: H.264 in MP4, plays everywhere",
             "4:2:0, limited range, BT.709 matrix and primaries, sRGB transfer; index in front", Content::video,
             &open_video, Container{.muxer = "mp4", .codec = "h264", .mp4_family = true}},
    SinkKind{"x.mov", "video: H.264 in QuickTime", "the same, and the container for ProRes", Content::video,
             &open_video, Container{.muxer = "mov", .codec = "h264", .mp4_family = true}},
    SinkKind{"x.mkv", "video: lossless FFV1 in Matroska, every pixel exact", "", Content::video, &open_video,
             Container{.muxer = "matroska", .codec = "ffv1"}},
    SinkKind{"x.webm", "video: AV1 or VP9 in WebM, for web pages", "", Content::video, &open_video,
             Container{.muxer = "webm", .codec = "av1"}},
    SinkKind{"x.gif", "animated picture: GIF, 255 colours per segment, loops", "see below", Content::video, &open_video,
             Container{.codec = "gif", .animated = &make_gif, .max_fps = 50}},
    SinkKind{"x.webp", "animated picture: WebP, loops", "see below", Content::video, &open_video,
             Container{.codec = "webp", .animated = &make_webp, .max_fps = 90}},
    SinkKind{"x.apng", "animated picture: PNG, every pixel exact, loops", "see below", Content::video, &open_video,
             Container{.codec = "apng", .animated = &make_apng, .max_fps = 90}},
    SinkKind{"x/%06d.png", "one picture per frame, 8 or 16 bits per channel",
             "`%06d` is its number; 16 bits with `[output] depth = 16` (`.npy` and `.h5` hold the numbers themselves); "
             "contains the scene's text and the version",
             Content::picture, &open_png_sequence},
    SinkKind{"x.png", "the last frame as a picture", "", Content::picture, &open_png},
    SinkKind{"x/%06d.pdf", "one page per frame; with `--at` of the frames that it names", "", Content::page, &open_pdf},
    SinkKind{"x.pdf", "the last frame as a page for papers: text and lines as vectors, fonts embedded",
             "see below and [figures.md](figures.md)", Content::page, &open_pdf},
    SinkKind{"x/%06d.svg", "the same pages as SVG", "", Content::page, &open_svg},
    SinkKind{"x.svg", "the same page as SVG", "fonts embedded, too", Content::page, &open_svg},
    SinkKind{"x/%06d.eps", "the same pages as EPS", "", Content::page, &open_eps},
    SinkKind{"x.eps", "the same page as EPS, for journals that want it",
             "PostScript level 3, fonts embedded as Type 42; what is translucent is painted opaque", Content::page,
             &open_eps},
    SinkKind{"x.tex", "the same page for LaTeX, in the letters of the paper",
             "TikZ, and its images in `x-picture.png`; see [figures.md](figures.md)", Content::page, &open_tex},
    SinkKind{"x.y4m", "raw 4:2:0 video", "", Content::video, &open_y4m},
    SinkKind{"-", "raw 4:2:0 video to standard output, for a pipe", "", Content::video, &open_y4m},
    SinkKind{"x/%06d.h5", "the state of each frame as VTKHDF, for ParaView and h5py",
             "ParaView reads fields from 5.12 on; `/VTKHDF/PointData/FIELD` [ny][nx] in float or double as computed; "
             "checksums; step, time and scene as attributes",
             Content::state, &open_hdf5},
    SinkKind{"x.h5", "the state of the last frame", "", Content::state, &open_hdf5},
    SinkKind{"x/%06d.npy", "the state of each frame as an array for numpy",
             "fields [ny][nx], row 0 at y = 0; bodies [n][7] = x, y, z, vx, vy, vz, mass", Content::state, &open_npy},
    SinkKind{"x.npy", "the array of the last frame", "", Content::state, &open_npy},
    SinkKind{"x/%06d.npz", "the state of each frame as an archive of arrays for numpy",
             "one array for each of `[output] fields`, or position, velocity, mass and group of bodies; not compressed",
             Content::state, &open_npz},
    SinkKind{"x.npz", "the archive of the last frame", "", Content::state, &open_npz},
    SinkKind{
        "x.csv", "the solver's diagnostics, one row per frame",
        "of fields from files step, time, and the smallest, the largest and the mean value of the field that is shown",
        Content::diagnostics, &open_csv},
    SinkKind{"x.hashes", "one line per frame: its index and a 64-bit hash of its RGB pixels",
             "XXH3 of 8 bits per channel", Content::hashes, &open_hashes},
    SinkKind{"null:", "nothing, for timing the simulation", "", Content::nothing, &open_null},
};

bool is_file(std::string_view target) { return target != "-" && target != "null:"; }

// Only some outputs are written one file per frame; in all other names a percent sign is an ordinary character.
bool takes_a_number(const std::string& target) {
  const std::string extension = extension_of(target);
  return std::ranges::any_of(table, [&](const SinkKind& k) { return k.numbered() && k.extension() == extension; });
}

// Whether a name means one file per frame. A name with a mistake counts, too; the pattern then reports it.
bool is_numbered(const std::string& target) {
  try {
    return FilePattern(target).numbered();
  } catch (const UsageError&) {
    return true;
  }
}

// Extensions of other programs' files, and of the output that serves the same purpose. Each ends with a space.
constexpr std::pair<std::string_view, std::string_view> alike[] = {
    {".mp4", ".avi .m4v .mpg .mpeg .wmv .flv .ts .m2ts .3gp .mxf .h264 .264 .h265 .265 .hevc "},
    {".webm", ".ogv .ogg .ivf .av1 .vp9 "},
    {".png", ".jpg .jpeg .jfif .bmp .tif .tiff .exr .tga .ppm .pgm .avif .heic .jxl "},
    {".pdf", ".ps .ai .pgf .tikz "},
    {".h5", ".hdf .hdf5 .vtk .vtkhdf .vti .vtu .vtp .xdmf .nc "},
    {".npz", ".mat .pkl .pickle .bin .dat .raw "},
    {".csv", ".txt .tsv .json .log .xls .xlsx .ods "},
    {".hashes", ".hash .md5 .sha1 .sha256 "},
    {".y4m", ".yuv .rgb "},
};

// The extension of an output near to this one: of the same purpose, or a few typing errors away.
std::string nearest_extension(const std::string& extension) {
  for (const auto& [ours, theirs] : alike)
    if (theirs.find(extension + " ") != std::string_view::npos) return std::string(ours);
  std::vector<std::string> extensions;
  for (const SinkKind& kind : table) extensions.push_back(kind.extension());
  const std::vector<std::string_view> names(extensions.begin(), extensions.end());
  return std::string(nearest(extension, names));
}

// What a name lacks that no output accepts, and the nearest name that one does.
std::string way_out(const std::string& target) {
  const std::string extension = extension_of(target);
  std::error_code ignored;
  if (target.ends_with('/') || std::filesystem::is_directory(target, ignored)) {
    const std::string folder = target.ends_with('/') ? target : target + "/";
    return fmt::format(
        "it is a folder; name files in it: {0}%06d.png for a picture of each frame, {0}x.mp4 for a video", folder);
  }
  if (extension.empty() && !target.empty())
    return fmt::format("it has no extension; {}.mp4 would be a video, {}.png the last frame", target, target);
  const std::string near = nearest_extension(extension);
  return near.empty() ? "" : fmt::format("did you mean \"{}\"?", near);
}

// A number in the name of one file for all frames, or for the last, is a mistake: there are no others.
void refuse_needless_number(const std::string& target) {
  const std::string file = fs::path(target).filename().string();
  const std::size_t sign = file.find('%');
  const std::size_t letter = file.find_first_not_of("0123456789", sign + 1);
  if (sign == std::string::npos || letter == std::string::npos || file[letter] != 'd' || takes_a_number(target)) return;
  const char after = file.substr(letter + 1).append(1, ' ')[0];
  if ((after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z')) return;  // "100%done.mp4"
  const std::string whole =
      target.substr(0, target.size() - file.size()) + file.substr(0, sign) + file.substr(letter + 1);
  throw UsageError(
      "{}: {} files are not numbered, there is one for the run; leave {} out{}; one file for each frame is "
      "x/%06d.png, .npy, .npz or .h5",
      target, extension_of(target), quote(file.substr(sign, letter + 1 - sign)),
      whole.ends_with('/' + extension_of(target)) || whole == extension_of(target) ? "" : fmt::format(": {}", whole));
}

// The set of files that one target writes.
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

  // Whether the other target needs a folder where this one writes a file.
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
    const Place place(target, info.first + info.frames);
    for (const std::string& input : info.inputs) {
      const std::string read = identity_of(input);
      if (!place.writes(read) && read != identity_of(target) + ".part") continue;
      throw UsageError("{}: this run reads {}, so it cannot write there; choose another name", target, input);
    }
    for (const auto& [other, there] : earlier) {
      if (place.meets(there))
        throw UsageError("{}: names the same file as {} or one of its files; each output needs its own", target, other);
      if (place.stands_above(there) || there.stands_above(place))
        throw UsageError("{}: one of this and {} is a folder for the other; choose another name", target, other);
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
      if (is_file(targets[i])) refuse_without_room(targets[i], 1, "free some space, or choose another place");
      StreamInfo own = info;
      if (!kinds[i]->shows_pictures()) {
        own.frames -= info.held;
        own.resume = std::min(own.resume, own.frames);
      }
      sinks.push_back(kinds[i]->open(targets[i], options, own, opening));
    }
  } catch (...) {
    while (!sinks.empty()) sinks.pop_back();  // in reverse: the first sink created the folders of the others
    throw;
  }
  return sinks;
}

// A remark on a `depth` that no output uses; empty if one does, or if it is the default.
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
  if (!options.fields.empty() && !needs.state)
    remarks.push_back(
        "fields in [output] does not apply: it is for files of the state (x/%06d.h5, x/%06d.npz), and no output is "
        "one");
  return remarks;
}

}  // namespace

const SinkKind& kind_of(const std::string& target) {
  if (const std::size_t scheme = target.find("://"); scheme != std::string::npos && scheme > 0)
    throw UsageError(
        "{}: an address; simreel writes files only, but another program can send what it writes: "
        "simreel render SCENE -o - | ffmpeg -i - ...",
        target);
  const auto kind = std::find_if(table.begin(), table.end(), [&](const SinkKind& k) { return k.accepts(target); });
  if (kind != table.end()) {
    refuse_needless_number(target);
    return *kind;
  }
  const std::string hint = way_out(target);
  throw UsageError("{}: the name does not say what to write; {}{}there are {}", target.empty() ? "-o \"\"" : target,
                   hint,
                   hint.empty()          ? ""
                   : hint.ends_with('?') ? " "
                                         : "; ",
                   output_patterns());
}

std::string padding_remark(const std::string& target, Size asked, PixelLayout layout) {
  const Size size = padded(asked, layout);
  if (size == asked) return "";
  return fmt::format("{}: {}x{} becomes {}x{}: 4:2:0 video has even sides, so the last column or row is repeated",
                     target, asked.width, asked.height, size.width, size.height);
}

std::string SinkKind::extension() const { return is_file(pattern) ? extension_of(std::string(pattern)) : ""; }

bool SinkKind::shows_pictures() const { return content < Content::state || content == Content::hashes; }

bool SinkKind::numbered() const { return pattern.find('%') != std::string_view::npos; }

bool SinkKind::accepts(const std::string& target) const {
  if (!is_file(pattern)) return target == pattern;
  if (extension_of(target) != extension()) return false;
  return !takes_a_number(target) || is_numbered(target) == numbered();
}

std::span<const SinkKind> sink_kinds() { return table; }

const SinkKind* kind_by_extension(const std::string& name) {
  const std::string extension = extension_of(name);
  const auto kind = std::ranges::find_if(table, [&](const SinkKind& k) { return k.extension() == extension; });
  return extension.empty() || kind == table.end() ? nullptr : &*kind;
}

std::string output_patterns() {
  std::vector<std::string_view> patterns;
  for (const SinkKind& kind : table) patterns.push_back(kind.pattern);
  return fmt::format("{}", fmt::join(patterns, ", "));
}

std::string extensions_of(Content content) {
  std::vector<std::string> extensions;
  for (const SinkKind& kind : table)
    if (kind.content == content && is_file(kind.pattern)) extensions.push_back(kind.extension());
  extensions.erase(std::unique(extensions.begin(), extensions.end()), extensions.end());
  return fmt::format("{}", fmt::join(extensions, " "));
}

std::string outputs_markdown() {
  std::string text = "| `-o` | contents |\n|---|---|\n";
  for (const SinkKind& kind : table)
    text +=
        fmt::format("| `{}` | {}{}{} |\n", kind.pattern, kind.summary, kind.details.empty() ? "" : "; ", kind.details);
  return text;
}

std::vector<std::unique_ptr<Sink>> open_sinks(const std::vector<std::string>& targets, const OutputOptions& options,
                                              const StreamInfo& info) {
  std::vector<std::unique_ptr<Sink>> sinks = make_sinks(targets, options, info, Opening::real);
  for (const std::string& remark : all_remarks(options, needs_of(sinks))) tell(info.log, LogLevel::info, remark);
  return sinks;
}

std::vector<PixelLayout> SinkNeeds::converted() const {
  std::vector<PixelLayout> all = layouts;
  const auto add = [&](PixelLayout layout) {
    if (std::ranges::find(all, layout) == all.end()) all.push_back(layout);
  };
  if (packets) add(PixelLayout::yuv420p);
  if (pages) add(PixelLayout::rgba);
  return all;
}

SinkNeeds needs_of(const std::vector<std::unique_ptr<Sink>>& sinks) {
  SinkNeeds needs;
  for (const auto& sink : sinks) {
    const SinkTraits& traits = sink->traits();
    needs.memory_bytes += traits.memory_bytes;
    needs.state |= traits.state;
    needs.pages |= traits.pages;
    needs.diagnostics |= traits.diagnostics;
    std::ranges::copy(traits.remarks, std::back_inserter(needs.remarks));
    if (traits.packets) {
      if (needs.packets && needs.packets != traits.packets) throw std::logic_error("outputs want different packets");
      needs.packets = traits.packets;
    }
    const std::optional<PixelLayout> layout = traits.layout;
    if (layout && std::ranges::find(needs.layouts, *layout) == needs.layouts.end()) needs.layouts.push_back(*layout);
  }
  return needs;
}

SinkNeeds check_sinks(const std::vector<std::string>& targets, const OutputOptions& options, const StreamInfo& info) {
  SinkNeeds needs = needs_of(make_sinks(targets, options, info, Opening::trial));
  needs.remarks = all_remarks(options, needs);
  return needs;
}

std::string find_incomplete_output(const std::vector<std::string>& targets, const OutputOptions& options,
                                   const StreamInfo& info) {
  StreamInfo whole = info, longer = info;
  whole.overwrite = longer.overwrite = true;
  whole.resume = info.frames;
  longer.checksums.clear();
  std::error_code error;
  for (const std::string& target : targets) {
    if (!is_file(target) || (takes_a_number(target) && is_numbered(target))) continue;
    const std::string file = takes_a_number(target) ? FilePattern(target).name(0) : target;
    if (!fs::is_regular_file(file, error)) return fmt::format("{}: is not there", file);
    if (fs::exists(behind_links(file).string() + ".part", error)) return fmt::format("{}.part: is not finished", file);
  }
  try {
    check_sinks(targets, options, whole);
  } catch (const MissingFrames& missing) {
    return missing.what();
  }
  for (const std::string& target : targets) {
    if (takes_a_number(target) && is_numbered(target)) continue;  // pictures of a longer run may be left there
    longer.resume = longer.frames =
        info.frames + make_sinks({target}, options, whole, Opening::trial)[0]->traits().every;
    try {
      const auto sinks = make_sinks({target}, options, longer, Opening::trial);
      if (sinks[0]->safe_frames() < std::numeric_limits<std::int64_t>::max())
        return fmt::format("{}: holds more than the {} frames of this run", target, info.frames);
    } catch (const MissingFrames&) {
      continue;
    }
  }
  return "";
}

}  // namespace simreel
