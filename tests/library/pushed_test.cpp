// What a pushed video keeps when its loop has ended, and when it has read the caller's arrays.

#include "library/pushed.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "simreel/simreel.h"
#include "tests/support/backends.h"
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
  const simreel_device device{sizeof(simreel_device), SIMREEL_CPU, 0, 2, 0, nullptr, nullptr, nullptr, nullptr};
  simreel_video* const video =
      simreel_video_open(outputs, 1, "[view]\nsize = [64, 48]\nrange = [0, 1]\n", &device, nullptr);
  ASSERT_NE(video, nullptr);
  const std::vector<float> values(12);
  const std::int64_t shape[] = {3, 4};
  const simreel_array field{sizeof field, values.data(), SIMREEL_FLOAT32, 2, shape, nullptr, SIMREEL_HOST, nullptr};
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
  constexpr int side = 512, max = 1000;
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
      while (refused < 4 && written < max) try {
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

// Bytes that differ from frame to frame, as one array on a GPU, overwritten as soon as `write` returns, and as arrays
// in host memory: the frames are the same. `frame_of` says what the bytes are. Drawing takes longer than reading, so
// that what is read too late or overwritten too early is seen.
template <class Fill, class FrameOf>
void expect_same_from_gpu(const std::string& view, std::size_t bytes, const Fill& fill, const FrameOf& frame_of) {
  constexpr int frames = 30;
  const test::Folder folder;
  const Executor mine = Executor::cuda();
  Buffer<std::byte> array(mine, bytes);
  std::vector<std::byte> values(bytes);
  std::string expected;
  // On the CPU; from the host; from the GPU; by turns.
  for (const int on_gpu_of_3 : {-1, 0, 3, 2}) {
    const std::string name = folder / fmt::format("{}.hashes", on_gpu_of_3);
    PushedVideo video({name}, view, {on_gpu_of_3 < 0 ? Wanted::cpu : Wanted::cuda, -1, 0, false});
    video.set_stream(mine.stream());
    for (int i = 0; i < frames; ++i) {
      fill(i, values);
      const bool on_gpu = (i + 2) % 3 < on_gpu_of_3;  // by turns the host begins
      if (on_gpu) array.upload(values.data());
      PushedFrame frame = frame_of(on_gpu ? array.data() : values.data());
      frame.on_gpu = on_gpu;
      video.write(frame);
      if (on_gpu) array.clear();
    }
    video.close();
    const std::string found = test::text_of(name);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << on_gpu_of_3;
  }
}

TEST(Gpu, PushedFieldsAreReadWhenWriteReturns) {
  SKIP_WITHOUT_GPU();
  constexpr std::int64_t rows = 540, columns = 960;
  const auto fill = [](int i, std::vector<std::byte>& to) {
    float* const value = reinterpret_cast<float*>(to.data());
    for (std::int64_t c = 0; c < rows * columns; ++c) value[c] = static_cast<float>((c * (i + 1)) % 997);
  };
  expect_same_from_gpu("[view]\nsize = [1920, 1080]\nrange = [0, 1000]\n", rows * columns * sizeof(float), fill,
                       [](const std::byte* data) {
                         PushedFrame frame;
                         frame.field = StridedArray{data, Number::float32, rows, columns, 4 * columns, 4};
                         return frame;
                       });
}

TEST(Gpu, PushedPicturesAreReadWhenWriteReturns) {
  SKIP_WITHOUT_GPU();
  constexpr std::int64_t rows = 1080, columns = 1920;
  const auto fill = [](int i, std::vector<std::byte>& to) {
    for (std::size_t c = 0; c < to.size(); ++c)
      to[c] = static_cast<std::byte>((c * static_cast<std::size_t>(i + 1)) % 251);
  };
  expect_same_from_gpu("", rows * columns * 3, fill, [](const std::byte* data) {
    PushedFrame frame;
    frame.field = StridedArray{data, Number::uint8, rows, columns, 3 * columns, 3};
    frame.channels = 3;
    frame.channel_bytes = 1;
    return frame;
  });
}

TEST(Gpu, PushedBodiesAreReadWhenWriteReturns) {
  SKIP_WITHOUT_GPU();
  constexpr std::int64_t count = 20000;
  const auto fill = [](int i, std::vector<std::byte>& to) {
    float* const at = reinterpret_cast<float*>(to.data());
    for (std::int64_t c = 0; c < 3 * count; ++c) at[c] = static_cast<float>((c * (i + 7)) % 983) / 983 - 0.5f;
  };
  expect_same_from_gpu("[view]\nsize = [1280, 720]\n", count * 3 * sizeof(float), fill, [](const std::byte* data) {
    PushedFrame frame;
    frame.position = StridedArray{data, Number::float32, count, 3, 12, 4};
    return frame;
  });
}

}  // namespace
}  // namespace simreel
