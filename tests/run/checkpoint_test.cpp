// Checkpoints in memory and in files, and the folder that holds them.

#include "checkpoint/checkpoint.h"

#include <sys/stat.h>

#include "base/error.h"
#include "run/checkpoint_folder.h"
#include "run/checkpointer.h"
#include "run/prepared_run.h"
#include "run/render_loop.h"
#include "scene/scene_text.h"
#include "tests/support/sink_fixture.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

class CheckpointTest : public SinkTest {
 protected:
  static Checkpoint filled(int seed) {
    Checkpoint checkpoint;
    std::vector<double> numbers(100);
    std::iota(numbers.begin(), numbers.end(), seed);
    checkpoint.save("numbers", std::span<const double>(numbers));
    checkpoint.save_text("words", "a scene\nof two lines");
    checkpoint.save_value("frames", std::int64_t{seed});
    checkpoint.save_text("nothing", "");
    return checkpoint;
  }
  static void expect_filled(const Checkpoint& checkpoint, int seed) {
    const std::vector<double> numbers = checkpoint.load_list<double>("numbers");
    ASSERT_EQ(numbers.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(numbers[i], seed + i);
    EXPECT_EQ(checkpoint.load_text("words"), "a scene\nof two lines");
    EXPECT_EQ(checkpoint.load_value<std::int64_t>("frames"), seed);
    EXPECT_EQ(checkpoint.load_text("nothing"), "");
  }
  void write(const Checkpoint& checkpoint, const std::string& name) {
    Checkpoint::Block head;
    std::ofstream file(path(name), std::ios::binary);
    for (const auto& piece : checkpoint.serialize(head))
      file.write(reinterpret_cast<const char*>(piece.data()), std::streamsize(piece.size()));
  }
  struct Found {
    std::vector<Checkpoint> checkpoints;
    std::vector<std::string> damages;
  };
  static Found read(const CheckpointFolder& folder) {
    Found found;
    for (const std::filesystem::path& file : folder.files()) {
      std::string damage;
      if (auto checkpoint = Checkpoint::read(file, damage))
        found.checkpoints.push_back(std::move(*checkpoint));
      else
        found.damages.push_back(damage);
    }
    return found;
  }
  static std::int64_t frames_of(const Checkpoint& checkpoint) { return checkpoint.load_value<std::int64_t>("frames"); }
};

// Ranks that load a checkpoint together get from rank 0 what they ask for: whole blocks, and pieces of one that is
// sent in several bands.
TEST_F(CheckpointTest, IsLoadedTogether) {
  constexpr std::size_t count = 20'000'000, cut = 16'777'000;  // 4 bytes each, so that a piece lies in two bands
  Checkpoint own = filled(7);
  std::vector<int> whole(count);
  std::iota(whole.begin(), whole.end(), 0);
  own.save("whole", std::span<const int>(whole));
  const std::vector<Communicator> ranks = Communicator::threads(3);
  std::vector<std::jthread> threads;
  for (const Communicator& rank : ranks)
    threads.emplace_back([&] {
      const Executor executor = Executor::cpu(1);
      const Checkpoint shared = Checkpoint::together(rank.rank() == 0 ? &own : nullptr, rank);
      expect_filled(shared, 7);
      // Ranks 0 and 1 have the beginning and the end, rank 2 both ends of what is between.
      const std::size_t begins[][2] = {{0, 0}, {count - 9, 0}, {9, cut}}, sizes[][2] = {{9, 0}, {9, 0}, {4, 2000}};
      std::vector<int> got[2];
      std::vector<Piece> pieces;
      const auto own_rank = static_cast<std::size_t>(rank.rank());
      for (std::size_t i = 0; i < 2; ++i) {
        got[i].resize(sizes[own_rank][i]);
        pieces.push_back({got[i].data(), begins[own_rank][i] * sizeof(int), got[i].size() * sizeof(int)});
      }
      shared.load_pieces(executor, "whole", count * sizeof(int), pieces);
      for (std::size_t i = 0; i < 2; ++i) {
        std::vector<int> expected(got[i].size());
        std::iota(expected.begin(), expected.end(), static_cast<int>(begins[own_rank][i]));
        EXPECT_TRUE(got[i] == expected) << "piece " << i << " of rank " << rank.rank();
      }
      try {
        shared.load_pieces(executor, "whole", 5, pieces);
        ADD_FAILURE() << "a wrong size is taken";
      } catch (const RuntimeError& error) {
        EXPECT_EQ(rank.rank(), 0) << error.what();
        rank.fail(std::current_exception());
      } catch (const RankFailed&) {
        EXPECT_NE(rank.rank(), 0);
      }
      rank.depart();
    });
}

TEST_F(CheckpointTest, ComesBackFromAFile) {
  write(filled(5), "a");
  std::string damage;
  const auto read = Checkpoint::read(path("a"), damage);
  ASSERT_TRUE(read) << damage;
  expect_filled(*read, 5);
  EXPECT_EQ(read->bytes(), 100 * 8 + 20 + 8u);
  EXPECT_FALSE(read->has("other"));
  EXPECT_THROW(read->load_value<int>("frames"), RuntimeError);
  EXPECT_THROW(read->load_text("other"), RuntimeError);
}

TEST_F(CheckpointTest, SavingAgainReplaces) {
  Checkpoint checkpoint = filled(5);
  checkpoint.save_text("words", "x");
  EXPECT_EQ(checkpoint.load_text("words"), "x");
  const Executor executor = Executor::cpu(1);
  Buffer<float> values(executor, 3);
  values.upload(std::vector<float>{1, 2, 3}.data());
  checkpoint.save("numbers", values);
  values.clear();
  checkpoint.load("numbers", values);
  EXPECT_EQ(values.download(), (std::vector<float>{1, 2, 3}));
  Buffer<float> larger(executor, 4);
  EXPECT_THROW(checkpoint.load("numbers", larger), RuntimeError);
}

TEST_F(CheckpointTest, EveryTurnedBitAndEveryMissingEndIsFound) {
  write(filled(5), "a");
  const std::string good = contents(path("a"));
  std::string damage;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 1 << at % 8);
    put(path("a"), bad);
    EXPECT_FALSE(Checkpoint::read(path("a"), damage)) << "a bit of byte " << at;
    put(path("a"), good.substr(0, at));
    EXPECT_FALSE(Checkpoint::read(path("a"), damage)) << "cut to " << at << " bytes";
  }
  EXPECT_TRUE(test::says(damage, "/a: "));
  EXPECT_FALSE(Checkpoint::read(path("none"), damage));
}

TEST_F(CheckpointTest, TheNewestTwoAreKept) {
  CheckpointFolder folder = CheckpointFolder::make(path("new/x.checkpoint"), false);
  for (int i = 1; i <= 5; ++i) folder.write(filled(i));
  EXPECT_EQ(files().size(), 2u + 3u);  // two folders, the lock
  const Found found = read(folder);
  ASSERT_EQ(found.checkpoints.size(), 2u);
  expect_filled(found.checkpoints[0], 5);
  expect_filled(found.checkpoints[1], 4);
  folder.remove();
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(CheckpointTest, ADamagedOneIsPassedOver) {
  {
    CheckpointFolder folder = CheckpointFolder::make(path("x"), false);
    folder.write(filled(1));
    folder.write(filled(2));
  }
  put(path("x/000002.state"), contents(path("x/000002.state")).substr(0, 900));
  put(path("x/000003.state.part"), "torn");
  CheckpointFolder folder = CheckpointFolder::open(path("x"));
  const Found found = read(folder);
  ASSERT_EQ(found.checkpoints.size(), 1u);
  EXPECT_EQ(frames_of(found.checkpoints[0]), 1);
  ASSERT_EQ(found.damages.size(), 1u);
  EXPECT_TRUE(test::says(found.damages[0], "000002.state: is cut short"));
  folder.write(filled(3));
  EXPECT_EQ(frames_of(read(folder).checkpoints.at(0)), 3);
}

// A pipe would wait for its writer, /dev/zero has no end, and a link may mean any file.
TEST_F(CheckpointTest, OnlyPlainFilesAreRead) {
  write(filled(1), "good");
  std::filesystem::create_directory(path("folder"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("good", path("link"));
  std::filesystem::create_symlink("/dev/zero", path("endless"));
  std::filesystem::create_symlink("pipe", path("link to a pipe"));
  put(path("empty"), "");
  std::string damage;
  EXPECT_TRUE(Checkpoint::read(path("good"), damage));
  for (const char* name : {"folder", "pipe", "link", "endless", "link to a pipe", "nothing"}) {
    EXPECT_FALSE(Checkpoint::read(path(name), damage)) << name;
    EXPECT_EQ(damage, path(name) + ": cannot be read as a plain file");
  }
  EXPECT_FALSE(Checkpoint::read(path("empty"), damage));
  CheckpointFolder folder = CheckpointFolder::make(path("x"), false);
  folder.write(filled(1));
  ASSERT_EQ(::mkfifo(path("x/000002.state").c_str(), 0600), 0);
  EXPECT_EQ(read(folder).checkpoints.size(), 1u);
  folder.write(filled(3));
  folder.write(filled(4));
  EXPECT_EQ(read(folder).checkpoints.size(), 2u);
  folder.remove();
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(CheckpointTest, AFolderThatIsALinkStaysBesideTheOutput) {
  std::filesystem::create_directories(path("run/in"));
  std::filesystem::create_directory(path("out"));
  put(path("out/000007.state"), "precious");
  for (const char* to : {"../out", "..", "/tmp"}) {
    std::filesystem::remove(path("run/x"));
    std::filesystem::create_symlink(to, path("run/x"));
    EXPECT_THROW(CheckpointFolder::make(path("run/x"), true), UsageError) << to;
    EXPECT_THROW(CheckpointFolder::open(path("run/x")), UsageError) << to;
  }
  EXPECT_EQ(contents(path("out/000007.state")), "precious");
  EXPECT_FALSE(std::filesystem::exists(path("out/lock")));
  std::filesystem::remove(path("run/x"));
  std::filesystem::create_symlink("in", path("run/x"));
  CheckpointFolder::make(path("run/x"), true).write(filled(1));
  EXPECT_TRUE(std::filesystem::exists(path("run/in/000001.state")));
}

TEST_F(CheckpointTest, AFolderBelongsToOneRun) {
  {
    const CheckpointFolder first = CheckpointFolder::make(path("x"), false);
    EXPECT_THROW(CheckpointFolder::make(path("x"), false), UsageError);
    EXPECT_THROW(CheckpointFolder::open(path("x")), UsageError);
  }
  CheckpointFolder::open(path("x"));
  EXPECT_THROW(CheckpointFolder::open(path("y")), UsageError);
  put(path("z"), "mine");
  EXPECT_THROW(CheckpointFolder::make(path("z"), false), UsageError);
  EXPECT_EQ(contents(path("z")), "mine");
}

TEST_F(CheckpointTest, AFreshRunStartsWithAnEmptyFolder) {
  { CheckpointFolder::make(path("x"), false).write(filled(1)); }
  EXPECT_TRUE(CheckpointFolder::make(path("x"), false).files().empty());
}

TEST_F(CheckpointTest, ARunThatGotFurtherIsKeptUnlessItMayBeReplaced) {
  {
    CheckpointFolder folder = CheckpointFolder::make(path("x"), false);
    folder.write(filled(1));
    folder.write(filled(2));
  }
  EXPECT_THROW(CheckpointFolder::make(path("x"), false), UsageError);
  EXPECT_EQ(frames_of(read(CheckpointFolder::open(path("x"))).checkpoints.at(0)), 2);
  EXPECT_TRUE(CheckpointFolder::make(path("x"), true).files().empty());
}

// After a power cut a checkpoint that is there must not count on frames that are not.
TEST_F(CheckpointTest, OutputsAreSyncedBeforeTheCheckpointThatCountsOnThem) {
  class Watched : public Sink {
   public:
    Watched(std::vector<std::size_t>& seen, std::filesystem::path folder)
        : Sink({}), seen_(seen), folder_(std::move(folder)) {}
    void write(const Frame&) override {}
    void finish() override {}
    void sync() const override {
      seen_.push_back(
          std::size_t(std::ranges::count_if(std::filesystem::directory_iterator(folder_),
                                            [](const auto& e) { return e.path().extension() == ".state"; })));
      if (seen_.size() == 2) throw RuntimeError("the disk is broken");
    }

   private:
    std::vector<std::size_t>& seen_;
    std::filesystem::path folder_;
  };
  std::vector<std::size_t> seen;
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(std::make_unique<Watched>(seen, path("x")));
  Checkpointer checkpointer(CheckpointFolder::make(path("x"), false), filled(0), {});
  checkpointer.watch(sinks, 0, nullptr);
  checkpointer.keep_start();
  EXPECT_TRUE(std::filesystem::exists(path("x/000001.state")));
  checkpointer.keep_start();
  EXPECT_FALSE(std::filesystem::exists(path("x/000002.state")));
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1}));
}

TEST_F(CheckpointTest, TheLastStateIsWrittenOnce) {
  class Safe : public Sink {
   public:
    Safe() : Sink({}) {}
    void write(const Frame&) override {}
    void finish() override {}
    std::int64_t safe_frames() const override { return 9; }
  };
  const Scene scene = parse_scene("[solver]\nkind = \"wave\"\ngrid = [32, 18]\n[view]\nrange = [-1, 1]\n", "a.toml");
  const Executor executor = Executor::cpu(1);
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(std::make_unique<Safe>());
  PreparedRun run(scene, plan_solver(scene), executor, std::move(sinks));
  const std::unique_ptr<Source> source = run.plan.open(executor);
  Checkpointer checkpointer(CheckpointFolder::make(path("x"), false), filled(0), {.seconds = 3600});
  checkpointer.watch(run.open.sinks, 0, nullptr);
  checkpointer.keep_end(9);
  while (checkpointer.saved() != 9) checkpointer.offer(9, *source, run.rasterizer());
  for (int i = 0; i < 5; ++i) checkpointer.offer(9, *source, run.rasterizer());
  EXPECT_EQ(files(), (std::vector<std::string>{"x", "x/000001.state", "x/lock"}));
}

// Also where the loop would go to the first frame at once.
TEST_F(CheckpointTest, FramesBeforeTheFirstCount) {
  const Scene scene = parse_scene(
      "[solver]\nkind = \"wave\"\ngrid = [32, 18]\n[view]\nrange = [-1, 1]\n[animation]\nframes = 30\nfirst = 25\n",
      "a.toml");
  const Executor executor = Executor::cpu(1);
  PreparedRun run(
      scene, plan_solver(scene), executor,
      {.outputs = {path("a.csv")}, .checkpoints = {.interval = CheckpointInterval{.seconds = 0, .frames = 10}}});
  run.open_outputs();
  std::vector<std::int64_t> reached;
  render({.run = run, .report = [&](const RenderProgress& progress) { reached.push_back(progress.done); }});
  EXPECT_EQ(std::ranges::count(reached, 10), 1);
  const std::unique_ptr<Source> source = run.plan.open(executor);
  const std::vector<std::unique_ptr<Sink>> none;
  Checkpointer checkpointer(CheckpointFolder::make(path("x"), false), {}, {.seconds = 0, .frames = 10});
  checkpointer.watch(none, 25, nullptr);
  const auto saved_at = [&](std::int64_t frame) {
    checkpointer.offer(frame, *source, run.rasterizer());
    checkpointer.release();
    return checkpointer.state().has(passed_block) ? checkpointer.state().load_value<std::int64_t>(passed_block) : 0;
  };
  EXPECT_EQ(saved_at(9), 0);
  EXPECT_EQ(saved_at(10), 10);
  EXPECT_EQ(saved_at(19), 10);
  EXPECT_EQ(saved_at(20), 20);
  EXPECT_EQ(saved_at(30), 30);
  EXPECT_EQ(checkpointer.saved(), 5) << "of those that the outputs have";
}

TEST_F(CheckpointTest, WhatIsNotOursStays) {
  CheckpointFolder folder = CheckpointFolder::make(path("x"), false);
  folder.write(filled(1));
  put(path("x/notes.txt"), "mine");
  folder.remove();
  EXPECT_EQ(files(), (std::vector<std::string>{"x", "x/notes.txt"}));
}

TEST_F(CheckpointTest, AFullDiskLeavesTheOnesBefore) {
  CheckpointFolder folder = CheckpointFolder::make(path("x"), false);
  folder.write(filled(1));
  folder.write(filled(2));
  {
    const FileSizeLimit limit(500);
    EXPECT_TRUE(test::says(test::thrown<RuntimeError>([&] { folder.write(filled(3)); }), "write: File too large"));
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"x", "x/000001.state", "x/000002.state", "x/lock"}));
  EXPECT_EQ(frames_of(read(folder).checkpoints.at(0)), 2);
  folder.write(filled(4));
  EXPECT_EQ(frames_of(read(folder).checkpoints.at(0)), 4);
}

TEST_F(CheckpointTest, StridesAreCombined) {
  class Strided : public Sink {
   public:
    explicit Strided(std::int64_t stride) : Sink({.stride = stride}) {}
    void write(const Frame&) override {}
    void finish() override {}
  };
  const auto common = [](std::initializer_list<std::int64_t> strides) {
    std::vector<std::unique_ptr<Sink>> sinks;
    for (const std::int64_t stride : strides) sinks.push_back(std::make_unique<Strided>(stride));
    return common_stride(sinks);
  };
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(common({}), 1);
  EXPECT_EQ(common({1, 60, 1, 50}), 300);
  EXPECT_EQ(common({60, never, 7}), never);
  EXPECT_EQ(common({std::int64_t{1} << 40, (std::int64_t{1} << 40) + 1}), never);
}

TEST(SceneDifference, NamesTheFirstKey) {
  const std::string text = "title = \"a\"\n[solver]\nkind = \"wave\"\ngrid = [8, 9]\n[[solver.droplet]]\nradius = 2\n";
  const auto difference = [&](const SceneText& now) { return scene_difference({text, {"view.colormap=magma"}}, now); };
  const std::vector<std::string> same = {"view.colormap=magma"};
  EXPECT_EQ(difference({text, same}), "");
  EXPECT_EQ(difference({text, {"view.colormap=plasma"}}), "view.colormap was \"magma\" and is \"plasma\"");
  EXPECT_EQ(difference({text, {}}), "view.colormap was \"magma\" and is not set now");
  EXPECT_EQ(difference({text, {"view.colormap=magma", "seed=3"}}), "seed was not set and is 3");
  EXPECT_EQ(difference({text, {"view.colormap=magma", "solver.grid.1=10"}}), "solver.grid.1 was 9 and is 10");
  EXPECT_EQ(difference({text, {"view.colormap=magma", "solver.droplet.0.radius=2.5"}}),
            "solver.droplet.0.radius was 2 and is 2.5");
  EXPECT_EQ(difference({text + "[[solver.droplet]]\n", same}), "solver.droplet was a list of 1 and is a list of 2");
  EXPECT_EQ(difference({text + "# more\n", same}),
            "the scene file was written differently, though every key has its value");
  EXPECT_EQ(difference({text, {"view.colormap = magma"}}),
            "the --set arguments were others, though every key has its value");
}

}  // namespace
}  // namespace simreel
