#pragma once
// A random pass with all that an engine needs to compute it, and what it must compute.

#include "tests/support/pde_arrays.h"
#include "tests/support/pde_random.h"
#include "tests/support/pde_reference.h"

namespace simreel::test {

template <class Real>
bool same_bits(Real a, Real b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

template <class Real>
struct Case {
  RandomPass random;
  PdeGrid grid;
  std::vector<std::vector<Real>> inputs;  // of the cells
  HostSides<Real> sides;                  // of all arrays
  std::vector<int> in_place;              // for each output the input that it overwrites, or -1
  std::vector<double> uniforms{0.25, -1.5, 3.75};

  explicit Case(unsigned seed) : random(PassMaker(seed).make()) {
    std::mt19937 dice(seed + 1000);
    const auto below = [&](int count) { return std::uniform_int_distribution<int>(0, count - 1)(dice); };
    const int reach = pde_reach(random.pass);
    const bool wide = seed % 12 == 11;  // more than a block of the CPU's loops
    const int nx = wide ? 500 + below(900) : 1 + below(70), ny = 1 + below(wide ? 6 : 70);
    grid = pde_grid(nx, ny, reach + below(2), sizeof(Real));
    grid.periodic_x = below(2) == 0, grid.periodic_y = below(2) == 0;
    const auto value = [&] { return static_cast<Real>(std::uniform_real_distribution<double>(-1.5, 1.5)(dice)); };
    for (int i = 0; i < random.pass.inputs; ++i) {
      inputs.emplace_back(static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny));
      for (Real& v : inputs.back()) v = value();
    }
    const bool mirrors_x = below(3) == 0, mirrors_y = below(3) == 0;
    for (std::size_t i = 0; i < 4; ++i)
      if (!(i < 2 ? mirrors_x : mirrors_y)) sides.set(i, grid, below(3), value);
    in_place.assign(random.pass.outputs.size(), -1);
    std::size_t next = 0;
    for (int i = 0; i < random.pass.inputs; ++i)
      if (random.apart[i] && next < in_place.size() && below(2) == 0) in_place[next++] = i;
  }

  // What the outputs must be, with their halos: row by row, halo columns included.
  std::vector<std::vector<Real>> expected() const {
    const Reference<Real> reference(random.pass, grid, inputs, sides, uniforms, 5, 77);
    std::vector<std::vector<Real>> result;
    for (const int output : random.pass.outputs) {
      std::vector<Real> cells;
      for (int y = 0; y < grid.ny; ++y)
        for (int x = 0; x < grid.nx; ++x) cells.push_back(reference.value(output, x, y));
      result.emplace_back();
      for (int y = -grid.halo; y < grid.ny + grid.halo; ++y)
        for (int x = -grid.halo; x < grid.nx + grid.halo; ++x) result.back().push_back(reference.beyond(cells, x, y));
    }
    return result;
  }

  // What an engine makes of them, in runs of the rows between `cuts`.
  template <class Engine>
  std::vector<std::vector<Real>> computed(const Executor& executor, Engine& engine,
                                          const std::vector<int>& cuts) const {
    const int count = random.pass.inputs;
    PdeArrays<Real> arrays(executor, grid, count + static_cast<int>(in_place.size()));
    const DeviceSides<Real> on_device(executor, grid, sides);
    for (int i = 0; i < count; ++i) {
      std::vector<Real> memory(grid.memory());
      for (int y = 0; y < grid.ny; ++y)
        std::copy_n(
            inputs[i].begin() + std::ptrdiff_t{y} * grid.nx, grid.nx,
            memory.begin() + static_cast<std::ptrdiff_t>(grid.origin() + grid.pitch * static_cast<std::size_t>(y)));
      arrays.buffer(i).upload(memory.data());
      pde_fill_sides(executor, grid, on_device.sides, arrays[i], 0, grid.ny);
    }
    std::vector<int> from, to;
    for (int i = 0; i < count; ++i) from.push_back(i);
    for (std::size_t o = 0; o < in_place.size(); ++o) {
      to.push_back(in_place[o] >= 0 ? in_place[o] : count + static_cast<int>(o));
      arrays.sides(to.back()) = on_device.sides;
    }
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      arrays.run(engine, from, to, cuts[i], cuts[i + 1], uniforms, 5, 77);
    std::vector<std::vector<Real>> result;
    for (const int array : to) {
      const std::vector<Real> memory = arrays.buffer(array).download();
      result.emplace_back();
      for (int y = -grid.halo; y < grid.ny + grid.halo; ++y)
        for (int x = -grid.halo; x < grid.nx + grid.halo; ++x)
          result.back().push_back(
              memory[static_cast<std::ptrdiff_t>(grid.origin()) + static_cast<std::ptrdiff_t>(grid.pitch) * y + x]);
    }
    return result;
  }
};

template <class Real>
std::size_t different(const std::vector<std::vector<Real>>& a, const std::vector<std::vector<Real>>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) count += same_bits(a[i][k], b[i][k]) ? 0 : 1;
  return count;
}

}  // namespace simreel::test
