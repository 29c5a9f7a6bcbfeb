// [[overlay]]: the same bits on every executor, frames that do not depend on those before, and where things lie.

#include "figure/overlay.h"

#include "base/error.h"
#include "figure/figure.h"
#include "picture/rasterizer.h"
#include "tests/support/backends.h"
#include "tests/support/draw_context.h"
#include "tests/support/thrown.h"

namespace simreel::overlay_test {
namespace {

constexpr Size size{160, 90};
constexpr Color red{255, 0, 0, 255}, blue{0, 0, 255, 255}, field_color{68, 1, 84, 255};  // the map's first

// A field of zeros, 16 x 9 cells of 10 x 10 pixels, ten frames a second.
struct Scenery {
  ViewOptions view;
  DrawContext stage;

  Scenery() {
    view.size = size;
    view.range = RangeMode::fixed;
    stage.interval = 0.5;
    stage.animation.frames = 20;
    stage.animation.fps_numerator = 10;
    stage.animation.steps_per_frame = 1;
    stage.figure.grid = {16, 9};
    stage.figure.field = "height";
    stage.figure.diagnostics = {"energy"};
  }
  OverlayOptions& add(OverlayOptions::Kind kind) {
    OverlayOptions& overlay = stage.figure.overlays.emplace_back();
    overlay.kind = kind;
    overlay.margin = {PictureLength::Unit::pixels, 3};
    overlay.font_size = {PictureLength::Unit::pixels, 12};
    overlay.line_width = {PictureLength::Unit::pixels, 2};
    return overlay;
  }
  OverlayOptions& add_text(const std::string& text) {
    OverlayOptions& overlay = add(OverlayOptions::Kind::text);
    overlay.text = text;
    return overlay;
  }
  OverlayOptions& add_image(Size of, std::vector<Color> pixels) {
    OverlayOptions& overlay = add(OverlayOptions::Kind::image);
    overlay.pixels = std::make_shared<OverlayImage>(OverlayImage{of, std::move(pixels)});
    return overlay;
  }
  OverlayOptions& add_shape(OverlayOptions::Kind kind, std::array<double, 2> from, std::array<double, 2> to) {
    OverlayOptions& overlay = add(kind);
    overlay.position = from, overlay.to = to;
    overlay.color = red;
    return overlay;
  }
};

// The last of these frames.
template <class Pixel = Color>
std::vector<std::byte> picture(const Executor& executor, const Scenery& s, const std::vector<std::int64_t>& frames) {
  constexpr PixelLayout layout = std::is_same_v<Pixel, Color> ? PixelLayout::rgba : PixelLayout::rgba16;
  Rasterizer rasterizer(executor, s.view, s.stage);
  rasterizer.set_layouts({layout});
  Buffer<float> field(executor, 16 * 9);
  field.clear();
  const FieldView<float> view{field.data(), 16, 9, 16};
  for (const std::int64_t frame : frames) {
    rasterizer.draw(view, frame);
    const double energy = 1.0 / static_cast<double>(frame + 1);
    rasterizer.write_figure(view, {frame, frame, 0.5 * static_cast<double>(frame), std::span(&energy, 1)});
  }
  Buffer<std::byte> bytes(executor, frame_bytes(s.view.size, layout));
  rasterizer.convert(layout, bytes.data());
  return bytes.download();
}

std::vector<Color> colors(const Scenery& s, const std::vector<std::int64_t>& frames = {0}) {
  const std::vector<std::byte> bytes = picture(Executor::cpu(1), s, frames);
  std::vector<Color> colors(bytes.size() / sizeof(Color));
  std::memcpy(static_cast<void*>(colors.data()), bytes.data(), bytes.size());
  return colors;
}

Color pixel(const std::vector<Color>& picture, int x, int y) { return picture[y * size.width + x]; }

std::string mistake(const Scenery& s) {
  return test::thrown([&] { Rasterizer(Executor::cpu(1), s.view, s.stage); });
}

// Everything that there is, some of it fading.
Scenery everything() {
  Scenery s;
  OverlayOptions& text = s.add_text("$u_x$ at t = {time}\n{frame}: {energy:.2e}");
  text.from = 0.2, text.until = 1.7, text.fade = 0.5;
  text.at = OverlayOptions::At::lower_right;
  text.font_size = {PictureLength::Unit::pixels, 6};
  s.add_image({2, 2}, {red, {0, 255, 0, 128}, {0, 0, 0, 0}, blue}).height =
      PictureLength{PictureLength::Unit::pixels, 9};
  s.add_shape(OverlayOptions::Kind::arrow, {2.5, 1.25}, {11, 6}).opacity = 0.7;
  s.add_shape(OverlayOptions::Kind::box, {4, 2}, {9, 5}).background = Color{255, 255, 255, 60};
  return s;
}

TEST(Overlays, HaveTheSameBitsOnEveryExecutor) {
  Scenery s = everything();
  for (const bool framed : {false, true}) {
    s.stage.figure.options.given = framed;
    s.stage.figure.options.axes = FigureOptions::Axes::ticks;
    const std::vector<std::int64_t> frames = {2, 3, 9};
    const Executor one = Executor::cpu(1);
    const auto shallow = picture<Color>(one, s, frames);
    const auto deep = picture<DeepColor>(one, s, frames);
    for (const Executor& executor : test::executors()) {
      EXPECT_TRUE(picture<Color>(executor, s, frames) == shallow) << executor.name();
      EXPECT_TRUE(picture<DeepColor>(executor, s, frames) == deep) << executor.name();
    }
  }
}

// What has vanished leaves nothing behind, next to the picture either.
TEST(Overlays, AFrameDoesNotDependOnThoseBefore) {
  Scenery s = everything();
  OverlayOptions& wide = s.add_shape(OverlayOptions::Kind::box, {-3, -3}, {20, 20});
  wide.background = Color{0, 0, 255, 100}, wide.until = 1.5;
  for (const bool framed : {false, true}) {
    s.stage.figure.options.given = framed;
    s.stage.figure.options.axes = FigureOptions::Axes::ticks;
    const Executor cpu = Executor::cpu(2);
    for (const std::int64_t frame : {3, 16, 19})
      EXPECT_TRUE(picture(cpu, s, {0, 2, 10, frame}) == picture(cpu, s, {frame})) << frame;
    EXPECT_FALSE(picture(cpu, s, {3}) == picture(cpu, s, {4})) << "it fades, and its numbers change";
  }
}

TEST(Overlays, ImagesLieInTheirCorners) {
  using At = OverlayOptions::At;
  struct Case {
    At at;
    int x, y;
  };
  for (const auto& [at, x, y] : {Case{At::upper_left, 3, 3}, Case{At::top, 78, 3}, Case{At::upper_right, 153, 3},
                                 Case{At::left, 3, 43}, Case{At::center, 78, 43}, Case{At::lower_right, 153, 83}}) {
    Scenery s;
    s.add_image({4, 4}, std::vector<Color>(16, red)).at = at;
    const std::vector<Color> drawn = colors(s);
    int count = 0;
    for (int v = 0; v < size.height; ++v)
      for (int u = 0; u < size.width; ++u) {
        const bool inside = u >= x && u < x + 4 && v >= y && v < y + 4;
        ASSERT_EQ(pixel(drawn, u, v), inside ? red : field_color) << u << ", " << v;
        count += inside;
      }
    EXPECT_EQ(count, 16);
  }
}

// Nobody knows how large an energy becomes, so the text behind it closes up, but for the place of a sign.
TEST(Overlays, TextsHaveNoGapsBesideNumbers) {
  Scenery s;
  OverlayOptions& text = s.add_text("E={energy:.2f}J");
  text.color = red, text.background = Color{0, 0, 0, 0};
  const std::vector<Color> drawn = colors(s);
  int before = -1, gap = 0;  // the last column with ink; columns between two of them
  for (int x = 0; x < size.width; ++x) {
    bool ink = false;
    for (int y = 0; y < size.height; ++y) ink |= !(pixel(drawn, x, y) == field_color);
    if (!ink) continue;
    if (before >= 0) gap = std::max(gap, x - before - 1);
    before = x;
  }
  EXPECT_GT(gap, 0);
  EXPECT_LT(gap, 15) << "a sign of 10 pixels";
}

TEST(Overlays, CoordinatesAreThoseOfTheAxes) {
  Scenery s;
  s.add_shape(OverlayOptions::Kind::box, {4, 2}, {9, 5});  // pixels 40 to 90 across, from the bottom 20 to 50
  std::vector<Color> drawn = colors(s);
  for (const int x : {39, 40, 89, 90}) EXPECT_EQ(pixel(drawn, x, 60), red) << x;
  for (const int x : {38, 41, 88, 91}) EXPECT_EQ(pixel(drawn, x, 60), field_color) << x;
  for (const int y : {39, 40, 69, 70}) EXPECT_EQ(pixel(drawn, 60, y), red) << y;
  // In millimetres, and beside a place.
  Scenery mm;
  mm.stage.figure.options.units.cell = 0.1;
  OverlayOptions& image = mm.add_image({4, 4}, std::vector<Color>(16, red));
  image.position = {0.8, 0.4};
  image.at = OverlayOptions::At::right;
  drawn = colors(mm);
  EXPECT_EQ(pixel(drawn, 83, 50), red);
  EXPECT_EQ(pixel(drawn, 82, 50), field_color);
  EXPECT_EQ(pixel(drawn, 86, 48), red);
  EXPECT_EQ(pixel(drawn, 86, 47), field_color);
}

// Nothing with a place of the field lies over what is written beside it.
TEST(Overlays, WithCoordinatesStayInThePicture) {
  Scenery s;
  s.stage.figure.options.given = true;
  s.stage.figure.options.axes = FigureOptions::Axes::ticks;
  const Rectangle field = Figure::viewport(s.view, s.stage, std::vector<Color>(256 + 3)).area;
  const std::vector<Color> bare = colors(s);
  s.add_shape(OverlayOptions::Kind::box, {-3, 4}, {8, 40}).background = blue;
  s.add_shape(OverlayOptions::Kind::arrow, {20, 20}, {12, 5});
  for (const auto& [x, y] : {std::array{15.9, 4.0}, std::array{17.0, 4.0}}) {
    OverlayOptions& image = s.add_image({8, 8}, std::vector<Color>(64, red));
    image.position = {x, y};
    image.at = OverlayOptions::At::right;
  }
  const std::vector<Color> drawn = colors(s);
  int red_at_the_edge = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      constexpr int half = 1;  // of a line
      const bool beside = x < field.x - half || y < field.y - half || x >= field.x + field.width + half ||
                          y >= field.y + field.height + half;
      ASSERT_TRUE(!beside || pixel(drawn, x, y) == pixel(bare, x, y)) << x << ", " << y;
      if (x >= field.x + field.width - 8 && y > field.y + field.height / 3)
        red_at_the_edge += pixel(drawn, x, y) == red;
    }
  EXPECT_EQ(pixel(drawn, field.x + 2, field.y + 2), blue);
  EXPECT_EQ(red_at_the_edge, 64) << "an image moves inwards; one whose point is not seen is not drawn";
}

// Of a panel, whose labels stand on white paper.
TEST(Overlays, HaveTheColorsOfThePictureAndNotOfItsPaper) {
  Scenery s;
  s.stage.figure.options.given = true;
  s.stage.figure.options.theme = FigureOptions::Theme::light;
  s.stage.figure.theme_over_picture = FigureOptions::Theme::dark;
  s.add_shape(OverlayOptions::Kind::box, {4, 2}, {9, 5}).color.reset();
  EXPECT_GT(pixel(colors(s), 40, 60).g, 200);
  EXPECT_LT(pixel(colors(s), 38, 60).r, field_color.r / 2) << "an outline, to be seen on bright pictures";
}

TEST(Overlays, GiveWayToEarlierOnesAndToLabels) {
  Scenery s;
  for (const Color color : {red, blue}) s.add_image({4, 4}, std::vector<Color>(16, color));
  std::vector<Color> drawn = colors(s);
  EXPECT_EQ(pixel(drawn, 3, 3), red);
  EXPECT_EQ(pixel(drawn, 6, 6), red);
  EXPECT_EQ(pixel(drawn, 3, 9), blue);
  s.stage.figure.overlays[0].until = 0.5, s.stage.figure.overlays[1].from = 0.5;
  EXPECT_EQ(pixel(colors(s, {6}), 3, 3), blue) << "one after the other they have one place";
  Scenery labelled;
  labelled.view.size = {480, 270};
  labelled.stage.figure.options.given = true;
  labelled.stage.figure.options.title = "Title";
  labelled.stage.figure.options.colorbar = FigureOptions::Bar::inside;
  labelled.add_text("below");
  const Executor cpu = Executor::cpu(1);
  Rasterizer rasterizer(cpu, labelled.view, labelled.stage);
  Buffer<float> field(cpu, 16 * 9);
  field.clear();
  const FieldView<float> view{field.data(), 16, 9, 16};
  rasterizer.draw(view, 0);
  const Marks marks = rasterizer.write_page(view, {}).marks;
  const auto of = [&](std::string_view key) { return extent_of(*std::ranges::find(marks, key, &Mark::key)); };
  EXPECT_GE(of("overlay").y, of("title").y + of("title").height);
}

// Of one file there is one picture, as large as it is drawn; what is drawn of all has a limit.
TEST(Overlays, OfOneFileShareItsPixels) {
  Scenery s;
  const Executor cpu = Executor::cpu(1);
  const std::size_t without = Rasterizer::memory_bytes(cpu, s.view, s.stage);
  int reads = 0;
  const std::vector<Color> pixels(40 * 20, red);
  s.add_image({40, 20}, pixels);
  s.stage.figure.overlays[0].pixels->read = [&] { return ++reads, pixels; };
  s.stage.figure.overlays[0].height = {PictureLength::Unit::pixels, 5};
  for (int i = 0; i < 3; ++i) s.stage.figure.overlays.push_back(s.stage.figure.overlays[0]);
  s.stage.figure.overlays[3].height = {PictureLength::Unit::pixels, 10};
  const OverlayImage& image = *s.stage.figure.overlays[0].pixels;
  const std::size_t bytes = 4 * (160 * 90 + 40 * 20 + 2 * (3 * 10 * 5 + 20 * 10));
  EXPECT_EQ(Rasterizer::memory_bytes(cpu, s.view, s.stage), without + bytes);
  { const Rasterizer first(cpu, s.view, s.stage); }
  EXPECT_TRUE(image.pixels.empty());
  EXPECT_EQ(image.drawn.size(), 2u);
  { const Rasterizer second(cpu, s.view, s.stage); }
  EXPECT_EQ(reads, 0) << "these sizes are there";
  s.stage.figure.overlays[0].height.reset();
  EXPECT_EQ(pixel(colors(s), 5, 5), red);
  EXPECT_EQ(reads, 1);
  s.view.size = {16384, 8192};
  s.stage.figure.overlays.resize(2, s.stage.figure.overlays[0]);
  s.stage.figure.overlays[0].height = {PictureLength::Unit::pixels, 200};
  s.stage.figure.overlays[1].height = {PictureLength::Unit::pixels, 8191};
  EXPECT_TRUE(test::says(mistake(s), "with it the images of overlays have 134264962 pixels in the picture"));
}

// However long a video is, and whether or not the camera moves.
TEST(Overlays, AreLookedForInSomeFramesOfALongVideo) {
  Scenery s;
  s.stage.bodies = 1;
  s.stage.figure.grid = {};
  s.stage.animation.frames = std::int64_t{1} << 60;
  s.stage.camera.projection = Projection::perspective;
  s.stage.camera.pose.fov = 90;
  s.stage.camera.pose.position = {0, 0, 4.5};
  s.stage.camera.pose.orbit = 360;
  s.add_text("there").position = {0, 1e6};
  s.add_text("never").opacity = 0;
  s.stage.figure.overlays[1].position = {0, 0};
  const Executor cpu = Executor::cpu(1);
  const auto warnings = [&] { return Rasterizer(cpu, s.view, s.stage).overlay_warnings(); };
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_TRUE(test::says(warnings()[0], "is not in the picture of any of 32768 frames that were tried"));
  s.stage.camera.keys = {{.time = 1e15, .pose = s.stage.camera.pose, .position = {}}};
  EXPECT_EQ(warnings().size(), 1u);
}

TEST(Overlays, ThatNoFrameShowsAreNamed) {
  Scenery s;
  s.add_text("here").position = {8, 4};
  s.add_text("there").position = {500, 500};
  s.add_shape(OverlayOptions::Kind::box, {20, 1}, {30, 4});
  s.add_shape(OverlayOptions::Kind::box, {-1, -1}, {17, 10});
  s.add_shape(OverlayOptions::Kind::arrow, {12, 2}, {30, 4});
  const std::vector<std::string> warnings = Rasterizer(Executor::cpu(1), s.view, s.stage).overlay_warnings();
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_TRUE(test::says(warnings[0], "[500, 500] is not in the picture"));
  EXPECT_TRUE(test::says(warnings[1], "[20, 1] to [30, 4] is not in the picture"));
}

// A letterboxed field: its corner is not that of the picture.
TEST(Overlays, CoordinatesFollowTheFieldAndNotThePicture) {
  Scenery s;
  s.view.size = {200, 90};
  s.add_shape(OverlayOptions::Kind::box, {0, 0}, {16, 9});
  const std::vector<std::byte> bytes = picture(Executor::cpu(1), s, {0});
  const auto is_red = [&](int x) { return bytes[4 * (45 * 200 + x)] == std::byte(255); };
  EXPECT_TRUE(is_red(19) && is_red(20) && is_red(179) && is_red(180));
  EXPECT_FALSE(is_red(18) || is_red(21) || is_red(0));
}

// In perspective a place is one of the world, which the camera sees.
TEST(Overlays, PlacesOfBodiesFollowTheCamera) {
  Scenery s;
  s.stage.bodies = 1;
  s.stage.figure.grid = {};
  s.stage.camera.projection = Projection::perspective;
  s.stage.camera.pose.fov = 90;
  s.stage.camera.pose.position = {0, 0, 4.5};  // half of the picture's height is 4.5 where z is 0
  s.stage.camera.keys = {{1.0, s.stage.camera.pose, {}}};
  s.stage.camera.keys[0].pose.position = {0, 0, 9};
  OverlayOptions& image = s.add_image({4, 4}, std::vector<Color>(16, red));
  image.position = {2, 1};
  image.at = OverlayOptions::At::center;
  s.view.colormap = "gray";
  test::Bodies<float> bodies(Executor::cpu(1), {{}});
  const auto middle = [&](std::int64_t frame) {
    const Executor cpu = Executor::cpu(1);
    Rasterizer rasterizer(cpu, s.view, s.stage);
    rasterizer.draw(bodies.view, frame);
    rasterizer.write_figure(bodies.view, {frame, frame, 0, {}});
    const std::vector<Color> drawn = test::canvas_of(cpu, rasterizer, size);
    int x = 0, y = 0, count = 0;
    for (int v = 0; v < size.height; ++v)
      for (int u = 0; u < size.width; ++u)
        if (pixel(drawn, u, v) == red) x += u, y += v, ++count;
    return count == 16 ? std::array{x / 16, y / 16} : std::array{-1, -1};
  };
  EXPECT_EQ(middle(0), (std::array{80 + 20 - 1, 45 - 10 - 1}));
  EXPECT_EQ(middle(10), (std::array{80 + 10 - 1, 45 - 5 - 1}));
}

TEST(Overlays, AppearAndVanishInTime) {
  OverlayOptions overlay;
  overlay.from = 0.5, overlay.until = 1.5, overlay.fade = 0.4, overlay.opacity = 0.8;
  overlay.keys["from"] = {};
  const auto at = [&](std::int64_t frame) { return overlay.opacity_at(frame, 10); };
  EXPECT_EQ(at(4), 0);
  EXPECT_EQ(at(5), 26);  // an eighth of 204
  EXPECT_EQ(at(14), 26);
  EXPECT_EQ(at(9), 204);
  EXPECT_EQ(at(15), 0);
  overlay.from = 0, overlay.until.reset();
  EXPECT_EQ(at(0), 26);
  EXPECT_EQ(at(4), 204);
  overlay.keys.clear();
  EXPECT_EQ(at(0), 204) << "what is there from the start does not fade in";
  EXPECT_EQ(at(1000), 204);
}

TEST(Overlays, LieOnPagesToo) {
  Scenery s = everything();
  const Executor cpu = Executor::cpu(1);
  Rasterizer rasterizer(cpu, s.view, s.stage);
  Buffer<float> field(cpu, 16 * 9);
  field.clear();
  const FieldView<float> view{field.data(), 16, 9, 16};
  rasterizer.draw(view, 8);
  const double energy = 1;
  const Page page = rasterizer.write_page(view, {8, 8, 4, std::span(&energy, 1)});
  EXPECT_TRUE(rasterizer.figure_wants_diagnostics());
  EXPECT_EQ(page.pixels.size(), 160u * 90u);
  EXPECT_EQ(std::ranges::count_if(page.marks, [](const Mark& mark) { return mark.what.index() == 2; }), 1)
      << "an image";
  EXPECT_EQ(std::ranges::count_if(page.marks, [](const Mark& mark) { return mark.what.index() == 1; }), 5)
      << "two texts, and three numbers";
}

TEST(Overlays, WhatDoesNotFitIsRefusedWithItsPlace) {
  Scenery wide;
  wide.add_text("a text that is far too long").place = {"x.toml", 3, 1};
  EXPECT_TRUE(mistake(wide).starts_with("x.toml:3:1: \"text\" in [[overlay]] is ")) << mistake(wide);
  Scenery unknown;
  unknown.add_text("{tim}").keys["text"] = {"x.toml", 4, 1};
  EXPECT_TRUE(mistake(unknown).starts_with("x.toml:4:1: \"text\" in [[overlay]]: there is no \"tim\""))
      << mistake(unknown);
  Scenery nowhere;
  nowhere.stage.figure.grid = {};
  nowhere.add_text("a").position = {1, 1};
  EXPECT_TRUE(test::says(mistake(nowhere), "needs coordinates"));
}

}  // namespace
}  // namespace simreel::overlay_test
