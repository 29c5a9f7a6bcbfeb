#include "kernels/base/pack.h"

#include "exec/buffer.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

template <class Real>
std::vector<Real> packed(const Executor& executor, const View& view) {
  Buffer<std::byte> to(executor, state_layout(view).bytes());
  pack_view(executor, view, to.data());
  executor.wait();
  const std::vector<std::byte> bytes = to.download();
  std::vector<Real> values(bytes.size() / sizeof(Real));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Real));
  return values;
}

template <class Real>
void expect_packed(const Executor& executor) {
  constexpr int nx = 37, ny = 23, pitch = 64;
  std::vector<Real> grid(pitch * ny, Real(-1)), expected;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      grid[y * pitch + x] = static_cast<Real>(1000 * y + x);
      expected.push_back(static_cast<Real>(1000 * y + x));
    }
  const Buffer<Real> values(executor, grid);
  const FieldView<Real> field{values.data(), nx, ny, pitch, nullptr};
  EXPECT_EQ(state_layout(field), (StateLayout{StateLayout::Kind::field, sizeof(Real) == 8, nx, ny, 0, false}));
  EXPECT_EQ(packed<Real>(executor, field), expected);

  constexpr std::size_t n = 1000;
  std::vector<Vec4<Real>> position, velocity;
  std::vector<Real> bodies;
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Real>(i);
    position.push_back({k, k + 1, k + 2, k + 3});
    velocity.push_back({-k, -k - 1, -k - 2, 0});
  }
  for (const auto* list : {&position, &velocity})
    for (const Vec4<Real>& v : *list) bodies.insert(bodies.end(), {v.x, v.y, v.z, v.w});
  const Buffer<Vec4<Real>> p(executor, position), v(executor, velocity);
  EXPECT_EQ(packed<Real>(executor, ParticlesView<Real>{p.data(), v.data(), nullptr, n}), bodies);

  const Buffer<std::uint8_t> groups(executor, std::vector<std::uint8_t>(n, 7));
  const ParticlesView<Real> grouped{p.data(), v.data(), groups.data(), n};
  EXPECT_EQ(state_layout(grouped).bytes(), n * (8 * sizeof(Real) + 1));
  const std::vector<std::uint8_t> all = packed<std::uint8_t>(executor, grouped);
  EXPECT_EQ(std::vector<std::uint8_t>(all.end() - n, all.end()), std::vector<std::uint8_t>(n, 7));
  EXPECT_EQ(std::memcmp(all.data(), bodies.data(), bodies.size() * sizeof(Real)), 0);
}

void expect_solid(const Executor& executor) {
  constexpr int nx = 37, ny = 23, pitch = 64;
  std::vector<std::int8_t> kinds(pitch * ny, std::int8_t{-9});
  std::vector<std::uint8_t> expected;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const auto kind = static_cast<std::int8_t>((x * 5 + y) % 7 - 3);
      kinds[y * pitch + x] = kind;
      expected.push_back(kind < 0 ? 1 : 0);
    }
  const Buffer<std::int8_t> cells(executor, kinds);
  const Buffer<float> values(executor, std::vector<float>(pitch * ny));
  Buffer<std::byte> to(executor, expected.size());
  EXPECT_FALSE(pack_solid(executor, FieldView<float>{values.data(), nx, ny, pitch, nullptr}, to.data()));
  EXPECT_TRUE(pack_solid(executor, FieldView<float>{values.data(), nx, ny, pitch, cells.data()}, to.data()));
  executor.wait();
  const std::vector<std::byte> bytes = to.download();
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), expected.size()), 0);
}

TEST(Pack, SolidCellsAreOnes) {
  for (const Executor& executor : test::executors()) expect_solid(executor);
}

TEST(Pack, LeavesGapsOut) {
  for (const Executor& executor : test::executors()) {
    expect_packed<float>(executor);
    expect_packed<double>(executor);
  }
}

}  // namespace
}  // namespace simreel
