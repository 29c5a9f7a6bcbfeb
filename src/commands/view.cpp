#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/render.h"

namespace simreel {
namespace {

// What `view` says about the picture; empty: not given.
struct ViewArguments {
  std::string colormap, range, field, scale, slice;
};

// The two finite numbers of "0,1"; nullopt if the text holds something else.
std::optional<std::array<double, 2>> pair_of(std::string_view text) {
  std::array<double, 2> pair{};
  const std::size_t split = std::min(text.find(','), text.size());
  const std::string_view parts[] = {text.substr(0, split), text.substr(std::min(split + 1, text.size()))};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::optional<double> number = parse_number<double>(trim(parts[i]));
    if (!number || !std::isfinite(*number)) return {};
    pair[i] = *number;
  }
  return pair;
}

std::string range_of(const std::string& text) {
  if (std::ranges::find(range_names, text) != std::end(range_names)) return quote(text);
  const auto pair = pair_of(text);
  if (!pair || !((*pair)[0] < (*pair)[1]))
    throw UsageError("--range {}: write the ends LOW,HIGH, as in --range=-1,1, or one of {}; LOW is less than HIGH",
                     text, fmt::join(range_names, ", "));
  return fmt::format("[{}, {}]", (*pair)[0] + 0.0, (*pair)[1] + 0.0);  // no "-0"
}

// The scene that shows a file.
std::string scene_text(const std::string& file, const ViewArguments& view) {
  std::string text = fmt::format("[solver]\nkind = \"data\"\nfiles = {}\n", quote(file));
  if (!view.slice.empty()) {
    const std::size_t equals = view.slice.find('=');
    const std::string axis = view.slice.substr(0, equals);
    if (equals == std::string::npos || (axis != "x" && axis != "y" && axis != "z"))
      throw UsageError(
          "--slice {}: write the axis, x, y or z whatever its name in the file, and the plane, or what is "
          "drawn of all: z=64, z=max",
          view.slice);
    const std::string plane = view.slice.substr(equals + 1);
    const bool number = !plane.empty() && plane.find_first_not_of("0123456789") == std::string::npos;
    text += fmt::format("slice = {{ {} = {} }}\n", axis, number ? plane : quote(plane));
  }
  text += "[view]\n";
  if (!view.field.empty()) text += fmt::format("field = {}\n", quote(view.field));
  if (!view.colormap.empty()) text += fmt::format("colormap = {}\n", quote(view.colormap));
  if (!view.scale.empty()) text += fmt::format("scale = {}\n", quote(view.scale));
  if (!view.range.empty()) text += fmt::format("range = {}\n", range_of(view.range));
  return text;
}

}  // namespace

void add_view(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand(
      "view",
      "Draw what another program computed: .npy, .npz, HDF5, NetCDF-4, VTK; a scene with kind = \"data\" does more");
  const auto arguments = std::make_shared<RenderArguments>();
  const auto view = std::make_shared<ViewArguments>();
  command
      ->add_option("file", arguments->scene.scene,
                   "A file, a series (run/%05d.npy, 'run/*.h5'), or an array in it (run.h5:/vorticity)")
      ->required();
  add_option(*command, "--colormap", view->colormap, "NAME", "As [view] colormap");
  add_option(*command, "--range", view->range, "LOW,HIGH",
             "The ends of the colormap, or first, global, symmetric, diverging");
  add_option(*command, "--scale", view->scale, "NAME", "As [view] scale");
  add_option(*command, "--field", view->field, "NAME", "Which of several arrays");
  add_option(*command, "--slice", view->slice, "AXIS=PLANE",
             "Three dimensions: a plane, or max, min, mean, sum along an axis");
  add_option(*command, "--set", arguments->scene.overrides, "TABLE.KEY=VALUE",
             "Set any key of the scene: --set solver.timestep=0.1");
  arguments->scene.ExecutorArguments::add_to(*command);
  arguments->scene.add_label_to(*command);
  add_run_options(command, arguments);
  add_scene_run_options(command, arguments);
  command->callback([arguments, view, &chosen] {
    chosen = [arguments, view] {
      arguments->text = scene_text(arguments->scene.scene, *view);
      return run_render(*arguments);
    };
  });
}

}  // namespace simreel
