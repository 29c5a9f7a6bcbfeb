// Frames that lie ready in a file, through the ring into a video: what ffmpeg_pipe.py measures against the ffmpeg
// program. encode_frames RAW rgba|yuv420p WIDTH HEIGHT FRAMES OUT [ENCODERS [CODEC]]; a file of too few frames is read
// again. It prints the peak of the memory, too, which Codec::Memory is to estimate: noise takes most. "yuv420p" stands
// for whatever the codec takes first; of 10 bits, only those that are used may be set in the file.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/raster/convert.h"
#include "run/ring.h"

namespace simreel {
namespace {

void run(const std::vector<std::string>& arguments) {
  std::ifstream file(arguments.at(0), std::ios::binary);
  const bool is_rgba = arguments.at(1) == "rgba";
  StreamInfo info;
  info.size = {std::stoi(arguments.at(2)), std::stoi(arguments.at(3))};
  info.frames = std::stoll(arguments.at(4));
  info.fps_numerator = 30;
  info.overwrite = true;
  if (arguments.size() > 6) info.encoders = std::stoi(arguments[6]);
  const auto read = [&](std::byte* to, PixelLayout layout) {
    const auto bytes = std::streamsize(frame_bytes(info.size, layout));
    if (file.read(reinterpret_cast<char*>(to), bytes)) return;
    file.clear();
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(to), bytes)) throw std::runtime_error(arguments[0] + ": not a whole frame");
  };

  const auto start = std::chrono::steady_clock::now();
  const Executor executor = Executor::cpu();
  std::vector<Color> canvas(is_rgba ? frame_bytes(info.size, PixelLayout::rgba) / sizeof(Color) : 0);
  OutputOptions options;
  if (arguments.size() > 7) options.codec = arguments[7];
  auto sinks = open_sinks({arguments.at(5)}, options, info);
  FrameRing ring(executor, sinks, info.size);
  for (std::int64_t frame = 0; frame < info.frames; ++frame) {
    if (is_rgba) read(reinterpret_cast<std::byte*>(canvas.data()), PixelLayout::rgba);
    FrameRing::Slot& slot = ring.acquire();
    for (const PixelLayout layout : ring.needs().layouts) {
      if (is_rgba) {
        convert_pixels(executor, canvas.data(), info.size, {0, 0, 0, 255}, layout, slot.target(layout));
      } else {
        read(slot.target(layout), layout);
      }
    }
    ring.publish(slot);
  }
  ring.finish();

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto in_seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  fmt::print("{{\"seconds\": {:.3f}, \"cpu_seconds\": {:.3f}, \"peak_mib\": {}, \"estimated_mib\": {}}}\n", seconds,
             in_seconds(used.ru_utime) + in_seconds(used.ru_stime), used.ru_maxrss / 1024,
             (needs_of(sinks).memory_bytes + FrameRing::memory_bytes(needs_of(sinks).layouts, info.size)) >> 20);
}

}  // namespace
}  // namespace simreel

int main(int count, char** arguments) {
  try {
    simreel::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\nencode_frames RAW rgba|yuv420p WIDTH HEIGHT FRAMES OUT [ENCODERS [CODEC]]\n", error.what());
    return 1;
  }
}
