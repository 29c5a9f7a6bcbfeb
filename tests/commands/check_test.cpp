// The memory of `check`; what it says: tests/messages.

#include <gtest/gtest.h>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

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

// Numbers of any machine, which agree with each other.
TEST_F(Check, TriesARun) {
  for (const std::string scene :
       {"wave.toml -o a.mkv", "bodies.toml -o a_%d.png", "bodies.toml --threads 1 --set solver.bodies=1000000 -o a.csv",
        "wave.toml --set solver.grid=[4000,4000] --set view.range=global --set animation.start=50 -o a.gif"}) {
    const Outcome outcome = run("check --json --backend cpu " + scene);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out);
    const auto& trial = result["trial"];
    ASSERT_TRUE(trial.is_object()) << scene << outcome.out;
    EXPECT_GT(trial["frames"], 0) << scene;
    const double part = trial["part"];
    EXPECT_GT(part, 0);
    EXPECT_LE(part, 1);
    EXPECT_TRUE(part == 1 || scene.size() > 30) << scene;
    const double seconds = result["estimated_seconds"], simulation = trial["simulation_seconds"];
    EXPECT_GT(simulation, 0);
    EXPECT_GE(seconds, simulation) << scene;
    EXPECT_GE(seconds * (1 + 1e-9), trial["file_seconds"].get<double>()) << scene;
    EXPECT_GT(result["output_bytes"][0], 0) << scene;
    EXPECT_GT(result["peak_memory_bytes"], 0);
    EXPECT_FALSE(exists("a.mkv") || exists("a_0.png") || exists("a.csv") || exists("a.gif"));
  }
  const Outcome words = run("check wave.toml -o a.mkv");
  EXPECT_NE(words.out.find("time       about "), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("; from a trial of "), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("output     a.mkv, about "), std::string::npos) << words.out;
}

}  // namespace
}  // namespace simreel
