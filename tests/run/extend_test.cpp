// Complete runs that are extended, --resume=auto, and what a resumed run says of outputs that were damaged.

#include <nlohmann/json.hpp>

#include "tests/support/restart_fixture.h"

namespace simreel {
namespace {

using test::Outcome;
using test::text_of;
namespace fs = std::filesystem;

class ExtendTest : public test::RestartTest {
 protected:
  void SetUp() override {
    test::RestartTest::SetUp();
    write("steady.toml",
          "[solver]\nkind = \"wave\"\ngrid = [48, 32]\n[solver.rain]\nrate = 2\n[view]\nsize = [48, 32]\nrange = "
          "[-0.1, 0.1]\n[animation]\nframes = 40\nfps = 20\n[output]\nsegment = 0.6\nfields = [\"height\"]\n");
    write("fast.toml", text_of(folder_ / "steady.toml") + "codec = \"h264_fast\"\n");
    write("bodies.toml",
          "[solver]\nkind = \"nbody\"\nbodies = 60\n[view]\nsize = [48, 32]\ntrails = 3\n[animation]\nframes = 40\nfps "
          "= 20\nsteps_per_frame = 1\n[output]\nsegment = 0.6\n[camera]\norbit = 0\n");
  }

  static std::string command(const std::string& scene, const std::string& folder,
                             const std::vector<std::string>& outputs) {
    std::string text = fmt::format("render {} --backend cpu --threads 1", scene);
    for (const std::string& output : outputs) text += fmt::format(" -o {}/{}", folder, output);
    return text;
  }

  std::string flip(const std::string& file, double share) {
    return flip_byte(file, std::size_t(double(fs::file_size(folder_ / file)) * share));
  }
  std::string flip_byte(const std::string& file, std::size_t place) {
    const std::string good = text_of(folder_ / file);
    std::string bad = good;
    bad.at(place) ^= 1;
    write(file, bad);
    return good;
  }

  const std::vector<std::string> every_ = {"a.mp4", "b.csv",  "c.hashes", "d/%03d.png", "e/%03d.npy", "f/%03d.npz",
                                           "g.gif", "h.webp", "i.apng",   "j.mkv",      "k.y4m",      "l.png"};
};

TEST_F(ExtendTest, ALongerRunHasTheBytesOfAnUninterruptedOne) {
  std::vector<std::string> outputs = every_;
  if (run("info").out.find("HDF5") != std::string::npos) outputs.push_back("m/%03d.h5");
  for (const std::string scene : {"steady.toml", "bodies.toml", "fast.toml"}) {
    const std::string whole = command(scene, "whole", outputs), part = command(scene, "part", outputs);
    ASSERT_EQ(run(whole + " --frames 100").exit, 0) << text_of(folder_ / "err.txt");
    const auto expected = files("whole");
    // 40 is no multiple of a segment's 12 frames, 72 is one.
    const std::pair<const char*, int> ways[] = {
        {"--frames 40", 36}, {"--set animation.frames=72 --frames 72", 72}, {"", 36}};
    for (const auto& [way, last] : ways) {
      ASSERT_EQ(run(fmt::format("{} {} --keep-checkpoint", part, way)).exit, 0) << text_of(folder_ / "err.txt");
      ASSERT_TRUE(exists("part/a.mp4.checkpoint"));
      const Outcome longer = run(part + " --frames 100 --resume");
      EXPECT_EQ(longer.exit, 0) << longer.err;
      EXPECT_TRUE(test::says(longer.err, fmt::format("resuming after {} of 100", last)));
      expect_same_files("part", expected);
      fs::remove_all(folder_ / "part");
      if (HasFailure()) return;
    }
    fs::remove_all(folder_ / "whole");
  }
}

TEST_F(ExtendTest, AnExtendedRunThatIsKilledIsResumed) {
  const std::vector<std::string> outputs = {"a.mp4", "b.csv", "d/%03d.png", "g.gif"};
  ASSERT_EQ(run(command("steady.toml", "whole", outputs) + " --frames 1500").exit, 0);
  const auto expected = files("whole");
  const std::string part = command("steady.toml", "part", outputs) + " --checkpoint-every 24frames";
  ASSERT_EQ(run(part + " --frames 60 --keep-checkpoint").exit, 0);
  const std::string finished = text_of(folder_ / "part/a.mp4");
  const std::string longer = part + " --frames 1500 --resume";
  const int exit = interrupt_once(longer, SIGKILL, [&] { return exists("part/d/100.png"); });
  ASSERT_EQ(exit, 1000 + SIGKILL);
  // The video cannot be extended in place, so it stays until the longer one is whole.
  EXPECT_TRUE(text_of(folder_ / "part/a.mp4") == finished);
  ASSERT_EQ(run(longer).exit, 0) << text_of(folder_ / "err.txt");
  expect_same_files("part", expected);
}

TEST_F(ExtendTest, OneLineBeginsGoesOnAndIsDone) {
  const std::vector<std::string> outputs = {"a.mp4", "b.csv", "d/%05d.png"};
  ASSERT_EQ(run(command("steady.toml", "whole", outputs) + " --frames 1500").exit, 0);
  const auto expected = files("whole");
  for (const char* keep : {"", " --keep-checkpoint"}) {
    const std::string line =
        command("steady.toml", "part", outputs) + " --frames 1500 --resume=auto --checkpoint-every 12frames" + keep;
    ASSERT_EQ(interrupt_at_state(line, SIGKILL, "part/a.mp4.checkpoint", 4), 1000 + SIGKILL);
    test::Child child = start(line);
    ASSERT_TRUE(
        child.reaches([&] { return text_of(folder_ / "err.txt").find("resuming after") != std::string::npos; }));
    child.send(SIGTERM);
    const int exit = child.end();
    ASSERT_TRUE(exit == 128 + SIGTERM || exit == 0) << exit;  // 0: it was faster than this test
    const Outcome last = run(line);
    ASSERT_EQ(last.exit, 0) << last.err;
    fs::remove_all(folder_ / "kept");
    if (exists("part/a.mp4.checkpoint")) fs::rename(folder_ / "part/a.mp4.checkpoint", folder_ / "kept");
    expect_same_files("part", expected);
    if (exists("kept")) fs::rename(folder_ / "kept", folder_ / "part/a.mp4.checkpoint");
    const auto before = fs::last_write_time(folder_ / "part/a.mp4");
    const Outcome again = run(line);
    EXPECT_EQ(again.exit, 0) << again.err;
    EXPECT_TRUE(test::says(again.err, "nothing to do"));
    EXPECT_EQ(fs::last_write_time(folder_ / "part/a.mp4"), before);
    if (*keep) continue;
    // Outputs that are not whole and have no checkpoint are not replaced unasked.
    fs::remove(folder_ / "part/d/00007.png");
    const Outcome lacking = run(line);
    EXPECT_EQ(lacking.exit, 2) << lacking.err;
    EXPECT_TRUE(test::says(lacking.err, "exists already"));
    fs::remove_all(folder_ / "part");
  }
  // With the checksums of the kept checkpoint a damaged picture is found, and made again.
  const std::string line = command("steady.toml", "part", outputs) + " --frames 1500 --resume=auto --keep-checkpoint";
  flip("part/d/01499.png", 0.5);
  const Outcome mended = run(line);
  EXPECT_EQ(mended.exit, 0) << mended.err;
  EXPECT_TRUE(text_of(folder_ / "part/d/01499.png") == expected.at("d/01499.png"));
  const Outcome again = run(line + " --json");
  EXPECT_TRUE(test::says(again.err, "nothing to do"));
  const auto result = nlohmann::json::parse(again.out);
  EXPECT_EQ(result["frames"], 1500);
  EXPECT_EQ(result["outputs"].size(), outputs.size());
}

// The script of docs/slurm.md, with a Slurm that starts the step and writes down what should be queued again.
TEST_F(ExtendTest, TheSlurmScriptRequeuesAndEnds) {
  const std::string manual = text_of(test::root() / "docs/slurm.md");
  const std::size_t begin = manual.find("#!/bin/bash"), end = manual.find("```", begin);
  ASSERT_NE(end, std::string::npos);
  write("job.sh", manual.substr(begin, end - begin));
  fs::create_directories(folder_ / "bin");
  fs::create_symlink(test::program(), folder_ / "bin/simreel");
  write("bin/srun", "#!/bin/bash\necho $$ > step\nwhile [[ $1 == --* ]]; do shift; done\nexec \"$@\"\n");
  write("bin/scontrol", "#!/bin/bash\necho \"$@\" >> queued\n");
  fs::permissions(folder_ / "bin/srun", fs::perms::all);
  fs::permissions(folder_ / "bin/scontrol", fs::perms::all);
  write("start.sh",
        "export HOME=\"$PWD\" PATH=\"$PWD/bin:$PATH\" SLURM_JOB_ID=7\nbash job.sh 2>> messages & job=$!\n"
        "while [ \"$1\" = stop ] && kill -0 $job 2>/dev/null && [ ! -s flow.csv.part ]; do sleep 0.01; done\n"
        "[ \"$1\" = stop ] && kill -TERM $(cat step)\nwait $job\nexit $?\n");
  const auto job = [&](const std::string& how) {
    const int status = std::system(fmt::format("cd '{}' && bash start.sh {}", folder_ / ".", how).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  // A longer scene for each attempt, until one is stopped before its end.
  int exit = 0;
  for (int frames = 2000; exit == 0 && frames < 1'000'000; frames *= 4) {
    for (const char* name : {"flow.mp4", "flow.csv", "queued"}) fs::remove(folder_ / name);
    std::string scene = text_of(folder_ / "steady.toml");
    write("flow.toml", scene.replace(scene.find("frames = 40"), 11, fmt::format("frames = {}", frames)));
    exit = job("stop");
  }
  ASSERT_EQ(exit, 143) << text_of(folder_ / "messages");
  EXPECT_EQ(text_of(folder_ / "queued"), "requeue 7\n");
  EXPECT_EQ(job("run"), 0) << text_of(folder_ / "messages");
  EXPECT_TRUE(exists("flow.mp4"));
  EXPECT_FALSE(exists("flow.mp4.checkpoint"));
  EXPECT_EQ(job("run"), 0);
  const std::string messages = text_of(folder_ / "messages");
  EXPECT_TRUE(test::says(messages, "resuming after"));
  EXPECT_TRUE(test::says(messages, "nothing to do"));
  EXPECT_EQ(text_of(folder_ / "queued"), "requeue 7\n");
}

// Every output that is damaged in the middle, with its length as it was.
TEST_F(ExtendTest, DamagedOutputsLeadFurtherBackAndAreNamed) {
  std::vector<std::string> outputs = {"b.csv", "a.mp4",  "c.hashes", "d/%04d.png", "e/%04d.npy", "f/%04d.npz",
                                      "g.gif", "h.webp", "i.apng",   "j.mkv",      "k.y4m"};
  if (run("info").out.find("HDF5") != std::string::npos) outputs.push_back("m/%04d.h5");
  const std::string steady = "steady.toml --frames 300 --checkpoint-every 12frames";
  ASSERT_EQ(run(command(steady, "whole", outputs)).exit, 0) << text_of(folder_ / "err.txt");
  const auto expected = files("whole");
  const std::string line = command(steady, "part", outputs);
  ASSERT_EQ(interrupt_at_state(line, SIGKILL, "part/b.csv.checkpoint", 5), 1000 + SIGKILL);
  fs::copy(folder_ / "part", folder_ / "left", fs::copy_options::recursive);
  for (const std::string& output : outputs) {
    fs::remove_all(folder_ / "part");
    fs::copy(folder_ / "left", folder_ / "part", fs::copy_options::recursive);
    std::string damaged = "part/" + output;
    if (const auto at = damaged.find("%04d"); at != std::string::npos) damaged.replace(at, 4, "0005");
    if (!exists(damaged)) damaged += ".part";
    ASSERT_TRUE(exists(damaged)) << damaged;
    // In the file that grows, so far back that every checkpoint counts on it; in an MP4 in the data of frames.
    if (damaged.ends_with(".mp4.part"))
      flip_byte(damaged, text_of(folder_ / damaged).find("mdat") + 50);
    else
      flip(damaged, damaged.ends_with(".part") ? 0.1 : 0.9);
    const Outcome outcome = run(line + " --resume");
    EXPECT_EQ(outcome.exit, 0) << damaged << outcome.err;
    const std::size_t resuming = outcome.err.find("resuming after");
    ASSERT_NE(resuming, std::string::npos) << outcome.err;
    const std::string name = damaged.ends_with(".part") ? damaged.substr(0, damaged.size() - 5) : damaged;
    EXPECT_TRUE(test::says(outcome.err.substr(resuming, outcome.err.find('\n', resuming) - resuming), name))
        << damaged << ": " << outcome.err;
    expect_same_files("part", expected);
    if (HasFailure()) return;
  }
  // What stands between the frames of an MP4 is written anew: here the number of a fragment.
  fs::remove_all(folder_ / "part");
  fs::copy(folder_ / "left", folder_ / "part", fs::copy_options::recursive);
  flip_byte("part/a.mp4.part", text_of(folder_ / "part/a.mp4.part").find("mfhd") + 11);
  EXPECT_EQ(run(line + " --resume").exit, 0);
  expect_same_files("part", expected);
}

TEST_F(ExtendTest, AResumedRunSaysWhatHoldsItBack) {
  const std::string line =
      "render steady.toml --backend cpu -o b.csv -o a.gif -o a.mp4 --frames 100000 --checkpoint-every 5frames";
  ASSERT_EQ(interrupt_at_state(line, SIGKILL, "b.csv.checkpoint", 3), 1000 + SIGKILL);
  test::Child child = start(line + " --resume");
  ASSERT_TRUE(child.reaches([&] { return text_of(folder_ / "err.txt").find("resuming after") != std::string::npos; }));
  child.send(SIGKILL);
  child.end();
  EXPECT_TRUE(test::says(text_of(folder_ / "err.txt"), "a.gif at multiples of 12, a.mp4 at multiples of 12"));
}

}  // namespace
}  // namespace simreel
