#pragma once
// The keys of kind = "nbody", read and checked.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/nbody/nbody.h"
#include "kernels/nbody/tree/tree.h"
#include "scene/scene.h"
#include "source/nbody/bodies.h"
#include "source/nbody/scales.h"
#include "source/precision.h"
#include "source/solver.h"

namespace simreel {

enum class NbodyIntegrator { leapfrog, euler, rk4 };
enum class ForceMethod { direct, tree };

struct NbodyOptions {
  BodiesOptions bodies;
  std::string file;                    // the path of the file of bodies, or empty
  std::shared_ptr<const Bodies> read;  // the bodies of that file, or null
  double timestep = 0.001;
  double velocity_factor = 1;  // velocities are multiplied by it after every kick
  NbodyIntegrator integrator = NbodyIntegrator::leapfrog;
  Precision precision = Precision::float32;  // not float16
  NbodyArithmetic arithmetic = NbodyArithmetic::exact;
  ForceMethod forces = ForceMethod::direct;
  TreeAccuracy accuracy = TreeAccuracy::standard;  // of a tree
  int kernel = 0;                                  // index into nbody_kernels; of direct sums
  int tile = 256;
  std::optional<BodySteps> found;    // of the bodies of a file and of planets
  std::vector<std::string> reasons;  // for what follows from them: lines of `check`
  std::vector<std::string> remarks;
  bool unknown_speeds = false;  // the range of speeds is that of the first frame, in which all bodies are at rest
  bool unseen = false;          // most bodies are to give light by their mass and have none

  std::int64_t count() const { return read ? static_cast<std::int64_t>(read->size()) : body_count(bodies); }
  // The method that `kernel` names, "auto" resolved.
  NbodyMethod method() const;
};

// How far from the origin along an axis bodies may lie where forces are computed in float: the squares of distances
// between them stay below 2^128.
inline constexpr double farthest_in_float = 5e18;

inline constexpr std::string_view nbody_kernels[] = {"auto", "naive", "tiled", "symmetric"};

// Roughly the time in which a body crosses the initial state; 0 if no key gives its size.
double dynamical_time(const BodiesOptions&);
// Of a planet around the sun, alone.
double planet_period(const BodiesOptions&, const PlanetOptions&);
// Whether no body moves in the first state.
bool at_rest(const NbodyOptions&);
// Kinetic over potential energy of the bodies of a file, that which three fifths of them are below: about 0.5 where
// they keep together, above 1 where they fly apart; 0 if none is known.
double virial_ratio(const NbodyOptions&);

// Opens no file: `file` is not resolved, and `read` is null. Throws UsageError.
NbodyOptions read_nbody_options(Table& keys);

// Adds what is not in [solver]: the scene's seed, the bodies of the file, and the softening and the timestep that
// bodies of a file and planets need. Throws UsageError.
void load_bodies(NbodyOptions&, const Table& keys, const Scene&);

std::string nbody_summary(const NbodyOptions&);
std::vector<std::string> nbody_facts(const NbodyOptions&);
std::vector<std::string> nbody_warnings(const NbodyOptions&);

// Why bodies of a file have the pace and the picture that they have: lines of `check`.
std::vector<std::string> nbody_view_reasons(const NbodyOptions&, const Scene&);

// How bodies are shown where the scene does not say it.
ViewDefaults nbody_look(Table& keys, const Scene&);

}  // namespace simreel
