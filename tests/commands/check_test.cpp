// What `check` says before a run: keys without effect, pictures without anything to see, and the time a run takes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;

class Check : public test::CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n[view]\nsize = [64, 36]\n"
          "[animation]\nframes = 5\n");
    write("bodies.toml",
          "[solver]\nkind = \"nbody\"\nbodies = 9\n[view]\nsize = [64, 36]\nsplat = \"gaussian\"\n"
          "[animation]\nframes = 5\n[camera]\nposition = [0, 0, 5]\n");
  }
};

TEST_F(Check, SaysWhatTheCameraFollowsAndWhatAFigureShows) {
  write("free.toml", "[solver]\nkind = \"nbody\"\nbodies = 9\n[view]\nsize = [64, 36]\n[animation]\nframes = 5\n");
  const std::string said = run("check free.toml --set camera.fit=all --set camera.follow=body:1").out;
  for (const char* words :
       {"camera fitted to all bodies of all frames, which a pass before the video finds", "following body 1"})
    EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
  EXPECT_NE(run("check free.toml --set camera.follow=mass").out.find("measured from all bodies"), std::string::npos);
  const std::string apart =
      run("check free.toml --set solver.initial=sphere --set solver.virial=3 --set animation.fps=1").out;
  for (const char* words : {"exposure follows", "camera fitted to all bodies of all frames"})
    EXPECT_NE(apart.find(words), std::string::npos) << words << "\n" << apart;
  write("fig.toml",
        "[figure]\nsize = [320, 180]\n[[panel]]\nscene = \"wave.toml\"\n[animation]\nfps = 5\nhold_last = 1\n");
  const Outcome figure = run("check fig.toml");
  EXPECT_EQ(figure.exit, 0) << figure.err;
  for (const char* words : {"fig.toml: a figure, no mistakes found", "a: scene wave.toml",
                            "320 x 180, 10 pictures at 5 a second: 2.00 s; simreel figure fig.toml -o x.mp4"})
    EXPECT_NE(figure.out.find(words), std::string::npos) << words << "\n" << figure.out;
  EXPECT_NE(run("check fig.toml --json").out.find("\"pictures\": 10"), std::string::npos);
  const Outcome square = run("check fig.toml --preset square --size 240x160 --frames 3");
  EXPECT_NE(square.out.find("240 x 160, 33 pictures at 30 a second"), std::string::npos) << square.out << square.err;
  EXPECT_EQ(square.out.find("\npage "), std::string::npos) << "pages take no --size";
  EXPECT_NE(square.err.find("--preset square: figure.size=[240, 160], animation.fps=30"), std::string::npos)
      << square.err;
  EXPECT_EQ(run("check fig.toml --set figure.width=9").exit, 2);
  write("still.toml", "[[panel]]\nscene = \"wave.toml\"\nframe = 2\n");
  EXPECT_NE(run("check still.toml --size 240x160").err.find("still.toml: no panel moves"), std::string::npos);
}

// A canvas and the light of the bodies would take 1.6 GB.
TEST_F(Check, TouchesNoMemoryOfAPictureThatItDoesNotDraw) {
  for (const char* scene : {"bodies.toml", "wave.toml"})
    for (const char* figure : {"", "figure.title=x"}) {
      std::vector<std::string> arguments = {"check", scene,   "--backend", "cpu",
                                            "-o",    "null:", "--set",     "view.size=[16384, 5000]"};
      if (*figure != 0) arguments.insert(arguments.end(), {"--set", figure});
      test::Child child(folder_ / ".", arguments);
      EXPECT_EQ(child.end(), 0) << scene << test::text_of(folder_ / "err.txt");
      EXPECT_GT(child.peak_kib(), 0);
      EXPECT_LT(child.peak_kib(), 1 << 20) << scene << " " << figure;
    }
}

TEST_F(Check, ShorterVideosMayLeaveCameraKeysOut) {
  write("keys.toml", test::text_of(folder_ / "bodies.toml") + "[[camera.key]]\ntime = 4\nfov = 30\n");
  EXPECT_EQ(run("check keys.toml").exit, 2);
  EXPECT_EQ(run("check keys.toml --set animation.frames=300").exit, 0);
  EXPECT_EQ(run("check keys.toml --set animation.frames=3").exit, 0);
}

TEST_F(Check, TakesTheSizeAndTheFramesOfRender) {
  const Outcome story = run("check wave.toml --preset story --frames 7");
  EXPECT_NE(story.out.find("\npicture    1080 x 1920, "), std::string::npos) << story.out << story.err;
  EXPECT_NE(story.out.find("\nvideo      7 frames at 30 a second"), std::string::npos) << story.out;
  const Outcome set = run("check wave.toml --preset web --size 128x96 --set view.size=[96,64]");
  EXPECT_NE(set.out.find("\npicture    96 x 64, "), std::string::npos) << set.out;
  EXPECT_EQ(run("check wave.toml --size 64").exit, 2);
}

std::vector<std::string> warnings_of(const Outcome& outcome) {
  return nlohmann::json::parse(outcome.out)["warnings"].get<std::vector<std::string>>();
}

TEST_F(Check, WarnsOfPicturesWithoutAnythingToSee) {
  const std::string away = "--set camera.target=[0,0,9]";
  const std::string words = "no body is in the picture of the first frame: they lie within ";
  const Outcome outcome = run("check bodies.toml " + away);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("warning: bodies.toml:9:1: " + words), 0u) << outcome.err;
  const std::vector<std::string> warnings = warnings_of(run("check --json bodies.toml " + away));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find(words), std::string::npos);
  EXPECT_TRUE(warnings_of(run("check --json bodies.toml")).empty());
  EXPECT_TRUE(warnings_of(run("check --json -o null: bodies.toml " + away)).empty()) << "nothing is drawn";
  EXPECT_TRUE(warnings_of(run("check --json --set animation.start=1 bodies.toml " + away)).empty()) << "not known";
  EXPECT_EQ(warnings_of(run("check --json wave.toml --set solver.droplet.0.position=[99,0]")).size(), 1u);

  const std::vector<std::string> both =
      warnings_of(run("render --json wave.toml -o b.hashes --set solver.droplet.0.position=[99,0]"));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[0].find("outside the grid"), std::string::npos) << both[0];
  EXPECT_NE(both[1].find("all 5 frames are the same picture"), std::string::npos) << both[1];

  // `render` says the same at its first frame, and at the end what became of the others.
  const Outcome rendered = run("render --json bodies.toml -o a.hashes " + away);
  EXPECT_EQ(rendered.exit, 0) << rendered.err;
  const std::vector<std::string> told = warnings_of(rendered);
  ASSERT_EQ(told.size(), 3u) << rendered.out;
  EXPECT_EQ(told[0], warnings[0]);
  EXPECT_NE(told[1].find("no body is in the picture of the last frame"), std::string::npos) << told[1];
  EXPECT_NE(told[2].find("bodies.toml: all 5 frames are the same picture"), std::string::npos) << told[2];
  for (const std::string& warning : told) EXPECT_NE(rendered.err.find(warning), std::string::npos) << rendered.err;
}

TEST_F(Check, SaysHowLongARunTakes) {
  // 10^12 interactions a step, 600 frames of 100 steps: 5.99e16.
  const std::string run_of_years =
      "bodies.toml -o null: --backend cpu --threads 1 --set solver.bodies=1000000 --set animation.frames=600 "
      "--set animation.steps_per_frame=100";
  const Outcome outcome = run("check " + run_of_years);
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(
      outcome.out.find("work       5.99e+16 interactions: about 693 days at 1e+09 interactions/s, usual for a CPU "
                       "core; --measure measures it here\n"),
      std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.err.find("warning: --set solver.bodies=1000000: this run takes about 693 days at 1e+09 "
                             "interactions/s, usual for a CPU core; fewer bodies, frames or steps_per_frame"),
            std::string::npos)
      << outcome.err;
  const auto result = nlohmann::json::parse(run("check --json " + run_of_years).out);
  EXPECT_EQ(result["usual_updates_per_second"], 1e9);
  EXPECT_NEAR(result["estimated_seconds"].get<double>(), 5.99e7, 1);
  EXPECT_EQ(result["cell_updates"], 5.99e16);
  EXPECT_TRUE(result["measured"].is_null());
  EXPECT_EQ(result["warnings"].size(), 1u);
}

// Figures of any machine, which agree with each other.
TEST_F(Check, MeasuresHowLongARunTakes) {
  for (const std::string scene :
       {"wave.toml", "bodies.toml", "bodies.toml --threads 1 --set solver.bodies=1000000 -o a.csv",
        "wave.toml --set solver.grid=[4000,4000] --set view.range=global --set animation.start=50"}) {
    const Outcome outcome = run("check --measure --json --backend cpu " + scene);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out);
    const auto& measured = result["measured"];
    const double steps = measured["steps_per_second"], frames = measured["frames_per_second"];
    EXPECT_GT(steps, 0) << scene;
    EXPECT_EQ(frames > 0, scene.find("a.csv") == std::string::npos) << scene;
    const double part = measured["part"], drawn = measured["drawn_part"];
    EXPECT_GT(drawn, 0);
    EXPECT_TRUE(drawn == 1 || (drawn < 1 && part < 1)) << "a part is drawn only where a part was measured";
    EXPECT_GT(part, 0);
    EXPECT_LE(part, 1);
    EXPECT_TRUE(part == 1 || scene.size() > 12) << scene;
    const double seconds = result["steps"].get<double>() * result["passes"].get<double>() / steps +
                           (frames > 0 ? result["frames"].get<double>() / frames : 0);
    EXPECT_NEAR(measured["seconds"].get<double>(), seconds, 1e-9 * seconds) << scene;
  }
  const Outcome words = run("check --measure wave.toml");
  EXPECT_NE(words.out.find("measured   "), std::string::npos) << words.out;
  EXPECT_NE(words.out.find(" steps/s ("), std::string::npos) << words.out;
  EXPECT_NE(words.out.find(" frames/s drawn\n           the run takes about "), std::string::npos) << words.out;
  EXPECT_EQ(words.out.find("--measure"), std::string::npos) << words.out;
}

}  // namespace
}  // namespace simreel
