// Runs that are killed or interrupted, and resumed: every output must be that of an uninterrupted run.

#include "tests/support/restart_fixture.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

using test::Outcome, test::text_of;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class RestartTest : public test::RestartTest {
 protected:
  void write_bodies(int frames, const std::string& more = {}) {
    write("bodies.toml", fmt::format("[solver]\nkind = \"nbody\"\nbodies = 200\n[view]\nsize = [64, 48]\ntrails = "
                                     "0.2\n[animation]\nframes = {}\nsteps_per_frame = 1\n{}",
                                     frames, more));
  }

  // Kills the run again and again at random instants, each time a resumed one, until it is through.
  void kill_until_done(const std::string& what, const std::vector<std::string>& outputs, int wanted_kills) {
    const auto command = [&](const std::string& folder) {
      std::string text = what + " --backend cpu --threads 1 --checkpoint-every 9frames";
      for (const std::string& output : outputs) text += fmt::format(" -o {}/{}", folder, output);
      return text;
    };
    const auto before = Clock::now();
    ASSERT_EQ(start(command("whole")).end(), 0) << text_of(folder_ / "err.txt");
    const double whole = std::chrono::duration<double>(Clock::now() - before).count();
    const auto expected = files("whole");
    ASSERT_FALSE(expected.empty());

    const char* const seed = std::getenv("SIMREEL_SEED");  // other moments, for searches by hand
    std::mt19937 random(unsigned(wanted_kills) + unsigned(what.size()) + (seed ? unsigned(std::stoul(seed)) : 0));
    std::uniform_real_distribution<double> instant(0, whole);
    const int wanted_resumed = wanted_kills / 3;
    int kills = 0, resumed = 0;
    for (int round = 0; (kills < wanted_kills || resumed < wanted_resumed) && round < 100; ++round) {
      std::string arguments = command("killed");
      for (int attempt = 0;; ++attempt) {
        // A run that is always killed before it has started up would make no progress.
        const int signal = attempt % 4 == 3 ? SIGINT : SIGKILL;
        const int exit =
            attempt < 6 ? interrupt(arguments, signal, instant(random) * (attempt + 1) / 3) : start(arguments).end();
        const std::string messages = text_of(folder_ / "err.txt");
        if (exit == 0) break;
        ++kills;
        ASSERT_TRUE(exit == 1000 + SIGKILL || exit == 128 + SIGINT || exit == 1000 + SIGINT) << exit << messages;
        arguments = command("killed");
        const bool left = exists(fmt::format("killed/{}.checkpoint", outputs[0]));
        if (!left && exists("killed/" + outputs[1])) break;  // killed when all was done
        if (left) {
          arguments += " --resume";
          const auto states = fs::directory_iterator(folder_ / fmt::format("killed/{}.checkpoint", outputs[0]));
          const bool any = std::ranges::any_of(states, [](const auto& e) { return e.path().extension() == ".state"; });
          if (!any) arguments = command("killed") + " --overwrite";  // killed while it made the very first one
          resumed += any ? 1 : 0;
        }
      }
      expect_same_files("killed", expected);
      fs::remove_all(folder_ / "killed");
      if (HasFailure()) return;
    }
    EXPECT_GE(kills, wanted_kills);
    EXPECT_GE(resumed, wanted_resumed);
    fs::remove_all(folder_ / "whole");
  }
};

TEST_F(RestartTest, KilledWaveRunsEndAsIfLeftAlone) {
  kill_until_done("render wave.toml",
                  {"a.csv", "b.hashes", "c.y4m", "d/%03d.png", "last.png", "last.npz", "last.pdf", "last.svg",
                   "last.eps", "p/%d.svg"},
                  12);
}

TEST_F(RestartTest, KilledFlowRunsEndAsIfLeftAlone) {
  kill_until_done("render flow.toml", {"d/%03d.png", "a.csv", "b.hashes"}, 12);
}

TEST_F(RestartTest, KilledRunsLeaveStatesAsIfLeftAlone) {
  kill_until_done("render wave.toml --set output.fields=[\"velocity\",\"height\"]",
                  {"s/%03d.h5", "a.csv", "n/%03d.npz"}, 10);
}

TEST_F(RestartTest, KilledBodiesEndAsIfLeftAlone) {
  write("bodies.toml",
        "[solver]\nkind = \"nbody\"\nbodies = 200\nprecision = \"double\"\n[view]\nsize = [64, 48]\ntrails = "
        "0.2\n[animation]\nframes = 120\nsteps_per_frame = 1\n");
  kill_until_done("render bodies.toml", {"d/%03d.png", "a.csv", "s/%03d.h5", "n/%03d.npy", "z/%03d.npz"}, 10);
}

// Some are killed before the first frame that is shown, others while the last picture is held.
TEST_F(RestartTest, KilledPartsOfRunsEndAsIfLeftAlone) {
  const std::string part =
      " --set animation.first=50 --set animation.last=200 --set animation.hold_last=0.5 --set animation.fade_in=0.3"
      " --set animation.fade_out=0.7 --set animation.speed=[[1,1],[2,0.3]]";
  kill_until_done("render wave.toml" + part, {"a.csv", "b.hashes", "d/%03d.png", "n/%03d.npz"}, 6);
  kill_until_done("render wave.toml --set output.codec=h264_fast --set output.segment=0.2" + part,
                  {"a.mp4", "c.hashes"}, 4);
  write_bodies(240, "[[overlay]]\ntext = \"END\"\nfrom = 3.4\nfade = 0.4\n");
  kill_until_done("render bodies.toml" + part, {"d/%03d.png", "a.csv"}, 4);
}

// Some are killed on the way back, or while the last pictures run into the first ones.
TEST_F(RestartTest, KilledLoopsEndAsIfLeftAlone) {
  const std::string pingpong = " --set animation.loop=pingpong",
                    crossfade = " --set animation.loop=crossfade --set animation.loop_fade=1.6";
  kill_until_done("render wave.toml" + pingpong, {"a.csv", "b.hashes", "d/%03d.png", "n/%03d.npz"}, 6);
  kill_until_done("render wave.toml --set output.codec=h264_fast --set output.segment=0.2" + crossfade,
                  {"a.mp4", "c.hashes"}, 4);
  write_bodies(240);
  kill_until_done("render bodies.toml" + crossfade, {"d/%03d.png", "a.csv"}, 4);
  kill_until_done("render bodies.toml --set output.segment=0.25" + pingpong, {"a.gif", "c.apng"}, 4);
}

// What the loop kept is damaged, so the run goes back to a checkpoint before it.
TEST_F(RestartTest, ADamagedPictureOfALoopIsDrawnAgain) {
  const std::string command =
      "render wave.toml --backend cpu --set animation.steps_per_frame=99 --set animation.loop=pingpong -o a.hashes";
  ASSERT_EQ(run(command).exit, 0);
  const std::string whole = text_of(folder_ / "a.hashes");
  ASSERT_EQ(interrupt_at(command + " --overwrite", SIGINT, "a.hashes.part", 2000), 128 + SIGINT);
  std::fstream file(folder_ / "a.hashes.loop.part", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file.put('!');
  file.close();
  const Outcome outcome = run(command + " --resume");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(test::says(outcome.err, "a.hashes.loop: frame 0 is not what the interrupted run wrote"));
  EXPECT_EQ(text_of(folder_ / "a.hashes"), whole);
  EXPECT_FALSE(exists("a.hashes.loop.part"));
}

TEST_F(RestartTest, KilledVideosOfPanelsEndAsIfLeftAlone) {
  write_bodies(60);
  write("fig.toml",
        "[figure]\ncolumns = 2\nsize = [192, 96]\n[animation]\nframes = 60\n[output]\ncodec = \"h264_fast\"\nsegment "
        "= 0.2\n[[panel]]\nscene = \"wave.toml\"\n[[panel]]\nscene = \"bodies.toml\"\n");
  kill_until_done("figure fig.toml", {"a.mp4", "c.hashes", "d/%03d.png"}, 6);
}

TEST_F(RestartTest, KilledVideosOfPartsEndAsIfLeftAlone) {
  write_bodies(80);
  write("parts.toml",
        "[output]\ncodec = \"h264_fast\"\nsegment = 0.2\n[[part]]\nscene = \"bodies.toml\"\nset = "
        "[\"view.size=[96, 54]\"]\n[[part]]\nscene = \"wave.toml\"\nduration = \"2 s\"\n[[part]]\nscene = "
        "\"bodies.toml\"\nset = [\"seed=2\", \"view.size=[96, 54]\"]\nthrough = "
        "\"black\"\n[[part]]\nscene = \"flow.toml\"\nset = [\"view.size=[96, 54]\", \"view.range=follow\", "
        "\"animation.frames=60\"]\n");
  kill_until_done("figure parts.toml", {"a.mp4", "c.hashes", "d/%03d.png"}, 8);
}

TEST_F(RestartTest, AnimatedPicturesAreTruncatedAndResumed) {
  kill_until_done("render wave.toml --set output.segment=0.25", {"a.gif", "b.webp", "c.apng"}, 6);
}

TEST_F(RestartTest, AVideoIsMadeAgainWithTheSameBytes) {
  kill_until_done("render wave.toml", {"a.mp4", "a.hashes"}, 6);
}

TEST_F(RestartTest, SegmentsEncodedAtOnceResumeAsThoseOfOneEncoder) {
  kill_until_done("render wave.toml --encoders 3 --set output.codec=h264_fast --set output.segment=0.2",
                  {"a.mp4", "b.mkv"}, 6);
}

TEST_F(RestartTest, ASignalLeavesFilesThatEndThereAndACheckpoint) {
  const std::string command =
      "render flow.toml --backend cpu -o a.csv -o b.hashes -o p/%03d.png --set animation.frames=100000";
  test::Child child = start(command);
  ASSERT_TRUE(child.reaches([&] { return exists("p/050.png"); }));
  child.send(SIGTERM);
  ASSERT_EQ(child.end(), 128 + SIGTERM);
  EXPECT_TRUE(test::says(text_of(folder_ / "err.txt"), "resume it with the same command and --resume"));
  const std::string rows = text_of(folder_ / "b.hashes");
  const auto frames = std::ranges::count(rows, '\n');
  EXPECT_GE(frames, 50);
  EXPECT_TRUE(exists("a.csv"));
  EXPECT_FALSE(exists("a.csv.part"));
  EXPECT_TRUE(exists("a.csv.checkpoint"));

  // The very frame it was ended at, not one before.
  test::Child again = start(command + " --resume");
  ASSERT_TRUE(again.reaches([&] { return exists(fmt::format("p/{:03}.png", frames + 20)); }));
  again.send(SIGINT);
  EXPECT_EQ(again.end(), 128 + SIGINT);
  EXPECT_TRUE(test::says(text_of(folder_ / "err.txt"), fmt::format("resuming after {} of 100000 frames", frames)));
  EXPECT_TRUE(text_of(folder_ / "b.hashes").starts_with(rows));
}

// It goes on from the newest checkpoint that is on the disk, which is not the newest that was to be written.
TEST_F(RestartTest, CheckpointsThatCannotBeWrittenAreNotPromised) {
  const std::string command =
      "render flow.toml --backend cpu -o a.csv -o p/%03d.png --checkpoint-every 5frames --set animation.frames=100000";
  test::Child child = start(command);
  ASSERT_TRUE(child.reaches([&] { return exists("p/030.png"); }));
  fs::rename(folder_ / "a.csv.checkpoint", folder_ / "kept");
  write("a.csv.checkpoint", "in the way");
  const auto before = std::distance(fs::directory_iterator(folder_ / "p"), {});
  ASSERT_TRUE(child.reaches([&] { return exists(fmt::format("p/{:03}.png", before + 30)); }));
  child.send(SIGTERM);
  ASSERT_EQ(child.end(), 128 + SIGTERM);
  const std::string messages = text_of(folder_ / "err.txt"), promise = "--resume: it resumes after ";
  const std::size_t at = messages.find(promise);
  ASSERT_NE(at, std::string::npos) << messages;
  const std::string warning = "the run continues, but after a crash it resumes from an older checkpoint";
  EXPECT_EQ(messages.find(warning), messages.rfind(warning)) << "said more than once";
  EXPECT_TRUE(test::says(messages, warning));
  const int frames = std::stoi(messages.substr(at + promise.size()));
  EXPECT_LE(frames, before);
  fs::remove(folder_ / "a.csv.checkpoint");
  fs::rename(folder_ / "kept", folder_ / "a.csv.checkpoint");
  test::Child again = start(command + " --resume");
  const std::string resumes = fmt::format("resuming after {} of 100000 frames", frames);
  EXPECT_TRUE(again.reaches([&] { return text_of(folder_ / "err.txt").find(resumes) != std::string::npos; }));
  again.send(SIGTERM);
  EXPECT_EQ(again.end(), 128 + SIGTERM);
}

// Neither the outputs nor a state fit, so the checkpoint of the start is the newest.
TEST_F(RestartTest, ARunWithoutRoomSaysWhereItGoesOn) {
  const std::string command = "render flow.toml --backend cpu -o a.mp4 -o a.csv --set output.segment=0.05";
  std::string words;
  {
    const FileSizeLimit limit(20000);
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 1) << outcome.err;
    words = outcome.err;
  }
  const std::string promise = "is kept: fix what stopped the run, then resume it with the same command and --resume: ";
  EXPECT_TRUE(test::says(words, promise + "it resumes after 0 of "));
  const Outcome resumed = run(command + " --resume");
  EXPECT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_TRUE(
      test::says(resumed.err, "resuming after 0 of 240 frames (there is no later checkpoint; outputs go on at "));
}

TEST_F(RestartTest, FindingsAndRangesCountTheFramesBefore) {
  const std::string scene =
      "render flow.toml --backend cpu -o a.csv --set solver.grid=[240,82] --set solver.collision=trt --set "
      "solver.viscosity=0.01333 --set solver.velocity=0.1 --set solver.obstacle.0.center=[50,39] --set "
      "solver.obstacle.0.radius=10 --set view.field=speed --set view.range=global --set animation.frames=400 --set "
      "animation.steps_per_frame=30 --checkpoint-every 10frames";
  const Outcome whole = run(scene + " -o whole.hashes");
  ASSERT_EQ(whole.exit, 0) << whole.err;
  fs::remove(folder_ / "a.csv");
  ASSERT_EQ(interrupt_at(scene + " -o b.hashes", SIGKILL, "b.hashes.part", 60 * 18), 1000 + SIGKILL);
  const Outcome resumed = run(scene + " -o b.hashes --resume");
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(text_of(folder_ / "b.hashes"), text_of(folder_ / "whole.hashes"));
  const auto finding = [](const std::string& text) {
    return text.substr(std::min(text.find("Strouhal"), text.size()));
  };
  EXPECT_NE(finding(whole.err), "");
  EXPECT_EQ(finding(resumed.err), finding(whole.err));
}

// Of a checkpoint that is cut short or has one bit turned, the older one is taken.
TEST_F(RestartTest, DamagedCheckpointsAreNotUsed) {
  const std::string command = "render wave.toml --backend cpu -o a.csv -o b.hashes --checkpoint-every 5frames";
  ASSERT_EQ(run("render wave.toml --backend cpu -o whole.csv -o whole.hashes").exit, 0);
  const auto newest_states = [&] {
    std::vector<fs::path> states;
    for (const auto& entry : fs::directory_iterator(folder_ / "a.csv.checkpoint"))
      if (entry.path().extension() == ".state") states.push_back(entry.path());
    std::ranges::sort(states, std::greater());
    return states;
  };
  ASSERT_EQ(interrupt_at(command + " --set animation.frames=240", SIGKILL, "b.hashes.part", 60 * 18), 1000 + SIGKILL);
  const auto states = newest_states();
  ASSERT_GE(states.size(), 2u);
  const std::string good = text_of(states[0].string());
  std::mt19937 random(7);
  for (int i = 0; i < 12; ++i) {
    std::string bad = good;
    const std::size_t at = i < 6 ? random() % bad.size() : std::size_t(i - 6);
    if (i % 2 == 0)
      bad.resize(at);
    else
      bad[at] = char(bad[at] ^ 1 << random() % 8);
    std::ofstream(states[0], std::ios::binary) << bad;
    const Outcome outcome = run(command + " --set animation.frames=241 --resume");  // refused after all were read
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_TRUE(test::says(outcome.err, states[0].filename().string()));
    EXPECT_TRUE(test::says(outcome.err, "trying an earlier checkpoint"));
  }
  std::vector<std::string> older;  // of states[1], states[2], ...: a kill may leave three
  for (std::size_t i = 1; i < states.size(); ++i) {
    older.push_back(text_of(states[i].string()));
    std::ofstream(states[i], std::ios::binary) << older.back().substr(0, 100);
  }
  const std::string words = run(command + " --set animation.frames=240 --resume").err;
  const std::size_t last = words.find(states.back().filename().string() + ": is ");
  ASSERT_NE(last, std::string::npos) << words;
  EXPECT_EQ(words.find("trying an earlier checkpoint", last), std::string::npos) << "there is none: " << words;
  EXPECT_TRUE(test::says(words, "contains no undamaged checkpoint"));
  for (std::size_t i = 1; i < states.size(); ++i) std::ofstream(states[i], std::ios::binary) << older[i - 1];
  ASSERT_EQ(run(command + " --set animation.frames=240 --resume").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "a.csv"), text_of(folder_ / "whole.csv"));
  EXPECT_EQ(text_of(folder_ / "b.hashes"), text_of(folder_ / "whole.hashes"));
}

TEST_F(RestartTest, AVideoThatLacksFramesLeadsFurtherBackButAnothersIsLeftAlone) {
  const std::string command =
      "render wave.toml --backend cpu -o a.csv -o a.mp4 --set view.range=first --set output.segment=0.2 "
      "--checkpoint-every "
      "12frames";
  ASSERT_EQ(run("render wave.toml --backend cpu --set view.range=first --set output.segment=0.2 -o whole.mp4").exit, 0);
  ASSERT_EQ(interrupt_at_state(command, SIGKILL, "a.csv.checkpoint", 4), 1000 + SIGKILL);
  const std::string left = text_of(folder_ / "a.mp4.part");

  ASSERT_EQ(run("render wave.toml -o other.mp4 --set solver.damping=0.1 --set animation.frames=240").exit, 0);
  fs::copy_file(folder_ / "other.mp4", folder_ / "a.mp4.part", fs::copy_options::overwrite_existing);
  const Outcome refused = run(command + " --resume");
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(test::says(refused.err, "a.mp4.part: comes from another run"));
  EXPECT_EQ(text_of(folder_ / "a.mp4.part"), text_of(folder_ / "other.mp4"));

  const std::size_t second_fragment = left.find("moof", left.find("moof") + 4) - 4;
  write("a.mp4.part", left.substr(0, second_fragment));
  const Outcome outcome = run(command + " --resume");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(test::says(outcome.err, "are needed to resume; trying an earlier checkpoint"));
  EXPECT_TRUE(text_of(folder_ / "a.mp4") == text_of(folder_ / "whole.mp4"));
}

}  // namespace
}  // namespace simreel
