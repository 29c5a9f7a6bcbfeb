#pragma once
// The keys of kind = "lbm", read and checked.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/lbm/lbm.h"
#include "kernels/lbm/tracer.h"
#include "scene/scene.h"
#include "source/lbm/drive.h"
#include "source/lbm/heat.h"
#include "source/lbm/particles.h"
#include "source/lbm/phases.h"
#include "source/obstacles/obstacles.h"
#include "source/precision.h"
#include "source/solver.h"

namespace simreel {

enum class LbmKernel { automatic, fused, single, split };

struct LbmOptions {
  std::array<int, 2> grid = {400, 200};
  LbmCollision collision = LbmCollision::central;
  double viscosity = 0.02;  // lattice units; derived if the scene gives a Reynolds number
  double magic = 3.0 / 16;
  double smagorinsky = 0;  // the constant C; 0: none
  Precision precision = Precision::float32;
  std::array<double, 2> force = {0, 0};
  LbmInitial initial = LbmInitial::rest;
  double velocity = 0.05;
  double length = 0;          // cells; 0: not given
  double reynolds = 0;        // 0: not given
  bool of_mean = false;       // the Reynolds and the Strouhal number take the mean of a parabolic inlet
  double cell = 0, step = 0;  // metres and seconds; 0: the scene has no [units]
  bool parabolic = false;
  LbmKernel kernel = LbmKernel::automatic;
  int tile = 0;  // one of lbm_tiles; kernel split only
  LbmSide left = LbmSide::periodic, right = LbmSide::periodic, bottom = LbmSide::wall, top = LbmSide::wall;
  std::array<double, 4> slide = {1, 1, 1, 1};  // of those that move, shares of `velocity`: left, right, bottom, top
  LbmOutlet outlet = LbmOutlet::characteristic;
  int layer = 0;  // columns of raised viscosity before outlets
  int ramp = 0;   // steps in which the flow of inlets rises from 0; 0: it is there at once
  std::vector<ObstacleOptions> obstacles;
  bool curved = true;  // walls of circles, polygons and images lie where the shape says
  TracerParams tracer;
  std::vector<ParticleOptions> particles;
  int tracer_bands = 0;  // of dye at step 0
  bool dyed = false;     // the scene has a [solver.tracer]
  HeatOptions heat;
  PhasesOptions phases;
  LbmDriveTexts texts;   // formulas and arrays as the scene writes them
  LbmDrive drive;        // and what they are, once opened
  bool given = false;    // the scene gives the flow at step 0
  bool made_up = false;  // the scene names nothing that the fluid moves by, so a shear layer is its start

  double tau() const { return 3 * viscosity + 0.5; }
  std::array<LbmSide, 4> sides() const { return {left, right, bottom, top}; }
  bool has(LbmSide side) const { return left == side || right == side || bottom == side || top == side; }
  bool flows_along_x() const { return !has(LbmSide::inlet) || left == LbmSide::inlet || right == LbmSide::inlet; }
  bool starts_periodic() const { return initial == LbmInitial::taylor_green || initial == LbmInitial::shear_layer; }
  // The speed in the Reynolds and the Strouhal number.
  double speed_of_numbers() const { return std::abs(velocity) * (of_mean ? 2.0 / 3 : 1); }
  // The largest speed that `velocity` causes; 0 if nothing moves with it.
  double given_speed() const;
  // The peak of the Poiseuille flow that the force drives between walls; 0 if the speed cannot be predicted.
  double channel_peak() const;
  double fastest() const {
    return std::max({given_speed() * drive.peak, channel_peak(), drive.fastest, heat.speed(), phases.speed()});
  }
  bool forced() const { return force[0] != 0 || force[1] != 0 || texts.gives_force(); }
  double mach() const { return fastest() * std::sqrt(3.0); }
};

inline constexpr std::string_view lbm_collisions[] = {"bgk", "trt", "mrt", "central"};
inline constexpr std::string_view lbm_side_names[] = {"left", "right", "bottom", "top"};
inline constexpr std::string_view lbm_sides[] = {"periodic", "wall", "moving", "inlet", "outlet", "slip"};
inline constexpr std::string_view lbm_kernels[] = {"auto", "fused", "single", "split"};

// Throws UsageError for mistakes and for values outside the validity of the method. Opens no file.
LbmOptions read_lbm_options(Table& keys);
// Opens what the texts of the drive name, and checks it; `open_lbm_options` does so too, and opens the obstacles.
void open_lbm_drive(LbmOptions&, const Table& keys, const Scene&);
void open_lbm_options(LbmOptions&, const Table& keys, const Scene&);

std::string lbm_summary(const LbmOptions&);
std::vector<std::string> lbm_facts(const LbmOptions&);
ViewDefaults lbm_look(const LbmOptions&);
std::vector<std::string> lbm_warnings(const LbmOptions&, const Table& keys, const Scene&);

}  // namespace simreel
