// The tree of N-body runs, measured on one machine:
//   tree_bench [--device cpu|cuda] MODE [NUMBERS...]
//     parity [MOST]           the sums of the CPU and of the GPU, of all states of tests/support and more, all settings
//     repeat [BODIES [RUNS]]  whether every computation has the same bits
//     speed EXPONENT...       2^EXPONENT bodies, Plummer model and disk: bodies/s, stages, errors against double
//                             (0: not measured)
//     crossing [BODIES...]    direct sums beside the tree
//     large [EXPONENT]        one leapfrog step: time, memory a body, a hash of the positions
//     plummer [BODIES [TIMES [STEPS]]]  energy and momenta over so many times sqrt(radius^3 / (G mass)), direct too
//     galaxy [BODIES [ROTATIONS]]       the radius of half of the disk
// A GPU is used where there is one.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "kernels/nbody/measure.h"
#include "kernels/nbody/motion.h"
#include "kernels/nbody/tree/tree.h"
#include "source/kinds.h"
#include "tests/support/tree_states.h"

namespace {

using namespace simreel;
using test::TreeBodies;

constexpr double turn = 6.283185307179586;
constexpr TreeAccuracy accuracies[] = {TreeAccuracy::coarse, TreeAccuracy::standard, TreeAccuracy::fine};
constexpr const char* names[] = {"coarse", "standard", "fine"};

const char* name_of(TreeAccuracy accuracy) { return names[static_cast<int>(accuracy)]; }

template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  fmt::print(text, std::forward<Values>(values)...);
  std::fflush(stdout);
}

// Seconds of a call, which waits for the executor.
template <class Call>
double seconds_of(const Executor& executor, Call&& call) {
  executor.wait();
  const auto start = std::chrono::steady_clock::now();
  call();
  executor.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A Plummer model of scale length 1, or an exponential disk with a bulge; masses of half to one and a half of the mean.
Vec4<float> body_of(bool disk, std::size_t i, std::size_t count) {
  const auto u = [i](std::uint64_t stream) { return random_unit(9, stream, i); };
  const double angle = turn * u(2);
  const auto mass = static_cast<float>((0.5 + u(6)) / static_cast<double>(count));
  double across, z;
  if (disk && u(5) >= 0.2) {
    across = std::fmin(-std::log(u(0) * u(1)), 12.0);
    z = 0.025 * std::log(u(3) / (1 - u(3)));
  } else {
    const double r = (disk ? 0.2 : 1.0) / std::sqrt(std::pow(0.995 * u(0), -2.0 / 3) - 1), cosine = 2 * u(1) - 1;
    across = r * std::sqrt(1 - cosine * cosine);
    z = r * cosine;
  }
  return {static_cast<float>(across * std::cos(angle)), static_cast<float>(across * std::sin(angle)),
          static_cast<float>(z), mass};
}

TreeBodies bodies_of(const Executor& executor, bool disk, std::size_t count) {
  TreeBodies bodies(count);
  constexpr std::size_t part = 1 << 16;
  struct Job {
    TreeBodies& bodies;
    bool disk;
  } job{bodies, disk};
  executor.run_tasks(
      static_cast<std::int64_t>((count + part - 1) / part),
      [](const void* context, std::int64_t task, int) {
        const Job& made = *static_cast<const Job*>(context);
        const std::size_t size = made.bodies.size(), from = static_cast<std::size_t>(task) * part;
        for (std::size_t i = from; i < std::min(size, from + part); ++i) made.bodies[i] = body_of(made.disk, i, size);
      },
      &job);
  return bodies;
}

// A state on an executor, and the forces on it.
struct State {
  const Executor& executor;
  Buffer<Vec4<float>> position;
  Buffer<std::int64_t> sum;
  Buffer<int> lock, overflow;
  double mass = 0;
  NbodySystem<float> system;

  State(const Executor& on, TreeBodies bodies, double softening)
      : executor(on),
        position(on, nbody_padded(bodies.size())),
        sum(on, 3 * position.size()),
        lock(on, position.size() / nbody_tile),
        overflow(on, 2) {
    const std::size_t count = bodies.size();
    double largest = 0;
    for (const Vec4<float>& q : bodies) {
      mass += q.w;
      largest = std::max(largest, static_cast<double>(q.w));
    }
    bodies.resize(position.size(), {0, 0, 0, 0});
    position.upload(bodies.data());
    sum.clear();
    lock.clear();
    overflow.clear();
    const double softening2 = nbody_softening2<float>(softening, largest);
    system = {count,
              position.data(),
              sum.data(),
              lock.data(),
              overflow.data(),
              static_cast<float>(softening2),
              nbody_fixed(count, mass, largest, 1, softening2)};
  }

  NbodyTree tree(TreeAccuracy accuracy, NbodyArithmetic arithmetic = NbodyArithmetic::exact, int queue = 1024) const {
    return {executor, system.count, {tree_opening(accuracy), arithmetic, mass, queue}};
  }
};

template <class T>
std::uint64_t hash_of(const Buffer<T>& buffer) {
  const std::vector<T> values = buffer.download();
  std::uint64_t hash = 14695981039346656037u;
  const auto* words = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i + 8 <= values.size() * sizeof(T); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, words + i, 8);
    hash = (hash ^ word) * 1099511628211u;
  }
  return hash;
}

// The sums, the overflow flag, and for fewer than 200000 bodies the potential energy.
std::array<std::uint64_t, 3> bits_of(const Executor& executor, const TreeBodies& bodies, TreeAccuracy accuracy,
                                     double softening, int queue) {
  State state(executor, bodies, softening);
  NbodyTree tree = state.tree(accuracy, NbodyArithmetic::exact, queue);
  tree.forces(state.system);
  const double potential = bodies.size() < 200000 ? tree.potential(state.system, softening * softening) : 0;
  std::uint64_t bits;
  std::memcpy(&bits, &potential, 8);
  return {hash_of(state.sum), static_cast<std::uint64_t>(state.overflow.download()[0]), bits};
}

void parity(const Executor& gpu, std::size_t max) {
  const Executor machines[] = {Executor::cpu(0), Executor::cpu(3)};
  auto states = test::tree_states();
  for (const std::size_t count : {8191, 131035, 1 << 18, 1 << 20})
    for (const bool disk : {false, true})
      states.emplace_back(fmt::format("{} of {}", disk ? "disk" : "plummer", count),
                          bodies_of(gpu, disk, static_cast<std::size_t>(count)));
  int cases = 0, same = 0;
  for (const auto& [name, bodies] : states) {
    if (bodies.size() > max) continue;
    for (const TreeAccuracy accuracy : accuracies)
      for (const double softening : {0.0, 0.01})
        for (const int queue : {1024, 64}) {
          const auto expected = bits_of(gpu, bodies, accuracy, softening, queue);
          bool equal = true;
          for (const Executor& machine : machines)
            if (&machine == machines || bodies.size() < 10000)
              equal = equal && bits_of(machine, bodies, accuracy, softening, queue) == expected;
          ++cases;
          same += equal;
          if (!equal) say("DIFFERS: {}, {}, softening {}, queue {}\n", name, name_of(accuracy), softening, queue);
        }
  }
  say("parity: {} states, {} of {} cases have the same bits on {} and on a {}; those of fewer than 10000 bodies with 3 "
      "threads too\n",
      states.size(), same, cases, gpu.name(), machines[0].name());
}

void repeat(const Executor& executor, std::size_t count, int runs) {
  int differ = 0;
  for (const TreeAccuracy accuracy : accuracies) {
    State state(executor, bodies_of(executor, false, count), 0.01);
    NbodyTree tree = state.tree(accuracy);
    std::uint64_t first = 0;
    for (int i = 0; i < runs; ++i) {
      tree.forces(state.system);
      const std::uint64_t hash = hash_of(state.sum);
      if (i == 0) first = hash;
      differ += hash != first;
    }
  }
  say("repeat: {} bodies, {} runs of each accuracy: {} differ from the first\n", count, runs, differ);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void speed(const Executor& executor, int exponent) {
  const std::size_t count = std::size_t{1} << exponent;
  for (const bool disk : {false, true}) {
    State state(executor, bodies_of(executor, disk, count), 0.01);
    Buffer<std::byte> scratch(executor, nbody_measure_bytes(count));
    for (const NbodyArithmetic arithmetic : {NbodyArithmetic::exact, NbodyArithmetic::fast})
      for (const TreeAccuracy accuracy : accuracies) {
        NbodyTree tree = state.tree(accuracy, arithmetic);
        tree.forces(state.system);
        std::vector<double> times;
        for (int i = 0; i < 5; ++i) times.push_back(seconds_of(executor, [&] { tree.forces(state.system); }));
        TreeTimes t;
        tree.forces(state.system, {}, &t);
        // Sums in double over 2^24 bodies take seconds; `fast` has the same lists, and the same errors.
        NbodyForceError error;
        if (exponent <= 24 && (exponent < 24 || arithmetic == NbodyArithmetic::exact))
          error = nbody_force_error(executor, state.system, scratch.data());
        say("{:7} 2^{} {} {:8} {:9.3f} ms {:6.1f} M/s | keys {:.2f} sort {:.2f} cells {:.2f} moments {:.2f} walk "
            "{:.2f} "
            "| rms {:.1e} p99 {:.1e} | nodes/body {:.3f} bodies/group {:.1f} overflow {}\n",
            disk ? "disk" : "plummer", exponent, arithmetic == NbodyArithmetic::exact ? "exact" : "fast ",
            name_of(accuracy), 1e3 * median(times), 1e-6 * static_cast<double>(count) / median(times), 1e3 * t.keys,
            1e3 * t.sort, 1e3 * t.cells, 1e3 * t.moments, 1e3 * t.walk, error.rms, error.p99,
            static_cast<double>(tree.nodes()) / static_cast<double>(count),
            static_cast<double>(count) / static_cast<double>(tree.groups()), state.overflow.download()[0]);
      }
  }
}

void crossing(const Executor& executor, std::size_t count) {
  State state(executor, bodies_of(executor, false, count), 0.01);
  std::vector<double> direct;
  for (int i = 0; i < 8; ++i) {
    state.sum.clear();
    direct.push_back(seconds_of(executor, [&] { nbody_forces(executor, NbodyMethod{}, state.system); }));
  }
  direct.erase(direct.begin());
  std::string line = fmt::format("crossing {:6}: direct {:.3f} ms", count, 1e3 * median(direct));
  for (const TreeAccuracy accuracy : accuracies) {
    NbodyTree tree = state.tree(accuracy);
    tree.forces(state.system);
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) times.push_back(seconds_of(executor, [&] { tree.forces(state.system); }));
    line += fmt::format(", {} {:.3f} ({:.2f})", name_of(accuracy), 1e3 * median(times), median(direct) / median(times));
  }
  say("{}\n", line);
}

void large(const Executor& executor, int exponent) {
  const std::size_t count = std::size_t{1} << exponent, before = executor.memory_available();
  State state(executor, bodies_of(executor, false, count), 0.001);
  const std::size_t padded = state.position.size();
  Buffer<Vec4<float>> velocity(executor, padded);
  Buffer<std::int64_t> momentum(executor, 3 * padded), residual(executor, 3);
  Buffer<double> mass_before(executor, count);
  velocity.clear();
  momentum.clear();
  mass_before.clear();
  const std::size_t with_state = executor.memory_available();
  NbodyTree tree = state.tree(TreeAccuracy::standard);
  NbodyMotion<float> motion{count,
                            padded,
                            state.position.data(),
                            velocity.data(),
                            state.sum.data(),
                            state.system.fixed.unit,
                            0.01f,
                            1.0f,
                            nbody_momentum_units(state.mass, 1)};
  motion.momentum.value = momentum.data();
  motion.momentum.residual = residual.data();
  motion.momentum.mass_before = mass_before.data();
  motion.momentum.overflow = state.overflow.data() + 1;
  tree.forces(state.system);
  const double seconds = seconds_of(executor, [&] {
    nbody_kick_drift(executor, motion, 0.5f, false);
    tree.forces(state.system);
    nbody_kick(executor, motion, 0.5f);
  });
  const std::size_t after = executor.memory_available();
  const auto a_body = [count](std::size_t bytes) { return static_cast<double>(bytes) / static_cast<double>(count); };
  say("large: 2^{} bodies, a step in {:.1f} ms, {:.1f} M/s; bytes a body: state {:.1f}, tree {:.1f} (planned {:.1f}); "
      "overflow {}; positions {:016x}\n",
      exponent, 1e3 * seconds, 1e-6 * static_cast<double>(count) / seconds, a_body(before - with_state),
      a_body(with_state - after), a_body(NbodyTree::bytes(executor, count)), state.overflow.download()[0],
      hash_of(state.position));
}

std::unique_ptr<Solver> solver_of(const Executor& executor, const std::string& keys) {
  Scene scene = parse_scene("seed = 3\n[solver]\nkind = \"nbody\"\n" + keys, "bench.toml", {});
  return nbody_solver().plan(scene.solver, scene).create(executor);
}

void plummer(const Executor& executor, int count, int times, int steps) {
  for (const char* how : {"direct", "coarse", "standard", "fine"}) {
    const bool direct = std::strcmp(how, "direct") == 0;
    const auto solver = solver_of(
        executor,
        fmt::format("initial = \"plummer\"\nbodies = {}\nsoftening = 0.02\ntimestep = {}\nmethod = \"{}\"\n{}", count,
                    1.0 / steps, direct ? "direct" : "tree", direct ? "" : fmt::format("accuracy = \"{}\"\n", how)));
    const std::vector<double> start = solver->diagnose();
    const auto energy = [&](const std::vector<double>& d) { return (d[4] - start[4]) / std::abs(start[4]); };
    std::string path;
    double worst = 0, spin = 0;
    bool moved = false;
    const double seconds = seconds_of(executor, [&] {
      for (int part = 1; part <= 10; ++part) {
        solver->step(static_cast<std::int64_t>(times) * steps * part / 10 -
                     static_cast<std::int64_t>(times) * steps * (part - 1) / 10);
        const std::vector<double> d = solver->diagnose();
        worst = std::max(worst, std::abs(energy(d)));
        spin = std::max(spin, std::hypot(d[8] - start[8], d[9] - start[9], d[10] - start[10]));
        moved = moved || d[5] != start[5] || d[6] != start[6] || d[7] != start[7];
        path += fmt::format(" {:.1e}", energy(d));
      }
    });
    say("plummer {} bodies, {} times, {} steps each, {:8}: {:.0f} s; largest relative change of energy {:.1e}, of "
        "angular "
        "momentum {:.1e} G^(1/2) M^(3/2) R^(1/2); momentum {}; energy at each tenth:{}\n",
        count, times, steps, how, seconds, worst, spin, moved ? "CHANGED" : "the same to the last bit", path);
  }
}

// Of a galaxy, whose disk is the first 22 % of its bodies: the radii that hold half and nine tenths of the disk, in its
// plane, and half of all, in space; and the time of a rotation where half of the disk is within.
struct GalaxyShape {
  double half, max, all, rotation;
};

GalaxyShape shape_of(const Executor& executor, Solver& solver) {
  const auto view = std::get<ParticlesView<float>>(solver.view(""));
  TreeBodies position(view.count), velocity(view.count);
  executor.copy(position.data(), view.position, view.count * sizeof(Vec4<float>));
  executor.copy(velocity.data(), view.velocity, view.count * sizeof(Vec4<float>));
  const auto around = [](const Vec4<float>& q) { return std::hypot(static_cast<double>(q.x), q.y); };
  const std::size_t disk = view.count * 22 / 100;
  std::vector<double> in_disk, in_all;
  for (std::size_t i = 0; i < view.count; ++i) {
    if (i < disk) in_disk.push_back(around(position[i]));
    in_all.push_back(std::hypot(around(position[i]), position[i].z));
  }
  const auto within = [](std::vector<double>& radii, double share) {
    const auto at = radii.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(radii.size()));
    std::ranges::nth_element(radii, at);
    return *at;
  };
  GalaxyShape shape{within(in_disk, 0.5), within(in_disk, 0.9), within(in_all, 0.5), 0};
  double turns = 0, bodies = 0;
  for (std::size_t i = 0; i < disk; ++i) {
    const Vec4<float>&q = position[i], &v = velocity[i];
    const double r = around(q);
    if (std::abs(r / shape.half - 1) > 0.1) continue;
    turns += (static_cast<double>(q.x) * v.y - static_cast<double>(q.y) * v.x) / (r * r) / turn;
    bodies += 1;
  }
  shape.rotation = bodies / turns;
  return shape;
}

void galaxy(const Executor& executor, int count, int rotations) {
  constexpr double timestep = 0.04;
  const auto solver = solver_of(executor, fmt::format("initial = \"galaxy\"\nbodies = {}\nsoftening = 0.05\ntimestep = "
                                                      "{}\nmethod = \"tree\"\n",
                                                      count, timestep));
  const GalaxyShape start = shape_of(executor, *solver);
  const std::vector<double> before = solver->diagnose();
  double worst = 0;
  std::string path;
  const double seconds = seconds_of(executor, [&] {
    for (int i = 0; i < rotations; ++i) {
      solver->step(static_cast<std::int64_t>(start.rotation / timestep));
      const GalaxyShape now = shape_of(executor, *solver);
      worst = std::max(worst, std::abs(now.half / start.half - 1));
      path += fmt::format(" {:.3f}/{:.3f}/{:.3f}", now.half / start.half, now.max / start.max, now.all / start.all);
    }
  });
  const std::vector<double> after = solver->diagnose();
  say("galaxy: {} bodies, {} rotations of {:.1f} each in {:.0f} s: half of the disk lies within {:.3f}, largest change "
      "{:.1f} %; kinetic over potential {:.3f}, {:.3f}; energy {:+.1e}; after each rotation (disk 50 %, 90 %, all 50 "
      "%):{}\n",
      count, rotations, start.rotation, seconds, start.half, 100 * worst, before[2] / -before[3], after[2] / -after[3],
      after[4] / before[4] - 1, path);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  bool cuda = !cuda_devices().empty();
  if (words.size() >= 2 && words[0] == "--device") {
    cuda = words[1] == "cuda";
    words.erase(words.begin(), words.begin() + 2);
  }
  const std::string mode = words.empty() ? "" : words[0];
  std::vector<int> numbers;
  for (std::size_t i = 1; i < words.size(); ++i) numbers.push_back(std::atoi(words[i].c_str()));
  const auto number = [&](std::size_t i, int other) { return i < numbers.size() ? numbers[i] : other; };
  const Executor executor = cuda ? Executor::cuda() : Executor::cpu();
  if (mode == "parity") {
    parity(executor, static_cast<std::size_t>(number(0, 1 << 30)));
  } else if (mode == "repeat") {
    repeat(executor, static_cast<std::size_t>(number(0, 1 << 20)), number(1, 20));
  } else if (mode == "speed") {
    for (const int exponent : numbers) speed(executor, exponent);
  } else if (mode == "crossing") {
    if (numbers.empty()) numbers = {8192, 16384, 32768, 65536};
    for (const int count : numbers) crossing(executor, static_cast<std::size_t>(count));
  } else if (mode == "large") {
    large(executor, number(0, 27));
  } else if (mode == "plummer") {
    plummer(executor, number(0, 100000), number(1, 100), number(2, 50));
  } else if (mode == "galaxy") {
    galaxy(executor, number(0, 1000000), number(1, 10));
  } else {
    say("tree_bench [--device cpu|cuda] parity | repeat | speed | crossing | large | plummer | galaxy; see the "
        "source\n");
    return 2;
  }
  return 0;
}
