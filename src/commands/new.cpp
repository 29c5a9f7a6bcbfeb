#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/embedded_scenes.h"
#include "files/part_file.h"

namespace simreel {
namespace {

// One commented scene for each solver, to begin with.
constexpr std::string_view wave =
    R"(# A source sends ripples around a wall, and a drop falls. `simreel solvers wave` lists every key of the solver,
# `simreel keys` all keys of a scene.
title = "Ripples meet a wall"

[solver]
kind     = "wave"
grid     = [960, 540]          # cells along x and y; the work of a step grows with their product
boundary = "absorbing"         # or "fixed" and "free", which reflect, or "periodic"
timestep = 0.5
damping  = 0.0005              # how fast waves die away

[[solver.source]]              # one table for each; "point", "disk", "line" or "formula"
shape     = "disk"
position  = [240, 270]         # cells; [0, 0] is the lower left one
radius    = 3                  # cells
frequency = 0.04               # oscillations per unit of time: waves of speed / frequency = 25 cells
signal    = "sin"              # or a formula of time: "= cos(t / 4) * exp(-t / 90) * 2"

[[solver.obstacle]]            # reflects waves; "circle", "rectangle", "polygon", "image", "porous" or "formula"
shape = "rectangle"
min   = [430, 190]
max   = [437, 350]

[[solver.droplet]]             # one table for each drop
time      = 320                # simulated time; a frame takes timestep * steps_per_frame = 1.5 of it
position  = [700, 400]
radius    = 8                  # cells
amplitude = 3

[view]
field    = "height"            # or "velocity"
colormap = "glow"              # `simreel colormaps` lists them
range    = [-1.2, 1.2]         # the values at the two ends of the colormap
scale    = "asinh"             # shows faint waves beside strong ones
obstacle = "#8a8f98"
size     = [1280, 720]         # pixels

[animation]
fps             = 60
frames          = 480          # 8 seconds of video
steps_per_frame = 3
)";

constexpr std::string_view lbm =
    R"(# Flow past a cylinder sheds vortices. `simreel solvers lbm` lists every key of the solver, `simreel keys` all keys of a
# scene.
title = "Vortex street behind a cylinder"

[solver]
kind      = "lbm"
grid      = [480, 180]         # cells along x and y; the work of a step grows with their product
collision = "central"
velocity  = 0.05               # cells per step, of the inlet; best below 0.06
reynolds  = 120                # velocity * length / viscosity; below 47 no vortices are shed
length    = 18                 # cells, of the Reynolds number: the diameter of the cylinder
initial   = "uniform"          # the flow fills the channel from the start

[solver.boundary]              # "wall", "moving", "slip", "inlet", "outlet" or "periodic"
left   = "inlet"
right  = "outlet"
bottom = "wall"
top    = "wall"

[[solver.obstacle]]            # one table for each: "circle", "rectangle", "polygon", "image", "porous" or "formula"
shape  = "circle"
center = [82, 94]              # cells; off the middle, so that the street begins soon
radius = 9

[view]
field    = "vorticity"         # or "speed", "ux", "uy", "density", and "tracer" with a [solver.tracer]
colormap = "RdBu"              # `simreel colormaps` lists them
range    = [-0.011, 0.011]     # the values at the two ends of the colormap
obstacle = "#404040"
size     = [1280, 480]         # pixels

[animation]
fps             = 30
frames          = 300          # 10 seconds of video
steps_per_frame = 70
start           = 7200         # the step of the first frame: the street has begun
)";

constexpr std::string_view nbody =
    R"(# A disk of stars winds up its spiral arms. `simreel solvers nbody` lists every key of the solver, `simreel keys` all
# keys of a scene.
title = "Spiral galaxy"
seed  = 5                      # starts the random numbers: another seed, other stars

[solver]
kind         = "nbody"
initial      = "disk"          # or "collision", "plummer", "cube", "sphere", "kepler", "figure_eight", "file"
bodies       = 8192            # the work of a step grows with their square; a GPU can do 262144
central_mass = 0.3             # share of the mass that is one body in the middle
cut          = 5.0
thickness    = 0.05
dispersion   = 0.1             # of the velocities; colder disks fall into clumps
softening    = 0.05            # smooths the pull of close bodies
timestep     = 0.01

[view]
field       = "speed"          # what the colour shows: slow stars red, fast ones blue; or "density", "mass", "group"
colormap    = "stars"          # `simreel colormaps` lists them
scale       = "sqrt"
splat       = "gaussian"
radius      = 0.024            # of the light of a star, in units of length
radius_unit = "world"
weight      = "one"            # every star is as bright; by "mass" the heavy centre would outshine all
contrast    = 80
background  = "#04050b"
size        = [1280, 720]      # pixels

[camera]
position = [0.0, -9.0, 6.0]
target   = [0.0, 0.0, -0.3]
up       = [0, 0, 1]
fov      = 40.0
orbit    = 90.0                # degrees turned around `up` over the whole video

[animation]
fps             = 30
frames          = 300          # 10 seconds of video
steps_per_frame = 3
)";

struct NewScene {
  std::string_view kind;  // of the solver
  std::string_view text;  // the whole file
};
constexpr std::string_view first_example = "gray_scott";  // of typed equations
constexpr NewScene new_scenes[] = {{"wave", wave}, {"lbm", lbm}, {"nbody", nbody}};

struct NewArguments {
  std::string kind, file, example;
  bool overwrite = false;
};

// What is written, and the name of its file without extension.
NewScene scene_of(const std::string& kind, const std::string& example) {
  if (kind == "pde") {
    const std::span<const EmbeddedScene> examples = embedded_equations();
    const std::string_view name = example.empty() ? first_example : example;
    if (const auto found = std::ranges::find(examples, name, &EmbeddedScene::name); found != examples.end())
      return {found->name, found->text};
    std::vector<std::string_view> names;
    for (const EmbeddedScene& scene : examples) names.push_back(scene.name);
    throw UsageError("new pde --example {}: the examples are: {}", shorten(name, 60), choices(name, names));
  }
  if (!example.empty()) throw UsageError("--example is for simreel new pde; leave it out");
  const auto found = std::ranges::find(new_scenes, kind, &NewScene::kind);
  if (found != std::end(new_scenes)) return *found;
  if (kind == "data")
    throw UsageError(
        "new data: simreel view FILE shows files of other programs without a scene; docs/data.md has scenes");
  std::vector<std::string_view> kinds;
  for (const NewScene& scene : new_scenes) kinds.push_back(scene.kind);
  kinds.push_back("pde");
  throw UsageError("new {}: there are scenes for: {}", shorten(kind, 60), choices(kind, kinds));
}

int run(const NewArguments& arguments) {
  const NewScene scene = scene_of(arguments.kind, arguments.example);
  if (arguments.file == "-") {
    fmt::print("{}", scene.text);
    return 0;
  }
  const std::string name = arguments.file.empty() ? fmt::format("{}.toml", scene.kind) : arguments.file;
  if (extension_of(name) != ".toml")
    throw UsageError("{}: a scene's name ends in .toml; {}.toml, for example", name, name);
  const auto write = [&](const std::string& path, std::string_view text) {
    PartFile file(path, arguments.overwrite);
    file.write(text);
    file.commit();
  };
  for (const EmbeddedScene& image : embedded_images())
    if (const std::string file = fmt::format("{}.png", image.name); scene.text.find(file) != std::string_view::npos)
      write((std::filesystem::path(name).parent_path() / file).string(), image.text);
  write(name, scene.text);
  fmt::print("{}: written; simreel render {} makes the video\n", name, name);
  return 0;
}

}  // namespace

std::string_view new_scene(std::string_view solver) { return scene_of(std::string(solver), "").text; }

void add_new(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("new", "Write a commented scene to begin with");
  const auto arguments = std::make_shared<NewArguments>();
  command->add_option("kind", arguments->kind, "The solver: wave, lbm, nbody or pde")->required();
  command->add_option("file", arguments->file,
                      "The file to write; default: KIND.toml, or EXAMPLE.toml; -: standard output");
  command->add_option("--example", arguments->example,
                      "pde: the equations, as \"cahn_hilliard\"; a wrong name lists all");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the file if it exists");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
