// Speed and size of the H.264 encoder of kernels/encode, alone:
//   h264_bench [--stages] [--device] [--coder] [--at-once GROUPS] cpu|cuda WIDTH HEIGHT QUALITY FRAMES [in.yuv [out.264
//   [reconstruction.yuv]]]
// encodes a raw yuv420p file, or ripples that it makes itself, in groups of 120 pictures, several at once if asked to.
// Input lies in the executor's memory before the clock starts, 32 pictures at most, which are shown forth and back.
// Prints frames per second, bytes and a hash of all packets, which is the same on every machine. With --stages it waits
// after each stage of a picture and prints how long they took. With --device the host codes no packets. With --coder
// one thread codes all pictures ten times more, and the time of the processor for the fastest pass is printed. The
// reconstruction is written of one group at a time only.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/buffer.h"
#include "kernels/encode/h264.h"
#include "kernels/encode/slice.h"

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

struct Clip {
  Size size;
  int quality, frames;
  std::vector<Buffer<std::byte>> pictures;  // shown forth and back

  const std::byte* planes(int frame) const {
    const int count = static_cast<int>(pictures.size()), period = std::max(1, 2 * count - 2), k = frame % period;
    return pictures[static_cast<std::size_t>(k < count ? k : period - k)].data();
  }
};

struct Packet {
  std::vector<std::uint8_t> bytes;
  bool key = false;
  std::vector<std::byte> filled;  // of the slot, if it is kept
};

// Encodes every `step`th group of a clip from group `first` on, on the thread that calls it; packets are coded on as
// many others as there are cores. null: not at all.
class Coder {
 public:
  Coder(Executor executor, const Clip& clip, bool keeps)
      : executor_(std::move(executor)),
        clip_(clip),
        keeps_(keeps),
        encoder_(executor_, {.size = clip.size, .quality = clip.quality, .graphs = true}) {
    for (int i = 0; i < slots; ++i) slot_.emplace_back(executor_, H264Encoder::slot_bytes(clip.size), Memory::pinned);
  }

  void encode(int first, int step, std::counting_semaphore<>* cores, std::vector<std::future<Packet>>& packets,
              std::FILE* seen) {
    std::vector<int> frames;
    for (int begin = first * group; begin < clip_.frames; begin += step * group)
      for (int i = begin; i < std::min(begin + group, clip_.frames); ++i) frames.push_back(i);
    const auto collect = [&](std::size_t n) {
      done_[n % slots].wait();
      const std::byte* const slot = slot_[n % slots].data();
      if (!cores) return;
      cores->acquire();
      packets[static_cast<std::size_t>(frames[n])] =
          std::async(std::launch::async,
                     [cores, keeps = keeps_, filled = std::vector(slot, slot + H264Encoder::filled_bytes(slot))] {
                       Packet packet{H264Encoder::packet(filled.data()), H264Encoder::is_key(filled.data()), {}};
                       if (keeps) packet.filled = filled;
                       cores->release();
                       return packet;
                     });
    };
    const std::size_t count = frames.size();
    for (std::size_t n = 0; n < count; ++n) {
      if (n >= slots) collect(n - slots);
      if (frames[n] % group == 0) encoder_.reset();
      encoder_.encode(clip_.planes(frames[n]), false, slot_[n % slots].data(), done_[n % slots]);
      if (seen) write(seen, encoder_.reconstruction());
    }
    for (std::size_t n = count - std::min<std::size_t>(count, slots); n < count; ++n) collect(n);
  }

  H264Encoder& encoder() { return encoder_; }

  static void write(std::FILE* to, const std::vector<std::uint8_t>& data) {
    if (to) std::fwrite(data.data(), 1, data.size(), to);
  }

 private:
  Executor executor_;
  const Clip& clip_;
  bool keeps_;
  H264Encoder encoder_;
  std::vector<Buffer<std::byte>> slot_;
  std::vector<Event> done_{slots};
};

// Codes all pictures again and prints how fast that was.
void time_coder(const std::vector<Packet>& packets) {
  double fastest = 1e30;
  std::int64_t bins = 0;
  std::size_t bytes = 0;
  for (int pass = 0; pass < 10; ++pass) {
    bins = 0, bytes = 0;
    const std::clock_t start = std::clock();
    for (const Packet& packet : packets) {
      const CodedSlice slice = code_slice(packet.filled.data());
      bins += slice.bins, bytes += slice.bytes.size();
    }
    fastest = std::min(fastest, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  fmt::print("  coder: {:.3f} ms and {:.1f} kB a picture, {:.1f} million bins/s\n",
             1e3 * fastest / static_cast<double>(packets.size()),
             1e-3 * static_cast<double>(bytes) / static_cast<double>(packets.size()),
             1e-6 * static_cast<double>(bins) / fastest);
}

int run(bool stages, bool coded, bool timed, int at_once, const std::string& backend, Size size, int quality,
        int frames, const char* in, const char* out, const char* decoded) {
  const Executor executor = backend == "cuda" ? Executor::cuda() : Executor::cpu();
  const Size even = padded(size, PixelLayout::yuv420p);
  const std::size_t bytes = frame_bytes(even, PixelLayout::yuv420p);
  Clip clip{size, quality, frames, {}};
  std::FILE* const input = in ? std::fopen(in, "rb") : nullptr;
  if (in && !input) return 1;
  for (int i = 0; i < std::min(held, frames); ++i) {
    std::vector<std::uint8_t> planes(bytes);
    if (!input)
      planes = ripples(even, i);
    else if (std::fread(planes.data(), 1, bytes, input) != bytes)
      break;
    clip.pictures.emplace_back(executor, bytes);
    clip.pictures.back().upload(reinterpret_cast<const std::byte*>(planes.data()));
  }
  if (input) std::fclose(input);
  if (clip.pictures.empty()) return 1;
  executor.wait();

  std::vector<std::future<Packet>> packets(static_cast<std::size_t>(frames));
  std::counting_semaphore<> cores(executor.threads());
  std::FILE* const seen = decoded ? std::fopen(decoded, "wb") : nullptr;
  std::vector<std::unique_ptr<Coder>> coders(static_cast<std::size_t>(at_once));
  std::latch ready(at_once + 1), begin(1);
  std::vector<std::jthread> threads;
  for (int k = 0; k < at_once; ++k)
    threads.emplace_back([&, k] {
      auto& coder = coders[static_cast<std::size_t>(k)];
      coder = std::make_unique<Coder>(executor.backend() == Backend::cpu
                                          ? Executor::cpu(std::max(1, executor.threads() / at_once))
                                          : executor.beside(),
                                      clip, timed);
      if (stages) coder->encoder().time_stages();
      ready.count_down();
      begin.wait();
      coder->encode(k, at_once, coded ? &cores : nullptr, packets, at_once == 1 ? seen : nullptr);
    });
  ready.arrive_and_wait();
  const auto start = std::chrono::steady_clock::now();
  begin.count_down();
  threads.clear();  // joins them
  if (coded)
    for (const auto& packet : packets) packet.wait();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  std::FILE* const stream = out ? std::fopen(out, "wb") : nullptr;
  Coder::write(stream, coders[0]->encoder().parameter_sets());
  std::size_t total = 0, keys = 0;
  std::vector<Packet> done;
  std::uint64_t hash = 14695981039346656037u;
  for (int i = 0; coded && i < frames; ++i) {
    const Packet& packet = done.emplace_back(packets[static_cast<std::size_t>(i)].get());
    total += packet.bytes.size();
    keys += packet.key ? packet.bytes.size() : 0;
    Coder::write(stream, packet.bytes);
    for (const std::uint8_t byte : packet.bytes) hash = (hash ^ byte) * 1099511628211u;
  }
  fmt::print(
      "{} {} x {}, quality {}, {} at once: {} frames, {:.1f} frames/s, {} bytes ({} in key pictures), hash "
      "{:016x}\n",
      executor.name(), size.width, size.height, quality, at_once, frames, frames / seconds, total, keys, hash);
  if (timed) time_coder(done);
  for (const auto& stage : coders[0]->encoder().stage_times())
    fmt::print("  {:24} {:9.1f} us, {} times\n", stage.name, 1e6 * stage.seconds / stage.count, stage.count);
  if (stream) std::fclose(stream);
  if (seen) std::fclose(seen);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  bool stages = false, coded = true, timed = false;
  int at_once = 1;
  for (; count > 1 && words[1][0] == '-'; ++words, --count) {
    if (std::string(words[1]) == "--stages") {
      stages = true;
    } else if (std::string(words[1]) == "--device") {
      coded = false;
    } else if (std::string(words[1]) == "--coder") {
      timed = true;
    } else if (count > 2 && std::string(words[1]) == "--at-once") {
      at_once = std::max(1, std::atoi(words[2]));
      ++words, --count;
    }
  }
  if (count < 6) {
    fmt::print(stderr,
               "usage: h264_bench [--stages] [--device] [--coder] [--at-once GROUPS] cpu|cuda WIDTH HEIGHT QUALITY "
               "FRAMES [in.yuv [out.264 [reconstruction.yuv]]]\n");
    return 2;
  }
  const auto word = [&](int i) { return i < count ? words[i] : nullptr; };
  return run(stages, coded, timed && coded, at_once, words[1], {std::atoi(words[2]), std::atoi(words[3])},
             std::atoi(words[4]), std::atoi(words[5]), word(6), word(7), word(8));
}
