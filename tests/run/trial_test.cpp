// What a trial of a few frames says of the whole run; the arithmetic, and that a trial leaves nothing behind.

#include "run/trial.h"

#include <stdlib.h>

#include "run/render_loop.h"
#include "source/solver.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

// 100 frames of 4 steps, with a pass before them.
Work work_of_two_passes() {
  const Scene scene = parse_scene(
      "[solver]\nkind = \"wave\"\ngrid = [20, 10]\n[animation]\nframes = 101\nsteps_per_frame = 4\n", "x.toml");
  return Work(scene, plan_solver(scene), true, 2, true);
}

Trial trial_of_a_video() {
  Trial trial;
  trial.step = {0.01, 0.015};
  trial.measure = {0.1, 0.1};
  trial.draw = {0.5, 1};
  trial.picture = {0.25, 0.5};
  Trial::Output video;
  video.cpu_first = 3, video.cpu_next = 1;
  video.bytes_first = 1100, video.bytes_next = 10, video.head = 100;
  video.segment = 50;
  video.cores = 4;
  trial.outputs = {video};
  return trial;
}

TEST(Extrapolation, AddsThePassesAndWhatWorksBesideThem) {
  const Work work = work_of_two_passes();
  ASSERT_EQ(work.steps, 800);
  ASSERT_EQ(work.frames, 101);
  const Trial trial = trial_of_a_video();
  // The first pass: 400 steps and 101 frames measured, 14.1 s. Then 4 s of steps and 75.75 s of pictures. The video:
  // three segments, 107 s of a core, on one of several cores with all else: 6 + 151.5 + 107.
  const Estimate alone = extrapolated(trial, work, 1);
  EXPECT_NEAR(alone.simulation, 18.1, 1e-9);
  EXPECT_NEAR(alone.pictures, 75.75, 1e-9);
  EXPECT_NEAR(alone.files, 107, 1e-9);
  EXPECT_NEAR(alone.seconds, 14.1 + 6 + 151.5 + 107, 1e-9);
  EXPECT_NEAR(alone.cpu, 16.1 + 6 + 151.5 + 107, 1e-9);
  const Estimate two = extrapolated(trial, work, 2);
  EXPECT_NEAR(two.seconds, 14.1 + (6 + 151.5 + 107) / 2, 1e-9) << "two cores share all";
  const Estimate many = extrapolated(trial, work, 64);
  EXPECT_NEAR(many.seconds, 14.1 + 4 + 75.75 + 0.75, 1e-9) << "the loop takes the longest, and the last segment ends";
  Trial slow = trial;
  slow.outputs[0].cores = 1;
  EXPECT_NEAR(extrapolated(slow, work, 64).seconds, 14.1 + 107, 1e-9) << "an encoder of one core does";
  EXPECT_EQ(alone.bytes, std::vector<double>{100 + 3 * 1000 + 98 * 10});
}

TEST(Extrapolation, CountsTheStart) {
  Trial trial = trial_of_a_video();
  const Estimate warm = extrapolated(trial, work_of_two_passes(), 2);
  trial.start = {0.5, 0.25};
  const Estimate cold = extrapolated(trial, work_of_two_passes(), 2);
  EXPECT_EQ(cold.start, 0.5);
  EXPECT_NEAR(cold.seconds, warm.seconds + 0.5, 1e-9);
  EXPECT_NEAR(cold.cpu, warm.cpu + 0.25, 1e-9);
}

// 101 frames are segments of 90 and 11, each with two of four cores: 92 and 13 s of a core.
TEST(Extrapolation, OneEncoderEndsAlone) {
  Trial trial = trial_of_a_video();
  trial.outputs[0].segment = 90, trial.outputs[0].encoded.encoders = 2;
  EXPECT_NEAR(extrapolated(trial, work_of_two_passes(), 64).files, 46, 1e-9) << "not a quarter of 105";
  trial.step = trial.draw = trial.picture = {};
  EXPECT_NEAR(extrapolated(trial, work_of_two_passes(), 64).seconds, 10.1 + 46, 1e-9);
  trial.outputs[0].segment = 101;
  trial.draw = {1, 1};
  trial.outputs[0].cpu_first = 0;
  EXPECT_NEAR(extrapolated(trial, work_of_two_passes(), 64).seconds, 10.1 + 101, 1e-9) << "the frames come slowly";
}

TEST(Extrapolation, OfAPartOfThePixelsIsOfAll) {
  const Work work = work_of_two_passes();
  Trial trial = trial_of_a_video();
  const Estimate whole = extrapolated(trial, work, 1);
  trial.drawn = 0.25;
  const Estimate part = extrapolated(trial, work, 1);
  EXPECT_NEAR(part.pictures, 4 * whole.pictures, 1e-9);
  EXPECT_NEAR(part.files, 4 * whole.files, 1e-9);
  EXPECT_NEAR(part.simulation, whole.simulation, 1e-9);
  EXPECT_NEAR(part.bytes[0] - 100, 4 * (whole.bytes[0] - 100), 1e-6);
}

TEST(Extrapolation, OfOneFileForTheLastFrameIsOfOneFrame) {
  Trial trial = trial_of_a_video();
  trial.outputs[0].single = true, trial.outputs[0].segment = 1, trial.outputs[0].head = 0;
  EXPECT_EQ(extrapolated(trial, work_of_two_passes(), 1).bytes, std::vector<double>{1100});
}

// Four encoders that could keep a core busy each, of which 107 s of the 278.6 s do.
TEST(Extrapolation, EncodersThatDoNotWorkAtOnceTakeNoMemory) {
  Trial trial = trial_of_a_video();
  trial.outputs[0].encoded = {.encoders = 4, .each = 1000};
  EXPECT_NEAR(extrapolated(trial, work_of_two_passes(), 1).memory, 1000 * (3 - 107 / 278.6), 1e-3);
  trial.outputs[0].cpu_next = 1000, trial.outputs[0].segment = 25;  // then all are busy
  EXPECT_NEAR(extrapolated(trial, work_of_two_passes(), 64).memory, 0, 50);
}

TEST(Extrapolation, FilesGrowOnAsTheyDidUpToWhereTheTrialCame) {
  EXPECT_EQ(later_bytes({1, 1, 1}, 0.3), 1) << "all frames are alike";
  EXPECT_EQ(later_bytes({1, 2, 4}, 1), 1) << "all were reached";
  EXPECT_EQ(later_bytes({4, 2, 1}, 0.5), 1) << "what becomes less may come again";
  // Waves that spread, t^2, up to the half: 1/12 of all, and 7/12 after it.
  const double up_to = (1 + 9 + 25) / 36.0 / 3, last = 25 / 36.0;  // in those of the half
  EXPECT_NEAR(later_bytes({1, 9, 25}, 0.5) * (up_to + last) / 2, (up_to + 81 / 36.0) / 2, 1e-9);
  EXPECT_NEAR(later_bytes({1, 9, 25}, 0.01), 4, 0.03) << "not without end";
}

TEST(Extrapolation, CountsTheFramesThatAFileTakes) {
  Trial trial = trial_of_a_video();
  trial.outputs[0].every = 2, trial.outputs[0].segment = 100;
  EXPECT_EQ(extrapolated(trial, work_of_two_passes(), 1).bytes, std::vector<double>{100 + 2 * 1000 + 49 * 10});
}

// Of each output what it is, and nothing is left, neither beside the outputs nor among temporary files.
TEST(TrialRun, WritesNothing) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "trial_run";
  fs::remove_all(folder);
  fs::create_directories(folder / "tmp");
  ASSERT_EQ(::setenv("TMPDIR", (folder / "tmp").c_str(), 1), 0);
  for (const char* solver :
       {"kind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n", "kind = \"nbody\"\nbodies = 40\n"}) {
    Scene scene = parse_scene(std::string("[animation]\nframes = 40\n[view]\nsize = [64, 36]\n[solver]\n") + solver,
                              folder / "x.toml");
    complete_scene(scene);
    SolverPlan plan = plan_run(scene);
    const Executor executor = Executor::cpu(1);
    const std::string out = (folder / "x").string();
    PreparedRun run(std::move(scene), std::move(plan), executor,
                    {.outputs = {out + "_%d.png", out + ".y4m", out + ".csv", out + ".npy", "null:"}});
    const auto trial = try_run(run, [] { return false; });
    ASSERT_TRUE(trial);
    EXPECT_EQ(trial->part, 1);
    EXPECT_GT(trial->frames, 0);
    EXPECT_GT(trial->step.seconds, 0);
    EXPECT_TRUE(fs::is_empty(folder / "tmp"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "the folder for temporary files alone";
    const Estimate all = extrapolated(*trial, Work(run.scene, run.plan, true, 1, false), 1);
    ASSERT_EQ(all.bytes.size(), 5u);
    const double picture = 1.5 * 64 * 36 + 6;  // of 4:2:0, after "FRAME\n"
    EXPECT_NEAR(all.bytes[1], 40 * picture, 400) << "y4m does not compress";
    EXPECT_GT(all.bytes[2], 40 * 10) << "lines";
    EXPECT_LT(all.bytes[2], 40 * 400);
    EXPECT_EQ(all.bytes[4], 0);
  }
  ::unsetenv("TMPDIR");
  fs::remove_all(folder);
}

// x264 looks ahead, and gives the first frame of a picture that stays far more than it gives a frame alone.
TEST(TrialRun, TakesAPictureThatStaysForOne) {
  Scene scene = parse_scene(
      "[animation]\nframes = 60\n[view]\nsize = [640, 360]\n[solver]\nkind = \"pde\"\ngrid = [320, 180]\n"
      "[solver.fields.u]\ninitial = \"= noise(x/2, y/2)\"\nrate = 0\n",
      "x.toml");
  complete_scene(scene);
  SolverPlan plan = plan_run(scene);
  const Executor executor = Executor::cpu(1);
  const std::string out = testing::TempDir() + "/trial_stays.mp4";
  PreparedRun run(std::move(scene), std::move(plan), executor, {.outputs = {out}, .overwrite = true});
  const auto trial = try_run(run, [] { return false; });
  ASSERT_TRUE(trial);
  const double said =
      extrapolated(*trial, Work(run.scene, run.plan, true, run.passes(), run.has_first_pass()), 1).bytes[0];
  run.open_outputs();
  render({.run = run});
  const auto bytes = static_cast<double>(std::filesystem::file_size(out));
  EXPECT_GT(said, bytes / 1.5);
  EXPECT_LT(said, bytes * 1.5);
  std::filesystem::remove(out);
}

// The second frame is hours away: a first one, and some steps, tell what can be told.
TEST(TrialRun, IsOfOneFrameWhereTheNextIsOutOfReach) {
  Scene scene = parse_scene(
      "[animation]\nframes = 4\nsteps_per_frame = 1000000000\n[view]\nsize = [64, 36]\nrange = [-1, 1]\n[solver]\n"
      "kind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n",
      "x.toml");
  complete_scene(scene);
  SolverPlan plan = plan_run(scene);
  const Executor executor = Executor::cpu(1);
  PreparedRun run(std::move(scene), std::move(plan), executor,
                  {.outputs = {testing::TempDir() + "/trial_far.y4m"}, .overwrite = true});
  const auto trial = try_run(run, [] { return false; });
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->frames, 1);
  EXPECT_EQ(trial->reached, 1);
  EXPECT_GT(trial->step.seconds, 0);
  EXPECT_GT(extrapolated(*trial, Work(run.scene, run.plan, true, 1, false), 1).bytes[0], 4 * 1.5 * 64 * 36);
}

}  // namespace
}  // namespace simreel
