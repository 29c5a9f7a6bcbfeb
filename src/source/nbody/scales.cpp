#include "source/nbody/scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "kernels/base/math.h"

namespace simreel {
namespace {

constexpr double turn = 6.283185307179586, infinity = std::numeric_limits<double>::infinity();

struct Place {
  double x, y, z;

  double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  friend Place operator-(const Place& a, const Place& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  double length() const { return std::sqrt(x * x + y * y + z * z); }
};
Place place_of(const Vec4<double>& v) { return {v.x, v.y, v.z}; }

// A body, or bodies that are bound to each other, as one.
struct Lump {
  Vec4<double> position, velocity;  // w of the position: mass
  std::size_t heaviest, part;
};

// The orbit of two; nullopt where nothing pulls, they are in one place, or they pass each other almost straight or
// part.
std::optional<Orbit> orbit_of(const Lump& a, const Lump& b, double gravity, double softening) {
  constexpr double straight = 3;          // eccentricity
  constexpr double least_nearest = 0.02;  // axes: those who fall straight towards each other
  const double mass = a.position.w + b.position.w, pull = gravity * mass;
  const Place q = place_of(b.position) - place_of(a.position), v = place_of(b.velocity) - place_of(a.velocity);
  const double apart = q.length(), speed = v.length();
  if (!(pull > 0) || !(apart > 0)) return {};
  const double energy = speed * speed / 2 - pull / apart;
  const Place spin = {q.y * v.z - q.z * v.y, q.z * v.x - q.x * v.z, q.x * v.y - q.y * v.x};
  const double parameter = spin.length() * spin.length() / pull;
  Orbit orbit{.bodies = {a.heaviest, b.heaviest},
              .parts = {a.part, b.part},
              .share = b.position.w / mass,
              .distance = apart,
              .speed = speed,
              .axis = infinity,
              .period = infinity};
  orbit.eccentricity = std::sqrt(std::max(0.0, 1 + 2 * energy * parameter / pull));
  orbit.nearest = parameter / (1 + orbit.eccentricity);
  orbit.normal = spin.length() > 0 ? std::array{spin.x / spin.length(), spin.y / spin.length(), spin.z / spin.length()}
                                   : std::array{0.0, 0.0, 0.0};
  if (energy < 0) {
    orbit.axis = -pull / (2 * energy);
    orbit.eccentricity = std::min(orbit.eccentricity, 1 - 1e-9);
    orbit.period = turn * std::sqrt(orbit.axis * orbit.axis * orbit.axis / pull);
  } else {
    if (orbit.eccentricity > straight || q.x * v.x + q.y * v.y + q.z * v.z > 0) return {};
    orbit.eccentricity = std::max(orbit.eccentricity, 1.0);
  }
  const double least = least_nearest * (energy < 0 ? orbit.axis : apart);
  orbit.falls = orbit.nearest < least;
  orbit.nearest = std::max(orbit.nearest, least);
  const double near = std::sqrt(orbit.nearest * orbit.nearest + softening * softening);
  orbit.turn = turn * std::sqrt(near * near * near / (pull * (1 + orbit.eccentricity)));
  return orbit;
}

Lump joined(const Lump& a, const Lump& b, std::size_t part) {
  const double mass = a.position.w + b.position.w, share = b.position.w / mass;
  const auto mean = [share](double from, double to) { return from + (to - from) * share; };
  const auto both = [&](const Vec4<double>& p, const Vec4<double>& q, double w) {
    return Vec4<double>{mean(p.x, q.x), mean(p.y, q.y), mean(p.z, q.z), w};
  };
  return {both(a.position, b.position, mass), both(a.velocity, b.velocity, 0),
          a.position.w >= b.position.w ? a.heaviest : b.heaviest, part};
}

std::vector<Orbit> orbits_of_few(std::vector<Lump> lumps, double gravity, double softening) {
  const std::size_t bodies = lumps.size();
  std::vector<Orbit> orbits;
  while (true) {
    std::optional<Orbit> best;
    std::size_t first = 0, second = 0;
    for (std::size_t j = 1; j < lumps.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const std::optional<Orbit> orbit = orbit_of(lumps[i], lumps[j], gravity, softening);
        if (!orbit || !orbit->bound() || (best && best->period <= orbit->period)) continue;
        best = orbit, first = i, second = j;
      }
    if (!best) break;
    lumps[first] = joined(lumps[first], lumps[second], bodies + orbits.size());
    lumps.erase(lumps.begin() + static_cast<std::ptrdiff_t>(second));
    orbits.push_back(*best);
  }
  for (std::size_t j = 1; j < lumps.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (const std::optional<Orbit> pass = orbit_of(lumps[i], lumps[j], gravity, softening)) orbits.push_back(*pass);
  return orbits;
}

// Bodies in a tree of halves along their widest axis (Bentley 1975, Communications of the ACM 18, 509).
class Neighbours {
 public:
  explicit Neighbours(const std::vector<Vec4<double>>& places)
      : places_(places), order_(places.size()), planes_(places.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    divide(0, order_.size());
  }

  struct Nearest {
    std::size_t body = 0;
    double square = infinity;  // of the distance
  };
  Nearest of(std::size_t body) const {
    Nearest nearest;
    search(0, order_.size(), body, nearest);
    return nearest;
  }

 private:
  static constexpr std::size_t leaf = 8;

  Place at(std::size_t index) const { return place_of(places_[order_[index]]); }

  void divide(std::size_t first, std::size_t end) {
    if (end - first <= leaf) return;
    Place low = at(first), high = low;
    for (std::size_t i = first; i < end; ++i) {
      const Place q = at(i);
      low = {std::min(low.x, q.x), std::min(low.y, q.y), std::min(low.z, q.z)};
      high = {std::max(high.x, q.x), std::max(high.y, q.y), std::max(high.z, q.z)};
    }
    const Place wide = high - low;
    const int axis = wide.x >= std::max(wide.y, wide.z) ? 0 : wide.y >= wide.z ? 1 : 2;
    const std::size_t middle = first + (end - first) / 2;
    const auto begin = order_.begin();
    std::nth_element(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(middle),
                     begin + static_cast<std::ptrdiff_t>(end), [&](std::uint32_t a, std::uint32_t b) {
                       return place_of(places_[a])[axis] < place_of(places_[b])[axis];
                     });
    planes_[middle] = {axis, at(middle)[axis]};
    divide(first, middle);
    divide(middle, end);
  }

  void search(std::size_t first, std::size_t end, std::size_t body, Nearest& nearest) const {
    const Place here = place_of(places_[body]);
    if (end - first <= leaf) {
      for (std::size_t i = first; i < end; ++i) {
        const Place away = at(i) - here;
        const double square = away.x * away.x + away.y * away.y + away.z * away.z;
        if (order_[i] != body && square < nearest.square) nearest = {order_[i], square};
      }
      return;
    }
    const std::size_t middle = first + (end - first) / 2;
    const double beyond = here[planes_[middle].axis] - planes_[middle].at;
    const auto lower = [&] { search(first, middle, body, nearest); };
    const auto upper = [&] { search(middle, end, body, nearest); };
    beyond < 0 ? lower() : upper();
    if (beyond * beyond < nearest.square) beyond < 0 ? upper() : lower();
  }

  const std::vector<Vec4<double>>& places_;
  std::vector<std::uint32_t> order_;
  struct Plane {
    int axis = 0;
    double at = 0;
  };
  std::vector<Plane> planes_;  // each between the bodies before its index and those from there on
};

constexpr std::size_t most_looked_at = 200'000;  // of many bodies a sample

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::ranges::nth_element(values, at);
  return *at;
}
double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

using Part = std::vector<std::size_t>;  // numbers of bodies

// Some bodies in so many parts, each body in that whose middle is nearest, where few lie between any two; none where
// more do, or where a part has fewer than `least`.
std::vector<Part> parted(const std::vector<Vec4<double>>& places, const Part& some, std::size_t least,
                         std::size_t count) {
  const auto place = [&](std::size_t i) { return place_of(places[i]); };
  const auto middle_of = [&](const Part& of) {
    std::array<std::vector<double>, 3> values;
    for (const std::size_t i : of)
      for (int axis = 0; axis < 3; ++axis) values[static_cast<std::size_t>(axis)].push_back(place(i)[axis]);
    return Place{median(std::move(values[0])), median(std::move(values[1])), median(std::move(values[2]))};
  };
  const auto far_from = [&](const std::vector<Place>& all) {  // but for a few that are farther
    std::vector<std::pair<double, std::size_t>> far;
    for (const std::size_t i : some) {
      double nearest = infinity;
      for (const Place& from : all) nearest = std::min(nearest, (place(i) - from).length());
      far.emplace_back(nearest, i);
    }
    const auto at = far.begin() + static_cast<std::ptrdiff_t>(far.size() * 49 / 50);
    std::ranges::nth_element(far, at);
    return place(at->second);
  };
  std::vector<Place> middles = {far_from({middle_of(some)})};
  while (middles.size() < count) middles.push_back(far_from(middles));
  std::vector<Part> parts;
  for (int round = 0; round < 8; ++round) {
    parts.assign(count, {});
    for (const std::size_t i : some) {
      const auto distance = [&](const Place& middle) { return (place(i) - middle).length(); };
      parts[static_cast<std::size_t>(std::ranges::min_element(middles, {}, distance) - middles.begin())].push_back(i);
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (parts[k].size() < least) return {};
      middles[k] = middle_of(parts[k]);
    }
  }
  const auto is_between = [&](std::size_t i, std::size_t own) {
    return std::ranges::any_of(middles, [&](const Place& other) {
      const Place way = other - middles[own], gone = place(i) - middles[own];
      return way.x * gone.x + way.y * gone.y + way.z * gone.z > 0.4 * way.length() * way.length() && way.length() > 0;
    });
  };
  std::size_t between = 0;
  for (std::size_t k = 0; k < count; ++k)
    between +=
        static_cast<std::size_t>(std::ranges::count_if(parts[k], [&](std::size_t i) { return is_between(i, k); }));
  return between > some.size() / 32 ? std::vector<Part>() : parts;
}

// In as few parts as are apart from each other, and so on with these.
void divide(const std::vector<Vec4<double>>& places, const Part& some, std::size_t least, std::vector<Part>& all) {
  constexpr std::size_t most = 8;
  for (std::size_t count = 2; count <= most; ++count)
    if (const std::vector<Part> parts = parted(places, some, least, count); !parts.empty()) {
      for (const Part& part : parts) divide(places, part, least, all);
      return;
    }
  all.push_back(some);
}

// Parts of bodies as one body each, which stand for `each` times as many.
Clouds gathered(const Bodies& all, const std::vector<Part>& parts, double each) {
  Clouds clouds;
  for (const Part& part : parts) {
    Bodies own;
    for (const std::size_t i : part) own.add(all.position[i], all.velocity[i], 0);
    const MassCenter center = mass_center(own);
    const auto& [x, y, z] = center.position;
    const auto& [u, v, w] = center.velocity;
    if (!(center.mass > 0)) continue;
    clouds.bodies.add({x, y, z, center.mass * each}, {u, v, w, 0}, 0);
    std::vector<double> distances;
    for (const Vec4<double>& q : own.position) distances.push_back((place_of(q) - Place{x, y, z}).length());
    clouds.radius.push_back(quantile(std::move(distances), 0.8));
  }
  return clouds;
}

// Groups that lie within each other, as a disk and its bulge, as one; of several that do not.
std::vector<Part> apart(const Bodies& all, std::vector<Part> groups) {
  for (std::size_t j = 1; j < groups.size();) {
    std::size_t with = j;
    for (std::size_t i = 0; i < j && with == j; ++i) {
      const Clouds two = gathered(all, {groups[i], groups[j]}, 1);
      if (two.bodies.size() < 2 || (place_of(two.bodies.position[0]) - place_of(two.bodies.position[1])).length() <
                                       two.radius[0] + two.radius[1])
        with = i;
    }
    if (with == j) {
      ++j;
      continue;
    }
    groups[with].insert(groups[with].end(), groups[j].begin(), groups[j].end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
    j = 1;  // that one has grown
  }
  return groups;
}

std::string pair_of(const Bodies& bodies, const Orbit& orbit) {
  return fmt::format("{} and {}", name_of(bodies, orbit.bodies[0]), name_of(bodies, orbit.bodies[1]));
}

// Of the pair with the shortest turn.
std::string timestep_reason(const Bodies& bodies, const Orbit& orbit) {
  if (!orbit.bound()) return fmt::format("{} pass each other at {:.3g}", pair_of(bodies, orbit), orbit.nearest);
  return fmt::format("the closest pair, {}, orbits in {:.3g}{}", pair_of(bodies, orbit), orbit.period,
                     orbit.eccentricity > 0.3 ? fmt::format(" and comes as near as {:.3g}", orbit.nearest) : "");
}

constexpr double steps_a_turn = 500;      // energies of circles keep within 1e-8, periods within 1e-4
constexpr double least_softening = 1e-3;  // of the least distance: it changes their pull by 1.5e-6
constexpr double fallback = 0.01;         // softening of bodies that all are in one place

void resolve_few(const Bodies& bodies, double gravity, BodySteps& steps, bool softened) {
  const BodyScales& scales = steps.scales;
  const Orbit* const tightest = scales.tightest();
  double softening = tightest || !(scales.closest > 0) ? infinity : least_softening * scales.closest;
  steps.softening_reason = fmt::format("a thousandth of the least distance, {:.3g}", scales.closest);
  for (const Orbit& orbit : scales.orbits) {
    const double own = orbit.falls ? orbit.nearest : least_softening * orbit.nearest;
    if (own >= softening) continue;
    softening = own;
    steps.softening_reason =
        orbit.falls
            ? pair_of(bodies, orbit) + " fall straight towards each other, and would meet without"
            : fmt::format("a thousandth of the least distance of {}, {:.3g}", pair_of(bodies, orbit), orbit.nearest);
  }
  if (!softened) steps.softening = std::isfinite(softening) && softening > 0 ? round_down(softening) : fallback;
  if (tightest) {
    steps.timestep = tightest->turn / steps_a_turn;
    steps.timestep_reason = timestep_reason(bodies, *tightest);
    return;
  }
  const double whole = scales.dynamical_time(gravity),
               passing = scales.fastest > 0 && scales.closest > 0 ? scales.closest / scales.fastest : whole;
  steps.timestep = 0.01 * std::min(whole, passing);
  steps.timestep_reason =
      fmt::format("a hundredth of the time, {:.3g}, in which they pass each other", std::min(whole, passing));
}

void resolve_many(const Bodies& bodies, double gravity, BodySteps& steps, bool softened) {
  const BodyScales& scales = steps.scales;
  const Orbit* orbit = scales.tightest();
  const double whole = scales.dynamical_time(gravity);
  // A video shows some twenty of these times, in as many steps as patience allows.
  const double count = static_cast<double>(bodies.size()), steps_in_all = std::clamp(2e11 / (count * count), 5e4, 5e6);
  const double shortest = 20 * whole / steps_in_all;
  const double wanted = scales.spacing / 3, resolved = orbit ? 0.02 * orbit->nearest : infinity;
  if (orbit && orbit->turn / steps_a_turn < shortest) {
    if (!softened)
      steps.warning = fmt::format(
          "{} orbit each other in {:.3g}, which a video of all bodies has no steps for: the softening blurs that; "
          "softening = {:.3g} and timestep = {:.3g} would resolve it",
          pair_of(bodies, *orbit), orbit->period, round_down(resolved), round_down(orbit->turn / steps_a_turn));
    orbit = nullptr;
  }
  // Where a 25th of a turn around the heaviest body takes that time.
  const double least = std::cbrt(16 * shortest * shortest * gravity * scales.heaviest);
  if (!softened) {
    const double softening = orbit ? std::min(wanted, resolved) : std::max(wanted, least);
    steps.softening = softening > 0 && std::isfinite(softening) ? round_down(softening) : fallback;
    steps.softening_reason =
        softening == wanted ? fmt::format("a third of the median distance of neighbours, {:.3g}", scales.spacing)
        : softening == resolved
            ? fmt::format("a fiftieth of the least distance of {}, {:.3g}", pair_of(bodies, *orbit), orbit->nearest)
            : fmt::format("the least that {:.2g} steps resolve around the heaviest body", steps_in_all);
  }
  const double e = steps.softening, near = 0.25 * std::sqrt(e * e * e / (gravity * scales.heaviest));
  const double own = orbit ? orbit->turn / steps_a_turn : std::max(near, shortest);
  steps.timestep = std::min(0.01 * whole, own);
  steps.timestep_reason =
      own > 0.01 * whole
          ? fmt::format("a hundredth of sqrt(radius^3 / (G mass)) = {:.3g}, half of the bodies within {:.3g}", whole,
                        scales.radius)
      : orbit ? timestep_reason(bodies, *orbit)
              : "a 25th of a turn around the heaviest body at the softening";
}

}  // namespace

MassCenter mass_center(const Bodies& bodies) {
  MassCenter center;
  std::array<double, 3>&at = center.position, &drift = center.velocity;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    center.mass += q.w;
    at = {at[0] + q.w * q.x, at[1] + q.w * q.y, at[2] + q.w * q.z};
    drift = {drift[0] + q.w * v.x, drift[1] + q.w * v.y, drift[2] + q.w * v.z};
  }
  for (double& x : at) x /= center.mass;
  for (double& x : drift) x /= center.mass;
  return center;
}

Clouds clouds_of(const Bodies& all) {
  constexpr std::size_t looked_at = 20'000;
  Part some;
  for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / looked_at) some.push_back(i);
  const double each = static_cast<double>(all.size()) / static_cast<double>(some.size());
  std::map<int, Part> groups;
  for (const std::size_t i : some) groups[all.group[i]].push_back(i);
  std::vector<Part> parts;
  if (groups.size() > 1) {
    for (const auto& [number, group] : groups) parts.push_back(group);
    Clouds clouds = gathered(all, apart(all, std::move(parts)), each);
    if (clouds.bodies.size() > 1) return clouds;
  }
  parts.clear();
  divide(all.position, some, std::max<std::size_t>(8, some.size() / 32), parts);
  return gathered(all, parts, each);
}

const Orbit* BodyScales::tightest() const {
  const auto found = std::ranges::min_element(orbits, {}, &Orbit::turn);
  return found == orbits.end() ? nullptr : &*found;
}

double round_down(double value) {
  std::string text = fmt::format("{:e}", value);
  text[0] = text[0] < '2' ? '1' : text[0] < '5' ? '2' : '5';
  text.erase(1, text.find('e') - 1);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string name_of(const Bodies& bodies, std::size_t body) {
  return body < bodies.name.size() && !bodies.name[body].empty() ? bodies.name[body] : fmt::format("body {}", body);
}

BodyScales scales_of(const Bodies& bodies, double gravity, double softening) {
  BodyScales scales;
  const std::size_t count = bodies.size();
  scales.center = mass_center(bodies);
  scales.few = count <= few_bodies;
  const auto lump = [&](std::size_t i) { return Lump{bodies.position[i], bodies.velocity[i], i, i}; };
  const auto sun = static_cast<std::size_t>(std::ranges::max_element(bodies.position, {}, &Vec4<double>::w) -
                                            bodies.position.begin());
  scales.heaviest = bodies.position[sun].w;
  std::vector<double> distances, gaps;
  const auto& [x, y, z] = scales.center.position;
  const auto& [vx, vy, vz] = scales.center.velocity;
  const Place center{x, y, z}, drift{vx, vy, vz};
  for (std::size_t i = 0; i < count; ++i) {
    scales.fastest = std::max(scales.fastest, (place_of(bodies.velocity[i]) - drift).length());
    if (i != sun || count == 1) distances.push_back((place_of(bodies.position[i]) - center).length());
  }
  scales.radius = median(std::move(distances));

  const std::size_t stride = (count + most_looked_at - 1) / most_looked_at;
  const Neighbours neighbours(bodies.position);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < count && count > 1; i += stride) {
    const auto [other, square] = neighbours.of(i);
    gaps.push_back(std::sqrt(square));
    pairs.emplace_back(i, other);
  }
  scales.closest = gaps.empty() ? 0 : *std::ranges::min_element(gaps);
  scales.spacing = median(gaps);

  if (scales.few) {
    std::vector<Lump> lumps;
    for (std::size_t i = 0; i < count; ++i) lumps.push_back(lump(i));
    scales.orbits = orbits_of_few(std::move(lumps), gravity, softening);
    return scales;
  }
  // Neighbours by chance are not as close as this, or do not stay.
  constexpr double close = 0.1, radial = 0.95;
  std::optional<Orbit> tightest;
  const auto look = [&](std::size_t i, std::size_t j, double widest) {
    const std::optional<Orbit> orbit = orbit_of(lump(i), lump(j), gravity, softening);
    if (orbit && orbit->axis < widest && orbit->eccentricity < radial && (!tightest || orbit->turn < tightest->turn))
      tightest = orbit;
  };
  for (const auto& [i, j] : pairs) look(i, j, close * scales.spacing);
  if (scales.heaviest > 0.5 * scales.center.mass)
    for (std::size_t i = 0; i < count; ++i)
      if (i != sun) look(sun, i, infinity);
  if (tightest) scales.orbits = {*tightest};
  return scales;
}

double BodyScales::dynamical_time(double gravity) const {
  return std::sqrt(radius * radius * radius / (gravity * center.mass));
}

BodySteps steps_for(const Bodies& bodies, double gravity, std::optional<double> softening) {
  BodySteps steps{.softening = softening.value_or(0), .scales = scales_of(bodies, gravity, softening.value_or(0))};
  (steps.scales.few ? resolve_few : resolve_many)(bodies, gravity, steps, softening.has_value());
  const bool found = steps.timestep > 0 && std::isfinite(steps.timestep);
  steps.timestep = found ? round_down(std::clamp(steps.timestep, 1e-30, 1e30)) : 0.001;
  if (!found) steps.timestep_reason = "nothing tells how fast they move";
  return steps;
}

NbodyUnits nbody_units(const Bodies& bodies, double gravity, double softening2) {
  double total = 0, largest = 0, square = 0, fastest = 0;
  for (const Vec4<double>& q : bodies.position) {
    total += q.w;
    largest = std::max(largest, q.w);
  }
  Vec4<double> center{0, 0, 0, 0};
  for (const Vec4<double>& q : bodies.position) {
    center.x += q.w * q.x / total;
    center.y += q.w * q.y / total;
    center.z += q.w * q.z / total;
  }
  for (const Vec4<double>& q : bodies.position)
    square += ((q.x - center.x) * (q.x - center.x) + (q.y - center.y) * (q.y - center.y) +
               (q.z - center.z) * (q.z - center.z)) /
              static_cast<double>(bodies.size());
  for (const Vec4<double>& v : bodies.velocity)
    fastest = std::max(fastest, std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
  // From rest at the distance of the whole to the middle.
  const double falling = std::sqrt(2 * gravity * total / std::sqrt(std::max(square, softening2)));
  return {nbody_fixed(bodies.size(), total, largest, std::sqrt(square), softening2),
          nbody_momentum_units(total, std::max(fastest, falling))};
}

NbodyMomenta nbody_momenta(const Bodies& bodies, const NbodyMomentum& units, std::size_t padded) {
  const std::size_t count = bodies.size();
  NbodyMomenta result{std::vector<std::int64_t>(3 * padded), std::vector<Vec4<float>>(padded),
                      std::vector<double>(count)};
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double mass = static_cast<double>(static_cast<float>(bodies.position[i].w));
    const auto keep = [&](std::size_t axis, double velocity) {
      std::int64_t& momentum = result.value[axis * padded + i];
      momentum = std::llrint(velocity * mass * units.scale);
      return mass < units.lightest ? static_cast<float>(velocity) : nbody_velocity(momentum, mass * units.scale);
    };
    const Vec4<double>& v = bodies.velocity[i];
    result.velocity[i] = {keep(0, v.x), keep(1, v.y), keep(2, v.z), 0};
    result.mass_before[i] = total;
    total += mass;
  }
  for (double& share : result.mass_before) share /= total;
  return result;
}

}  // namespace simreel
