// What a pushed video keeps when its loop has ended.

#include "library/pushed.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/error.h"
#include "simreel/simreel.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

TEST(PushedVideo, ItsExecutorOutlivesTheLoop) {
  const test::Folder folder;
  PushedVideo video({folder / "a.hashes"}, "[view]\nsize = [64, 48]\nrange = [0, 1]\n[animation]\nframes = 1\n",
                    {Wanted::cpu, -1, 3, false});
  const std::vector<float> values(12);
  PushedFrame frame;
  frame.field = StridedArray{reinterpret_cast<const std::byte*>(values.data()), Number::float32, 3, 4, 16, 4};
  video.write(frame);
  EXPECT_THROW(video.write(frame), UsageError);
  video.close();  // the loop's thread has gone
  const Executor& executor = video.executor();
  std::vector<int> squares(100);
  executor.run_tasks(
      100,
      [](const void* to, std::int64_t i, int) {
        static_cast<int*>(const_cast<void*>(to))[i] = static_cast<int>(i * i);
      },
      squares.data());
  EXPECT_EQ(squares[99], 9801);
  EXPECT_EQ(executor.threads(), 3);
  EXPECT_EQ(video.stream(), executor.stream());
}

// What a fork's copy of a video does must neither hang nor spoil that of the parent.
TEST(PushedVideo, AForkOnlyLetsGo) {
  const test::Folder folder;
  const std::string name = folder / "a.hashes";
  const char* const outputs[] = {name.c_str()};
  const simreel_device device{sizeof(simreel_device), SIMREEL_CPU, 0, 2, 0};
  simreel_video* const video =
      simreel_video_open(outputs, 1, "[view]\nsize = [64, 48]\nrange = [0, 1]\n", &device, nullptr);
  ASSERT_NE(video, nullptr);
  const std::vector<float> values(12);
  const std::int64_t shape[] = {3, 4};
  const simreel_array field{sizeof field, values.data(), SIMREEL_FLOAT32, 2, shape, nullptr, SIMREEL_HOST};
  ASSERT_EQ(simreel_video_write(video, &field, 0, nullptr), SIMREEL_DONE);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const bool refused = simreel_video_write(video, &field, 0, nullptr) == SIMREEL_USAGE &&
                         simreel_video_close(video, nullptr, nullptr) == SIMREEL_USAGE;
    simreel_video_abandon(video);
    ::_exit(refused ? 7 : 8);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(simreel_video_write(video, &field, 1, nullptr), SIMREEL_DONE);
  simreel_result* result = nullptr;
  ASSERT_EQ(simreel_video_close(video, &result, nullptr), SIMREEL_DONE);
  EXPECT_EQ(simreel_result_frames(result), 2);
  simreel_result_free(result);
}

// A write waits until the frame before it is drawn, so that the others find it there.
TEST(PushedVideo, ThreadsThatWriteAtOnceAreRefused) {
  constexpr int side = 512, most = 1000;
  const test::Folder folder;
  PushedVideo video({folder / "a.hashes"}, "[view]\nsize = [512, 512]\nrange = [0, 1]\n", {Wanted::cpu, -1, 2, false});
  const std::vector<float> values(std::size_t{side} * side);
  PushedFrame frame;
  frame.field = StridedArray{
      reinterpret_cast<const std::byte*>(values.data()), Number::float32, side, side, 4 * std::int64_t{side}, 4};
  std::atomic<int> written = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (refused < 4 && written < most) try {
          video.write(frame);
          ++written;
        } catch (const UsageError&) {
          ++refused;
        }
    });
  for (std::thread& thread : threads) thread.join();
  video.close();
  EXPECT_EQ(video.frames(), written);
  EXPECT_GE(refused, 4);
}

}  // namespace
}  // namespace simreel
