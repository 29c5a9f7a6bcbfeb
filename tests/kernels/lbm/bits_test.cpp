// Every way to step a flow, every machine and every storage against the plainest one.

#include "tests/support/backends.h"
#include "tests/support/lbm_fixture.h"

namespace simreel {
namespace {

template <class Stored>
bool same_bits(const std::vector<Stored>& a, const std::vector<Stored>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Stored)) == 0;
}

// Every kind of side, corner and obstacle, on sizes around those of runs and blocks.
template <class Real>
std::vector<Flow<Real>> varied_flows() {
  std::vector<Flow<Real>> flows;
  const auto add = [&](int nx, int ny, LbmCollision collision, LbmSide left, LbmSide right, LbmSide bottom,
                       LbmSide top) {
    Flow<Real> f = flow<Real>(nx, ny, collision, 0.05);
    f.p.left = left;
    f.p.right = right;
    f.p.bottom = bottom;
    f.p.top = top;
    f.p.parabolic = nx % 2 == 1;
    f.p.force_x = nx > 100 ? Real(1e-5) : Real(0);
    f.initial = nx % 3 == 0 ? LbmInitial::uniform : LbmInitial::taylor_green;
    if (nx > 20 && ny > 20) f.obstacles = {circle(nx / 3.0, ny / 2.0, 5), circle(nx - 1, ny / 3.0, 4)};
    flows.push_back(f);
  };
  using S = LbmSide;
  for (const LbmCollision collision :
       {LbmCollision::bgk, LbmCollision::trt, LbmCollision::mrt, LbmCollision::central}) {
    for (const auto& [nx, ny] : {std::pair{1, 1}, {2, 3}, {5, 1}, {64, 48}, {301, 37}, {1029, 41}}) {
      add(nx, ny, collision, S::periodic, S::periodic, S::periodic, S::periodic);
      add(nx, ny, collision, S::inlet, S::outlet, S::wall, S::moving);
      add(nx, ny, collision, S::outlet, S::outlet, S::inlet, S::inlet);
      add(nx, ny, collision, S::moving, S::wall, S::moving, S::outlet);
      add(nx, ny, collision, S::inlet, S::slip, S::slip, S::wall);
      const auto leave = [&](LbmSide left, LbmSide right, LbmSide bottom, LbmSide top) {
        add(nx, ny, collision, left, right, bottom, top);
        flows.back().curved = true;
        if (!flows.back().obstacles.empty()) flows.back().obstacles[0].rotation = 0.01;
        flows.back().p.outlet = LbmOutlet::characteristic;
        flows.back().p.layer = std::min({nx, ny, 7});
        flows.back().p.inflow[0] = flows.back().p.inflow[1] = {Real(0.5), Real(0.1)};
      };
      if (collision == LbmCollision::bgk || collision == LbmCollision::mrt) continue;
      leave(S::inlet, S::outlet, S::wall, S::slip);
      leave(S::outlet, S::inlet, S::periodic, S::periodic);
      leave(S::inlet, S::outlet, S::outlet, S::outlet);
      leave(S::slip, S::slip, S::outlet, S::inlet);
      if (collision != LbmCollision::central) continue;
      flows.back().p.model = LbmModel::central_eddies;
      flows.back().p.eddies = Real(0.18);
    }
  }
  return flows;
}

template <class Real, class Stored>
void expect_parity(const std::vector<Executor>& executors) {
  const Executor reference = Executor::cpu(1);
  for (const Flow<Real>& f : varied_flows<Real>()) {
    Fluid<Real, Stored> expected(reference, f, true);
    expected.step(9);
    const std::vector<Stored> state = expected.state();
    for (const Executor& executor : executors) {
      Fluid<Real, Stored> fluid(executor, f);
      fluid.step(9);
      EXPECT_TRUE(same_bits(fluid.state(), state)) << executor.name() << ", " << f.p.nx << " x " << f.p.ny;
      const double kinetic = fluid.sums().kinetic, expected_kinetic = expected.sums().kinetic;
      EXPECT_TRUE(std::isfinite(kinetic));
      EXPECT_EQ(kinetic, expected_kinetic);
      EXPECT_TRUE(same_bits(fluid.field(LbmField::vorticity), expected.field(LbmField::vorticity)));
      if (!f.obstacles.empty()) {
        EXPECT_EQ(fluid.force(0).x, expected.force(0).x);
        EXPECT_EQ(fluid.force(1).y, expected.force(1).y);
      }
    }
  }
}

TEST(Lbm, RunsOfPlainCellsThreadsAndGpusGiveTheBitsOfTheGeneralWay) {
  const std::vector<Executor> executors = test::executors();
  expect_parity<float, float>(executors);
  expect_parity<double, double>(executors);
  expect_parity<float, Half>(executors);
}

template <class Real, class Stored>
void expect_fused_agrees(const Executor& executor) {
  if (!lbm_can_fuse<Real, Stored>(executor)) GTEST_SKIP() << "blocks of this device have too little shared memory";
  const Executor reference = Executor::cpu();
  for (const Flow<Real>& f : varied_flows<Real>()) {
    Fluid<Real, Stored> expected(reference, f), fluid(executor, f);
    expected.step(6);
    fluid.step_fused(3);
    EXPECT_TRUE(same_bits(fluid.state(), expected.state())) << f.p.nx << " x " << f.p.ny;
  }
}

TEST(Lbm, GivesTheSameBitsTwoStepsAPass) {
  for (const Executor& executor : test::executors()) {
    expect_fused_agrees<float, float>(executor);
    expect_fused_agrees<double, double>(executor);
    expect_fused_agrees<float, Half>(executor);
  }
}

// What a flow that starts slowly has far away: numbers below the smallest normal one, where 0.5 (a + b) and
// 0.5 a + 0.5 b differ.
void expect_tiny_flows_agree(const Executor& executor) {
  const Executor reference = Executor::cpu(1);
  for (Flow<float> f : varied_flows<float>()) {
    if (f.p.nx > 64) continue;  // some processors take a hundred times as long for such numbers
    f.velocity = 1e-40;
    f.p.velocity = 1e-40f;
    f.p.force_x = f.p.nx == 64 ? 1e-42f : 0;
    if (f.initial == LbmInitial::uniform) f.initial = LbmInitial::rest;
    Fluid<float> expected(reference, f, true), single(executor, f), fused(executor, f);
    expected.step(14);
    single.step(14);
    EXPECT_TRUE(same_bits(single.state(), expected.state())) << f.p.nx << " x " << f.p.ny;
    if (!lbm_can_fuse<float, float>(executor)) continue;
    fused.step_fused(7);
    EXPECT_TRUE(same_bits(fused.state(), expected.state())) << f.p.nx << " x " << f.p.ny << ", two steps a pass";
  }
}

TEST(Lbm, TinyFlowsHaveTheSameBitsInEveryWay) {
  for (const Executor& executor : test::executors()) expect_tiny_flows_agree(executor);
}

// More tiles than a GPU holds at once, so that passes overlap.
TEST(Gpu, ManyPassesOfALargeFlowHaveTheBitsOfSingleSteps) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  if (!lbm_can_fuse<float, float>(executor)) GTEST_SKIP() << "blocks of this device have too little shared memory";
  Flow<float> f = flow<float>(3001, 2003, LbmCollision::central, 0.02);
  f.initial = LbmInitial::shear_layer;
  f.obstacles = {circle(900, 800, 150), circle(2000, 1990, 40)};
  Fluid<float> expected(executor, f), fluid(executor, f);
  expected.step(200);
  fluid.step_fused(100);
  EXPECT_TRUE(same_bits(fluid.state(), expected.state()));
}

// Of a part whose ends are open, which only GPUs heed: all rows that no wrong one can have reached.
template <class Real, class Stored>
void expect_fused_parts_agree(const Executor& executor) {
  if (!lbm_can_fuse<Real, Stored>(executor)) GTEST_SKIP() << "blocks of this device have too little shared memory";
  for (const int ny : {20, 33, 70, 233})
    for (const auto& [below, above] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
      Flow<Real> f = flow<Real>(331, ny, LbmCollision::central, 0.02);
      f.initial = LbmInitial::shear_layer;
      f.obstacles = {circle(100, 8, 5.5)};
      walls(f.p);  // so that the cells at the ends are edges, as those of parts are
      Fluid<Real, Stored> expected(executor, f);
      f.p.open_below = below;
      f.p.open_above = above;
      Fluid<Real, Stored> fluid(executor, f);
      expected.step_fused(3);
      fluid.step_fused(3);
      const std::vector<Stored> a = expected.state(), b = fluid.state();
      for (std::size_t i = 0; i < 9; ++i)
        for (int y = below ? 6 : 0; y < ny - (above ? 6 : 0); ++y) {
          const std::size_t start = i * fluid.params().plane + static_cast<std::size_t>(y) * fluid.params().pitch;
          EXPECT_EQ(std::memcmp(&a[start], &b[start], 331 * sizeof(Stored)), 0) << "row " << y << " of " << ny;
        }
    }
}

TEST(Gpu, PartsOfFlowsAgreeWithTheWhole) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  expect_fused_parts_agree<float, float>(executor);
  expect_fused_parts_agree<double, double>(executor);
  expect_fused_parts_agree<float, Half>(executor);
}

// A rank's part whose halo arrives after the inner share.
template <class Real, class Stored>
void expect_shares_agree(const Executor& executor) {
  if (!lbm_can_fuse<Real, Stored>(executor)) GTEST_SKIP() << "blocks of this device have too little shared memory";
  for (const auto& [below, above] : {std::pair(8, 8), std::pair(0, 13), std::pair(2, 0)}) {
    Flow<Real> f = flow<Real>(331, 233, LbmCollision::central, 0.02);
    f.initial = LbmInitial::shear_layer;
    f.obstacles = {circle(100, 120, 15.5), circle(200, 10, 12)};
    walls(f.p);  // a closed end of a part is no periodic one
    f.p.open_below = below > 0;
    f.p.open_above = above > 0;
    Fluid<Real, Stored> expected(executor, f), fluid(executor, f);
    expected.step_fused(1);
    EXPECT_TRUE(fluid.step_in_shares({below, 233 - below - above}));
    EXPECT_TRUE(same_bits(fluid.state(), expected.state())) << "halo of " << below << " and " << above << " rows";
  }
}

TEST(Gpu, InnerSharesOfFlowsNeedNothingOfTheHalo) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  expect_shares_agree<float, float>(executor);
  expect_shares_agree<double, double>(executor);
  expect_shares_agree<float, Half>(executor);
}

using Places = std::vector<std::array<std::uint32_t, 2>>;  // row of the grid, and column of 32 cells

// The plain tiles, after a look at all: they hold plain cells only, with a ring of one cell, and together with the
// mixed ones all cells but for two rows before an open end.
Places plain_tiles(const LbmParams<float>& p, const std::vector<ObstacleOptions>& obstacles) {
  const std::vector<std::int8_t> cell = paint_obstacles(obstacles, p.nx, p.ny, p.pitch, 1).cell;
  const LbmTiles tiles = lbm_tiles_of<float, float>(p, {0, p.ny}, cell.data());
  const auto columns = static_cast<std::uint32_t>(p.nx + 31) / 32;
  const auto place = [&](int x, int y) { return static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x); };
  std::vector<char> covered(cell.size());
  const auto cover = [&](std::uint32_t tile, int width, int height) {
    const int x0 = static_cast<int>(tile % columns) * 32, y0 = static_cast<int>(tile / columns);
    for (int y = y0; y < std::min(y0 + height, p.ny); ++y)
      for (int x = x0; x < std::min(x0 + width, p.nx); ++x) covered[place(x, y)] = 1;
    return std::array{x0, y0};
  };
  Places places;
  for (const std::uint32_t tile : tiles.mixed) cover(tile, 32, 8);
  for (const std::uint32_t tile : tiles.plain) {
    places.push_back({tile / columns, tile % columns});
    const auto [x0, y0] = cover(tile, 64, 24);
    for (int y = y0 - 1; y <= y0 + 24; ++y)
      for (int x = x0 - 1; x <= x0 + 64; ++x)
        EXPECT_TRUE(x > 0 && y > 0 && x < p.nx - 1 && y < p.ny - 1 && cell[place(x, y)] == lbm_plain)
            << "cell " << x << ", " << y << " of the tile at " << x0 << ", " << y0;
  }
  for (int y = 0; y < p.ny; ++y)
    for (int x = 0; x < p.nx; ++x) {
      const bool left_out = (p.open_below && y < 2) || (p.open_above && y >= p.ny - 2);
      EXPECT_EQ(covered[place(x, y)], left_out ? 0 : 1) << "cell " << x << ", " << y;
    }
  return places;
}

// Of a rank's part: the inner tiles come first, and all cells that two steps read for them lie in own rows.
TEST(LbmTiles, AreInnerWhereTwoStepsReadNothingOfTheHalo) {
  LbmParams<float> p;
  p.nx = 300;
  p.ny = 150;
  lbm_layout(p, sizeof(float), Backend::cpu);
  const std::vector<std::int8_t> cell = paint_obstacles({circle(150, 70, 9)}, p.nx, p.ny, p.pitch, 1).cell;
  const int columns = (p.nx + 31) / 32;
  const auto expect_inner = [&](const std::vector<std::uint32_t>& list, std::size_t inner, int height, int below,
                                int above) {
    for (std::size_t n = 0; n < list.size(); ++n) {
      const int y0 = static_cast<int>(list[n]) / columns;
      bool reads_halo = false;
      for (int y = std::max(y0 - 2, 0); y < std::min(y0 + height + 2, p.ny); ++y)
        reads_halo |= y < below || y >= p.ny - above;
      EXPECT_EQ(n >= inner, reads_halo) << "row " << y0 << ", " << below << " and " << above << " rows of halo";
    }
    EXPECT_GT(inner, 0u);
    EXPECT_EQ(inner == list.size(), below + above == 0);
  };
  for (int below = 0; below <= 40; ++below)
    for (const int above : {0, below, 40 - below}) {
      p.open_below = below > 0;
      p.open_above = above > 0;
      const LbmTiles tiles = lbm_tiles_of<float, float>(p, {below, p.ny - below - above}, cell.data());
      expect_inner(tiles.plain, tiles.inner_plain, 24, below, above);
      expect_inner(tiles.mixed, tiles.inner_mixed, 8, below, above);
    }
}

TEST(LbmLayout, LeavesRoomForAllRowsAndKeepsPlanesOutOfStep) {
  for (const auto& [nx, ny] : {std::array{20, 7}, {8192, 4096}, {8192, 4095}, {8192, 8204}, {10000, 10001}})
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      LbmParams<float> p;
      p.nx = nx;
      p.ny = ny;
      lbm_layout(p, sizeof(float), backend);
      const std::size_t plane = p.plane * sizeof(float), rows = p.pitch * static_cast<std::size_t>(ny) * sizeof(float);
      const bool apart = backend == Backend::cuda && rows >= std::size_t{128} << 20;
      const std::size_t unit = apart ? std::size_t{2} << 20 : 4096;
      EXPECT_EQ(plane % unit, 640u) << nx << " x " << ny;
      EXPECT_GE(plane, rows + 640);
      EXPECT_LT(plane, rows + 640 + unit);
    }
}

TEST(LbmTiles, AreMixedAtSidesAndObstaclesOnly) {
  LbmParams<float> p;
  p.nx = 300;
  p.ny = 110;
  lbm_layout(p, sizeof(float), Backend::cpu);
  const auto places = [](std::vector<std::uint32_t> rows, std::vector<std::uint32_t> columns) {
    Places all;
    for (const std::uint32_t row : rows)
      for (const std::uint32_t column : columns) all.push_back({row, column});
    return all;
  };
  EXPECT_EQ(plain_tiles(p, {}), places({8, 32, 56, 78}, {1, 3, 5, 7}));
  // At 150, 30: its neighbours, in row 31, lie in the ring of the tiles above, too.
  Places beside = places({8, 32}, {1, 2, 5, 7});
  for (const auto& place : places({56, 78}, {1, 3, 5, 7})) beside.push_back(place);
  EXPECT_EQ(plain_tiles(p, {circle(150, 30, 0.5)}), beside);

  // Of a rank between two others.
  p.open_below = p.open_above = true;
  EXPECT_EQ(plain_tiles(p, {}), places({2, 26, 50, 74, 84}, {1, 3, 5, 7}));
  for (const int ny : {12, 17, 20, 27, 29}) {  // lower than a plain tile with its ring, or hardly higher
    p.ny = ny;
    EXPECT_EQ(plain_tiles(p, {}).size(), ny < 28 ? 0u : 8u) << ny << " rows";
  }
  p.open_below = p.open_above = false;
  for (const auto& [nx, ny] : {std::array{1, 1}, {20, 7}, {31, 8}, {64, 9}, {65, 15}, {97, 16}, {700, 39}}) {
    p.nx = nx;
    p.ny = ny;
    lbm_layout(p, sizeof(float), Backend::cpu);
    plain_tiles(p, {});
  }
}

TEST(Lbm, HalfStorageStaysCloseToFloat) {
  const Executor executor = Executor::cpu(2);
  Flow<float> f = flow<float>(128, 96, LbmCollision::bgk, 0.02);
  f.initial = LbmInitial::taylor_green;
  Fluid<float> full(executor, f);
  Fluid<float, Half> half(executor, f);
  full.step(1000);
  half.step(1000);
  const std::vector<float> a = full.field(LbmField::ux), b = half.field(LbmField::ux);
  float largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  EXPECT_GT(largest, 0.02f);
  EXPECT_LT(difference, 0.005f * static_cast<float>(f.velocity));
  EXPECT_GT(difference, 0.0f);
}

}  // namespace
}  // namespace simreel
