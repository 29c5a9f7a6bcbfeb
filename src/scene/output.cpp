#include "scene/tables.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace simreel {
namespace {

void read_name(Table& table, std::string_view key, std::optional<std::string>& value, KeyText text) {
  table.read(key, value, text);
  if (value && value->empty()) table.fail(key, "\"{}\" is empty; leave the key out for the default", key);
}

std::filesystem::path output_path(Table& output, const Scene& scene) {
  std::string path;
  output.read("path", path,
              {"where frames go when there is no -o, relative to the scene file",
               "the scene's name with .mp4; with a codec that .mp4 cannot hold, its first container", "\"video.mp4\""});
  if (!output.has("path")) return {};
  if (path.empty()) output.fail("path", "\"path\" in [output] is empty; leave the key out for the default");
  return path == "-" || path == "null:" ? std::filesystem::path(path) : scene.file.parent_path() / path;
}

}  // namespace

OutputOptions read_output(Table output, const Scene& scene) {
  OutputOptions options;
  options.position = output.position("");
  options.path = output_path(output, scene);
  read_name(output, "codec", options.codec,
            {"video codec; `simreel info` lists them with their containers", "the container's own", "\"h264\""});
  output.read("quality", options.quality,
              {"quality on the codec's own scale, as CRF: a smaller number looks better and makes a larger file; webp: "
               "0 to 100, where 100 is best",
               "the codec's own; VP9 with alpha: 15", "20"});
  read_name(output, "preset", options.preset,
            {"one of the encoder's presets, which trade time for size", "the codec's own", "\"fast\""});
  constexpr std::array<std::string_view, 7> formats = {"yuv420p",   "yuv444p", "yuv420p10", "yuv422p10",
                                                       "yuv444p10", "rgb",     "rgba"};
  int format = 0;
  output.choose("pixel_format", format, formats, {"how a video stores pixels", "the codec's own", "\"yuv444p\""});
  if (output.has("pixel_format")) options.pixel_format = formats[static_cast<std::size_t>(format)];
  output.read("segment", options.segment,
              {"length of the pieces that are encoded, seconds of video: a crash costs at most one, and a run resumes "
               "between two",
               "2; ffv1, prores, webp and apng 0.25", "2"},
              Range::between(0.05, 60));
  constexpr int depths[] = {8, 16};
  output.choose("depth", options.depth, depths, "PNG: bits per channel");
  output.read("fields", options.fields,
              {"the solver's fields that files of the state hold (x/%06d.h5, x/%06d.npz), for solvers on a grid",
               "the field of [view]", "[\"height\"]"});
  if (output.has("fields") && options.fields.empty())
    output.fail("fields", "\"fields\" in [output] is empty; leave the key out for the field of [view]");
  for (auto field = options.fields.begin(); field != options.fields.end(); ++field)
    if (std::find(options.fields.begin(), field, *field) != field)
      output.fail("fields", "\"fields\" in [output] names {} twice", quote(*field));
  Table private_options = output.table("options",
                                       "the encoder's own options, as text, numbers or booleans: those that "
                                       "docs/outputs.md lists under \"Options of encoders\", "
                                       "none of which names a file");
  for (const auto& [key, value] : private_options.entries()) {
    options.options[key] = value;
    options.given["options." + key] = private_options.position(key);
  }
  for (const char* key : {"path", "codec", "quality", "preset", "pixel_format", "segment", "depth", "fields"})
    if (output.has(key)) options.given[key] = output.position(key);
  return options;
}

}  // namespace simreel
