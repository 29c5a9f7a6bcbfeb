// Speed and size of the H.264 encoder of kernels/encode, alone:
//   h264_bench [--stages] cpu|cuda WIDTH HEIGHT QUALITY FRAMES [in.yuv [out.264 [reconstruction.yuv]]]
// encodes a raw yuv420p file, or ripples that it makes itself, in groups of 120 pictures. Input lies in the executor's
// memory before the clock starts, 32 pictures at most, which are shown forth and back. Prints frames per second, bytes
// and a hash of all packets, which is the same on every machine. With --stages it waits after each stage of a picture
// and prints how long they took.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "exec/buffer.h"
#include "kernels/encode/h264.h"

namespace {

using namespace simreel;

constexpr int held = 32, group = 120, slots = 4;

// Rings around four moving places.
std::vector<std::uint8_t> ripples(Size size, int frame) {
  std::vector<std::uint8_t> planes(frame_bytes(size, PixelLayout::yuv420p));
  std::uint8_t* plane = planes.data();
  for (int c = 0; c < 3; ++c) {
    const int part = c ? 2 : 1, width = size.width / part, height = size.height / part;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int sum = 0;
        for (int k = 0; k < 4; ++k) {
          const int dx = (x * part * 1920 / size.width - 300 * (k + 1)) / 2 + frame * (k - 1);
          const int dy = (y * part * 1080 / size.height - 190 * (k + 1)) / 2 - frame * k / 2;
          const int phase = ((dx * dx + dy * dy) / (96 << k) - 6 * frame) & 255;
          const int triangle = phase < 128 ? phase : 255 - phase;
          sum += triangle * (128 - triangle) / 32;
        }
        *plane++ = static_cast<std::uint8_t>(std::clamp(c ? 96 + sum / 8 : 16 + sum / 4, 0, 255));
      }
  }
  return planes;
}

int run(bool stages, const std::string& backend, Size size, int quality, int frames, const char* in, const char* out,
        const char* decoded) {
  const Executor executor = backend == "cuda" ? Executor::cuda() : Executor::cpu();
  const Size even = padded(size, PixelLayout::yuv420p);
  const std::size_t bytes = frame_bytes(even, PixelLayout::yuv420p);
  std::vector<Buffer<std::byte>> pictures;
  std::FILE* const input = in ? std::fopen(in, "rb") : nullptr;
  if (in && !input) return 1;
  for (int i = 0; i < std::min(held, frames); ++i) {
    std::vector<std::uint8_t> planes(bytes);
    if (!input)
      planes = ripples(even, i);
    else if (std::fread(planes.data(), 1, bytes, input) != bytes)
      break;
    pictures.emplace_back(executor, bytes);
    pictures.back().upload(reinterpret_cast<const std::byte*>(planes.data()));
  }
  if (input) std::fclose(input);
  if (pictures.empty()) return 1;
  H264Encoder encoder(executor, {.size = size, .quality = quality});
  if (stages) encoder.time_stages();
  std::FILE *const stream = out ? std::fopen(out, "wb") : nullptr, *const seen =
                                                                       decoded ? std::fopen(decoded, "wb") : nullptr;
  const auto write = [](std::FILE* to, const std::vector<std::uint8_t>& data) {
    if (to) std::fwrite(data.data(), 1, data.size(), to);
  };
  write(stream, encoder.parameter_sets());

  std::vector<Buffer<std::byte>> slot;
  for (int i = 0; i < slots; ++i) slot.emplace_back(executor, H264Encoder::slot_bytes(size), Memory::pinned);
  std::vector<Event> done(slots);
  std::size_t total = 0, keys = 0;
  std::vector<std::vector<std::uint8_t>> packets;  // hashed when the clock has stopped
  const auto take = [&](int i) {
    const auto k = static_cast<std::size_t>(i % slots);
    done[k].wait();
    std::vector<std::uint8_t> packet = H264Encoder::packet(slot[k].data());
    total += packet.size();
    keys += H264Encoder::is_key(slot[k].data()) ? packet.size() : 0;
    write(stream, packet);
    packets.push_back(std::move(packet));
  };
  executor.wait();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < frames; ++i) {
    if (i >= slots) take(i - slots);
    if (i % group == 0) encoder.reset();
    const int count = static_cast<int>(pictures.size()), period = std::max(1, 2 * count - 2), k = i % period;
    const auto& picture = pictures[static_cast<std::size_t>(k < count ? k : period - k)];
    encoder.encode(picture.data(), false, slot[static_cast<std::size_t>(i % slots)].data(),
                   done[static_cast<std::size_t>(i % slots)]);
    if (seen) write(seen, encoder.reconstruction());
  }
  for (int i = std::max(0, frames - slots); i < frames; ++i) take(i);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t hash = 14695981039346656037u;
  for (const auto& packet : packets)
    for (const std::uint8_t byte : packet) hash = (hash ^ byte) * 1099511628211u;
  fmt::print("{} {} x {}, quality {}: {} frames, {:.1f} frames/s, {} bytes ({} in key pictures), hash {:016x}\n",
             executor.name(), size.width, size.height, quality, frames, frames / seconds, total, keys, hash);
  for (const auto& stage : encoder.stage_times())
    fmt::print("  {:24} {:9.1f} us, {} times\n", stage.name, 1e6 * stage.seconds / stage.count, stage.count);
  if (stream) std::fclose(stream);
  if (seen) std::fclose(seen);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const bool stages = count > 1 && std::string(words[1]) == "--stages";
  if (stages) ++words, --count;
  if (count < 6) {
    fmt::print(stderr,
               "usage: h264_bench [--stages] cpu|cuda WIDTH HEIGHT QUALITY FRAMES [in.yuv [out.264 "
               "[reconstruction.yuv]]]\n");
    return 2;
  }
  const auto word = [&](int i) { return i < count ? words[i] : nullptr; };
  return run(stages, words[1], {std::atoi(words[2]), std::atoi(words[3])}, std::atoi(words[4]), std::atoi(words[5]),
             word(6), word(7), word(8));
}
