// Runs of bodies by a tree from the command line: files, trails and checkpoints do not depend on the number of threads.

#include "tests/support/restart_fixture.h"

namespace simreel {
namespace {

using test::Outcome;

class TreeRunTest : public test::RestartTest {
 protected:
  void SetUp() override {
    // Two disks, every third body of which has no mass.
    std::string bodies = "x,y,z,vx,vy,vz,mass,group\n";
    for (int i = 0; i < 900; ++i) {
      const double angle = 2.4 * i, r = 0.2 + i % 30 * 0.05, side = i % 2 == 0 ? -2 : 2;
      bodies +=
          fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{}\n", side + r * std::cos(angle), r * std::sin(angle),
                      0.01 * (i % 7), -0.4 * std::sin(angle), 0.4 * std::cos(angle), 0, i % 3 == 0 ? 0 : 0.001, i % 2);
    }
    write("bodies.csv", bodies);
    const std::string rest =
        "method = \"tree\"\nsoftening = 0.05\ntimestep = 0.02\n[view]\nsize = [64, 48]\ntrails = 1\nweight = "
        "\"one\"\n[animation]\nframes = 24\nfps = 12\nsteps_per_frame = 2\n[camera]\norbit = 0\n";
    write("file.toml", "[solver]\nkind = \"nbody\"\ninitial = \"file\"\nfile = \"bodies.csv\"\n" + rest);
    write("galaxies.toml",
          "[solver]\nkind = \"nbody\"\ninitial = \"galaxies\"\nbodies = 1500\nvelocity_factor = 0.999\naccuracy = "
          "\"coarse\"\nintegrator = \"rk4\"\n" +
              rest);
  }

  static std::string command(const std::string& scene, const std::string& folder, int threads) {
    std::string text = fmt::format("render {} --backend cpu --threads {}", scene, threads);
    for (const char* output : {"a.hashes", "b.csv", "c/%03d.npz", "d/%03d.npy", "e.y4m", "last.png"})
      text += fmt::format(" -o {}/{}", folder, output);
    return text;
  }
};

TEST_F(TreeRunTest, FilesAreTheSameWithAnyThreadsAndCheckpoint) {
  for (const std::string scene : {"file.toml", "galaxies.toml"}) {
    ASSERT_EQ(run(command(scene, "whole", 1)).exit, 0);
    const auto expected = files("whole");
    ASSERT_EQ(expected.size(), 52u);
    for (const int threads : {2, 3}) {
      const Outcome other = run(command(scene, "other", threads));
      EXPECT_EQ(other.exit, 0) << other.err;
      expect_same_files("other", expected);
      std::filesystem::remove_all(folder_ / "other");
    }
    // Ten frames with three threads, the rest with two.
    const Outcome part = run(command(scene, "part", 3) + " --frames 10 --keep-checkpoint");
    ASSERT_EQ(part.exit, 0) << part.err;
    const Outcome rest = run(command(scene, "part", 2) + " --resume");
    EXPECT_EQ(rest.exit, 0) << rest.err;
    EXPECT_TRUE(test::says(rest.err, "resuming after 10 of 24"));
    expect_same_files("part", expected);
    std::filesystem::remove_all(folder_ / "part");
    std::filesystem::remove_all(folder_ / "whole");
  }
}

}  // namespace
}  // namespace simreel
