#pragma once
// N-body scenes from keys, and what their solvers hold.

#include <fmt/format.h>

#include "exec/executor.h"
#include "scene/scene.h"
#include "source/solver.h"
#include "tests/support/places.h"
#include "tests/support/test.h"

namespace simreel::test {

// A scene whose [solver] table continues with `keys`, with softening and time step written out.
inline Scene nbody_scene(const std::string& keys) {
  std::vector<std::string> others;
  for (const auto& [key, value] : {std::pair("softening", "0.01"), std::pair("timestep", "0.001")})
    if (keys.find(key) == std::string::npos) others.push_back(fmt::format("solver.{}={}", key, value));
  return parse_scene("seed = 5\n[solver]\nkind = \"nbody\"\n" + keys, "nbody.toml", others);
}

inline std::unique_ptr<Solver> make_nbody(const Executor& executor, const std::string& keys) {
  return plan_solver(nbody_scene(keys)).create(executor);
}

// Bodies in a file, while it lives.
class CsvFile {
 public:
  explicit CsvFile(const std::string& lines) { std::ofstream(path_) << "x,y,z,vx,vy,vz,mass\n" << lines; }

  std::string keys() const { return fmt::format("initial = \"file\"\nfile = \"{}\"\n", path_); }

 private:
  const Folder folder_;
  const std::string path_ = folder_ / "bodies.csv";
};

// x, y, z, mass of each body and vx, vy, vz, 0 of each.
template <class Real>
struct BodyState {
  std::vector<Vec4<Real>> position, velocity;
};

template <class Real = float>
BodyState<Real> bodies_of(const Executor& executor, Solver& solver) {
  const auto view = std::get<ParticlesView<Real>>(solver.view(""));
  BodyState<Real> state{std::vector<Vec4<Real>>(view.count, Vec4<Real>{0, 0, 0, 0}),
                        std::vector<Vec4<Real>>(view.count, Vec4<Real>{0, 0, 0, 0})};
  executor.copy(state.position.data(), view.position, view.count * sizeof(Vec4<Real>));
  executor.copy(state.velocity.data(), view.velocity, view.count * sizeof(Vec4<Real>));
  return state;
}

// All numbers of a state in a row, to compare them bit for bit.
template <class Real = float>
std::vector<Real> numbers_of(const Executor& executor, Solver& solver) {
  const BodyState<Real> state = bodies_of<Real>(executor, solver);
  std::vector<Real> numbers;
  for (const auto* part : {&state.position, &state.velocity})
    for (const Vec4<Real>& v : *part)
      for (const Real number : {v.x, v.y, v.z, v.w}) numbers.push_back(number);
  return numbers;
}

}  // namespace simreel::test
