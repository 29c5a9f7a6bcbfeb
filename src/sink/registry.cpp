#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "error.h"
#include "scene/suggest.h"
#include "sink/csv.h"
#include "sink/hashes.h"
#include "sink/null.h"
#include "sink/pattern.h"
#include "sink/png.h"
#include "sink/sink.h"
#include "sink/video.h"
#include "sink/y4m.h"

namespace simreel {
namespace {

bool is_numbered(const std::string& target) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] != '%') continue;
    if (i + 1 >= target.size() || target[i + 1] != '%') return true;
    ++i;
  }
  return false;
}

template <std::size_t size>
struct Extension {
  char text[size];
  consteval Extension(const char (&literal)[size]) { std::copy_n(literal, size, text); }
};
template <Extension extension>
bool ends_in(const std::string& target) {
  return extension_of(target) == extension.text;
}

constexpr std::array table = {
    SinkKind{"x.mp4", "video: H.264 in MP4, plays everywhere", &ends_in<".mp4">, &open_video},
    SinkKind{"x.mov", "video: H.264 in QuickTime", &ends_in<".mov">, &open_video},
    SinkKind{"x.mkv", "video: lossless FFV1 in Matroska, every pixel exact", &ends_in<".mkv">, &open_video},
    SinkKind{"x/%06d.png", "a picture a frame",
             [](const std::string& t) { return extension_of(t) == ".png" && is_numbered(t); }, &open_png_sequence},
    SinkKind{"x.png", "the last frame",
             [](const std::string& t) { return extension_of(t) == ".png" && !is_numbered(t); }, &open_png},
    SinkKind{"x.y4m", "raw 4:2:0 video", &ends_in<".y4m">, &open_y4m},
    SinkKind{"-", "raw 4:2:0 video to the standard output, for a pipe", [](const std::string& t) { return t == "-"; },
             &open_y4m},
    SinkKind{"x.csv", "the diagnostics, one row a frame", &ends_in<".csv">, &open_csv},
    SinkKind{"x.hashes", "a 64-bit hash of each frame's RGB pixels", &ends_in<".hashes">, &open_hashes},
    SinkKind{"null:", "nothing, for timing", [](const std::string& t) { return t == "null:"; }, &open_null},
};

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
  const std::string_view near = nearest(extension_of(target), known);
  const std::string hint = near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near);
  throw UsageError(fmt::format("{}: the name does not say what to write; {}there are {}",
                               target.empty() ? "-o \"\"" : target, hint, fmt::join(patterns, ", ")));
}

// One spelling for all names of one place, so that ./a.mp4 and b/../a.mp4 are the same.
std::string identity(const std::string& target) {
  if (target == "-" || target == "null:") return target;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(target, error);
  const auto canonical = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal().string() : canonical.string();
}

bool takes_numbers(const SinkKind& kind) { return is_numbered(std::string(kind.pattern)); }

void refuse_number(const std::string& target) {
  bool numbered = false;
  try {
    numbered = FilePattern(target).numbered();
  } catch (const UsageError&) {
    return;  // some other use of the percent sign, which is a letter like any other here
  }
  if (numbered)
    throw UsageError(fmt::format("{}: all frames go to one file, so its name takes no frame number", target));
}

}  // namespace

std::span<const SinkKind> sink_kinds() { return table; }

std::vector<std::unique_ptr<Sink>> open_sinks(const std::vector<std::string>& targets, const OutputOptions& options,
                                              const StreamInfo& info) {
  std::vector<const SinkKind*> kinds;
  std::map<std::string, std::string> seen;
  for (const std::string& target : targets) {
    const SinkKind& kind = kind_of(target);
    if (!takes_numbers(kind)) refuse_number(target);
    kinds.push_back(&kind);
    if (target == "null:") continue;
    const auto [other, is_new] = seen.emplace(identity(target), target);
    if (is_new) continue;
    throw UsageError(
        target == "-" ? std::string("-: only one output can go to the standard output")
                      : fmt::format("{}: names the same file as {}; each output needs its own", target, other->second));
  }
  std::vector<std::unique_ptr<Sink>> sinks;
  try {
    for (std::size_t i = 0; i < targets.size(); ++i) sinks.push_back(kinds[i]->open(targets[i], options, info));
  } catch (...) {
    while (!sinks.empty()) sinks.pop_back();  // backwards: the first one made the folders that the others stand in
    throw;
  }
  return sinks;
}

std::vector<PixelLayout> wanted_layouts(const std::vector<std::unique_ptr<Sink>>& sinks) {
  std::vector<PixelLayout> layouts;
  for (const auto& sink : sinks) {
    const std::optional<PixelLayout> layout = sink->layout();
    if (layout && std::ranges::find(layouts, *layout) == layouts.end()) layouts.push_back(*layout);
  }
  return layouts;
}

}  // namespace simreel
