// Cell-steps a second of typed equations, beside what a copy allows; by hand, on any machine.
//   pde_bench cpu THREADS [SIZE...]
//   pde_bench cuda DEVICE [SIZE...]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "kernels/base/random.h"
#include "tests/support/pde_arrays.h"

using namespace simreel;
using namespace simreel::test;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The best of some measurements of `work`, in seconds for one.
template <class Work>
double seconds(const Executor& executor, const Work& work) {
  work();
  executor.wait();
  double best = 1e30;
  int count = 1;
  for (int round = 0; round < 7; ++round) {
    double took = 0;
    while (true) {
      const double begin = now();
      for (int i = 0; i < count; ++i) work();
      executor.wait();
      took = now() - begin;
      if (took > 0.15) break;
      count *= 2;
    }
    best = std::min(best, took / count);
  }
  return best;
}

void measure(const Executor& executor, PdeSystem system, int size) {
  int halo = 0;
  for (const auto& step : system.passes) halo = std::max(halo, pde_reach(step.pass));
  PdeGrid grid = pde_grid(size, size, halo, sizeof(float));
  grid.periodic_x = grid.periodic_y = true;
  PdeArrays<float> arrays(executor, grid, system.arrays);
  std::vector<PdeEngine<float>> engines;
  const double begin = now();
  for (const auto& step : system.passes) engines.emplace_back(executor, step.pass);
  for (int a = 0; a < system.state; ++a) {
    std::vector<float> values(grid.values());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(0.2 * random_unit(1, static_cast<std::uint64_t>(a), i));
    arrays.buffer(a).upload(values.data());
    pde_fill_sides(executor, grid, {}, arrays[a], 0, size);
  }
  const auto step = [&] {
    for (std::size_t p = 0; p < engines.size(); ++p)
      arrays.run(engines[p], system.passes[p].inputs, system.passes[p].outputs, 0, size);
  };
  step();
  executor.wait();
  const double first = now() - begin;
  const double rate = static_cast<double>(size) * size * system.steps / seconds(executor, step);
  Buffer<float> from(executor, grid.values()), to(executor, grid.values());
  from.clear();
  const double copied = seconds(executor, [&] { executor.copy(to.data(), from.data(), from.bytes()); });
  const double limit = 2.0 * static_cast<double>(grid.values()) / copied / system.values_moved;
  fmt::print("{:30} {:5} ^2: {:9.3f} Gcell-steps/s, {:5.2f} of what a copy allows; first step after {:.3f} s\n",
             system.name, size, rate / 1e9, rate / limit, first);
}

}  // namespace

int main(int argc, char** argv) {
  const bool gpu = argc > 1 && std::string(argv[1]) == "cuda";
  const int number = argc > 2 ? std::atoi(argv[2]) : gpu ? 0 : 1;
  const Executor executor = gpu ? Executor::cuda(number) : Executor::cpu(number);
  std::vector<int> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = gpu ? std::vector<int>{512, 4096, 8192} : std::vector<int>{512, 2048};
  fmt::print("{}\n", executor.name());
  for (const int size : sizes)
    for (const PdeSystem& system : {gray_scott(), cahn_hilliard(), ginzburg_landau()}) measure(executor, system, size);
}
