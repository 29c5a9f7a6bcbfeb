// The program killed at any instant: nothing under a final name but what is complete, and a .part file that plays up to
// the last finished segment.

#include "tests/support/animated_fixture.h"
#include "tests/support/command_fixture.h"

namespace simreel::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int frames = 400, segment = 12;

class KillTest : public CommandTest {
 protected:
  void SetUp() override {
    av_log_set_level(AV_LOG_QUIET);
    write("scene.toml", fmt::format(R"([solver]
kind = "wave"
grid = [64, 48]
[[solver.droplet]]
[view]
size = [64, 48]
range = [-0.07, 0.07]
[animation]
fps = 12
frames = {}
[output]
segment = 1
)",
                                    frames));
  }

  std::vector<std::string> render(const std::string& output) const {
    std::vector<std::string> all = {"render",          "scene.toml",  "-o",          output,
                                    "--progress=none", "--overwrite", "--encoders=2"};
    if (output.starts_with("fast")) all.push_back("--set=output.codec=h264_fast");
    return all;
  }
};

TEST_F(KillTest, AnyInstantLeavesOnlyWhatPlays) {
  std::mt19937 random(20240607);
  int with_pictures = 0;
  for (const std::string name : {"a.mp4", "a.mkv", "fast.mp4"}) {
    const auto before = Clock::now();
    ASSERT_EQ(Child(folder_ / ".", render(name)).end(), 0) << text_of(folder_ / "err.txt");
    const std::chrono::duration<double> whole = Clock::now() - before;
    const std::string complete = text_of(folder_ / name), part = folder_ / (name + ".part");
    const std::vector<std::vector<std::byte>> whole_frames = decode(folder_ / name).frames;
    ASSERT_EQ(whole_frames.size(), std::size_t(frames));
    // Instants by the clock reach the start and the end of a run, those by the bytes written its middle, however much
    // faster or slower than the first this one is. Runs that end before their instant do not count.
    int killed = 0;
    for (int round = 0; killed < 12; ++round) {
      ASSERT_LT(round, 500) << killed << " killed";
      std::filesystem::remove(folder_ / name);
      std::filesystem::remove(part);
      Child child(folder_ / ".", render(name));
      const double instant = std::uniform_real_distribution(0.0, 1.1)(random);
      if (round % 2 == 0)
        std::this_thread::sleep_for(whole * instant);
      else
        child.reaches([&] { return double(size_of(name + ".part")) >= instant * double(complete.size()); });
      child.send(SIGKILL);
      killed += child.end() == 1000 + SIGKILL ? 1 : 0;
      if (exists(name)) {
        EXPECT_EQ(text_of(folder_ / name), complete);
        continue;
      }
      // The file and its complete form exist beside each other for a moment; the .part file is there until the rename.
      if (!exists(name + ".part") || std::filesystem::file_size(part) == 0) continue;
      const std::vector<std::vector<std::byte>> left = decode(part).frames;
      // The last segment may have been on its way to the file; players show what came of it, with gaps.
      const auto finished = static_cast<std::ptrdiff_t>(left.size() / segment * segment);
      ASSERT_LE(left.size(), whole_frames.size());
      EXPECT_TRUE(std::equal(left.begin(), left.begin() + finished, whole_frames.begin())) << name;
      with_pictures += finished > 0 ? 1 : 0;
      const std::string probe = fmt::format("ffprobe -v quiet -show_streams '{}' >/dev/null", part);
      if (finished > 0 && test::installed("ffprobe")) {
        EXPECT_EQ(std::system(probe.c_str()), 0);
      }
    }
  }
  EXPECT_GE(with_pictures, 5);
}

// All but a head, which tells how much there is.
TEST_F(KillTest, GrowingAnimatedPictureIsTheStartOfTheFinishedOne) {
  const std::vector<std::pair<std::string, std::string>> first_frames = {
      {"a.gif", "GIF89a"}, {"a.webp", "ANMF"}, {"a.apng", "fcTL"}};
  for (const auto& [name, mark] : first_frames) {
    auto arguments = render(name);
    arguments.push_back("--set=animation.frames=120");
    ASSERT_EQ(Child(folder_ / ".", arguments).end(), 0) << text_of(folder_ / "err.txt");
    const std::string complete = text_of(folder_ / name), part = folder_ / (name + ".part");
    const std::vector<std::vector<std::byte>> whole = decode_animation(folder_ / name).frames;
    ASSERT_EQ(whole.size(), 120u);
    for (const double share : {0.4, 0.8}) {
      std::filesystem::remove(folder_ / name);
      std::filesystem::remove(part);
      Child child(folder_ / ".", arguments);
      child.reaches([&] { return double(size_of(name + ".part")) >= share * double(complete.size()); });
      child.send(SIGKILL);
      child.end();
      if (exists(name)) {
        EXPECT_TRUE(text_of(folder_ / name) == complete);
        continue;
      }
      const std::string left = text_of(part);
      const std::size_t first = complete.find(mark);
      ASSERT_LE(left.size(), complete.size());
      EXPECT_TRUE(left.substr(first) == complete.substr(first, left.size() - first)) << name;
      const std::vector<std::vector<std::byte>> shown = decode_animation(part).frames;
      const auto finished = static_cast<std::ptrdiff_t>(shown.size() / segment * segment);
      EXPECT_GT(finished, 0) << name << share;
      EXPECT_TRUE(std::equal(shown.begin(), shown.begin() + finished, whole.begin())) << name << share;
    }
  }
}

}  // namespace
}  // namespace simreel::test
