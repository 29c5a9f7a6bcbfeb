// Cell-steps a second of typed equations, beside what a copy allows; by hand, on any machine.
//   pde_bench cpu THREADS [SIZE...]
//   pde_bench cuda DEVICE [SIZE...]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include "exec/graph.h"
#include "kernels/base/random.h"
#include "tests/support/pde_arrays.h"

using namespace simreel;
using namespace simreel::test;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Of the best of some measurements of `work`, for one: by the clock, and of all cores together. The second is told on a
// machine that others use too.
struct Took {
  double wall = 1e30, cores = 1e30;
};
template <class Work>
Took seconds(const Executor& executor, const Work& work) {
  work();
  executor.wait();
  Took best;
  int count = 1;
  for (int round = 0; round < 7; ++round) {
    while (true) {
      const double begin = now();
      const std::clock_t spent = std::clock();
      for (int i = 0; i < count; ++i) work();
      executor.wait();
      const double wall = now() - begin;
      if (wall > 0.15) {
        best.wall = std::min(best.wall, wall / count);
        best.cores = std::min(best.cores, static_cast<double>(std::clock() - spent) / CLOCKS_PER_SEC / count);
        break;
      }
      count *= 2;
    }
  }
  return best;
}

struct Machine {
  const char* name;
  PdeMachine machine;
};

// Bytes a second that a copy reads and writes, far beyond caches.
double copy_speed(const Executor& executor) {
  Buffer<float> from(executor, std::size_t{1} << 26), to(executor, std::size_t{1} << 26);
  from.clear();
  to.clear();
  return 2.0 * static_cast<double>(from.bytes()) /
         seconds(executor, [&] { executor.copy(to.data(), from.data(), from.bytes()); }).wall;
}

void measure(const Executor& executor, const PdeSystem& system, int size, Machine machine, double copied) {
  int halo = 0;
  for (const auto& step : system.passes) halo = std::max(halo, pde_reach(step.pass));
  PdeGrid grid = pde_grid(size, size, halo, sizeof(float));
  grid.periodic_x = grid.periodic_y = true;
  PdeArrays<float> arrays(executor, grid, system.arrays);
  std::vector<PdeEngine<float>> engines;
  for (int a = 0; a < system.state; ++a) {
    std::vector<float> values(grid.values());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(0.2 * random_unit(1, static_cast<std::uint64_t>(a), i));
    arrays.buffer(a).upload(values.data());
    pde_fill_sides(executor, grid, {}, arrays[a], 0, size);
  }
  const double begin = now();
  for (const auto& step : system.passes) engines.emplace_back(executor, step.pass, machine.machine);
  const auto step = [&] {
    for (std::size_t p = 0; p < engines.size(); ++p)
      arrays.run(engines[p], system.passes[p].inputs, system.passes[p].outputs, 0, size);
  };
  step();
  executor.wait();
  const double first = now() - begin;
  Graph graph;
  const int repeats = executor.backend() == Backend::cuda ? 20 : 1;
  const Took took = seconds(executor, [&] {
    graph.submit(executor, [&] {
      for (int i = 0; i < repeats; ++i) step();
    });
  });
  const double cells = static_cast<double>(size) * size * system.steps * repeats, rate = cells / took.wall;
  const bool gpu = executor.backend() == Backend::cuda;
  fmt::print("{:29} {:5}^2 {:11}: {:9.3f} Gcell-steps/s, {:5.2f} of the copy's limit; first step after {:.3f} s{}{}\n",
             system.name, size, machine.name, rate / 1e9, rate * system.values_moved * sizeof(float) / copied, first,
             gpu ? "" : fmt::format("; {:.3f} a core by its time", cells / took.cores / 1e9),
             engines[0].why_interpreted().empty() ? "" : " (" + engines[0].why_interpreted() + ")");
}

}  // namespace

int main(int argc, char** argv) {
  const bool gpu = argc > 1 && std::string(argv[1]) == "cuda";
  const int number = argc > 2 ? std::atoi(argv[2]) : gpu ? 0 : 1;
  const Executor executor = gpu ? Executor::cuda(number) : Executor::cpu(number);
  std::vector<int> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = gpu ? std::vector<int>{512, 4096, 8192} : std::vector<int>{512, 2048};
  const double copied = copy_speed(executor);
  fmt::print("{}, a copy moves {:.0f} GB/s\n", executor.name(), copied / 1e9);
  std::vector<Machine> machines{{"", PdeMachine::best}};
  if (gpu)
    machines = {{"interpreted", PdeMachine::interpreter},
                {"1 row", PdeMachine::one_row},
                {"2 rows", PdeMachine::two_rows},
                {"4 rows", PdeMachine::four_rows},
                {"best", PdeMachine::best}};
  for (const int size : sizes)
    for (const PdeSystem& system : {gray_scott(), cahn_hilliard(), ginzburg_landau()})
      for (const Machine machine : machines) measure(executor, system, size, machine, copied);
}
