// Runs on several processes that mpirun starts: the bytes of one process, resuming on other numbers, and how they end
// when something fails.

#include <nlohmann/json.hpp>

#include "checkpoint/piece_files.h"
#include "source/solver.h"
#include "tests/support/restart_fixture.h"

namespace simreel {
namespace {

using test::Child, test::text_of;
namespace fs = std::filesystem;

class ProcessesTest : public test::RestartTest {
 protected:
  void SetUp() override {
    if (std::system("mpirun --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "mpirun is not installed";
    if (!fs::exists(test::program().parent_path() / "../lib/libsimreel_mpi.so"))
      GTEST_SKIP() << "this build has no MPI";
    for (const char* name :
         {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
      ::setenv(name, "1", 1);
    // What Open MPI loses lies in libraries that it unloads, so that no suppression finds it.
    const char* const options = std::getenv("ASAN_OPTIONS");
    ::setenv("ASAN_OPTIONS", fmt::format("{}:detect_leaks=0", options ? options : "").c_str(), 1);
    write("wave.toml",
          "seed = 3\n[solver]\nkind = \"wave\"\ngrid = [150, 161]\nboundary = \"periodic\"\n[solver.rain]\nrate = "
          "2\n[[solver.obstacle]]\ncenter = [70, 64]\nradius = 12\n[view]\nsize = [128, 96]\nrange = "
          "\"symmetric\"\n[animation]\nframes = 40\nsteps_per_frame = 7\n");
    write("layers.toml",
          "seed = 3\n[solver]\nkind = \"wave\"\ngrid = [150, 161]\nboundary = \"absorbing\"\n[solver.rain]\nrate = "
          "2\n[[solver.obstacle]]\ncenter = [70, 64]\nradius = 12\n[view]\nsize = [128, 96]\n[animation]\nframes = "
          "40\nsteps_per_frame = 7\n");
    write("flow.toml",
          "[solver]\nkind = \"lbm\"\ngrid = [90, 161]\nvelocity = 0.05\nviscosity = 0.02\n[solver.boundary]\nleft = "
          "\"inlet\"\nright = \"outlet\"\n[[solver.obstacle]]\ncenter = [25, 80.4]\nradius = 9.2\n[solver.tracer]\n"
          "stripes = 9\n[view]\nfield = \"tracer\"\nsize = [128, 96]\nrange = \"first\"\n[animation]\nframes = "
          "40\nsteps_per_frame = 5\n");
    write("bodies.toml",
          "[solver]\nkind = \"nbody\"\nbodies = 700\nkernel = \"symmetric\"\n[view]\nsize = [128, "
          "96]\n[animation]\nframes = 40\nsteps_per_frame = 9\n");
    write(
        "tree.toml",
        "[solver]\nkind = \"nbody\"\nbodies = 3000\nmethod = \"tree\"\n[view]\nsize = [128, 96]\n[animation]\nframes = "
        "6\n");
  }

  // A run on so many processes; `more` goes to mpirun.
  Child launch(int count, const std::string& arguments, const std::string& more = "") {
    std::istringstream text(
        fmt::format("--quiet -n {} --oversubscribe {} {} {}", count, more, test::program().string(), arguments));
    return {folder_ / ".", {std::istream_iterator<std::string>(text), std::istream_iterator<std::string>()}, "mpirun"};
  }
  // What rank 0 prints on the standard output.
  std::string said(int count, const std::string& arguments) {
    const std::string program = test::program().string();
    write("said.sh", fmt::format("exec {} {} >said.txt\n", program, arguments));
    Child run(folder_ / ".",
              {"--quiet", "--oversubscribe", "-n", "1", "sh", "said.sh", ":", "-n", std::to_string(count - 1), program},
              "mpirun");
    EXPECT_EQ(run.end(), 0) << messages();
    return text_of(folder_ / "said.txt");
  }
  std::string messages() const { return text_of(folder_ / "err.txt"); }

  static std::string command(const std::string& scene, const std::string& folder) {
    return fmt::format(
        "render {0} --backend cpu --threads 1 --checkpoint-every 3frames -o {1}/a.csv -o {1}/b.hashes -o "
        "{1}/s/%03d.npz -o {1}/last.png",
        scene, folder);
  }

  // The processes of a program whose command line contains `part`, and their environment `variable`.
  static std::vector<pid_t> processes_of(const std::string& program, const std::string& part,
                                         const std::string& variable = {}) {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string line = text_of((entry.path() / "cmdline").string()),
                        environment = text_of((entry.path() / "environ").string());
      if (line.starts_with(program) && line.find(part) != std::string::npos &&
          environment.find(variable) != std::string::npos)
        found.push_back(std::stoi(name));
    }
    return found;
  }
  // The process of a rank of the run that writes into a folder; 0: there is none yet.
  static pid_t process_of(const std::string& folder, int rank) {
    const std::vector<pid_t> found = processes_of(test::program().string(), folder + "/a.csv",
                                                  fmt::format("OMPI_COMM_WORLD_RANK={}", rank) + std::string(1, '\0'));
    return found.empty() ? 0 : found.front();
  }

  // Does this to a run of three processes when it has made checkpoints of its own; returns mpirun's exit code.
  int strike(const std::string& scene, const std::string& folder, const std::function<void()>& blow) {
    Child run = launch(3, command(scene, folder));
    run.reaches([&] { return has_state(folder + "/a.csv.checkpoint", 3); });
    blow();
    const int exit = run.end();
    // mpirun does not wait until those that it kills are gone.
    for (int other = 0; other < 3; ++other) {
      for (int i = 0; i < 50 && process_of(folder, other) != 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_EQ(process_of(folder, other), 0) << "rank " << other << " is left";
    }
    return exit;
  }
  int strike(const std::string& scene, const std::string& folder, int rank, int signal) {
    return strike(scene, folder, [&] { send(folder, rank, signal); });
  }
  // False: it has ended.
  static bool send(const std::string& folder, int rank, int signal) {
    const pid_t process = process_of(folder, rank);
    return process > 0 && ::kill(process, signal) == 0;
  }

  // The folder of a run that a signal to its last rank has ended before it was complete, and not between its two
  // passes, where a checkpoint has no pieces.
  std::string interrupted(const std::string& scene, const std::string& name, int signal) {
    for (int attempt = 0; attempt < 10; ++attempt) {
      const std::string folder = fmt::format("{}.{}", name, attempt);
      if (strike(scene, folder, 2, signal) == 128 + signal && fs::exists(folder_ / (folder + "/a.csv.checkpoint")) &&
          fs::exists(piece_file(newest_state(folder + "/a.csv.checkpoint"), 0)))
        return folder;
    }
    ADD_FAILURE() << "the runs were done before the signal came, or none had checkpoints in pieces";
    return name;
  }
};

TEST_F(ProcessesTest, WriteTheBytesOfOne) {
  for (const char* scene : {"wave.toml", "flow.toml", "bodies.toml", "tree.toml"}) {
    const std::string name = std::string(scene) + ".run";
    ASSERT_EQ(start(command(scene, name) + fmt::format(" -o {}/c.mp4", name)).end(), 0) << messages();
    const auto expected = files(name);
    for (const int count : {1, 2, 3}) {
      if (count < 3 && name != "wave.toml.run") continue;
      const std::string folder = fmt::format("{}{}", name, count);
      ASSERT_EQ(launch(count, command(scene, folder) + fmt::format(" -o {}/c.mp4", folder)).end(), 0) << messages();
      expect_same_files(folder, expected);
    }
  }
}

// Golden scenes are rendered one after the other: ranks compute one at a time, and all the same ones. Their frames are
// the accepted ones.
TEST_F(ProcessesTest, CheckGoldenScenes) {
  fs::copy(test::root() / "tests/golden", folder_ / "golden");
  int scenes = 0;
  for (const fs::path& scene : test::scenes_in("tests/golden"))
    if (plan_solver(load_complete_scene(scene)).max_ranks < 3)
      fs::remove(folder_ / ("golden/" + scene.filename().string()));
    else
      ++scenes;
  EXPECT_GE(scenes, 10);
  EXPECT_EQ(launch(3, "golden check golden --backend cpu --threads 2").end(), 0) << messages();
}

// A process that is killed costs the frames since the last checkpoint; a signal to any of them costs nothing.
TEST_F(ProcessesTest, AreResumedOnOthers) {
  const std::tuple<std::string, int, int, int> blows[] = {
      {"wave.toml", 1, SIGKILL, 2}, {"flow.toml", 2, SIGTERM, 1}, {"bodies.toml", 1, SIGKILL, 2}};
  for (const auto& [scene, rank, signal, count] : blows) {
    const std::string whole = scene + ".whole";
    ASSERT_EQ(start(command(scene, whole)).end(), 0) << messages();
    std::string cut;
    int exit = 0;
    for (int attempt = 0; exit == 0 && attempt < 10; ++attempt) {  // the run may be done before the signal comes
      cut = fmt::format("{}.cut{}", scene, attempt);
      exit = strike(scene, cut, rank, signal);
    }
    ASSERT_EQ(exit, 128 + signal) << messages();
    if (signal == SIGTERM) {
      EXPECT_TRUE(test::says(messages(), "ended by signal 15"));
    }
    // Of one whose last rank was struck after the outputs were complete nothing is left to do.
    ASSERT_EQ(launch(count, command(scene, cut) + " --resume=auto").end(), 0) << messages();
    expect_same_files(cut, files(whole));
  }
}

// A launcher sends a signal to all ranks, and one may hear of it long before another.
TEST_F(ProcessesTest, EndInOrderByASignalToAll) {
  for (const int first : {0, 2}) {
    bool done = false;
    for (int attempt = 0; attempt < 10 && !done; ++attempt) {
      const std::string folder = fmt::format("all{}.{}", first, attempt);
      bool all = false;
      const int exit = strike("wave.toml", folder, [&] {
        if (!send(folder, 1, SIGSTOP)) return;  // so that the run goes on, but does not end
        send(folder, first, SIGTERM);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        all = send(folder, 2 - first, SIGTERM);
        send(folder, 1, SIGTERM);
        send(folder, 1, SIGCONT);
      });
      if (!all || exit == 0) continue;
      done = true;
      EXPECT_EQ(exit, 128 + SIGTERM);
      EXPECT_TRUE(test::says(messages(), "ended by signal 15"));
    }
    EXPECT_TRUE(done) << "the runs were done before the signal came";
  }
}

// A trial would be one of the run of all processes.
TEST_F(ProcessesTest, GuessWhatARunTakes) {
  EXPECT_TRUE(test::says(said(2, "check wave.toml --backend cpu --threads 1 -o a.mp4"), "; a guess"));
}

// Each process writes its pieces; whoever resumes the run reads what it needs of them.
TEST_F(ProcessesTest, KeepCheckpointsInPieces) {
  for (const char* scene : {"wave.toml", "layers.toml", "flow.toml"}) {
    const std::string name = scene, whole = name + ".whole";
    ASSERT_EQ(start(command(scene, whole)).end(), 0) << messages();
    for (const char* more : {"", " --ranks 2"}) {
      const std::string cut = interrupted(scene, name + (*more ? ".threads" : ".alone"), SIGTERM);
      const fs::path newest = newest_state(cut + "/a.csv.checkpoint");
      for (int rank = 0; rank < 3; ++rank) EXPECT_TRUE(fs::exists(piece_file(newest, rank))) << rank;
      EXPECT_FALSE(fs::exists(piece_file(newest, 3)));
      EXPECT_LT(fs::file_size(newest), fs::file_size(piece_file(newest, 0)));
      ASSERT_EQ(start(command(scene, cut) + more + " --resume").end(), 0) << messages();
      expect_same_files(cut, files(whole));
    }
  }
}

// A checkpoint of which a piece is gone or damaged is none: the run goes on from the one before.
TEST_F(ProcessesTest, GoOnFromTheCheckpointBeforeDamagedPieces) {
  ASSERT_EQ(start(command("wave.toml", "whole")).end(), 0) << messages();
  for (const char* damage : {"is missing", "is cut short", "is damaged"}) {
    const std::string cut = interrupted("wave.toml", fmt::format("cut{}", damage[3]), SIGKILL);
    const fs::path piece = piece_file(newest_state(cut + "/a.csv.checkpoint"), 1);
    if (damage[3] == 'm') {
      fs::remove(piece);
    } else if (damage[3] == 'c') {
      fs::resize_file(piece, fs::file_size(piece) / 2);
    } else {
      std::fstream file(piece, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(-100, std::ios::end);
      file << "damage";
    }
    ASSERT_EQ(launch(2, command("wave.toml", cut) + " --resume").end(), 0) << messages();
    EXPECT_TRUE(test::says(messages(), piece.filename().string() + ": " + damage));
    expect_same_files(cut, files("whole"));
  }
}

// A rank that cannot write its pieces costs checkpoints, not the run.
TEST_F(ProcessesTest, GoOnWithoutPiecesThatCannotBeWritten) {
  ASSERT_EQ(start(command("wave.toml", "whole")).end(), 0) << messages();
  for (int number = 1; number < 20; ++number)
    fs::create_directories(folder_ / fmt::format("full/a.csv.checkpoint/{:06}.rank1/in the way", number));
  ASSERT_EQ(launch(3, command("wave.toml", "full")).end(), 0) << messages();
  EXPECT_TRUE(test::says(messages(), "the run continues, but after a crash it resumes from an older checkpoint"));
  EXPECT_TRUE(test::says(messages(), "rank 1"));
  for (int number = 1; number < 20; ++number)
    EXPECT_FALSE(fs::exists(folder_ / fmt::format("full/a.csv.checkpoint/{:06}.rank2", number)));
  fs::remove_all(folder_ / "full/a.csv.checkpoint");
  expect_same_files("full", files("whole"));
}

TEST_F(ProcessesTest, SayOnceWhatIsWrong) {
  const auto expect = [&](Child child, const std::string& text) {
    EXPECT_EQ(child.end(), 2) << text;
    const std::string said = messages();
    const std::size_t at = said.find(text);
    EXPECT_NE(at, std::string::npos) << said;
    EXPECT_TRUE(at == std::string::npos || said.find(text, at + 1) == std::string::npos) << said;
  };
  expect(launch(3, "render none.toml -o a.csv"), "none.toml: cannot read the scene");
  expect(launch(7, "render wave.toml --backend cpu -o a.csv"),
         "7 processes: grids are divided at multiples of 32 rows, so this one of 150 x 161 runs on 6 ranks at most");
  expect(launch(2, "render wave.toml --ranks 2 -o a.csv"), "--ranks 2: a launcher started 2 processes");
  ASSERT_EQ(run("render wave.toml --backend cpu -o field.npy --frames 1").exit, 0);
  write("data.toml", "[solver]\nkind = \"data\"\nfiles = \"field.npy\"\n");
  expect(
      launch(2, "render data.toml -o a.csv"),
      "2 processes: kind = \"data\" reads files and computes nothing, so there is nothing to divide; start it without "
      "mpirun or srun, or as one process");
  expect(launch(2, "check wave.toml --backend cpu", "-x SIMREEL_MPI_MODULE=none.so"),
         "which needs MPI: none.so: cannot open shared object file");
  expect(launch(2, "check wave.toml --backend cpu", "-x SIMREEL_MPI=of"), "SIMREEL_MPI=of: write off");
  expect(
      launch(1, fmt::format("render wave.toml -o a.csv : -n 1 {} render flow.toml -o b.csv", test::program().string())),
      "rank 1 was given other arguments than rank 0");
  EXPECT_FALSE(exists("b.csv"));
  // Started by a launcher whose MPI is another one, or by srun without --mpi=pmix.
  for (const char* size : {"PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    ::setenv(size, "3", 1);
    expect(start("render wave.toml -o a.csv"),
           "MPI was not started, it knows of 1 process. With Slurm: srun --mpi=pmix");
    ::setenv("SIMREEL_MPI", "off", 1);
    EXPECT_EQ(run("check wave.toml").exit, 0) << messages();
    ::unsetenv(size);
    ::unsetenv("SIMREEL_MPI");
  }
  EXPECT_FALSE(exists("a.csv"));
}

// Each process has the threads of --threads, which ranks of one process share.
TEST_F(ProcessesTest, SayWhatMemoryAndTimeTheyTake) {
  ASSERT_EQ(run("check wave.toml --quick --backend cpu --threads 1 --ranks 3 -o null:").exit, 0);
  const std::string words = text_of(folder_ / "out.txt"), start = "of it ";
  const std::string expected = words.substr(words.find(start), words.find('\n', words.find(start)));
  EXPECT_TRUE(test::says(expected, "for rank 0")) << words;
  EXPECT_TRUE(test::says(words, "usual for a CPU core"));
  const std::string three = said(3, "check wave.toml --quick --backend cpu --threads 1 -o null:");
  EXPECT_TRUE(test::says(three, expected));
  EXPECT_TRUE(test::says(three, "usual for 3 CPU cores"));
}

// Hosts that do not share the folder of the scene.
TEST_F(ProcessesTest, AnErrorOfOneRankEndsAllAndNamesIt) {
  ASSERT_EQ(run("render wave.toml --backend cpu -o start.npy --frames 1").exit, 0) << messages();
  write("given.toml",
        "[solver]\nkind = \"wave\"\ngrid = [150, 161]\ninitial = \"start.npy\"\n[animation]\nframes = 20\n");
  fs::create_directory(folder_ / "elsewhere");
  const auto expect = [&](const std::string& message) {
    const std::string command = fmt::format("{} render given.toml --backend cpu -o a.mp4", test::program().string());
    std::istringstream text(fmt::format("--quiet --oversubscribe -n 1 {0} : -n 1 --wdir {1} {0} : -n 1 {0}", command,
                                        folder_ / "elsewhere"));
    Child launched(folder_ / ".", {std::istream_iterator<std::string>(text), std::istream_iterator<std::string>()},
                   "mpirun");
    EXPECT_EQ(launched.end(), 2);
    EXPECT_TRUE(test::says(messages(), message));
    EXPECT_FALSE(exists("a.mp4") || exists("a.mp4.part"));
  };
  expect("start.npy: there is no such file");
  EXPECT_TRUE(test::says(messages(), "rank 1 ("));
  ASSERT_EQ(run("render wave.toml --backend cpu -o elsewhere/start.npy --frames 3").exit, 0) << messages();
  expect("start.npy: rank 1 has other contents under this name than rank 0");
}

// The flow breaks in the rows of the last of three ranks only.
TEST_F(ProcessesTest, ADivergenceOnOneRankEndsAll) {
  write("wild.toml",
        "[solver]\nkind = \"lbm\"\ngrid = [60, 193]\nvelocity = 0.05\nviscosity = 0.0005\ncollision = \"bgk\"\n"
        "initial_ux = \"= if(y > 160, 0.35 * sin(y) * sin(x / 2), 0)\"\n[view]\nsize = [64, 64]\nrange = [0, 1]\n"
        "[animation]\nframes = 500\nsteps_per_frame = 2\n");
  const auto command = [](int count) {
    return fmt::format("render wild.toml --backend cpu --threads 1 -o {0}/b.hashes -o {0}/c.mp4", count);
  };
  EXPECT_EQ(start(command(1)).end(), 3) << messages();
  EXPECT_EQ(launch(3, command(3)).end(), 3) << messages();
  EXPECT_TRUE(test::says(messages(), "the simulation diverged: at step"));
  for (const char* folder : {"1", "3"})  // that it diverged, under the names of the outputs
    EXPECT_GT(fs::remove_all(folder_ / (std::string(folder) + "/b.hashes.checkpoint")), 0u);
  expect_same_files("3", files("1"));
}

// The disk of rank 0, which has no room for one of the outputs.
TEST_F(ProcessesTest, AFullDiskEndsAll) {
  write("first.sh", fmt::format("exec {} render wave.toml --backend cpu --threads 1 -o a.hashes -o - >/dev/full\n",
                                test::program().string()));
  const std::vector<std::string> arguments = {
      "--quiet", "--oversubscribe", "-n", "1", "sh", "first.sh", ":", "-n", "2", test::program().string()};
  Child launched(folder_ / ".", arguments, "mpirun");
  EXPECT_EQ(launched.end(), 1) << messages();
  const std::string said = messages();
  const std::size_t at = said.find("No space left on device");
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.find("No space left on device", at + 1), std::string::npos) << said;
  EXPECT_TRUE(exists("a.hashes"));
}

// Runs on two hosts, of which the second is this one under another name, "two", with a folder "own" of its own: mpirun
// reaches it by a stand-in for ssh. Rank 2 of three is there. Open MPI then sends by TCP.
class HostsTest : public ProcessesTest {
 protected:
  void SetUp() override {
    ProcessesTest::SetUp();
    if (IsSkipped()) return;
    fs::create_directory(folder_ / "own");
    write("agent",
          fmt::format("#!/bin/sh\nshift\nexec unshare -m -u sh -c \"hostname two; mount -t tmpfs none {}; $*\"\n",
                      folder_ / "own"));
    fs::permissions(folder_ / "agent", fs::perms::owner_all);
    if (std::system((folder_ / "agent" + " two true >/dev/null 2>&1").c_str()) != 0)
      GTEST_SKIP() << "no second host can be played here";
  }

  std::string hosts() const {
    return fmt::format("--mca plm_rsh_agent {} --host localhost:2,two:1", folder_ / "agent");
  }
  Child on_hosts(const std::string& arguments) { return launch(3, arguments, hosts()); }

  // Ends all processes of the second host at once, when `reached` holds.
  template <class Condition>
  void lose_second(Child& run, const std::string& folder, const Condition& reached) {
    run.reaches(reached);
    for (const pid_t daemon : processes_of("orted", folder_ / "agent")) ::kill(daemon, SIGKILL);
    if (const pid_t process = process_of(folder, 2); process > 0) ::kill(process, SIGKILL);
  }
};

TEST_F(HostsTest, WriteTheBytesOfOne) {
  for (const char* scene : {"layers.toml", "flow.toml", "bodies.toml"}) {
    const std::string name = scene, whole = name + ".whole", run = name + ".hosts";
    ASSERT_EQ(start(command(scene, whole)).end(), 0) << messages();
    ASSERT_EQ(on_hosts(command(scene, run)).end(), 0) << messages();
    expect_same_files(run, files(whole));
  }
}

// A host that is lost costs the frames since the last checkpoint, and no process stays.
TEST_F(HostsTest, AreResumedOnOneAfterALoss) {
  const auto render = [](const std::string& folder) { return command("layers.toml", folder) + " --frames 150"; };
  ASSERT_EQ(start(render("whole")).end(), 0) << messages();
  Child run = on_hosts(render("lost"));
  lose_second(run, "lost",
              [&] { return fs::exists(piece_file(checkpoint_file(folder_ / "lost/a.csv.checkpoint", 3), 2)); });
  EXPECT_NE(run.end(), 0);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(process_of("lost", rank), 0) << "rank " << rank << " is left";
  ASSERT_EQ(launch(2, render("lost") + " --resume").end(), 0) << messages();
  expect_same_files("lost", files("whole"));
}

// Hosts that do not share the folder of the outputs: the first process collects the state and writes all of it.
TEST_F(HostsTest, KeepWholeCheckpointsWhereFoldersDiffer) {
  ASSERT_EQ(on_hosts(command("flow.toml", "own/run") + " --keep-checkpoint").end(), 0) << messages();
  const fs::path newest = newest_state("own/run/a.csv.checkpoint");
  EXPECT_GT(fs::file_size(newest), std::size_t{9} * 90 * 161 * sizeof(float));
  for (int rank = 0; rank < 3; ++rank) EXPECT_FALSE(fs::exists(piece_file(newest, rank))) << rank;
  ASSERT_EQ(launch(2, command("flow.toml", "own/run") + " --frames 45 --resume").end(), 0) << messages();
  ASSERT_EQ(start(command("flow.toml", "whole") + " --frames 45").end(), 0) << messages();
  expect_same_files("own/run", files("whole"));
}

// A host keeps its part of a checkpoint in memory, not all of it.
TEST_F(HostsTest, CountTheirPartOfACheckpoint) {
  const auto number = [&](const std::string& launcher, const std::string& output, const char* key) {
    const std::string line =
        fmt::format("cd {} && {} {} check flow.toml --json --backend cpu --threads 1 -o {} >out.txt", folder_ / ".",
                    launcher, test::program().string(), output);
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return nlohmann::json::parse(text_of(folder_ / "out.txt")).at(key).get<double>();
  };
  const auto kept = [&](const std::string& launcher) {
    return number(launcher, "a.csv", "memory_bytes") - number(launcher, "null:", "memory_bytes");
  };
  const double saved = number("", "a.csv", "checkpoint_bytes"), beside = kept("") - saved;  // of the table itself
  const std::string three = "mpirun --quiet --oversubscribe -n 3 ";
  EXPECT_EQ(kept(three), saved + beside);
  EXPECT_EQ(kept(three + hosts()), saved * 2 / 3 + beside);
}

TEST_F(HostsTest, AreNamedInErrors) {
  ASSERT_EQ(run("render wave.toml --backend cpu -o own/start.npy --frames 1").exit, 0) << messages();
  write("given.toml",
        "[solver]\nkind = \"wave\"\ngrid = [150, 161]\ninitial = \"own/start.npy\"\n[animation]\nframes = 20\n");
  EXPECT_EQ(on_hosts("render given.toml --backend cpu -o a.mp4").end(), 2);
  EXPECT_TRUE(test::says(messages(), "rank 2 (two): "));
  EXPECT_TRUE(test::says(messages(), "own/start.npy: there is no such file"));
  EXPECT_FALSE(exists("a.mp4") || exists("a.mp4.part"));
}

}  // namespace
}  // namespace simreel
