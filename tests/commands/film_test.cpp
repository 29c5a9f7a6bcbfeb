// Panels as a video: where overlays lie, and going on from a saved state. tests/messages/film.txt has the rest.

#include "panels/film.h"
#include "compare/picture.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;

class FilmCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [48, 32]\ntimestep = 0.5\n[[solver.droplet]]\nposition = [30, 15]\n"
          "radius = 4\n[view]\nrange = [-0.05, 0.05]\n[animation]\nframes = 8\nsteps_per_frame = 4\n");
    write("pair.toml",
          "[solver]\nkind = \"nbody\"\ninitial = \"plummer\"\nbodies = 300\n[view]\nsize = [120, 90]\n"
          "trails = 0.1\n[animation]\nframes = 5\n");
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
};

constexpr const char* panels =
    "[figure]\ncolumns = 2\nwidth = \"121.92mm\"\ndpi = 100\ntitle = \"In step\"\n[[panel]]\nscene = \"wave.toml\"\n"
    "set = [\"figure.time=t = {time}\"]\n@\n[[panel]]\nscene = \"pair.toml\"\nset = [\"animation.frames=8\"]\n@\n"
    "[[panel]]\nscene = \"wave.toml\"\nframe = 3\n";

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
