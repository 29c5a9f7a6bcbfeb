// `simreel figure -o x.mp4`: panels as a video.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "compare/picture.h"
#include "panels/film.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;
using test::text_of;

class FilmCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [48, 32]\ntimestep = 0.5\n[[solver.droplet]]\nposition = [30, 15]\n"
          "radius = 4\n[view]\nrange = [-0.05, 0.05]\n[animation]\nframes = 8\nsteps_per_frame = 4\n");
    write("pair.toml",
          "[solver]\nkind = \"nbody\"\ninitial = \"plummer\"\nbodies = 300\n[view]\nsize = [120, 90]\n"
          "trails = 0.1\n[animation]\nframes = 5\n");
    write("run.csv", "t,energy\n0,1\n4,0.5\n8,0.25\n");
  }
  Outcome film(const std::string& text, const std::string& arguments) {
    write("fig.toml", text);
    return run("figure fig.toml --backend cpu " + arguments);
  }
  // The page of the frames that the `@` of the text stand for.
  std::string page(const std::string& text, std::vector<int> frames, const std::string& name) {
    std::string still;
    for (const char c : text) {
      if (c != '@') {
        still += c;
        continue;
      }
      still += "frame = " + std::to_string(frames.front());
      if (frames.size() > 1) frames.erase(frames.begin());
    }
    const Outcome outcome = film(still, "--overwrite -o " + name);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return name;
  }
  static std::string moving(std::string text) {
    std::erase(text, '@');
    return text;
  }
  // A resolution at which the page has even sides, as videos have.
  std::string even(std::string text) {
    const std::size_t at = text.find("dpi = 100") + 6;
    for (int dpi = 100; dpi < 140; ++dpi) {
      text.replace(at, 3, std::to_string(dpi));
      const std::string png = text_of(folder_ / page(text, {0}, "even.png"));
      if (png[19] % 2 == 0 && png[23] % 2 == 0) return text;
    }
    ADD_FAILURE() << "no page has even sides";
    return text;
  }
};

constexpr const char* panels =
    "[figure]\ncolumns = 2\nwidth = \"121.92mm\"\ndpi = 100\ntitle = \"In step\"\n[[panel]]\nscene = \"wave.toml\"\n"
    "set = [\"figure.time=t = {time}\"]\n@\n[[panel]]\nscene = \"pair.toml\"\nset = [\"animation.frames=8\"]\n@\n"
    "[[panel]]\nscene = \"wave.toml\"\nframe = 3\n";

TEST_F(FilmCommand, ShapesOverrideTheFile) {
  const std::string text =
      "[figure]\ncolumns = 2\nwidth = \"120mm\"\n[[panel]]\nscene = \"wave.toml\"\n[[panel]]\nscene = \"wave.toml\"\n";
  const Outcome square = film(text, "--preset square --size 240x240 --frames 3 -o x.mp4 -o f/%d.png");
  ASSERT_EQ(square.exit, 0) << square.err;
  EXPECT_NE(square.err.find("--preset square: figure.size=[240, 240], animation.fps=30, output.codec=h264"),
            std::string::npos)
      << square.err;
  EXPECT_NE(square.err.find("3 frames, 240 x 240, 0.10 s of video"), std::string::npos) << square.err;
  std::string keys = text;
  keys.insert(keys.find("[[panel]]"), "size = [240, 240]\n[animation]\nfps = 30\nframes = 3\n");
  ASSERT_EQ(film(keys, "-o k/%d.png").exit, 0);
  for (const int frame : {0, 2})
    EXPECT_TRUE(read_picture(folder_ / fmt::format("f/{}.png", frame)).pixels ==
                read_picture(folder_ / fmt::format("k/{}.png", frame)).pixels);
  EXPECT_NE(
      film("[figure]\nwidth = \"120mm\"\ndpi = 100\n[[panel]]\nscene = \"wave.toml\"\n", "--size 240x240 -o y.mp4")
          .err.find("fig.toml:3:1: \"dpi\" in [figure] sets the pixels"),
      std::string::npos);
  const Outcome page = film(text, "--preset web -o y.png");
  EXPECT_EQ(page.exit, 2);
  EXPECT_NE(page.err.find("a page has \"width\" and \"dpi\" of [figure]"), std::string::npos) << page.err;
}

TEST_F(FilmCommand, FramesAreThePagesOfTheirFrames) {
  ASSERT_EQ(run("render wave.toml --backend cpu -o s/%d.npy").exit, 0);
  ASSERT_EQ(run("render wave.toml --backend cpu --size 120x80 --at frame:2 -o still.png").exit, 0);
  const std::string text = even(std::string(panels) +
                                "[[panel]]\ndata = \"s/%d.npy\"\nset = [\"view.range=[-0.05, 0.05]\"]\n@\n"
                                "[[panel]]\nimage = \"still.png\"\n");
  const Outcome outcome = film(moving(text), "-o %d.png -o film.hashes");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(" 8 frames"), std::string::npos) << outcome.err;
  for (const int frame : {0, 3, 7}) {
    const Outcome same = run("compare " + page(text, {frame}, "page.png") + " " + std::to_string(frame) + ".png");
    EXPECT_EQ(same.exit, 0) << frame << ": " << same.out << same.err;
  }
}

// What lies over the page lies over each frame, by its corners and in mm from the lower left one.
TEST_F(FilmCommand, OverlaysLieOverTheWholePage) {
  const std::string text =
      even(std::string(panels) +
           "[[overlay]]\ntext = \"{figure.title}, by the sea\"\nat = \"lower right\"\nfont_size = "
           "\"6pt\"\n[[overlay]]\nshape = \"box\"\nposition = [10, 8]\nto = [50.8, 25.4]\ncolor = "
           "\"#00ff00\"\nline_width = \"2px\"\n[[overlay]]\ntext = \"only at first\"\nuntil = 0.01\n");
  ASSERT_EQ(film(moving(text), "-o %d.png").exit, 0);
  const std::string still = page(text, {7}, "page.png");
  EXPECT_EQ(run("compare " + still + " 7.png").exit, 0) << "a page shows the end of the video";
  const Picture picture = read_picture(folder_ / still);
  const double per_mm = picture.size.width / 121.92;
  const auto green = [&](double x, double y) {
    const Color c = picture.at(static_cast<int>(x * per_mm), picture.size.height - 1 - static_cast<int>(y * per_mm));
    return c == Color{0, 255, 0, 255};
  };
  EXPECT_TRUE(green(10, 15) && green(50.7, 15) && green(30, 8) && green(30, 25.3)) << "the sides of the box";
  EXPECT_FALSE(green(30, 15));
  EXPECT_NE(run("compare " + page(text, {0}, "page.png") + " 0.png").exit, 0);
}

// A page has those of the last frame; times are in the unit of the first scene's labels.
TEST_F(FilmCommand, OverlaysShowTheFrameAndTheTimeOfAllPanels) {
  const auto figure = [](const std::string& animation, const std::string& first, const std::string& shown) {
    return "[figure]\ncolumns = 2\nwidth = \"121.92mm\"\ndpi = 100\n[animation]\n" + animation +
           "[[panel]]\nscene = \"wave.toml\"\n" + first +
           "[[panel]]\nscene = \"wave.toml\"\nset = [\"animation.steps_per_frame=2\", \"animation.frames=15\"]\n"
           "[[overlay]]\ntext = \"" +
           shown + "\"\n";
  };
  const std::string by_time = "step = \"time\"\n", text = even(figure(by_time, "", "frame {frame}, t = {time}"));
  ASSERT_EQ(film(text, "-o %d.png").exit, 0);
  ASSERT_EQ(film(text, "-o page.png -o page.svg").exit, 0);
  EXPECT_EQ(run("compare page.png 7.png").exit, 0);
  const auto page_has = [&](const std::string& number) {
    return text_of(folder_ / "page.svg").find(">" + number + "</tspan>") != std::string::npos;
  };
  EXPECT_TRUE(page_has("7") && page_has("14"));
  const std::string units = "set = [\"figure.units.step=0.125\"]\n";
  ASSERT_EQ(film(figure(by_time, units, "t = {time}"), "--overwrite -o page.svg").exit, 0);
  EXPECT_TRUE(page_has("3.5"));
  for (const auto& [refused, words] :
       {std::pair(figure("", "", "t = {time}"),
                  "shows {time}, which differs from scene to scene, so an overlay of the "
                  "whole figure cannot; set step = \"time\" in [animation], or write"),
        {figure(by_time, "", "{step:d}"), "shows {step:d}, which differs"}}) {
    const Outcome outcome = film(refused, "--overwrite -o 0.png");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
  EXPECT_NE(
      film("[[panel]]\nscene = \"wave.toml\"\nframe = 2\n[[overlay]]\ntext = \"{frame}\"\n", "-o x.png")
          .err.find("fig.toml:5:1: \"text\" in [[overlay]] is \"{frame}\", a number of the video, and no panel moves"),
      std::string::npos);
}

// In a video with margins coordinates are still those of the page, and corners are those of the frame.
TEST_F(FilmCommand, OverlaysStayWhereTheyAreOnThePage) {
  const std::string text =
      "[figure]\ncolumns = 2\nwidth = \"121.92mm\"\nsize = [480, 400]\n[[panel]]\nscene = \"wave.toml\"\n@\n[[panel]]\n"
      "scene = \"wave.toml\"\n@\n[[overlay]]\nshape = \"arrow\"\nposition = [10, 8]\nto = [50, 20]\nline_width = "
      "\"2px\"\n";
  ASSERT_EQ(film(moving(text), "-o %d.png").exit, 0);
  const Picture frame = read_picture(folder_ / "7.png"), still = read_picture(folder_ / page(text, {7}, "page.png"));
  const int dx = (480 - still.size.width) / 2, dy = (400 - still.size.height) / 2;
  ASSERT_GT(dy, 20);
  int other = 0;
  for (int y = 0; y < still.size.height; ++y)
    for (int x = 0; x < still.size.width; ++x) other += frame.at(x + dx, y + dy) != still.at(x, y);
  EXPECT_EQ(other, 0);
  const std::string corner =
      "[[overlay]]\ntext = \"x\"\nat = \"lower left\"\nmargin = \"0px\"\nbackground = \"#00ff00\"\n";
  ASSERT_EQ(film(moving(text) + corner, "--overwrite -o %d.png").exit, 0);
  EXPECT_EQ(read_picture(folder_ / "7.png").at(0, 399), (Color{0, 255, 0, 255}));
}

// The range of the colours comes from all frames, whatever the panel's own frame would say; not from those in which
// values grew without end.
TEST_F(FilmCommand, ARangeOfAllFramesIsThatOfTheVideoOfTheScene) {
  write("blow.toml",
        "[solver]\nkind = \"pde\"\ngrid = [24, 16]\ntimestep = 0.01\nunchecked = true\n[solver.fields.u]\n"
        "initial = \"= sin(pi * x / 8)\"\nrate = \"= (t > 1) * 9 * u\"\n[view]\nrange = \"global\"\n[animation]\n"
        "frames = 60\nsteps_per_frame = 20\n");
  const auto hashes = [&](const char* name) {
    std::string all = text_of(folder_ / name), lines;
    for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1)
      if (all[at] >= '0' && all[at] <= '9') lines += all.substr(at, all.find('\n', at) + 1 - at);
    return lines;
  };
  for (const auto& [scene, range, exit] :
       {std::tuple("wave", "symmetric", 0), {"blow", "global", 3}, {"blow", "symmetric", 3}}) {
    const std::string panel = fmt::format(
        "[figure]\nwidth = \"60.96mm\"\ndpi = 100\n[[panel]]\nscene = \"{}.toml\"\nset = [\"view.range={}\"]\n", scene,
        range);
    EXPECT_EQ(film(panel, "--overwrite -o film.hashes").exit, exit);
    EXPECT_EQ(run(fmt::format("render {}.toml --backend cpu --set view.size=[240,160] --set view.range={} --overwrite "
                              "-o scene.hashes",
                              scene, range))
                  .exit,
              exit);
    EXPECT_EQ(hashes("film.hashes"), hashes("scene.hashes")) << scene << range;
    EXPECT_FALSE(hashes("film.hashes").empty());
  }
}

// In step by time, a scene of twice the time a frame shows every second of its frames, or holds one.
TEST_F(FilmCommand, ScenesKeepTimeOrFrames) {
  const std::string text = even(
      "[figure]\ncolumns = 2\nwidth = \"121.92mm\"\ndpi = 100\n[animation]\nstep = \"time\"\n[[panel]]\n"
      "scene = \"wave.toml\"\n@\n[[panel]]\nscene = \"wave.toml\"\nset = [\"animation.steps_per_frame=2\", "
      "\"animation.frames=12\"]\n@\n");
  ASSERT_EQ(film(moving(text), "-o %d.png").exit, 0);
  for (const int frame : {2, 7}) {
    const Outcome same = run("compare " + page(text, {frame, std::min(2 * frame, 11)}, "page.png") + " " +
                             std::to_string(frame) + ".png");
    EXPECT_EQ(same.exit, 0) << frame << ": " << same.out << same.err;
  }
}

TEST_F(FilmCommand, LinesGrowWithTheTime) {
  const std::string text = even(
      "[figure]\nwidth = \"60.96mm\"\ndpi = 100\n[[panel]]\nscene = \"wave.toml\"\n@\n[[panel]]\n[panel.plot]\n"
      "grow = true\n[[panel.plot.line]]\nfile = \"run.csv\"\nx = \"t\"\ny = \"energy\"\n");
  ASSERT_EQ(film(moving(text), "-o %d.png").exit, 0);
  // Points lie at the times of frames 0, 2 and 4.
  EXPECT_EQ(run("compare " + page(text, {4}, "a.png") + " 4.png").exit, 0) << "all of the line";
  EXPECT_NE(run("compare " + page(text, {3}, "b.png") + " 3.png").exit, 0) << "its last point is not there yet";
}

// Rows are those up to the time of the panel that the line names, whatever x is.
TEST_F(FilmCommand, LinesFollowTheTimeOfTheirScene) {
  write("tab.csv", "time,energy\n0,1\n4,3\n8,2\n");
  const std::string all = even(
      "[figure]\ncolumns = 3\nwidth = \"121.92mm\"\ndpi = 100\n[[panel]]\nscene = \"wave.toml\"\n@\n[[panel]]\n"
      "scene = \"wave.toml\"\nset = [\"animation.steps_per_frame=8\"]\n@\n[[panel]]\n[panel.plot]\ngrow = true\n"
      "[[panel.plot.line]]\nfile = \"tab.csv\"\nx = \"energy\"\ny = \"time\"\n");
  // Frame k shows the times 2 k and 4 k.
  for (const auto& [panel, last] : {std::pair("a", 4), std::pair("b", 2)}) {
    const std::string of = all + "panel = \"" + panel + "\"\n";
    ASSERT_EQ(film(moving(of), "--overwrite -o %d.png").exit, 0);
    for (const int frame : {last, last - 1})
      EXPECT_EQ(run("compare " + page(of, {frame, frame}, "a.png") + " " + std::to_string(frame) + ".png").exit == 0,
                frame == last)
          << panel << frame;
  }
  EXPECT_NE(film(moving(all), "-o x.mp4")
                .err.find("fig.toml:15:1: the line grows with the time of a scene, and "
                          "panel a ends at 14, panel b at 28; write the one whose scene "
                          "the file is of: panel = \"b\""),
            std::string::npos)
      << text_of(folder_ / "err.txt");
  EXPECT_NE(film(moving(all + "panel = \"c\"\n"), "-o x.mp4").err.find("the panels with a scene are: a, b"),
            std::string::npos);
  write("tab.csv", "t,energy\n0,1\n4,3\n8,2\n");
  std::string falls = moving(all + "panel = \"a\"\n");
  falls.replace(falls.find("y = \"time\""), 10, "y = \"t\"");
  EXPECT_NE(film(falls, "-o x.mp4").err.find("tab.csv:4: lines with grow = true follow"), std::string::npos)
      << text_of(folder_ / "err.txt");
}

// A source of a film, and what it needs.
struct OpenFilm {
  FigureFile file;
  PanelFigure figure;
  Film film;
  std::unique_ptr<Source> source;

  OpenFilm(const std::filesystem::path& path, const Executor& executor)
      : file(load_figure_file(path)),
        figure(file),
        film(plan_film(figure, file, executor)),
        source(film.plan.open(executor)) {}

  std::vector<Color> picture(std::int64_t frame) {
    while (source->work_to(frame) > 0) source->advance_towards(frame);
    const Color* const first = source->picture();
    const Size size = film.scene.view.size;
    return {first, first + static_cast<std::ptrdiff_t>(size.width) * size.height};
  }
};

// Saved between two frames and on the way to one, with bodies that move, that leave trails, and whose scene is over.
TEST_F(FilmCommand, GoesOnWhereItWasSaved) {
  std::string text = moving(panels);
  text.replace(text.find("[\"animation.frames=8\"]"), 23, "[\"view.trails=0.05\"]");
  text.replace(text.find("[\"figure.time"), 1, "[\"view.range=symmetric\", ");
  write("fig.toml", text);
  const Executor executor = Executor::cpu(2);
  OpenFilm whole(folder_ / "fig.toml", executor);
  for (std::int64_t frame = 0; frame < 8; ++frame) {
    const std::vector<Color> expected = whole.picture(frame);
    for (const bool on_the_way : {false, true}) {
      OpenFilm before(folder_ / "fig.toml", executor);
      before.picture(std::max<std::int64_t>(0, frame - 2));
      if (on_the_way && before.source->work_to(frame) > 0) before.source->advance_towards(frame);
      Checkpoint saved;
      before.source->save(saved);
      OpenFilm after(folder_ / "fig.toml", executor);
      after.source->load(saved);
      EXPECT_TRUE(after.picture(frame) == expected) << frame << (on_the_way ? ", on the way" : "");
    }
  }
}

}  // namespace
}  // namespace simreel
