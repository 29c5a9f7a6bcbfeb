// Pictures that ranks draw for the first one, which puts each on a canvas later than the others draw the next.

#include "ranks/slab_picture.h"

#include "exec/peers.h"
#include "tests/support/backends.h"
#include "tests/support/field_fixture.h"

namespace simreel {
namespace {

constexpr int nx = 67, ny = 161, pictures = 6;
constexpr Size size{61, 83};
constexpr std::size_t pixels = std::size_t{61} * 83;
const std::vector<Color> colors = test::greys();

std::vector<float> field_of(int picture) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(picture));
  std::vector<float> values(static_cast<std::size_t>(nx) * ny);
  for (float& value : values) value = static_cast<float>(random() % 1000) / 1000;
  return values;
}

ColorScale scale_of(const Color* of) {
  return color_scale(Curve::linear, 1, 0, 1, of, static_cast<int>(colors.size()) - 3);
}

std::vector<Color> drawn_by_one(int picture) {
  const Executor executor = Executor::cpu(1);
  const std::vector<float> values = field_of(picture);
  const test::AxisTables axes(executor, nx, ny, size.width, size.height);
  std::vector<Color> canvas(pixels);
  std::vector<std::byte> scratch(means_scratch_bytes(nx));
  draw_field(executor, FieldView<float>{values.data(), nx, ny, nx}, axes.columns, axes.rows, scale_of(colors.data()),
             {0, 0, size.width, size.height}, {}, Canvas<Color>{canvas.data(), size, size.width}, scratch.data());
  return canvas;
}

// `unable`: a rank that does not reach the memory of the others; -1: none.
void draw_by_ranks(const Communicator& ranks, const Executor& executor, int unable) {
  const int gpu[] = {0};
  reach(std::span<const int>(gpu).first(executor.backend() == Backend::cuda && ranks.rank() != unable ? 1 : 0));
  const std::vector<Domain> domains = Domain::cut(ny, ranks.size(), 0, false);
  const Domain& own = domains[ranks.rank()];
  std::vector<Buffer<float>> parts;
  for (int picture = 0; picture < pictures; ++picture) {
    parts.emplace_back(executor, static_cast<std::size_t>(own.rows()) * nx);
    parts.back().upload(field_of(picture).data() + static_cast<std::size_t>(own.start()) * nx);
  }
  Buffer<Color> canvases(executor, pixels * pictures);
  Buffer<std::byte> large(executor, executor.backend() == Backend::cuda ? std::size_t{256} << 20 : 1);
  SlabPicture slab_picture(executor, ranks, domains);
  slab_picture.set_colors(colors);
  for (int picture = 0; picture < pictures; ++picture) {
    const FieldView<float> part{parts[picture].data(), nx, own.rows(), nx};
    const FieldRows rows = slab_picture.draw(
        part,
        {.size = size, .part = {0, 0, nx, ny}, .columns = nx, .rows = ny, .scale = scale_of(nullptr), .shallow = true});
    if (ranks.rank() > 0) continue;
    for (int i = 0; i < 20; ++i) large.clear();  // a few milliseconds on a GPU
    put_rows(executor, rows.shallow, {0, 0, size.width, size.height}, {},
             Canvas<Color>{canvases.data() + static_cast<std::size_t>(picture) * pixels, size, size.width});
  }
  if (ranks.rank() == 0) {
    const std::vector<Color> all = canvases.download();
    for (int picture = 0; picture < pictures; ++picture) {
      const auto begin = all.begin() + picture * static_cast<std::ptrdiff_t>(pixels);
      EXPECT_TRUE(std::vector<Color>(begin, begin + static_cast<std::ptrdiff_t>(pixels)) == drawn_by_one(picture))
          << "picture " << picture << " where rank " << unable << " does not reach the others";
    }
  }
  ranks.depart();
  executor.wait();
}

void expect_all_pictures(const std::function<Executor()>& executor, int unable) {
  const std::vector<Communicator> all = Communicator::threads(3);
  std::vector<std::jthread> threads;
  for (const Communicator& ranks : all) threads.emplace_back([&] { draw_by_ranks(ranks, executor(), unable); });
}

TEST(SlabPicture, OthersMayDrawTheNextBeforeThisOneIsRead) {
  expect_all_pictures([] { return Executor::cpu(1); }, -1);
}

TEST(SlabPicture, OthersMayDrawTheNextBeforeThisOneIsReadOnAGpu) {
  SKIP_WITHOUT_GPU();
  for (const int unable : {-1, 0, 1}) expect_all_pictures([] { return Executor::cuda(); }, unable);
}

}  // namespace
}  // namespace simreel
