// Cell-steps a second of typed equations, beside what a copy allows; by hand, on any machine.
//   pde_bench cpu THREADS [SIZE...]
//   pde_bench cuda DEVICE [SIZE...]
//   pde_bench steps DEVICE [SIZE...]    of all ways to take several steps at once, with the best at the end of each
//   list

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include "exec/graph.h"
#include "kernels/base/random.h"
#include "kernels/pde/steps.h"
#include "tests/support/pde_arrays.h"

using namespace simreel;
using namespace simreel::test;

namespace {

int rounds = 7;
double least_wall = 0.15;

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
  for (int round = 0; round < rounds; ++round) {
    while (true) {
      const double started = now();
      const std::clock_t spent = std::clock();
      for (int i = 0; i < count; ++i) work();
      executor.wait();
      const double wall = now() - started;
      if (wall > least_wall) {
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

PdeGrid grid_of(const PdeSystem& system, int size) {
  int halo = 0;
  for (const auto& step : system.passes) halo = std::max(halo, pde_reach(step.pass));
  PdeGrid grid = pde_grid(size, size, halo, sizeof(float));
  grid.periodic_x = grid.periodic_y = true;
  return grid;
}

void begin(const Executor& executor, const PdeSystem& system, const PdeGrid& grid, PdeArrays<float>& arrays) {
  for (int a = 0; a < system.state; ++a) {
    std::vector<float> values(grid.memory());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(0.2 * random_unit(1, static_cast<std::uint64_t>(a), i));
    arrays.buffer(a).upload(values.data());
    pde_fill_sides(executor, grid, {}, arrays[a], 0, grid.ny);
  }
}

// Of Euler's method, by all shapes of a launch. The last two columns tell the time of a launch, in a graph and by
// itself.
void measure_steps(const Executor& executor, const PdeSystem& system, int size, double copied) {
  const PdeGrid grid = grid_of(system, size);
  PdeArrays<float> arrays(executor, grid, system.arrays);
  begin(executor, system, grid, arrays);
  std::vector<int> next;
  for (int a = 0; a < system.state; ++a) next.push_back(a);
  std::vector<PdeStepsShape> shapes;
  const bool large = size >= 2048;
  for (const int cells : {1, 2, 4})
    for (const int steps : {2, 3, 4, 6, 8})
      for (const int rows : {8, 16, 32, 64, 128, 256})
        if (steps * cells <= 32 && 32 * cells > 3 * steps * grid.halo &&
            (large ? cells > 1 && rows >= 64 && steps > 2 : rows <= 64))
          shapes.push_back({steps, cells, rows});
  shapes.push_back({});
  for (const PdeStepsShape& shape : shapes) {
    const auto several = PdeSteps<float>::make(executor, system.passes[0].pass, next, grid,
                                               std::vector<PdeSides<float>>(next.size()), shape);
    if (!several) continue;
    const auto run = [&] {
      for (const auto& step : system.passes) arrays.run(*several, step.inputs, step.outputs, 0, size);
    };
    Graph graph;
    const int repeats = 20;
    const double in_graph = seconds(executor,
                                    [&] {
                                      graph.submit(executor, [&] {
                                        for (int i = 0; i < repeats; ++i) run();
                                      });
                                    })
                                .wall /
                            repeats / 2,
                 alone = large ? in_graph : seconds(executor, run).wall / 2;
    const double rate = static_cast<double>(size) * size * several->count() / in_graph;
    fmt::print(
        "{:21} {:5}^2 {:2} steps {} cells {:3} rows: {:7.1f} Gcell-steps/s, {:5.2f} of the copy's limit; {:8.2f} us, "
        "{:8.2f} us\n",
        system.name, size, several->count(), shape.cells, shape.rows, rate / 1e9,
        rate * system.values_moved * sizeof(float) / copied, in_graph * 1e6, alone * 1e6);
  }
}

void measure(const Executor& executor, const PdeSystem& system, int size, Machine machine, double copied) {
  const PdeGrid grid = grid_of(system, size);
  PdeArrays<float> arrays(executor, grid, system.arrays);
  std::vector<PdeEngine<float>> engines;
  begin(executor, system, grid, arrays);
  const double start = now();
  for (const auto& step : system.passes) engines.emplace_back(executor, step.pass, machine.machine);
  const auto step = [&] {
    for (std::size_t p = 0; p < engines.size(); ++p)
      arrays.run(engines[p], system.passes[p].inputs, system.passes[p].outputs, 0, size);
  };
  step();
  executor.wait();
  const double first = now() - start;
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
  const bool several = argc > 1 && std::string(argv[1]) == "steps";
  const bool gpu = several || (argc > 1 && std::string(argv[1]) == "cuda");
  const int number = argc > 2 ? std::atoi(argv[2]) : gpu ? 0 : 1;
  const Executor executor = gpu ? Executor::cuda(number) : Executor::cpu(number);
  std::vector<int> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = gpu ? std::vector<int>{512, 4096, 8192} : std::vector<int>{512, 2048};
  const double copied = copy_speed(executor);
  fmt::print("{}, a copy moves {:.0f} GB/s\n", executor.name(), copied / 1e9);
  if (several) {
    rounds = 5, least_wall = 0.03;
    for (const int size : sizes)
      for (const PdeSystem& system : {gray_scott(), cahn_hilliard()}) measure_steps(executor, system, size, copied);
    return 0;
  }
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
