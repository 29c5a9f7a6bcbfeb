// Every scene of the repository writes the same bytes on any number of ranks.

#include "source/solver.h"
#include "tests/support/restart_fixture.h"

namespace simreel {
namespace {

using test::text_of;
namespace fs = std::filesystem;

class RankedScenesTest : public test::RestartTest {
 protected:
  void SetUp() override {}

  // The first frames, into a folder of their own.
  void render(const fs::path& scene, const std::string& folder, int ranks, const std::string& options) {
    std::string command =
        fmt::format("render {} --backend cpu --threads 2 --ranks {} --checkpoint-every off --frames 2 {}",
                    scene.string(), ranks, options);
    for (const std::string& few : test::few_bodies(scene)) command += " --set " + few;
    for (const char* output : {"a.csv", "b.hashes", "c.mp4"}) command += fmt::format(" -o {}/{}", folder, output);
    ASSERT_EQ(start(command).end(), 0) << scene << " on " << ranks << " ranks: " << text_of(folder_ / "err.txt");
  }

  // On one rank and on five, or as many as a scene is large enough for. Returns how many were for five.
  int expect_same_bytes(const char* folder, const std::string& options) {
    int divided = 0;
    for (const fs::path& scene : test::scenes_in(folder)) {
      SCOPED_TRACE(scene.string());
      const SolverPlan plan = plan_solver(load_complete_scene(scene, test::few_bodies(scene)));
      const int ranks = std::min(5, plan.max_ranks);
      if (ranks == 1) continue;
      const std::string name = scene.stem().string();
      render(scene, name, 1, options);
      render(scene, name + "_ranks", ranks, options);
      EXPECT_EQ(files(name).size(), 3u);
      expect_same_files(name + "_ranks", files(name));
      divided += ranks == 5 ? 1 : 0;
    }
    return divided;
  }
};

TEST_F(RankedScenesTest, OfUsersWriteTheSameBytes) {
  EXPECT_GE(expect_same_bytes("scenes", "--set view.size=[160,90] --set animation.steps_per_frame=13"), 20);
}

TEST_F(RankedScenesTest, OfGoldenFramesWriteTheSameBytes) { EXPECT_GE(expect_same_bytes("tests/golden", ""), 3); }

}  // namespace
}  // namespace simreel
