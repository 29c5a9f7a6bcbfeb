#pragma once
// The keys of kind = "data", read and checked.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/view.h"
#include "scene/scene.h"
#include "source/obstacles/obstacles.h"

namespace simreel {

struct DataOptions {
  std::string files;  // a path with "%05d" or "*", relative to the scene
  std::string array;  // what follows the colon: "/fields/vorticity"; empty: not given
  enum class Content { automatic, field, bodies } content = Content::automatic;
  std::string
      axes;  // a letter an axis: t, z, y, x, c (components), or 1 for one of one entry; empty: by the number of axes

  // How three dimensions become two.
  struct Slice {
    char axis = 'z';
    enum class Mode { plane, max, min, mean, sum } mode = Mode::plane;
    std::int64_t index = 0;  // of the plane
  };
  std::optional<Slice> slice;

  std::string time;     // "attr:NAME", "dataset:/NAME", "file:NAME"; empty: as the file says, otherwise the timestep
  double timestep = 1;  // simulated time from one input step to the next, > 0
  bool timestep_given = false;
  std::optional<std::array<double, 4>> extent;   // of the axes: left, right, bottom, top
  std::optional<std::array<double, 2>> spacing;  // of cells along x and y, > 0
  std::string mask;                              // an array, or a .npy file; empty: as the file says
  std::optional<double> missing;                 // the value that marks a missing one
  enum class Origin { automatic, lower, upper } origin = Origin::automatic;     // where the first row lies
  bool coordinates = true;                                                      // whether those of the file are heeded
  enum class Uneven { automatic, cells, resample } uneven = Uneven::automatic;  // what becomes of uneven ones
  enum class Roll { automatic, none } roll = Roll::automatic;                   // of those that begin again
  std::string unit;
  bool interpolate = false;
  bool by_time = false;  // interpolate: frames are evenly spaced in time, not in steps
  bool follow = false;
  std::string end;  // follow: the file that ends the series; empty: none
  std::vector<ObstacleOptions> obstacles;
};

// Throws UsageError. Opens no file. The obstacles' defaults are those of a grid of nx by ny cells.
DataOptions read_data_options(Table& keys, int nx, int ny);

// A camera for bodies of which nothing is known but where they are. It sees all of them along z, with y upwards, at the
// default angle of view.
CameraPose pose_for(const std::vector<Vec4<double>>& positions);

}  // namespace simreel
