#include <fmt/format.h>

#include "base/error.h"
#include "commands/commands.h"
#include "figure/colormap_strip.h"
#include "raster/color/colormap.h"
#include "sink/sink.h"

namespace simreel {
namespace {

struct ColormapArguments {
  std::string output;
  bool overwrite = false;
};

void write_strip(const ColormapArguments& arguments) {
  const ColormapStrip image = draw_colormap_strip();
  StreamInfo info;
  info.size = image.size;
  info.frames = 1;
  info.alpha = true;
  info.title = "simreel colormaps";
  info.overwrite = arguments.overwrite;
  const std::vector<std::unique_ptr<Sink>> sinks = open_sinks({arguments.output}, OutputOptions{}, info);
  if (sinks.front()->traits().layout != PixelLayout::rgba)
    throw UsageError("{}: the strip of colormaps is a picture; name it x.png", arguments.output);
  Frame frame;
  frame.pixels = reinterpret_cast<const std::byte*>(image.pixels.data());
  sinks.front()->write(frame);
  sinks.front()->finish();
}

int run(const ColormapArguments& arguments) {
  if (!arguments.output.empty()) {
    write_strip(arguments);
    return 0;
  }
  for (const ColormapInfo& map : list_colormaps()) fmt::print("{:<10} {}\n", map.name, map.origin);
  fmt::print("\nA trailing _r reverses a map. A path to a CSV file with columns r,g,b works as well.\n");
  return 0;
}

}  // namespace

void add_colormaps(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("colormaps", "List the colormaps, or draw them");
  const auto arguments = std::make_shared<ColormapArguments>();
  command->add_option("-o,--output", arguments->output, "Draw all of them into this PNG")->type_name("x.png");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the picture if it exists");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
