#pragma once
// The keys of kind = "wave", read and checked.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/wave/wave.h"
#include "scene/scene.h"
#include "source/precision.h"
#include "source/solver.h"
#include "source/wave/droplets.h"

namespace simreel {

enum class WaveKernel { automatic, naive, tiled };
enum class WaveInitial { rest, mode, noise };

struct WaveOptions {
  std::array<int, 2> grid = {512, 512};
  double speed = 1, spacing = 1, timestep = 0.05, damping = 0.002;
  WaveBoundary boundary = WaveBoundary::fixed;
  WaveInitial initial = WaveInitial::rest;
  std::array<int, 2> mode = {1, 1};
  double amplitude = 1;
  Precision precision = Precision::float32;  // not float16
  WaveKernel kernel = WaveKernel::automatic;
  std::vector<DropletOptions> droplets;
  std::vector<Table> droplet_keys;  // the tables of those that the scene lists, for the place in messages
  RainOptions rain;
  bool made_up = false;  // the scene names nothing that moves the surface, so a droplet and rain do

  int side() const;  // cells of the shorter side; of the longer one on a line
  double courant_number() const { return speed * timestep / spacing; }  // c dt / dx
};

inline constexpr std::string_view wave_kernels[] = {"auto", "naive", "tiled"};

// Throws UsageError for mistakes and for a time step at which the scheme is unstable.
WaveOptions read_wave_options(Table& keys);

std::string wave_summary(const WaveOptions&);
std::vector<std::string> wave_facts(const WaveOptions&);
Look wave_look(const WaveOptions&);
// Droplets that nobody will see, and a surface that stays flat.
std::vector<std::string> wave_warnings(const WaveOptions&, const Table& keys, const Scene&);

}  // namespace simreel
