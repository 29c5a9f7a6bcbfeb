#include "picture/rasterizer.h"

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "raster/color/colormap.h"
#include "tests/support/backends.h"
#include "tests/support/draw_context.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::canvas_of;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

ViewOptions options(Size size, Scale scale = Scale::linear) {
  ViewOptions view;
  view.colormap = "gray";
  view.range = RangeMode::first;
  view.size = size;
  view.scale = scale;
  return view;
}

template <class Real>
struct Field {
  Buffer<Real> memory;
  FieldView<Real> view;

  Field(const Executor& executor, const std::vector<Real>& values, int nx) : memory(executor, values.size()) {
    memory.upload(values.data());
    view = {memory.data(), nx, static_cast<int>(values.size()) / nx, static_cast<std::size_t>(nx)};
  }
};

Color grey(int v) { return {static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v)}; }

TEST(Rasterizer, MeasuresDrawsAndConverts) {
  const Executor cpu = Executor::cpu(2);
  const Size size{16, 16};
  Rasterizer rasterizer(cpu, options(size));
  const Field<float> field(cpu, {-1.0f, 0.0f, 1.0f, 3.0f}, 2);  // rows upwards
  const Interval range = rasterizer.measure(field.view, 0);
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 3);
  rasterizer.set_range(range);
  rasterizer.draw(field.view, 0);
  const auto canvas = canvas_of(cpu, rasterizer, size);
  EXPECT_EQ(canvas[15 * 16], grey(0)) << "cell [0, 0] is the lower left";
  EXPECT_EQ(canvas[15 * 16 + 15], grey(64));
  EXPECT_EQ(canvas[0], grey(128));
  EXPECT_EQ(canvas[15], grey(255));

  Buffer<std::byte> yuv(cpu, frame_bytes(size, PixelLayout::yuv420p));
  rasterizer.convert(PixelLayout::yuv420p, yuv.data());
  const auto bytes = yuv.download();
  EXPECT_EQ(bytes[15], std::byte{235});
  EXPECT_EQ(bytes[15 * 16], std::byte{16});
  EXPECT_EQ(bytes[256], std::byte{128});
}

// Cells of 8 x 8 pixels: east, north-west as bright as half, nothing, and no number. 16 bits are those of 8, and so are
// those of every backend.
TEST(Rasterizer, TheAngleOfAVectorIsAHue) {
  const Size size{16, 16};
  ViewOptions view = options(size);
  view.colormap = "phase";
  view.hue = {"x", "y"};
  view.interpolation = Interpolation::nearest;
  std::vector<std::vector<Color>> pictures;
  for (const Executor& executor : test::executors()) {
    const Field<double> length(executor, {2, 1, 0, nan}, 2), x(executor, {1e-3, -1e300, 0, 1}, 2),
        y(executor, {0, 1e300, 0, nan}, 2);
    Rasterizer rasterizer(executor, view);
    rasterizer.set_layouts({PixelLayout::rgba, PixelLayout::rgba16});
    rasterizer.set_range({1, 2});  // black is 0 nonetheless
    rasterizer.take_hue(0, x.view);
    rasterizer.take_hue(1, y.view);
    rasterizer.draw(length.view, 0);
    pictures.push_back(canvas_of(executor, rasterizer, size));
    Buffer<std::byte> deep(executor, frame_bytes(size, PixelLayout::rgba16));
    rasterizer.convert(PixelLayout::rgba16, deep.data());
    const std::vector<std::byte> bytes = deep.download();
    for (std::size_t i = 0; i < pictures.back().size(); ++i)
      EXPECT_NEAR(std::to_integer<int>(bytes[8 * i]), pictures.back()[i].r, 1);
  }
  for (const std::vector<Color>& picture : pictures) EXPECT_EQ(picture, pictures.front());
  const std::vector<Color> map = load_colormap("phase");
  const auto hue = [&](double place) { return map[static_cast<std::size_t>(place * 255)]; };
  const auto near = [](Color a, Color b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)}) <= 2;
  };
  const std::vector<Color>& picture = pictures.front();
  const Color half = hue(7 / 8.0);
  EXPECT_TRUE(near(picture[15 * 16], hue(0.5)));
  EXPECT_TRUE(near(picture[15 * 16 + 15], {static_cast<std::uint8_t>(half.r / 2), static_cast<std::uint8_t>(half.g / 2),
                                           static_cast<std::uint8_t>(half.b / 2)}));
  EXPECT_EQ(picture[0], grey(0));
  EXPECT_EQ(picture[15], (Color{255, 0, 255})) << "not tinted";
}

// An inset has at most two fifths of the width and 45 % of the height, and hues of its own of these.
TEST(Rasterizer, HuesOfAnInsetTakeTheMemoryOfItsSize) {
  const Executor cpu = Executor::cpu(1);
  ViewOptions view = options({1920, 1080});
  view.hue = {"x", "y"};
  DrawContext stage;
  stage.figure.grid = {64, 36};
  const double alone = static_cast<double>(Rasterizer::memory_bytes(cpu, view, stage, {}));
  stage.figure.options.inset.emplace();
  const double both = static_cast<double>(Rasterizer::memory_bytes(cpu, view, stage, {}));
  EXPECT_GT(both, alone + 0.17 * 2 * 1920 * 1080 * sizeof(DeepColor));
  EXPECT_LT(both, 1.35 * alone);  // with tables that are there for any size
}

TEST(Rasterizer, AnotherGridSizeIsPlacedAnew) {
  const Executor cpu = Executor::cpu(1);
  const Size size{32, 16};
  auto view = options(size);
  view.background = {1, 2, 3};
  Rasterizer rasterizer(cpu, view);
  rasterizer.set_range({0, 1});
  const Field<float> square(cpu, std::vector<float>(4, 1), 2), wide(cpu, std::vector<float>(2, 1), 2);
  rasterizer.draw(square.view, 0);
  EXPECT_EQ(canvas_of(cpu, rasterizer, size)[0], view.background);
  rasterizer.draw(wide.view, 0);
  EXPECT_EQ(canvas_of(cpu, rasterizer, size), std::vector<Color>(32 * 16, grey(255)));
  rasterizer.draw(square.view, 0);
  EXPECT_EQ(canvas_of(cpu, rasterizer, size)[0], view.background);
}

TEST(Rasterizer, ColoursOutsideTheRangeComeFromTheView) {
  const Executor cpu = Executor::cpu(1);
  const Size size{16, 16};
  std::vector<float> values(256, 0.5f);
  values[0] = -1, values[1] = 2, values[2] = nan;
  const Field<float> field(cpu, values, 16);
  auto view = options(size);
  const auto lowest = [&] {
    Rasterizer rasterizer(cpu, view);
    rasterizer.set_range({0, 1});
    rasterizer.draw(field.view, 0);
    const auto canvas = canvas_of(cpu, rasterizer, size);
    return std::vector<Color>(canvas.end() - 16, canvas.end() - 13);
  };
  EXPECT_EQ(lowest(), (std::vector<Color>{grey(0), grey(255), {255, 0, 255}})) << "unset: the map's ends";
  view.under = Color{10, 0, 0}, view.over = Color{0, 10, 0}, view.nan = Color{0, 0, 10};
  EXPECT_EQ(lowest(), (std::vector<Color>{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}));
  view.background = {100, 50, 0}, view.nan = {200, 250, 0, 51}, view.under = Color{0, 0, 0, 0};
  EXPECT_EQ(lowest(), (std::vector<Color>{{100, 50, 0}, {0, 10, 0}, {120, 90, 0}}))
      << "translucent ones show the background";
  view.background.a = 0;
  EXPECT_EQ(lowest(), (std::vector<Color>{{0, 0, 0, 0}, {0, 10, 0}, {200, 250, 0, 51}}));
}

TEST(Rasterizer, ATranslucentBackgroundStaysInRgbaAlone) {
  const Executor cpu = Executor::cpu(1);
  const Size size{32, 16};
  auto view = options(size);
  view.background = {10, 20, 30, 40};
  Rasterizer rasterizer(cpu, view);
  rasterizer.set_range({0, 1});
  const Field<float> field(cpu, {1.0f}, 1);
  rasterizer.draw(field.view, 0);
  const auto canvas = canvas_of(cpu, rasterizer, size);
  EXPECT_EQ(canvas[0], view.background);
  EXPECT_EQ(canvas[16], grey(255));
  Buffer<std::byte> rgb(cpu, frame_bytes(size, PixelLayout::rgb));
  rasterizer.convert(PixelLayout::rgb, rgb.data());
  const auto bytes = rgb.download();
  EXPECT_EQ((std::vector<std::byte>(bytes.begin(), bytes.begin() + 3)),
            (std::vector<std::byte>{std::byte{10}, std::byte{20}, std::byte{30}}));
}

TEST(Rasterizer, ARangeWithoutExtentPutsItsValueInTheMiddle) {
  const Executor cpu = Executor::cpu(1);
  const Size size{16, 16};
  for (const double value : {0.0, 3.5, -1e-6, 1e300, -1e300, 5e-324, std::numeric_limits<double>::max()})
    for (const Scale scale : {Scale::linear, Scale::log}) {
      if (scale == Scale::log && (value <= 0 || value < 1e-300)) continue;
      Rasterizer rasterizer(cpu, options(size, scale));
      rasterizer.set_range({value, value});
      EXPECT_LT(rasterizer.range().low, rasterizer.range().high) << value;
      if (std::fabs(value) > 1e307 || value == 5e-324) continue;
      const Field<double> field(cpu, {value}, 1);
      rasterizer.draw(field.view, 0);
      EXPECT_NEAR(canvas_of(cpu, rasterizer, size)[0].r, 127.5, 0.6) << value;
    }
}

TEST(Rasterizer, WithoutFiniteValuesTheRangeIsZeroToOne) {
  const Executor cpu = Executor::cpu(1);
  Rasterizer rasterizer(cpu, options({16, 16}));
  const Field<float> field(cpu, {nan, nan}, 2);
  const Interval none = rasterizer.measure(field.view, 0);
  EXPECT_GT(none.low, none.high);
  rasterizer.set_range(none);
  EXPECT_EQ(rasterizer.range().low, 0);
  EXPECT_EQ(rasterizer.range().high, 1);
}

// Bars beside the field and solid cells, which are fitted to the range.
TEST(Rasterizer, FitsBarsToTheRangeWhateverCameBefore) {
  const Executor cpu = Executor::cpu(1);
  const Size size{32, 16};
  auto view = options(size);
  view.bars_of_zero = true;
  const Field<float> field(cpu, {0.0f}, 1);
  const auto bar = [&](Rasterizer& rasterizer) {
    rasterizer.draw(field.view, 0);
    return canvas_of(cpu, rasterizer, size)[0];
  };
  Rasterizer rasterizer(cpu, view);
  for (const auto& [range, expected] :
       {std::pair(Interval{0, 1}, view.background), {Interval{-1, 1}, grey(128)}, {Interval{0, 1}, view.background}}) {
    rasterizer.set_range(range);
    EXPECT_EQ(bar(rasterizer), expected) << range.low;
  }
  // One that follows keeps them as the first range has them, in a resumed run too.
  view.range = RangeMode::follow;
  view.center = 0;
  for (const auto& [first, expected] : {std::pair(Interval{0.5, 1}, view.background),
                                        {Interval{-1, 1}, grey(128)},
                                        {Interval{-3, -1}, view.background}}) {
    Rasterizer whole(cpu, view), resumed(cpu, view);
    whole.follow({1, 1});  // a state of rest, from which nothing follows
    for (const Interval now : {first, Interval{-1, 0.5}, Interval{1, 9}}) {
      whole.follow(now);
      EXPECT_EQ(bar(whole), expected) << first.low << " " << now.low;
    }
    Checkpoint checkpoint;
    whole.save(checkpoint);
    ASSERT_TRUE(resumed.load(checkpoint));
    EXPECT_EQ(bar(resumed), bar(whole)) << first.low;
    EXPECT_EQ(resumed.range().low, whole.range().low);
    resumed.follow({-5, 5});
    EXPECT_EQ(bar(resumed), bar(whole)) << first.low;
  }
}

TEST(Rasterizer, ALogarithmNeedsARangeAboveZero) {
  const Executor cpu = Executor::cpu(1);
  auto view = options({16, 16}, Scale::log);
  Rasterizer rasterizer(cpu, view);
  const auto refusal = [&](Interval range) { return test::thrown([&] { rasterizer.set_range(range); }); };
  for (const Interval range : {Interval{0, 1}, Interval{-2, -1}, Interval{0, 0}}) {
    EXPECT_TRUE(test::says(refusal(range), "[" + std::to_string(int(range.low)) + ", "));
    EXPECT_TRUE(test::says(refusal(range), "symlog"));
  }
  EXPECT_TRUE(test::says(refusal({static_cast<double>(-0.1f), 2.5}), "[-0.1, 2.5]"));
  rasterizer.set_range({0.5, 2});
  EXPECT_EQ(rasterizer.range().low, 0.5);

  view.range = RangeMode::fixed;
  view.low = 0;
  EXPECT_THROW(Rasterizer(cpu, view), UsageError) << "before the first step";
}

TEST(Rasterizer, LinearWidthIsAHundredthOfTheRangeUnlessGiven) {
  const Executor cpu = Executor::cpu(1);
  const Size size{16, 16};
  const Field<double> field(cpu, {0.3}, 1);
  for (const double width : {0.0, 0.5}) {
    auto view = options(size, Scale::asinh);
    view.linear_width = width;
    Rasterizer rasterizer(cpu, view);
    rasterizer.set_range({0, 10});
    rasterizer.draw(field.view, 0);
    const double w = width == 0 ? 0.1 : width;
    EXPECT_NEAR(canvas_of(cpu, rasterizer, size)[0].r, 255 * std::asinh(0.3 / w) / std::asinh(10 / w), 0.5 + 1e-4);
  }
}

TEST(Rasterizer, CountsItsMemory) {
  auto view = options({1920, 1080});
  EXPECT_EQ(Rasterizer::memory_bytes(Executor::cpu(1), view),
            std::size_t{1920} * 1080 * 4 + (256 + 3) * 4 + (1920 + 1080) * 4 * 4 + (std::size_t{8} << 20));
}

}  // namespace
}  // namespace simreel
