// Panels that share the runs of their scenes: each shows what it would show alone.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/picture.h"
#include "panels/film.h"
#include "run/plan.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using Set = std::vector<std::string>;

struct Shown {
  std::string scene;
  Set set;
  std::string frame;  // "frame = 3"; empty: it moves, or is the last one of a page

  std::string text() const {
    std::string list;
    for (const std::string& one : set) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", one);
    return fmt::format("[[panel]]\nscene = \"{}.toml\"\nset = [{}]\n{}\n", scene, list, frame);
  }
};

class PanelRunsTest : public test::CommandTest {
 protected:
  // Of every scene a copy, which is another scene for the figure.
  void SetUp() override {
    for (const char* name : {"flow", "flow2"})
      write(fmt::format("{}.toml", name),
            "[solver]\nkind = \"lbm\"\ngrid = [48, 20]\nvelocity = 0.1\nreynolds = 40\nlength = 6\n"
            "[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\n[[solver.obstacle]]\ncenter = [12, 10]\n"
            "radius = 3\nrotation = 0.02\n[solver.tracer]\nstripes = 4\n[[solver.particles]]\nfrom = [2, 3]\n"
            "to = [2, 17]\ncount = 5\n[view]\nfield = \"speed\"\nbackground = \"#000000\"\nrange = [-0.2, "
            "0.6]\n[animation]\nframes = 8\n"
            "steps_per_frame = 8\n");
    for (const char* name : {"pair", "pair2"})
      write(fmt::format("{}.toml", name),
            "[solver]\nkind = \"nbody\"\ninitial = \"plummer\"\nbodies = 60\n[animation]\nframes = 8\n"
            "steps_per_frame = 3\n");
    for (const char* name : {"wave", "wave2"})
      write(fmt::format("{}.toml", name),
            "[solver]\nkind = \"wave\"\ngrid = [48, 20]\ntimestep = 0.5\n[[solver.droplet]]\nposition = [30, 9]\n"
            "radius = 4\n[view]\nrange = [-0.05, 0.05]\n[animation]\nframes = 8\nsteps_per_frame = 4\n");
    for (const char* name : {"data", "data2"})
      write(fmt::format("{}.toml", name),
            "[solver]\nkind = \"data\"\nfiles = \"s/%d.npz\"\n[view]\nrange = [-0.1, 0.1]\n");
  }
  void make_data() {
    ASSERT_EQ(run("render wave.toml --backend cpu --set 'output.fields=[\"height\",\"velocity\"]' -o s/%d.npz").exit,
              0);
  }

  static std::string figure(const std::vector<Shown>& panels, const std::string& more = "") {
    std::string text = "[figure]\ncolumns = 2\nwidth = \"101.6mm\"\ndpi = 64\n" + more;
    for (const Shown& panel : panels) text += panel.text();
    return text;
  }
  PageGroup page(const std::string& text, int* runs = nullptr) {
    write("fig.toml", text);
    const FigureFile file = load_figure_file(folder_ / "fig.toml");
    PanelFigure drawn(file);
    if (runs) *runs = drawn.runs();
    return drawn.draw(
        executor_, [] { return false; }, [](std::int64_t, std::int64_t) {});
  }
  static std::string bytes(const PageGroup& page) { return png_of(page, {}); }

  // The pictures of a video.
  std::vector<std::vector<Color>> video(const std::string& text, std::int64_t resumed_at = -1) {
    write("fig.toml", text);
    const FigureFile file = load_figure_file(folder_ / "fig.toml");
    PanelFigure drawn(file);
    const Film film = plan_film(drawn, file, executor_);
    std::unique_ptr<Source> source = film.plan.open(executor_);
    std::vector<std::vector<Color>> pictures;
    const Size size = film.scene.view.size;
    for (std::int64_t frame = 0; frame < film.scene.animation.frames; ++frame) {
      while (source->work_to(frame) > 0) source->advance_towards(frame);
      EXPECT_TRUE(source->finite());
      const Color* const first = source->picture();
      pictures.emplace_back(first, first + static_cast<std::ptrdiff_t>(size.width) * size.height);
      if (frame != resumed_at) continue;
      Checkpoint saved;
      source->save(saved);
      PanelFigure again(file);
      const Film rest = plan_film(again, file, executor_);
      const std::unique_ptr<Source> other = rest.plan.open(executor_);
      other->load(saved);
      for (std::int64_t next = frame + 1; next < film.scene.animation.frames; ++next) {
        while (other->work_to(next) > 0) other->advance_towards(next);
        const Color* const pixel = other->picture();
        pictures.emplace_back(pixel, pixel + static_cast<std::ptrdiff_t>(size.width) * size.height);
      }
      break;
    }
    return pictures;
  }

  const Executor executor_ = Executor::cpu(1);
};

// What of a flow's view decides about what is computed, and what does not.
const std::vector<Set> views = {
    {"view.field=vorticity"},
    {"view.field=tracer", "view.particles.trail=0"},
    {"view.particles.trail=0.3"},
    {"figure.vector=[\"tracer\", \"ux\"]", "figure.arrows=8"},
    {"output.fields=[\"tracer\"]", "view.colormap=magma"},
    {"view.field=ux", "view.range=first", "figure.contours=4"},
    {"view.field=tracer", "view.range=[0, 0.02]",
     "view.key=[{time = 0, crop = [0, 0, 48, 20]}, {time = 0.1, crop = [4, 2, 28, 12]}]"},
};

// The reference is the program's own picture of the scene, frame by frame.
TEST_F(PanelRunsTest, EachPanelIsThePictureOfItsFrame) {
  std::map<std::pair<std::size_t, int>, std::vector<Color>> pictures;
  const auto picture = [&](std::size_t view, int frame, Size size) -> const std::vector<Color>& {
    std::vector<Color>& known = pictures[{view, frame}];
    if (!known.empty()) return known;
    Set set = views[view];
    set.push_back(fmt::format("view.size=[{}, {}]", size.width, size.height));
    const Scene scene = load_complete_scene(folder_ / "flow.toml", set);
    const SolverPlan plan = plan_solver(scene);
    const std::unique_ptr<Source> source = plan.open(executor_);
    Rasterizer rasterizer(executor_, scene.view, draw_context(scene, plan));
    const auto reach = [&](std::int64_t to) {
      while (source->work_to(to) > 0) source->advance_towards(to);
    };
    reach(0);
    if (rasterizer.range_mode() == RangeMode::first)
      rasterizer.set_range(rasterizer.measure(source->view(plan.field), 0));
    reach(frame);
    const View shown = source->view(plan.field);
    rasterizer.draw(shown, frame);
    known.resize(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
    Buffer<std::byte> pixels(executor_, frame_bytes(size, PixelLayout::rgba));
    rasterizer.convert(PixelLayout::rgba, pixels.data());
    pixels.download_to(reinterpret_cast<std::byte*>(known.data()));
    return known;
  };
  for (std::size_t a = 0; a < views.size(); ++a)
    for (std::size_t b = 0; b < views.size(); ++b) {
      const PageGroup drawn = page(figure({{"flow", views[a], "frame = 2"}, {"flow", views[b], "frame = 5"}}));
      for (const auto& [part, view, frame] : {std::tuple(0, a, 2), {1, b, 5}}) {
        const Page& own = drawn.parts[part];
        EXPECT_TRUE(own.pixels == picture(view, frame, {own.field.width, own.field.height}))
            << part << " of " << fmt::format("{} and {}", fmt::join(views[a], " "), fmt::join(views[b], " "));
      }
    }
}

// Labels, times, diagnostics, arrows and contours too: with a copy of the scene in the other panel, nothing is shared.
TEST_F(PanelRunsTest, PagesDoNotDependOnWhatIsShared) {
  make_data();
  const Set label = {"figure.time=t = {time:.2f}, {step}"};
  const std::vector<std::tuple<std::string, Set, Set, int>> rows = {
      {"flow",
       {"figure.axes=ticks", "figure.time={max_speed:.5f} {drag:.4f}"},
       {"figure.vector=[\"tracer\", \"ux\"]", "figure.arrows=6"},
       2},
      {"flow", {"view.field=vorticity", "view.range=symmetric"}, {"figure.units.step=0.5", label[0]}, 1},
      {"flow", {"view.field=tracer", "overlay=[{text = \"{frame}\", position = [9, 9]}]"}, label, 2},
      {"pair", {"view.trails=0.2", "camera.follow=mass"}, {"view.field=speed", "view.exposure=follow"}, 1},
      {"pair", {"view.field=speed"}, {"camera.orbit=90", label[0]}, 1},
      {"wave", {"view.field=velocity", "view.range=symmetric"}, {"view.range=first"}, 1},
      {"data", {"view.field=velocity", "figure.time={max:.5f}"}, {"view.field=height", "figure.time={max:.5f}"}, 2},
      {"data", {"view.field=velocity", "view.range=global"}, {"view.field=velocity", "view.colormap=magma"}, 1},
      {"data", {"figure.vector=[\"height\", \"velocity\"]", "figure.arrows=6"}, {"view.field=height"}, 2},
  };
  for (const auto& [scene, a, b, expected] : rows)
    for (const bool turned : {false, true}) {
      const std::string note = fmt::format("{}: {} and {}{}", scene, fmt::join(a, " "), fmt::join(b, " "), turned);
      const Shown first{scene, turned ? b : a, "frame = 6"}, second{scene, turned ? a : b, "frame = 3"};
      Shown other = second;
      other.scene += "2";
      int shared = 0;
      EXPECT_TRUE(bytes(page(figure({first, second}), &shared)) == bytes(page(figure({first, other})))) << note;
      EXPECT_EQ(shared, expected) << note;
      Shown moving = second, moving_other = other;
      moving.frame = moving_other.frame = "";
      for (const char* step : {turned ? "[animation]\nstep = \"time\"\n" : ""})
        for (const auto& [x, y, z] : {std::tuple(first, moving, moving_other), {moving, first, first}}) {
          Shown copy = z;
          if (copy.scene == y.scene) copy.scene += "2";
          EXPECT_TRUE(video(figure({x, y}, step)) == video(figure({x, copy}, step), 4)) << note << step;
        }
    }
}

// By default a 540th of the shorter side, of the panel as of a picture.
TEST_F(PanelRunsTest, ParticlesAreAsThickAsThePanelIsLarge) {
  write("fig.toml", figure({{"flow", {}, ""}}));
  const FigureFile file = load_figure_file(folder_ / "fig.toml");
  PanelFigure drawn(file);
  const ScenePanel& panel = *drawn.scenes().front();
  EXPECT_EQ(panel.scene().view.particles.radius, 2);
  drawn.prepare(executor_);
  EXPECT_EQ(panel.scene().view.particles.radius, 0.75);
}

}  // namespace
}  // namespace simreel
