#include "source/nbody/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/input_file.h"
#include "base/text.h"
#include "kernels/base/math.h"
#include "source/nbody/bodies_file.h"

namespace simreel {
namespace {

constexpr std::string_view integrators[] = {"leapfrog", "euler", "rk4"};
constexpr std::string_view precisions[] = {"exact", "fast", "double"};
constexpr std::string_view methods[] = {"direct", "tree"};
constexpr std::string_view accuracies[] = {"coarse", "standard", "fine"};

// Relative errors of accelerations: root mean square, and what 99 % of bodies keep below.
struct ErrorClass {
  double rms, p99;
};
// Of a Plummer model with so many bodies, by accuracy, as `bench` measures them: docs/solvers/nbody.md.
struct ErrorRow {
  std::int64_t bodies;
  ErrorClass of[3];
};
constexpr ErrorRow error_table[] = {{1 << 14, {{6.5e-3, 2.6e-2}, {2.7e-3, 1.1e-2}, {1.6e-3, 6.1e-3}}},
                                    {1 << 17, {{3.3e-3, 1.2e-2}, {1.5e-3, 5.3e-3}, {1.0e-3, 4.3e-3}}},
                                    {1 << 20, {{2.1e-3, 7.8e-3}, {8.2e-4, 3.0e-3}, {3.0e-4, 9.6e-4}}},
                                    {1 << 24, {{2.7e-3, 9.6e-3}, {7.5e-4, 2.2e-3}, {3.4e-4, 1.1e-3}}}};

// The row at or below that number: up to a million, errors fall with it.
std::string error_in_words(std::int64_t bodies, TreeAccuracy accuracy) {
  const ErrorRow* row = std::begin(error_table);
  for (const ErrorRow& next : error_table)
    if (next.bodies <= bodies) row = &next;
  const ErrorClass& error = row->of[static_cast<int>(accuracy)];
  return fmt::format("{:.1e} (rms), {:.1e} (99 %)", error.rms, error.p99);
}

// From so many bodies on a tree takes a third of the time of direct sums or less.
constexpr std::int64_t many_on_cpu = 10000, many_on_gpu = 50000;

using enum InitialBodies;

// "damping" is a rate for waves, so the factor here has a name of its own; scenes that use the older one stay valid.
void read_velocity_factor(Table& keys, NbodyOptions& o) {
  const Range share = Range::between(0, 1);
  double older = o.velocity_factor;
  keys.read("velocity_factor", o.velocity_factor, "factor of all velocities after every kick; 1: no damping", share);
  keys.read("damping", older, {"older name of `velocity_factor`; not both", "velocity_factor", "1"}, share);
  if (!keys.has("damping")) return;
  if (keys.has("velocity_factor"))
    keys.fail("damping",
              "\"damping\" is the older name of \"velocity_factor\", and both are given; leave \"damping\" out");
  o.velocity_factor = older;
  o.remarks.push_back(fmt::format("{}\"damping\" is the older name of \"velocity_factor\"; it is the same factor",
                                  keys.position("damping").before()));
}

// The mean distance of bodies in their size, and for disks what keeps them from clumping at once.
double default_softening(const BodiesOptions& o) {
  if (o.initial == disk || o.initial == collision || o.initial == galaxy || o.initial == galaxies)
    return 0.05 * o.radius;
  if (o.initial >= figure_eight) return 0.01;
  return 0.3 * o.radius * exact::exp(exact::log(static_cast<double>(o.count)) / -3);
}

// Half the distance at which distance^(-3) leaves the normal range of float.
constexpr double largest_extent = 2e12;

// Roughly the distance of bodies from the origin.
double extent_of(const NbodyOptions& options) {
  const BodiesOptions& o = options.bodies;
  double extent = 0;
  switch (o.initial) {
    case cube:
    case sphere:
    case cosmological: return o.radius;
    case plummer:
    case disk:
    case galaxy: return o.radius * o.cut;
    case collision:
    case galaxies: return o.separation + o.radius * o.cut;
    case figure_eight: return 1;
    case kepler:
      for (const PlanetOptions& planet : o.planets) extent = std::max(extent, planet.axis * (1 + planet.eccentricity));
      return extent;
    case file:
      for (const Vec4<double>& q : options.read->position)
        extent = std::max({extent, std::abs(q.x), std::abs(q.y), std::abs(q.z)});
      return extent;
  }
  return extent;
}

// The mass of the heaviest body, about.
double heaviest(const NbodyOptions& options) {
  const BodiesOptions& o = options.bodies;
  if (options.read) return std::ranges::max(options.read->position, {}, &Vec4<double>::w).w;
  if (o.initial == figure_eight) return 1;
  if (o.initial == kepler) {
    double mass = o.sun_mass;
    for (const PlanetOptions& planet : o.planets) mass = std::max(mass, planet.mass);
    return mass;
  }
  const double central = o.initial == disk || o.initial == collision ? o.central_mass : 0;
  return o.mass * std::max(central, 1 / static_cast<double>(o.count));
}

// Resolves what moves through the state and, with softening, orbits about the heaviest body.
double default_timestep(const NbodyOptions& o) {
  const BodiesOptions& b = o.bodies;
  if (b.initial == figure_eight) return 0.001 / std::sqrt(b.gravity);
  if (b.initial == kepler) {
    double shortest = 1;
    for (const PlanetOptions& planet : b.planets)
      shortest =
          &planet == &b.planets.front() ? planet_period(b, planet) : std::min(shortest, planet_period(b, planet));
    return shortest / 1000;
  }
  const double whole = 0.02 * dynamical_time(b);
  const double near = 0.25 * std::sqrt(b.softening * b.softening * b.softening / (b.gravity * heaviest(o)));
  return near > 0 ? std::min(whole, near) : whole / 20;
}

// Whether more than half of the bodies of a file have no mass.
bool mostly_massless(const NbodyOptions& o) {
  return o.read && 2 * std::ranges::count(o.read->position, 0, &Vec4<double>::w) > o.count();
}

bool in_one_place(const NbodyOptions& o) {
  return o.read && std::ranges::all_of(o.read->position, [&](const Vec4<double>& q) {
           const Vec4<double>& p = o.read->position.front();
           return q.x == p.x && q.y == p.y && q.z == p.z;
         });
}

// Positions in float are that much coarser, as a share of the extent; and the closest pair should be that many of it.
constexpr double float_step = 0x1p-24, steps_apart = 1e5;

// Lets what the scene leaves open follow from the bodies.
void resolve(NbodyOptions& o, const Table& keys) {
  const bool softened = keys.has("softening"), timed = keys.has("timestep");
  if (o.count() > static_cast<std::int64_t>(few_bodies) && softened && timed) return;
  const Bodies bodies = o.read ? *o.read : kepler_bodies(o.bodies);
  o.found = steps_for(bodies, o.bodies.gravity, softened ? std::optional(o.bodies.softening) : std::nullopt);
  const BodySteps& found = *o.found;
  const Orbit* const tightest = found.scales.tightest();
  if (!softened) {
    o.bodies.softening = std::min(found.softening, 1e9);
    o.reasons.push_back(fmt::format("softening {:.4g}: {}", o.bodies.softening, found.softening_reason));
  }
  if (!timed && o.read) {
    o.timestep = found.timestep;
    o.reasons.push_back(fmt::format("timestep {:.4g}: {}", o.timestep, found.timestep_reason));
  } else if (!timed && tightest) {
    o.timestep = std::min(o.timestep, tightest->turn / 500);
  }
  const bool fine = tightest && tightest->nearest < steps_apart * float_step * extent_of(o);
  if (!fine || !o.read || !found.scales.few || o.forces == ForceMethod::tree || keys.has("precision") ||
      keys.has("kernel"))
    return;
  o.precision = Precision::float64;
  o.reasons.push_back(fmt::format("precision double: {} and {} come as near as {:.3g}, {:.3g} from the origin",
                                  name_of(bodies, tightest->bodies[0]), name_of(bodies, tightest->bodies[1]),
                                  tightest->nearest, extent_of(o)));
}

}  // namespace

bool at_rest(const NbodyOptions& o) {
  if (o.bodies.initial == cube || o.bodies.initial == sphere) return o.bodies.virial == 0;
  return o.read &&
         std::ranges::all_of(o.read->velocity, [](const Vec4<double>& v) { return v.x == 0 && v.y == 0 && v.z == 0; });
}

double dynamical_time(const BodiesOptions& o) {
  if (o.initial >= figure_eight) return 0;
  return std::sqrt(o.radius * o.radius * o.radius / (o.gravity * o.mass));
}

double planet_period(const BodiesOptions& o, const PlanetOptions& planet) {
  constexpr double turn = 6.283185307179586;
  return turn * std::sqrt(planet.axis * planet.axis * planet.axis / (o.gravity * (o.sun_mass + planet.mass)));
}

NbodyMethod NbodyOptions::method() const {
  NbodyMethod method;
  if (kernel > 0)
    method.kernel = static_cast<NbodyKernel>(kernel - 1);
  else
    method.kernel = precision == Precision::float64 ? NbodyKernel::tiled : NbodyKernel::symmetric;
  method.arithmetic = arithmetic;
  method.tile = tile;
  return method;
}

NbodyOptions read_nbody_options(Table& keys) {
  NbodyOptions o;
  read_bodies(keys, o.bodies);
  keys.read("file", o.file,
            {"file: path of the bodies, relative to the scene: CSV with a header x,y,z,vx,vy,vz,mass (and group and "
             "name), or Tipsy binary",
             "required by initial = \"file\"", "\"bodies.csv\""});
  if (o.bodies.initial == file && o.file.empty())
    keys.fail("file", "initial = \"file\" needs one: file = \"bodies.csv\"");
  keys.read("G", o.bodies.gravity, "constant of gravity, length^3 / (mass time^2)", Range::between(1e-30, 1e30));
  o.bodies.softening = std::min(default_softening(o.bodies), 1e9);
  keys.read("softening", o.bodies.softening,
            {"epsilon, units of length: r^2 -> r^2 + epsilon^2; bodies at the same place exert no force on each other",
             "cube, sphere, plummer, cosmological: 0.3 radius / bodies^(1/3); disk, collision, galaxy, galaxies: 0.05 "
             "radius; figure_eight: 0.01; kepler, file: from the bodies, as `check` says",
             "0.01"},
            Range::between(0, 1e9));
  o.timestep = std::clamp(default_timestep(o), 1e-30, 1e30);
  keys.read("timestep", o.timestep,
            {"simulated time of a step",
             "0.02 sqrt(radius^3 / (G mass)), less about heavy bodies; kepler: a thousandth of the shortest period; "
             "file: from the bodies, as `check` says",
             "0.001"},
            Range::between(1e-30, 1e30));
  keys.choose("integrator", o.integrator, integrators,
              "leapfrog: kick-drift-kick; euler: semi-implicit; rk4: the classical Runge-Kutta method, four rounds of "
              "forces a step");
  read_velocity_factor(keys, o);
  keys.choose("method", o.forces, methods,
              "how forces are found: direct: every pair; tree: bodies far off together, for more than about 30000 (on "
              "a CPU 4000)");
  keys.choose("accuracy", o.accuracy, accuracies,
              "method = \"tree\": errors of accelerations, for a million bodies 2.1e-3 (rms), 8.2e-4 or 3.0e-4");
  keys.choose("kernel", o.kernel, nbody_kernels,
              "how method = \"direct\" sums forces; auto: symmetric, in double tiled; with exact and double all give "
              "the same bits");
  int precision = 0;
  keys.choose(
      "precision", precision, precisions,
      "exact: float, the same bits everywhere; fast: float, GPU only, not the same bits; double: all in double");
  o.precision = precisions[precision] == "double" ? Precision::float64 : Precision::float32;
  if (precisions[precision] == "fast") o.arithmetic = NbodyArithmetic::fast;
  keys.choose("tile", o.tile, nbody_tiles,
              "kernel = \"naive\" or \"tiled\" on a GPU: threads per block and bodies per tile");
  if (o.precision == Precision::float64 && o.method().kernel == NbodyKernel::symmetric)
    keys.fail("kernel", "\"symmetric\" computes in float; with precision = \"double\" use \"tiled\" or \"naive\"");
  if (o.precision == Precision::float64 && o.forces == ForceMethod::tree)
    keys.fail("method", "\"tree\" computes in float; with precision = \"double\" use \"direct\"");
  if (keys.has("accuracy") && o.forces == ForceMethod::direct)
    o.remarks.push_back(keys.position("accuracy").before() +
                        "\"accuracy\" is of method = \"tree\" and has no effect on direct sums");
  return o;
}

void load_bodies(NbodyOptions& o, const Table& keys, const Scene& scene) {
  bool in_double = o.precision == Precision::float64;
  o.bodies.seed = scene.seed;
  if (o.bodies.initial == file) {
    o.file = scene.resolve(o.file).string();
    std::error_code unknown;
    std::string why = refusal_to_read(o.file);
    if (why.empty() && !std::filesystem::is_regular_file(o.file, unknown))
      why = std::filesystem::exists(o.file, unknown) ? "it is not a file" : "no such file";
    if (!why.empty()) keys.fail("file", "\"file\" in [solver] is {}, which cannot be read: {}", quote(o.file), why);
    o.read =
        std::make_shared<const Bodies>(read_bodies_file(o.file, in_double ? double_bodies : float_bodies, &o.remarks));
  }
  if (o.bodies.initial == file || o.bodies.initial == kepler) resolve(o, keys);
  in_double = o.precision == Precision::float64;
  if (!in_double && o.bodies.softening == 0 && o.count() > 1 && in_one_place(o))
    keys.fail("softening",
              "all bodies lie in one place, and without softening nothing tells how strong forces may grow; give them "
              "softening, or use precision = \"double\"");
  if (!in_double && extent_of(o) > farthest_in_float)
    keys.fail(o.bodies.initial == file     ? "file"
              : o.bodies.initial == kepler ? "planet"
                                           : "radius",
              "bodies lie up to {:.3g} from the origin; in float squares of distances end at {:.0g}, so they "
              "must lie within {:.0g}: use larger units of length, or precision = \"double\"",
              extent_of(o), static_cast<double>(std::numeric_limits<float>::max()), farthest_in_float);
  if (o.forces == ForceMethod::direct && !in_double && o.count() >= many_on_cpu)
    o.remarks.push_back(fmt::format(
        "{} bodies: {}method = \"tree\" would take a third of the time or less, with errors of accelerations about {}",
        o.count(), o.count() < many_on_gpu ? "on a CPU " : "", error_in_words(o.count(), TreeAccuracy::standard)));
  const bool first_tells = !scene.view.range_given || scene.view.range == RangeMode::first;
  o.unknown_speeds = scene.view.field == "speed" && first_tells && scene.animation.start == 0 && at_rest(o);
  o.unseen =
      scene.view.field == "density" && scene.view.light.weight == LightOptions::Weight::mass && mostly_massless(o);
}

std::string nbody_summary(const NbodyOptions& o) {
  return fmt::format("N-body, {} bodies, {}, {}, {}", o.count(),
                     o.precision == Precision::float64       ? "double"
                     : o.arithmetic == NbodyArithmetic::fast ? "fast"
                                                             : "exact",
                     o.forces == ForceMethod::tree
                         ? fmt::format("tree ({})", accuracies[static_cast<int>(o.accuracy)])
                         : std::string(nbody_kernels[static_cast<int>(o.method().kernel) + 1]),
                     integrators[static_cast<int>(o.integrator)]);
}

std::vector<std::string> nbody_facts(const NbodyOptions& o) {
  const double count = static_cast<double>(o.count());
  const bool rk4 = o.integrator == NbodyIntegrator::rk4;
  std::vector<std::string> facts = {
      o.forces == ForceMethod::tree
          ? fmt::format("errors of accelerations about {}, as in a Plummer model of so many bodies{}",
                        error_in_words(o.count(), o.accuracy), rk4 ? "; four rounds of forces a step" : "")
          : fmt::format("{:.4g} interactions a step{}", count * count * (rk4 ? 4 : 1), rk4 ? ", in four rounds" : "")};
  if (o.read) facts.push_back(fmt::format("{} bodies from {}", o.count(), o.file));
  std::ranges::copy(o.reasons, std::back_inserter(facts));
  if (const double time = dynamical_time(o.bodies); time > 0)
    facts.push_back(fmt::format("sqrt(radius^3 / (G mass)) = {:.4g} takes {:.4g} steps", time, time / o.timestep));
  return facts;
}

double virial_ratio(const NbodyOptions& o) {
  if (!o.read || o.read->size() < 2) return 0;
  const Bodies& bodies = *o.read;
  // Bodies that follow one another in the file attract as one, from the place of their heaviest.
  struct Lump {
    std::size_t heaviest;
    double mass;
  };
  constexpr std::size_t enough = 100, most = 100'000;  // bodies that stand for all, and lumps
  const std::size_t together = (bodies.size() + most - 1) / most;
  std::vector<Lump> lumps;
  double mass = 0;
  Vec4<double> drift{};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double m = bodies.position[i].w;
    const Vec4<double>& v = bodies.velocity[i];
    mass += m;
    if (i % together == 0) lumps.push_back({i, 0});
    lumps.back().mass += m;
    if (m > bodies.position[lumps.back().heaviest].w) lumps.back().heaviest = i;
    drift = {drift.x + m * v.x, drift.y + m * v.y, drift.z + m * v.z, 0};
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < bodies.size(); i += (bodies.size() + enough - 1) / enough) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    const double u = v.x - drift.x / mass, w = v.y - drift.y / mass, t = v.z - drift.z / mass;
    const double kinetic = (u * u + w * w + t * t) / 2;
    double potential = 0;
    for (const auto& [j, heavy] : lumps) {
      const Vec4<double>& p = bodies.position[j];
      const double x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, pair = q.w + p.w;
      const double r = std::sqrt(x * x + y * y + z * z + o.bodies.softening * o.bodies.softening);
      // A pair divides its energy as its kinetic one about its centre: that of a planet is its own.
      if (j != i && r > 0 && pair > 0) potential += o.bodies.gravity * heavy * (p.w / pair) / r;
    }
    if (potential > 0) ratios.push_back(kinetic / potential);
  }
  if (ratios.empty()) return 0;
  const auto ratio = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() * 3 / 5);
  std::ranges::nth_element(ratios, ratio);
  return *ratio;
}

std::vector<std::string> nbody_warnings(const NbodyOptions& o) {
  std::vector<std::string> warnings;
  constexpr std::int64_t a_system = 12;  // of more the softening may be meant to keep them from each other
  constexpr double bound = 0.5, much = 16, little = 4e-4;  // of orbits, and beyond any
  if (const double ratio = virial_ratio(o); ratio > much || (ratio > 0 && ratio < little))
    warnings.push_back(fmt::format(
        "the bodies have {:.2g} times as much kinetic as potential energy: {}; is G = {:.4g} that of their units? With "
        "{:.3g} they would go around each other",
        ratio, ratio > much ? "nothing holds them together" : "they fall together at once", o.bodies.gravity,
        o.bodies.gravity * ratio / bound));
  if (o.found && !o.found->warning.empty()) warnings.push_back(o.found->warning);
  if (const Orbit* const orbit = o.found ? o.found->scales.tightest() : nullptr; orbit && !orbit->falls) {
    const Bodies bodies = o.read ? *o.read : kepler_bodies(o.bodies);
    const std::string pair =
        fmt::format("{} and {}", name_of(bodies, orbit->bodies[0]), name_of(bodies, orbit->bodies[1]));
    if (o.count() <= a_system && o.bodies.softening > 0.2 * orbit->nearest)
      warnings.push_back(
          fmt::format("softening = {:.3g} is not small against {:.3g}, the least distance of {}: they will not stay on "
                      "their orbit; {:.3g} would do",
                      o.bodies.softening, orbit->nearest, pair, round_down(1e-3 * orbit->nearest)));
    if (o.found->warning.empty() && o.timestep > orbit->turn / 20)
      warnings.push_back(
          fmt::format("timestep = {:.3g} is {:.2g} of a turn of {} at their nearest: they will not stay on their "
                      "orbit; {:.3g} would do",
                      o.timestep, o.timestep / orbit->turn, pair, round_down(orbit->turn / 500)));
  }
  const double time = dynamical_time(o.bodies);
  if (time > 0 && o.timestep > time / 20)
    warnings.push_back(fmt::format(
        "timestep = {:.4g} is more than a twentieth of sqrt(radius^3 / (G mass)) = {:.4g}: energy will drift; "
        "{:.2g} would do",
        o.timestep, time, time / 50));
  if (o.precision != Precision::float64 && extent_of(o) > largest_extent)
    warnings.push_back(fmt::format(
        "bodies lie up to {:.3g} from the origin: beyond {:.0g} forces lose digits in float; use larger units of "
        "length, or precision = \"double\"",
        extent_of(o), largest_extent));
  // The softening that a smaller one acts as.
  const double mass = heaviest(o),
               min = std::sqrt(o.precision == Precision::float64 ? nbody_softening2<double>(0, mass)
                                                                 : nbody_softening2<float>(0, mass));
  if (o.bodies.softening > 0 && o.bodies.softening < min)
    warnings.push_back(
        fmt::format("softening = {:.3g} acts as {:.3g}, the least with bodies of this mass in {}{}", o.bodies.softening,
                    min, o.precision == Precision::float64 ? "double" : "float",
                    o.precision == Precision::float64 ? "" : "; precision = \"double\" can do with less"));
  if (o.count() == 1)
    warnings.push_back(o.bodies.initial == InitialBodies::kepler
                           ? "without a planet the sun is alone and at rest: add a [[solver.planet]] with axis = 1"
                           : "a single body feels no force: it stays at rest or moves in a straight line");
  if (o.unknown_speeds)
    warnings.push_back(
        "all bodies are at rest in the first frame, which is to tell the range of their speeds; say in [view] range = "
        "\"global\", or range = [0, 1] or so");
  if (o.unseen)
    warnings.push_back("most bodies have mass 0 and give no light; weight = \"one\" in [view] gives each the same");
  if (o.bodies.softening == 0 && o.precision != Precision::float64 && o.count() > 16)
    warnings.push_back(
        "softening = 0: bodies that pass closely throw each other out, and ones that pass too closely end the run; "
        "softening = 0.01 is a start");
  return warnings;
}

}  // namespace simreel
