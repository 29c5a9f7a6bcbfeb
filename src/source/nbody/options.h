#pragma once
// The keys of kind = "nbody", read and checked.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/nbody/nbody.h"
#include "scene/scene.h"
#include "source/nbody/bodies.h"
#include "source/precision.h"

namespace simreel {

enum class NbodyIntegrator { leapfrog, euler, rk4 };

struct NbodyOptions {
  BodiesOptions bodies;
  std::string file;                    // its path, or empty
  std::shared_ptr<const Bodies> read;  // its bodies, where there is one
  double timestep = 0.001;
  double velocity_factor = 1;  // velocities are multiplied by it after every kick
  NbodyIntegrator integrator = NbodyIntegrator::leapfrog;
  Precision precision = Precision::float32;  // not float16
  NbodyArithmetic arithmetic = NbodyArithmetic::exact;
  int kernel = 0;  // index into nbody_kernels
  int tile = 256;
  std::vector<std::string> remarks;
  bool unknown_speeds = false;  // the first frame is to tell the range of speeds, but all bodies rest there

  std::int64_t count() const { return read ? static_cast<std::int64_t>(read->size()) : body_count(bodies); }
  // What `kernel` stands for, "auto" resolved.
  NbodyMethod method() const;
};

inline constexpr std::string_view nbody_kernels[] = {"auto", "naive", "tiled", "symmetric"};

// Opens no file: `file` is as the scene writes it, and nothing is `read`. Throws UsageError.
NbodyOptions read_nbody_options(Table& keys);

// What the options need beside the keys of [solver]: the scene's seed, the file of bodies and what it holds. Throws
// UsageError.
void load_bodies(NbodyOptions&, const Table& keys, const Scene&);

std::string nbody_summary(const NbodyOptions&);
std::vector<std::string> nbody_facts(const NbodyOptions&);
std::vector<std::string> nbody_warnings(const NbodyOptions&);

}  // namespace simreel
