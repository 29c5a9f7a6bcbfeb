// What a run starts from: made bodies, and files of them.

#include <fmt/format.h>

#include <bit>

#include "base/error.h"
#include "source/nbody/bodies.h"
#include "source/nbody/bodies_file.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

BodiesOptions options(InitialBodies initial, std::int64_t count = 4000) {
  BodiesOptions o;
  o.initial = initial;
  o.count = count;
  o.seed = 4;
  return o;
}

double radius(const Vec4<double>& q) { return std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z); }

struct Sums {
  double mass = 0, x = 0, y = 0, z = 0, px = 0, py = 0, pz = 0, lz = 0, kinetic = 0, potential = 0;
};
Sums sums_of(const Bodies& bodies) {
  Sums s;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    s.mass += q.w;
    s.x += q.w * q.x;
    s.y += q.w * q.y;
    s.z += q.w * q.z;
    s.px += q.w * v.x;
    s.py += q.w * v.y;
    s.pz += q.w * v.z;
    s.lz += q.w * (q.x * v.y - q.y * v.x);
    s.kinetic += 0.5 * q.w * (v.x * v.x + v.y * v.y + v.z * v.z);
    for (std::size_t j = 0; j < i; ++j) {
      const Vec4<double>& p = bodies.position[j];
      s.potential -= q.w * p.w / radius({p.x - q.x, p.y - q.y, p.z - q.z, 0});
    }
  }
  return s;
}

TEST(Bodies, EveryKindHasItsMassAndRestsAtItsCentre) {
  for (const InitialBodies initial : {InitialBodies::cube, InitialBodies::sphere, InitialBodies::plummer,
                                      InitialBodies::disk, InitialBodies::collision}) {
    BodiesOptions o = options(initial, 1501);
    o.mass = 7;
    o.virial = 0.5;
    const Bodies bodies = make_bodies(Executor::cpu(), o);
    ASSERT_EQ(bodies.size(), 1501u);
    ASSERT_EQ(bodies.velocity.size(), 1501u);
    ASSERT_EQ(bodies.group.size(), 1501u);
    EXPECT_EQ(body_count(o), 1501);
    const Sums s = sums_of(bodies);
    EXPECT_NEAR(s.mass, 7, 1e-11);
    for (const double moment : {s.x, s.y, s.z, s.px, s.py, s.pz}) EXPECT_NEAR(moment, 0, 1e-11);
  }
}

TEST(Bodies, CubeAndSphereAreEvenAndHaveTheirVirialRatio) {
  for (const bool cube : {true, false}) {
    BodiesOptions o = options(cube ? InitialBodies::cube : InitialBodies::sphere);
    o.radius = 3;
    o.virial = 0.5;
    o.mass = 2;
    const Bodies bodies = make_bodies(Executor::cpu(), o);
    double farthest = 0, square = 0;
    for (const Vec4<double>& q : bodies.position) {
      farthest = std::max(farthest, cube ? std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)}) : radius(q));
      square += radius(q) * radius(q) / 4000;
    }
    EXPECT_NEAR(farthest, 3, 0.15);
    EXPECT_NEAR(square, cube ? 9.0 : 0.6 * 9, 0.15);  // 3 / 3 or 3 / 5 of the radius squared
    const Sums s = sums_of(bodies);
    EXPECT_NEAR(s.kinetic / -s.potential, 0.5, 0.02);
    o.virial = 0;
    EXPECT_EQ(sums_of(make_bodies(Executor::cpu(), o)).kinetic, 0);
  }
}

TEST(Bodies, PlummerIsInEquilibriumCutAndOfItsProfile) {
  BodiesOptions o = options(InitialBodies::plummer);
  o.radius = 2;
  o.mass = 3;
  o.gravity = 5;
  o.cut = 6;
  const Bodies bodies = make_bodies(Executor::cpu(), o);
  const Sums s = sums_of(bodies);
  EXPECT_NEAR(s.kinetic / (-o.gravity * s.potential), 0.5, 0.03);
  double inner = 0, farthest = 0;
  for (const Vec4<double>& q : bodies.position) {
    inner += radius(q) < 2;
    farthest = std::max(farthest, radius(q));
  }
  // Within one scale length: 2^(-3/2) of all, and that over the share within the cut.
  EXPECT_NEAR(inner / 4000, std::pow(2, -1.5) / std::pow(36.0 / 37, 1.5), 0.03);
  EXPECT_LE(farthest, 12.5);
  EXPECT_GT(farthest, 9);
}

TEST(Bodies, WhatACutLeavesOfAPlummerModelIsInVirialEquilibrium) {
  for (const double cut : {0.5, 1.0, 2.0, 1000.0}) {
    BodiesOptions o = options(InitialBodies::plummer);
    o.cut = cut;
    const Sums s = sums_of(make_bodies(Executor::cpu(), o));
    EXPECT_NEAR(s.kinetic / -s.potential, 0.5, 0.015) << cut;
  }
}

TEST(Bodies, DiskTurnsAroundItsCentralBody) {
  BodiesOptions o = options(InitialBodies::disk);
  o.central_mass = 0.25;
  o.cut = 5;
  o.dispersion = 0;
  o.thickness = 0.1;
  const Bodies bodies = make_bodies(Executor::cpu(), o);
  EXPECT_NEAR(bodies.position[0].w, 0.25, 1e-15);
  double inner = 0, height = 0;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const Vec4<double> q{bodies.position[i].x - bodies.position[0].x, bodies.position[i].y - bodies.position[0].y,
                         bodies.position[i].z - bodies.position[0].z, 0};
    const Vec4<double> v{bodies.velocity[i].x - bodies.velocity[0].x, bodies.velocity[i].y - bodies.velocity[0].y, 0,
                         0};
    const double r = std::sqrt(q.x * q.x + q.y * q.y);
    ASSERT_LE(r, 5.0001);
    inner += r < 1;
    height += q.z * q.z / 3999;
    EXPECT_GT(q.x * v.y - q.y * v.x, 0);  // anticlockwise
    EXPECT_NEAR(q.x * v.x + q.y * v.y, 0, 1e-9);
  }
  EXPECT_NEAR(inner / 3999, (1 - 2 * std::exp(-1)) / (1 - 6 * std::exp(-5)), 0.03);
  EXPECT_NEAR(std::sqrt(height), 0.1, 0.01);
}

// The mean of the squares of the speeds at some distance from the middle is that of circles in the field of the bodies.
TEST(Bodies, ADiskTurnsAsFastAsItsBodiesAskFor) {
  for (const auto& [central_mass, softening] : {std::pair{0.0001, 0.1}, {0.3, 0.05}, {0.98, 0.4}}) {
    BodiesOptions o = options(InitialBodies::disk, 6000);
    o.mass = 2;
    o.radius = 3;
    o.gravity = 5;
    o.cut = 4;
    o.dispersion = 0;
    o.central_mass = central_mass;
    o.softening = 3 * softening;
    const Bodies bodies = make_bodies(Executor::cpu(), o);
    constexpr double edges[] = {0, 0.15, 0.4, 0.8, 1.3, 2, 2.8, 3.6};
    double speeds[std::size(edges)] = {}, pulls[std::size(edges)] = {};
    for (std::size_t i = 1; i < bodies.size(); i += 2) {
      const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i], &middle = bodies.position[0];
      const double x = q.x - middle.x, y = q.y - middle.y, r = std::sqrt(x * x + y * y);
      if (r > 3 * edges[std::size(edges) - 1]) continue;
      const auto bin = static_cast<std::size_t>(std::ranges::upper_bound(edges, r / 3) - edges) - 1;
      const double vx = v.x - bodies.velocity[0].x, vy = v.y - bodies.velocity[0].y;
      speeds[bin] += vx * vx + vy * vy;
      for (const Vec4<double>& p : bodies.position) {
        const double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        const double d2 = dx * dx + dy * dy + dz * dz + o.softening * o.softening;
        pulls[bin] -= 5 * p.w * (dx * x + dy * y) / (d2 * std::sqrt(d2));
      }
    }
    for (std::size_t bin = 0; bin + 1 < std::size(edges); ++bin)
      EXPECT_NEAR(speeds[bin] / pulls[bin], 1, bin == 0 ? 0.3 : 0.05) << central_mass << ", from " << edges[bin];
  }
}

TEST(Bodies, ADispersionIsAShareOfTheSpeedOnEachAxis) {
  BodiesOptions o = options(InitialBodies::disk);
  o.dispersion = 0;
  const Bodies calm = make_bodies(Executor::cpu(), o);
  o.dispersion = 0.2;
  const Bodies warm = make_bodies(Executor::cpu(), o);
  double square[3] = {};
  for (std::size_t i = 1; i < calm.size(); ++i) {
    const Vec4<double>&v = calm.velocity[i], &w = warm.velocity[i], &v0 = calm.velocity[0], &w0 = warm.velocity[0];
    const double speed = radius({v.x - v0.x, v.y - v0.y, v.z - v0.z, 0});
    const double strays[] = {w.x - w0.x - v.x + v0.x, w.y - w0.y - v.y + v0.y, w.z - w0.z - v.z + v0.z};
    for (std::size_t axis = 0; axis < 3; ++axis) square[axis] += strays[axis] * strays[axis] / (speed * speed) / 3999;
  }
  for (const double s : square) EXPECT_NEAR(std::sqrt(s), 0.2, 0.01);
}

TEST(Bodies, GalaxiesHaveTheirTiltsAndSizes) {
  BodiesOptions o = options(InitialBodies::collision, 4000);
  o.mass_ratio = 0.25;
  o.tilt = {30, -120};
  o.separation = 100;
  const Bodies bodies = make_bodies(Executor::cpu(), o);
  double size[2];
  for (int galaxy = 0; galaxy < 2; ++galaxy) {
    Bodies part;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies.group[i] == galaxy) part.add(bodies.position[i], bodies.velocity[i], galaxy);
    center_bodies(part);
    Vec4<double> spin{0, 0, 0, 0};
    double square = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Vec4<double>&q = part.position[i], &v = part.velocity[i];
      spin.x += q.w * (q.y * v.z - q.z * v.y);
      spin.y += q.w * (q.z * v.x - q.x * v.z);
      spin.z += q.w * (q.x * v.y - q.y * v.x);
      square += q.x * q.x / static_cast<double>(part.size());  // turning about x leaves it
    }
    const double turn = o.tilt[galaxy] * std::acos(-1.0) / 180;
    EXPECT_NEAR(spin.x / radius(spin), 0, 0.01);
    EXPECT_NEAR(spin.y / radius(spin), -std::sin(turn), 0.01);
    EXPECT_NEAR(spin.z / radius(spin), std::cos(turn), 0.01);
    size[galaxy] = std::sqrt(square);
  }
  EXPECT_NEAR(size[1] / size[0], 0.5, 0.04) << "the root of the masses";
}

TEST(Bodies, GalaxiesMeetOnAParabola) {
  BodiesOptions o = options(InitialBodies::collision, 3000);
  o.mass = 4;
  o.mass_ratio = 0.5;
  o.separation = 20;
  o.pericenter = 3;
  const Bodies bodies = make_bodies(Executor::cpu(), o);
  Bodies part[2];
  for (std::size_t i = 0; i < bodies.size(); ++i)
    part[bodies.group[i]].add(bodies.position[i], bodies.velocity[i], bodies.group[i]);
  EXPECT_EQ(part[0].size(), 2000u);
  const Sums a = sums_of(part[0]), b = sums_of(part[1]);
  EXPECT_NEAR(b.mass / a.mass, 0.5, 1e-12);
  const double x = b.x / b.mass - a.x / a.mass, y = b.y / b.mass - a.y / a.mass;
  const double vx = b.px / b.mass - a.px / a.mass, vy = b.py / b.mass - a.py / a.mass;
  EXPECT_NEAR(std::hypot(x, y), 20, 1e-9);
  EXPECT_LT(x * vx + y * vy, 0);                                         // towards each other
  EXPECT_NEAR(0.5 * (vx * vx + vy * vy), 4 / std::hypot(x, y), 1e-9);    // no energy: a parabola
  EXPECT_NEAR(std::abs(x * vy - y * vx), std::sqrt(2 * 4 * 3.0), 1e-9);  // angular momentum of its pericentre
}

TEST(Bodies, ABodyDependsOnTheSeedAndItsNumberAlone) {
  for (const InitialBodies initial : {InitialBodies::cube, InitialBodies::plummer, InitialBodies::disk}) {
    BodiesOptions o = options(initial, 100);
    const Bodies few = make_bodies(Executor::cpu(), o), again = make_bodies(Executor::cpu(), o);
    EXPECT_EQ(std::memcmp(few.position.data(), again.position.data(), 100 * sizeof(Vec4<double>)), 0);
    o.count = 1000;
    const Bodies many = make_bodies(Executor::cpu(), o);
    // Apart from the shift of the centre.
    for (std::size_t i = 1; i < 100; ++i)
      EXPECT_NEAR(many.position[i].x - many.position[1].x, few.position[i].x - few.position[1].x, 1e-12);
    o.seed = 5;
    EXPECT_NE(make_bodies(Executor::cpu(), o).position[50].x, many.position[50].x);
  }
}

TEST(Bodies, DoNotDependOnTheThreads) {
  for (const InitialBodies initial :
       {InitialBodies::cube, InitialBodies::sphere, InitialBodies::plummer, InitialBodies::disk,
        InitialBodies::collision, InitialBodies::galaxy, InitialBodies::galaxies, InitialBodies::cosmological}) {
    BodiesOptions o = options(initial, 6000);
    if (initial == InitialBodies::cosmological) o.count = 32768;
    const Bodies one = make_bodies(Executor::cpu(1), o), three = make_bodies(Executor::cpu(3), o);
    ASSERT_EQ(one.size(), three.size());
    const std::size_t bytes = one.size() * sizeof(Vec4<double>);
    EXPECT_EQ(std::memcmp(one.position.data(), three.position.data(), bytes), 0);
    EXPECT_EQ(std::memcmp(one.velocity.data(), three.velocity.data(), bytes), 0);
    EXPECT_EQ(one.group, three.group);
  }
}

class BodiesFile : public testing::Test {
 protected:
  Bodies read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_bodies_file(path_);
  }
  // The message without the path.
  std::string error(const std::string& bytes) {
    const std::string text = test::thrown([&] { read(bytes); });
    EXPECT_TRUE(text.starts_with(path_ + ":")) << text;
    return text.substr(path_.size() + 1);
  }

  const test::Folder folder_;
  const std::string path_ = folder_ / "bodies";
};

TEST_F(BodiesFile, CsvColumnsComeInAnyOrder) {
  const Bodies bodies = read(
      "\xef\xbb\xbfmass, vz,vy,vx,z,y,x,group\r\n# two bodies\r\n2,6,5,4,3,2,1,7\r\n\r\n+1e-3,0,0,0,-0.5,.25,1E2,0");
  ASSERT_EQ(bodies.size(), 2u);
  const Vec4<double>&q = bodies.position[0], &v = bodies.velocity[0];
  EXPECT_EQ((std::vector{q.x, q.y, q.z, q.w, v.x, v.y, v.z, v.w}), (std::vector<double>{1, 2, 3, 2, 4, 5, 6, 0}));
  EXPECT_EQ(bodies.group[0], 7);
  EXPECT_EQ(bodies.position[1].x, 100);
  EXPECT_EQ(bodies.position[1].y, 0.25);
  EXPECT_EQ(bodies.position[1].w, 1e-3);
}

// What spreadsheets of many countries write, and what people type.
TEST_F(BodiesFile, CsvMayHaveOtherSeparatorsAndNoHeader) {
  const std::string columns = "the columns are taken as x, y, z, vx, vy, vz, mass";
  for (const auto& [bytes, remarks] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"x;y;z;vx;vy;vz;mass\n1,5;2;3;4;5;6;7\n", {"1: semicolons separate the columns"}},
           {"x;y;z;vx;vy;vz;mass\n1.5;2;3;4;5;6;7\n", {"1: semicolons separate the columns"}},
           {"x\ty\tz\tvx\tvy\tvz\tmass\n1.5\t2\t3\t4\t5\t6\t7\n", {"1: tabs separate the columns"}},
           {"x y  z vx vy vz mass\n 1.5 2 3 4   5 6 7\n", {"1: blanks separate the columns"}},
           {"# sun\n1.5,2,3,4,5,6,7\n", {"2: no header; " + columns}},
           {"1.5,2,3,4,5,6,7,0\n", {"1: no header; " + columns + ", group"}},
           {"1,5;2;3;4;5;6;7\n", {"1: semicolons", "1: no header; " + columns}},
           {"x,y,z,vx,vy,vz,mass\n1.5,2,3,4,5,6,7\n", {}},
           {"x,y,z,vx,vy,vz,mass\n1.5d0,2D0,3.D+00,40d-1,.5d1,6,7\n", {}},
           // As write.csv of R writes a data frame, with a column of row names.
           {"\"\",\"x\",\"y\",\"z\",\"vx\",\"vy\",\"vz\",\"mass\"\r\n\"Halley, \"\"1P\"\"\",\"1.5\",\" "
            "2\",3,4,5,6,\"7\"\r\n",
            {}},
           {"name,x,y,z,vx,vy,vz,mass,radius\n\"a, b\",1.5,2,3,4,5,6,7,big\n", {"1: not read: column radius"}},
           {"x,y,z,vx,vy,vz,mass,id,\n1.5,2,3,4,5,6,7,0x1f,\n", {"1: not read: column id"}},
           // Names behind #, as numpy.savetxt and Fortran programs write them.
           {"# mass,x,y,z,vx,vy,vz\n7,1.5,2,3,4,5,6\n", {}},
           {"\xef\xbb\xbf# mass x y z vx vy vz\r\n7e0 1.5D0 2 3 4 5 6\r\n", {"2: blanks separate the columns"}},
           {"#mass\tx\ty\tz\tvx\tvy\tvz\n7\t1,5\t2\t3\t4\t5\t6\n", {"2: tabs separate the columns"}},
           {"% mass;x;y;z;vx;vy;vz\n7;1,5;2;3;4;5;6\n", {"2: semicolons separate the columns"}},
           {"# mass, x, y, z, vx, vy, vz\n7 1.5 2 3 4 5 6\n", {"2: blanks separate the columns"}},
           {"# run 7\n## columns: mass x y z vx vy vz\n# kg m m m m/s m/s m/s\n7 1.5 2 3 4 5 6\n",
            {"4: blanks separate the columns"}},
           {"# id mass x y z vx vy vz\n1 7 1.5 2 3 4 5 6\n",
            {"2: blanks separate the columns", "1: not read: column id"}},
           {"# name mass x y z vx vy vz\nSun 7 1.5 2 3 4 5 6\n", {"2: blanks separate the columns"}},
           {"# mass,x,y,z,vx,vy,vz\nx,y,z,vx,vy,vz,mass\n1.5,2,3,4,5,6,7\n", {}},
           {"# two bodies, far apart\n# 9,9,9,9,9,9,9\n1.5,2,3,4,5,6,7\n", {"3: no header; " + columns}},
           {"# positions x y z in AU, and then velocities\n1.5,2,3,4,5,6,7\n", {"2: no header; " + columns}}}) {
    SCOPED_TRACE(bytes);
    std::ofstream(path_, std::ios::binary) << bytes;
    std::vector<std::string> said;
    const Bodies bodies = read_bodies_file(path_, float_bodies, &said);
    ASSERT_EQ(bodies.size(), 1u);
    EXPECT_EQ(bodies.position[0].x, 1.5);
    EXPECT_EQ(bodies.velocity[0].z, 6);
    EXPECT_EQ(bodies.position[0].w, 7);
    ASSERT_EQ(said.size(), remarks.size());
    for (std::size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i].find(path_ + ":" + remarks[i]), 0u) << said[i];
  }
}

TEST_F(BodiesFile, CsvMayLieInAPlane) {
  for (const std::string bytes : {"x,y,vx,vy,mass\n1,2,3,4,5\n", "mass,vy,vx,y,x\n5,4,3,2,1\n", "1,2,3,4,5\n"}) {
    const Bodies bodies = read(bytes);
    ASSERT_EQ(bodies.size(), 1u) << bytes;
    const Vec4<double>&q = bodies.position[0], &v = bodies.velocity[0];
    EXPECT_EQ((std::vector{q.x, q.y, q.z, q.w, v.x, v.y, v.z}), (std::vector<double>{1, 2, 0, 5, 3, 4, 0})) << bytes;
  }
  EXPECT_EQ(error("x,y,z,vx,vy,mass\n1,2,3,4,5,6\n").find("1: no column \"vz\""), 0u);
  EXPECT_EQ(error("x,y,vx,vy,vz,mass\n1,2,3,4,5,6\n").find("1: no column \"z\""), 0u);
}

TEST_F(BodiesFile, BodiesMayHaveNoMassButNotAll) {
  const std::string head = "x,y,z,vx,vy,vz,mass\n";
  const Bodies bodies = read(head + "1,2,3,4,5,6,0\n1,2,3,4,5,6,2\n");
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies.position[0].w, 0);
  EXPECT_EQ(error(head + "1,2,3,4,5,6,0\n1,2,3,4,5,6,0\n"),
            " no body has a mass, so nothing pulls; at least one needs a mass above 0");
}

TEST_F(BodiesFile, CsvMistakesHaveTheirLine) {
  const std::string head = "x,y,z,vx,vy,vz,mass\n";
  for (const auto& [bytes, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "1: no header"},
           {"\n# nothing\n", "2: no header"},
           {head, "1: no bodies"},
           {"x,y,z,vx,vy,vz\n", "1: no column \"mass\""},
           {"x,y,vx,vy,vz,mass\n1,2,3,4,5,6\n1,2,3,4,5,six\n1,2,3,4,5,7x\n",
            "1: no column \"z\"; the header needs x, y, vx, vy, mass and, unless the bodies lie in a plane, z and "
            "vz\n" +
                path_ + ":3: mass is \"six\""},
           {"x,y,z,vx,vy,vz,mas\n", "1: unknown column \"mas\", did you mean \"mass\"?"},
           {"root:x:0:0:root:/root\n", "1: no header and no numbers"},
           {"x,y,z,vx,vy,vz,x,mass\n", "1: column \"x\" twice"},
           {"# mass,x,y,z,vx,vy\n1,2,3,4,5,6,7\n", "1: it names 6 columns, and line 2 holds 7 values"},
           {"# ok\n# m x y z vx vy vz\n1 2 3 4 5 6 7\n", "2: no column \"mass\""},
           {"# m,px,py,pz,u,v,w\n1,2,3,4,5,6,7\n", "1: it seems to name the columns, but not as x, y, z, vx,"},
           {"# Mass X Y Z VX VY VZ\n1 2 3 4 5 6 7\n", "1: it seems to name the columns, but not as x, y, z, vx,"},
           {"# x,y,z,vx,vy,vz,x\n1,2,3,4,5,6,7\n", "1: column \"x\" twice"},
           {"# x [m] y [m] z vx vy vz mass\n1 2 3 4 5 6 7\n", "1: it names 9 columns, and line 2 holds 7 values"},
           {"1,5 2,0 3 4 5 6 7\n", "1: no header and no numbers"},
           {"1,2,3,4\n", "1: no header, and 4 columns; the first line names the columns: x,y,z,vx,vy,vz,mass"},
           {head + "1,2,3,4,5,6,7\n1,2,3,4,5,6\n", "3: 6 values, but the header names 7"},
           {head + "\n1,2,3,4,5,six,7\n", "3: vz is \"six\""},
           {head + "1,2,3,4,5,,7\n", "2: vz is \"\""},
           {head + "1,2,3,4,5,6e999,7\n", "2: vz is \"6e999\""},
           {head + "1,2,3,4,5,1e39,7\n", "2: vz is \"1e39\""},
           {head + "nan,2,3,4,5,6,7\n", "2: x is \"nan\""},
           {"x,y,z,vx,vy,vz,mass,\n", "1: no bodies"},
           {"\"x\",\"y\",\"z\",\"vx\",\"vy\",\"vz\",\"mas\"\n", "1: unknown column \"mas\", did you mean \"mass\"?"},
           {head + "1,2,3,4,5,\"six\",7\n", "2: vz is \"six\""},
           {head + "1,2,3,4,5,\"6,7\n", "2: 6 values, but the header names 7"},
           {head + "1,2,3,4,5,6,-1\n", "2: mass is -1"},
           {head + "1,2,3,4,5,6,1e-60\n", "2: mass is 1e-60"},
           {head + "+-1,2,3,4,5,6,7\n", "2: x is \"+-1\""},
           {"x,y,z,vx,vy,vz,mass,group\n1,2,3,4,5,6,7,256\n", "2: group is 256"}})
    EXPECT_EQ(error(bytes).find(expected), 0u) << error(bytes);
}

// Tipsy's bytes in one of the two orders.
class Tipsy {
 public:
  explicit Tipsy(std::endian order) : order_(order) {}

  Tipsy& header(int bodies, int dimensions, int gas, int dark, int stars) {
    const double time = 0.5;
    char bytes[8];
    std::memcpy(bytes, &time, 8);
    if (order_ == std::endian::big) std::reverse(bytes, bytes + 8);
    bytes_.append(bytes, 8);
    for (const int number : {bodies, dimensions, gas, dark, stars, 0}) word(std::bit_cast<std::uint32_t>(number));
    return *this;
  }
  Tipsy& particle(std::vector<float> numbers, std::size_t words) {
    numbers.resize(words, 9.0f);
    for (const float number : numbers) word(std::bit_cast<std::uint32_t>(number));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void word(std::uint32_t value) {
    for (int i = 0; i < 4; ++i)
      bytes_.push_back(static_cast<char>(value >> 8 * (order_ == std::endian::big ? 3 - i : i) & 255));
  }

  std::endian order_;
  std::string bytes_;
};

TEST_F(BodiesFile, TipsyComesInBothByteOrders) {
  for (const std::endian order : {std::endian::big, std::endian::little}) {
    const Bodies bodies = read(Tipsy(order)
                                   .header(4, 3, 1, 2, 1)
                                   .particle({1, 2, 3, 4, 5, 6, 7}, 12)
                                   .particle({2, -2, 3, 4, 5, 6, 7}, 9)
                                   .particle({3, 2, 3, 4, 5, 6, 8}, 9)
                                   .particle({4, 2.5f, 3, 4, 5, 6, 7}, 11)
                                   .bytes());
    ASSERT_EQ(bodies.size(), 4u);
    EXPECT_EQ(bodies.group, (std::vector<std::uint8_t>{0, 1, 1, 2}));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bodies.position[i].w, static_cast<double>(i + 1));
    EXPECT_EQ(bodies.position[1].x, -2);
    EXPECT_EQ(bodies.position[3].x, 2.5);
    EXPECT_EQ(bodies.velocity[2].z, 8);
    EXPECT_EQ(bodies.velocity[0].x, 5);
  }
}

TEST_F(BodiesFile, TipsyMistakesHaveTheirByte) {
  const auto tipsy = [] { return Tipsy(std::endian::big); };
  const std::vector<float> good = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(error(tipsy().header(2, 3, 0, 1, 0).particle(good, 9).bytes()).find(" byte 8: the header says 2"), 0u);
  EXPECT_EQ(error(tipsy().header(0, 3, 0, 0, 0).bytes()).find(" byte 8: the header says that there are no"), 0u);
  EXPECT_EQ(error(tipsy().header(2, 3, 0, 2, 0).particle(good, 9).bytes()).find(" byte 68: the file has 68 bytes"), 0u);
  EXPECT_EQ(error(tipsy().header(1, 3, 0, 1, 0).particle(good, 10).bytes()).find(" byte 68: the file has 72"), 0u);
  EXPECT_EQ(error(tipsy().header(1, 3, 0, 1, 0).particle({-1, 2}, 9).bytes()).find(" byte 32: mass is -1"), 0u);
  EXPECT_EQ(error(tipsy().header(1, 3, 0, 1, 0).particle({0, 2}, 9).bytes()).find(" no body has a mass"), 0u);
  EXPECT_EQ(error(tipsy().header(1, 3, 0, 1, 0).particle({1, 2, NAN}, 9).bytes()).find(" byte 40: not a finite"), 0u);
  EXPECT_EQ(error(tipsy().header(1, 2, 0, 1, 0).particle(good, 9).bytes()).find(" byte 0: neither CSV nor Tipsy"), 0u);
  EXPECT_EQ(error(std::string(20, '\0')).find(" byte 0: neither CSV nor Tipsy"), 0u);
}

}  // namespace
}  // namespace simreel
