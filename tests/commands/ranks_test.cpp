// Runs on several ranks: the bytes of every output, resuming on other numbers of ranks, and how they fail.

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "exec/executor.h"
#include "tests/support/restart_fixture.h"

namespace simreel {
namespace {

using test::Outcome, test::text_of;
namespace fs = std::filesystem;

class RanksTest : public test::RestartTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "seed = 3\n[solver]\nkind = \"wave\"\ngrid = [150, 161]\n[solver.rain]\nrate = "
          "2\n[[solver.obstacle]]\ncenter = "
          "[70, 64]\nradius = 12\n[[solver.source]]\nposition = [20, 100]\nfrequency = 0.1\n[view]\nsize = [128, "
          "96]\nrange = \"symmetric\"\n[figure]\ntime = \"auto\"\n[output]\ndepth = 16\n[animation]\nframes = "
          "40\nsteps_per_frame = 7\n");
    write(
        "flow.toml",
        "[solver]\nkind = \"lbm\"\ngrid = [90, 161]\nvelocity = 0.05\nviscosity = 0.02\n[solver.boundary]\nleft = "
        "\"inlet\"\nright = \"outlet\"\n[[solver.obstacle]]\ncenter = [25, 80.4]\nradius = 9.2\n[solver.tracer]\n"
        "stripes = 9\n[view]\nfield = \"tracer\"\nsize = [128, 96]\nrange = \"first\"\n[output]\nfields = [\"tracer\", "
        "\"vorticity\"]\n[animation]\nframes = 40\nsteps_per_frame = 5\n");
    write("bodies.toml",
          "[solver]\nkind = \"nbody\"\nbodies = 700\n[view]\nsize = [128, 96]\ntrails = 0.1\n[animation]\nframes = "
          "40\nsteps_per_frame = 3\n");
    write("tree.toml",
          "[solver]\nkind = \"nbody\"\nbodies = 2000\nmethod = \"tree\"\n[view]\nsize = [128, 96]\n[animation]\nframes "
          "= 40\nsteps_per_frame = 1\n");
  }

  // The command of a run into a folder. The video can be resumed at every third frame.
  static std::string command(const std::string& scene, const std::string& folder, const std::string& options) {
    std::string text = fmt::format("render {} --backend cpu --threads 2 --set output.segment=0.05 {}", scene, options);
    for (const char* output : {"a.csv", "b.hashes", "s/%03d.npz", "last.png", "c.mp4"})
      text += fmt::format(" -o {}/{}", folder, output);
    return text;
  }

  static constexpr const char* scenes[] = {"wave.toml", "flow.toml", "bodies.toml", "tree.toml"};
};

// A run may be resumed on any number of ranks, also where its newest checkpoint is torn.
TEST_F(RanksTest, AreResumedOnOthers) {
  const std::string every = " --checkpoint-every 3frames";
  for (const char* scene : scenes) {
    const std::string whole = fmt::format("{}.whole", scene), cut = fmt::format("{}.cut", scene),
                      kept = fmt::format("{}.kept", scene);
    ASSERT_EQ(start(command(scene, whole, "")).end(), 0) << text_of(folder_ / "err.txt");
    const int exit =
        interrupt_at_state(command(scene, cut, "--ranks 3" + every), SIGTERM, cut + "/a.csv.checkpoint", 4);
    ASSERT_EQ(exit, 128 + SIGTERM) << text_of(folder_ / "err.txt");
    fs::rename(folder_ / cut, folder_ / kept);
    for (const bool torn : {false, true})
      for (const int ranks : {1, 2, 5}) {
        SCOPED_TRACE(fmt::format("{} on {} ranks{}", scene, ranks, torn ? ", torn" : ""));
        fs::copy(folder_ / kept, folder_ / cut, fs::copy_options::recursive);
        const fs::path state = newest_state(cut + "/a.csv.checkpoint");
        if (torn) fs::resize_file(state, fs::file_size(state) - 100);
        ASSERT_EQ(start(command(scene, cut, fmt::format("--ranks {}{} --resume", ranks, every))).end(), 0)
            << text_of(folder_ / "err.txt");
        expect_same_files(cut, files(whole));
        fs::remove_all(folder_ / cut);
      }
  }
}

TEST_F(RanksTest, EndWithTheirOutputsWhenOneFails) {
  // Diverges after some frames: the time step is allowed, the speed of the flow is not.
  write(
      "wild.toml",
      "[solver]\nkind = \"lbm\"\ngrid = [60, 161]\nvelocity = 0.4\nviscosity = 0.0001\ncollision = \"bgk\"\ninitial = "
      "\"shear_layer\"\n[view]\nsize = [64, 64]\nrange = [0, 1]\n[animation]\nframes = 500\nsteps_per_frame = 20\n");
  std::string one;
  for (const int ranks : {1, 3}) {
    const std::string folder = fmt::format("wild{}", ranks);
    const int exit =
        start(fmt::format("render wild.toml --backend cpu --ranks {0} -o {1}/b.hashes -o {1}/c.mp4", ranks, folder))
            .end();
    EXPECT_EQ(exit, 3) << text_of(folder_ / "err.txt");
    const std::string hashes = text_of(folder_ / (folder + "/b.hashes"));
    EXPECT_TRUE(exists(folder + "/c.mp4"));
    if (ranks == 1) one = hashes;
    EXPECT_EQ(hashes, one);
  }
}

TEST_F(RanksTest, AreNamedInTheResult) {
  const Outcome outcome = run("render wave.toml --backend cpu --threads 1 --ranks 3 --frames 1 -o null: --json");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("executor"), "CPU, 1 thread, 3 ranks");
}

// The error of the forces, which all ranks have summed up together.
TEST_F(RanksTest, HaveTheForcesOfOne) {
  const auto error = [&](const std::string& options) {
    const Outcome outcome =
        run("bench bodies.toml --backend cpu --kernels naive,symmetric --steps 1 --runs 1 --json " + options);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const auto rows = nlohmann::json::parse(outcome.out).at("kernels");
    return std::array{rows.at(0).at("error").get<double>(), rows.at(1).at("error").get<double>()};
  };
  const auto one = error("");
  EXPECT_GT(one[0], 0);
  EXPECT_EQ(error("--ranks 3"), one);
}

// What each rank takes of the memory; the first one draws.
TEST_F(RanksTest, SayWhatMemoryTheyTake) {
  const auto checked = [&](const std::string& options) {
    const Outcome outcome = run("check wave.toml --backend cpu --json -o a.mp4 " + options);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  EXPECT_TRUE(checked("").at("rank_memory_bytes").empty());
  const nlohmann::json three = checked("--ranks 3");
  const std::vector<double> ranks = three.at("rank_memory_bytes");
  ASSERT_EQ(ranks.size(), 3u);
  EXPECT_EQ(ranks[0] + ranks[1] + ranks[2], three.at("memory_bytes").get<double>());
  EXPECT_GT(ranks[0], ranks[1] + 128 * 96 * 4) << "of the picture";
  const std::string words = run("check wave.toml --backend cpu -o a.mp4 --ranks 3").out;
  EXPECT_TRUE(test::says(words, "of it "));
  ASSERT_GT(ranks[1], ranks[2]);
  const std::string others = fmt::format(" for rank 0, which writes, {} to {} for each other one",
                                         format_bytes(ranks[2]), format_bytes(ranks[1]));
  EXPECT_TRUE(test::says(words, others));
}

// The first rank has a whole field only where it is needed: for outputs of the state, and for what figures draw of it.
TEST_F(RanksTest, TakeNoWholeFieldForASmallerPicture) {
  const auto first = [&](const std::string& options) {
    const Outcome outcome = run("check plain.toml --backend cpu --ranks 3 --json " + options);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out).at("rank_memory_bytes").at(0).get<double>();
  };
  write("plain.toml", "[solver]\nkind = \"wave\"\ngrid = [3000, 2000]\n[view]\nsize = [320, 180]\n");
  const double field = 3000.0 * 2000 * sizeof(float), picture = first("-o a.mp4");
  EXPECT_GT(first("-o a.mp4 --set figure.contours=4"), picture + field / 2);
  EXPECT_GT(first("-o a.mp4 -o a.npy"), picture + field);
}

// Where a grid does not fit, on how many machines it would.
TEST_F(RanksTest, SayHowManyAreNeeded) {
  write("plain.toml", "[solver]\nkind = \"wave\"\ngrid = [512, 512]\n[view]\nsize = [640, 360]\n");
  const std::size_t rows = host_memory_available() / 12 / 100000;  // of cells that take 16 bytes
  const Outcome outcome =
      run(fmt::format("check plain.toml --backend cpu --threads 1 -o null: --set solver.grid=[100000,{}]", rows));
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_TRUE(test::says(outcome.err, "or divide the run among "));
}

}  // namespace
}  // namespace simreel
