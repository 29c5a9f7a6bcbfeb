#include "commands/key_examples.h"

namespace simreel {
namespace {

struct Example {
  std::string_view kind, path, text;
};

constexpr Example examples[] = {
    {"", "", R"toml(title = "Two drops"
seed = 7)toml"},
    {"", "solver", R"toml([solver]
kind = "wave"                   # the keys beside it are those of this kind
grid = [480, 270])toml"},
    {"wave", "solver", R"toml([solver]
kind = "wave"
grid = [480, 270]
speed = "= 1 - 0.4 * exp(-((x - 240)^2 + (y - 135)^2) / 1800)"   # slower in the middle: a lens
boundary = "absorbing")toml"},
    {"wave", "solver.boundary", R"toml([solver.boundary]
left = "absorbing"
right = "absorbing"
top = "free"                    # bottom is fixed)toml"},
    {"wave", "solver.absorber", R"toml([solver.absorber]
width = 24                      # all sides absorb)toml"},
    {"wave", "solver.droplet", R"toml([[solver.droplet]]
time = 20
position = [160, 135]
radius = 6)toml"},
    {"wave", "solver.rain", R"toml([solver.rain]
rate = 0.05                     # a drop in 20 units of time)toml"},
    {"wave", "solver.obstacle", R"toml([[solver.obstacle]]              # a wall with a slit: one table for each half
shape = "rectangle"
min = [30, 0]
max = [32, 28]

[[solver.obstacle]]
shape = "rectangle"
min = [30, 36]
max = [32, 63])toml"},
    {"wave", "solver.source", R"toml([[solver.source]]
position = [20, 32]
frequency = 0.05
ramp = 40)toml"},
    {"lbm", "solver", R"toml([solver]
kind = "lbm"
grid = [600, 240]
velocity = 0.05
reynolds = 150                  # so the viscosity follows
length = 40)toml"},
    {"lbm", "solver.force", R"toml([solver.force]
x = "= 1e-6 * sin(t / 5000)"    # a pump that changes its direction)toml"},
    {"lbm", "solver.boundary", R"toml([solver.boundary]
left = "inlet"
right = "outlet"
bottom = "wall"
top = "wall")toml"},
    {"lbm", "solver.obstacle", R"toml([[solver.obstacle]]
center = [20, 32]
radius = 8
rotation = 0.002)toml"},
    {"lbm", "solver.tracer", R"toml([solver.tracer]
diffusivity = 0.001
bands = 4)toml"},
    {"lbm", "solver.tracer.spot", R"toml([[solver.tracer.spot]]
position = [10, 32]
radius = 3)toml"},
    {"lbm", "solver.units", R"toml([solver]
kind = "lbm"
grid = [600, 240]
length = 40

[solver.units]                  # a wire of 2 mm in air that blows with 1.5 m/s
length = 0.002
velocity = 1.5
viscosity = 1.5e-5)toml"},
    {"lbm", "solver.particles", R"toml([[solver.particles]]
from = [2, 10]
to = [2, 54]
count = 12)toml"},
    {"nbody", "solver", R"toml([solver]
kind = "nbody"
initial = "collision"
bodies = 20000
method = "tree")toml"},
    {"nbody", "solver.planet", R"toml([solver]
kind = "nbody"
initial = "kepler"

[[solver.planet]]
axis = 1

[[solver.planet]]
axis = 1.6
eccentricity = 0.3)toml"},
    {"pde", "solver", R"toml([solver]                        # heat
kind = "pde"
grid = [256, 256]

[solver.fields.u]
initial = "= exp(-((x - 128)^2 + (y - 128)^2) / 200)"
rate = "= lap(u)")toml"},
    {"pde", "solver.boundary", R"toml([solver.boundary]
left = "free"
right = "free"
bottom = "periodic"
top = "periodic")toml"},
    {"pde", "solver.boundary.left",
     R"toml([solver.boundary.left]           # right, bottom, top and the sides of a field have the same keys
value = "= sin(0.1 * t)")toml"},
    {"pde", "solver.boundary.left.mixed", R"toml([solver.boundary.left.mixed]     # heat leaves in proportion to u
a = 0
b = 0.5)toml"},
    {"pde", "solver.parameters", R"toml([solver.parameters]
F = 0.037
k = "= 0.05 + 0.02 * x / 256")toml"},
    {"pde", "solver.fields", R"toml([solver.fields.u]
initial = 1
rate = "= 0.2 * lap(u) - u * v^2 + 0.037 * (1 - u)"

[solver.fields.v]
initial = "= exp(-((x - 32)^2 + (y - 32)^2) / 20)"
rate = "= 0.1 * lap(v) + u * v^2 - 0.1 * v")toml"},
    {"pde", "solver.fields.u", R"toml([solver.fields.u]
initial = "= exp(-((x - 32)^2 + (y - 32)^2) / 20)"
rate = "= lap(u) - 0.01 * u")toml"},
    {"pde", "solver.fields.u.boundary", R"toml([solver.fields.u.boundary]
left = { value = 1 }
right = { slope = 0 })toml"},
    {"pde", "solver.obstacle", R"toml([[solver.obstacle]]
center = [32, 32]
radius = 6)toml"},
    {"pde", "solver.obstacle.hold", R"toml([[solver.obstacle]]
radius = 6

[solver.obstacle.hold]          # of the obstacle above it
u = 1)toml"},
    {"pde", "solver.measure", R"toml([[solver.measure]]
name = "heat"
integral = "= u")toml"},
    {"data", "solver", R"toml([solver]
kind = "data"
files = "run.h5:/vorticity"
timestep = 0.05)toml"},
    {"data", "solver.slice", R"toml([solver.slice]
z = 40)toml"},
    {"data", "solver.obstacle", R"toml([[solver.obstacle]]
center = [32, 32]
radius = 6)toml"},
    {"", "view", R"toml([view]
colormap = "magma"
range = [0, 0.4]
alpha = [[0, 0], [0.1, 1]]      # still water is transparent
size = [1280, 720])toml"},
    {"", "view.key",
     R"toml([[view.key]]                    # all of the field until second 1; the zoom ends at second 3
time = 1
crop = [0, 0, 64, 64]

[[view.key]]
time = 3
center = [20, 32]
width = 16)toml"},
    {"", "view.class", R"toml([[view.class]]
value = 0
name = "water"
color = "#2060c0"

[[view.class]]
value = 1
name = "forest"
color = "#228833")toml"},
    {"lbm", "view.particles", R"toml([view.particles]
radius = 2
trail = 0.8
colors = ["#ffffff", "#ffb000"])toml"},
    {"nbody", "camera", R"toml([camera]
position = [0, 3, 9]
orbit = 90)toml"},
    {"nbody", "camera.key", R"toml([[camera.key]]
time = 4
position = [0, 1, 4])toml"},
    {"", "animation", R"toml([animation]
duration = "8 s"                # 240 frames at this rate
fps = 30
start = 2000
steps_per_frame = 20
speed = [[3, 1], [3.5, 0.1], [6, 0.1], [6.5, 1]]    # 2 steps a frame from second 3.5 to 6
fade_in = 0.5
hold_last = 2                   # 60 pictures more
fade_out = 1                    # the last 30 of them)toml"},
    {"", "output", R"toml([output]
path = "waves.mp4"
quality = 18)toml"},
    {"", "output.options", R"toml([output.options]
tune = "animation"              # an option of x264)toml"},
    {"", "figure", R"toml([figure]
axes = "ticks"
colorbar = "right"
label = "height"
time = "t = {time:.1f}")toml"},
    {"", "figure.inset", R"toml([figure.inset]
view = [20, 20, 40, 40]
at = "lower right")toml"},
    {"", "figure.units", R"toml([figure.units]
length = "mm"
cell = 0.5                      # a cell is half a millimetre wide
time = "ms"
step = 0.02)toml"},
    {"", "overlay", R"toml([[overlay]]
text = "Two drops"
at = "lower left"
from = 0
until = 4
fade = 1

[[overlay]]
shape = "arrow"
position = [40, 50]
to = [32, 32])toml"},
    {"", "golden", R"toml([golden]
frames = [0, 299]
max_diff = 2)toml"},
};

}  // namespace

bool repeats_another(std::string_view kind, std::string_view path) {
  for (const std::string_view side : {".boundary.right", ".boundary.bottom", ".boundary.top", "u.boundary.left"})
    if (kind == "pde" && path.find(side) != std::string_view::npos) return true;
  return false;
}

std::string_view key_example(std::string_view kind, std::string_view path) {
  for (const Example& example : examples)
    if (example.path == path && (example.kind == kind || kind.empty())) return example.text;
  return {};
}

}  // namespace simreel
