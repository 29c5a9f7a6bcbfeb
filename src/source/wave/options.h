#pragma once
// The keys of kind = "wave", read and checked.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/wave/wave.h"
#include "scene/scene.h"
#include "source/grid_values.h"
#include "source/obstacles/obstacles.h"
#include "source/precision.h"
#include "source/solver.h"
#include "source/wave/sources.h"

namespace simreel {

enum class WaveKernel { automatic, naive, tiled };
enum class WaveInitial { rest, mode, noise, given };
enum class WaveWall { fixed, free, absorbing };  // of obstacles

struct WaveOptions {
  std::array<int, 2> grid = {512, 512};
  double speed = 1;   // the largest
  double lowest = 1;  // the lowest speed
  GridValues speeds;  // where it is not one number
  double spacing = 1, timestep = 0.05, damping = 0.002;
  WaveBoundary boundary = WaveBoundary::fixed;  // of the plain kernels
  std::array<WaveBoundary, 4> sides{};          // left, right, bottom, top
  int layer = 0;                                // cells of the layers at absorbing sides
  WaveInitial initial = WaveInitial::rest;
  std::array<int, 2> mode = {1, 1};
  double amplitude = 1;
  GridValues height, velocity;               // initial = given, and at step 0
  Precision precision = Precision::float32;  // not float16
  WaveKernel kernel = WaveKernel::automatic;
  std::vector<DropletOptions> droplets;
  RainOptions rain;
  std::vector<ObstacleOptions> obstacles;
  std::vector<WaveWall> walls;  // of each obstacle
  std::vector<WaveSourceOptions> sources;
  bool medium = false;   // cells differ, or sides, or there are sources: kernels/wave/medium.h
  bool made_up = false;  // the scene names nothing that moves the surface, so a droplet and rain do

  int side() const;  // cells of the shorter side; of the longer one on a line
  double courant_number() const { return speed * timestep / spacing; }  // c dt / dx
};

inline constexpr std::string_view wave_kernels[] = {"auto", "naive", "tiled"};

// Throws UsageError for mistakes and for a time step at which the scheme is unstable. Without a scene it only reads:
// opens no file, and takes a speed that is not a number for 1.
WaveOptions read_wave_options(Table& keys, const Scene*);

std::string wave_summary(const WaveOptions&);
std::vector<std::string> wave_facts(const WaveOptions&);
ViewDefaults wave_look(const WaveOptions&);
// The cells between layers; with the proportions of the grid, so that a picture of those stays full, where that takes
// no more than a tenth of them, at sides that absorb.
std::optional<Rectangle> without_layers(const WaveOptions&);
// Sources all of whose cells are solid, one line each.
std::vector<std::string> covered_sources(const WaveOptions&, const LbmGeometry&, std::size_t pitch, const Scene&);
// Droplets and sources.
std::vector<PlannedGrid::Thing> wave_things(const WaveOptions&);
// Droplets and sources that will not be seen, and a surface that stays flat.
std::vector<std::string> wave_warnings(const WaveOptions&, const Table& keys, const Scene&);

}  // namespace simreel
