#include "kernels/encode/h264.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "exec/buffer.h"
#include "kernels/encode/bit_string.h"
#include "kernels/encode/parameter_sets.h"

namespace simreel {
namespace {

// What a slot begins with; the slice follows.
struct SlotHead {
  std::uint32_t bytes;   // of the slice
  std::uint32_t header;  // of its NAL unit
  std::uint32_t unused[2];
};

int blocks(int pixels) { return (pixels + 15) / 16; }
std::size_t macroblocks(Size size) {
  return static_cast<std::size_t>(blocks(size.width)) * static_cast<std::size_t>(blocks(size.height));
}

}  // namespace

struct H264Encoder::State {
  const Executor& executor;
  Size size;
  H264Options options;
  int number = 0;  // of the next picture since reset()
  std::vector<std::uint8_t> last;
};

bool H264Encoder::accepts(Size size) {
  constexpr int longest = 8192;
  return size.width >= 1 && size.height >= 1 && size.width <= longest && size.height <= longest &&
         macroblocks(size) <= 139264;
}

std::size_t H264Encoder::memory_bytes(Size size) { return frame_bytes(size, PixelLayout::yuv420p); }

std::size_t H264Encoder::slot_bytes(Size size) { return 256 + macroblocks(size) * 402; }

H264Encoder::H264Encoder(const Executor& executor, const H264Options& options) {
  if (!accepts(options.size) || options.fps_numerator < 1 || options.fps_denominator < 1 || options.quality < 0 ||
      options.quality > 51)
    throw std::invalid_argument("H264Encoder: options out of range");
  state_.reset(new State{executor, padded(options.size, PixelLayout::yuv420p), options, 0, {}});
}
H264Encoder::H264Encoder(H264Encoder&&) noexcept = default;
H264Encoder& H264Encoder::operator=(H264Encoder&&) noexcept = default;
H264Encoder::~H264Encoder() = default;

std::vector<std::uint8_t> H264Encoder::parameter_sets() const {
  return h264_parameter_sets(state_->size, state_->options.fps_numerator, state_->options.fps_denominator);
}

// Every macroblock as it is (I_PCM).
void H264Encoder::encode(const std::byte* planes, bool key, std::byte* slot, Event& done) {
  State& s = *state_;
  s.last.resize(frame_bytes(s.size, PixelLayout::yuv420p));
  s.executor.copy(s.last.data(), planes, s.last.size());
  if (key) s.number = 0;
  BitString slice;
  slice.unsigned_golomb(0);
  slice.unsigned_golomb(7);
  slice.unsigned_golomb(0);
  slice.put(static_cast<std::uint32_t>(s.number) & 15, 4);
  if (s.number == 0) {
    slice.unsigned_golomb(0);
    slice.put(0, 2);
  } else {
    slice.put(0, 1);
  }
  slice.signed_golomb(0);
  slice.unsigned_golomb(1);
  for (int my = 0; my < blocks(s.size.height); ++my)
    for (int mx = 0; mx < blocks(s.size.width); ++mx) {
      slice.unsigned_golomb(25);
      slice.put(0, (8 - slice.count() % 8) % 8);
      const std::uint8_t* plane = s.last.data();
      for (int c = 0; c < 3; ++c) {
        const int n = c ? 8 : 16, width = c ? s.size.width / 2 : s.size.width,
                  height = c ? s.size.height / 2 : s.size.height;
        for (int y = 0; y < n; ++y)
          for (int x = 0; x < n; ++x)
            slice.put(plane[static_cast<std::ptrdiff_t>(std::min(my * n + y, height - 1)) * width +
                            std::min(mx * n + x, width - 1)],
                      8);
        plane += static_cast<std::ptrdiff_t>(width) * height;
      }
    }
  slice.end();
  const SlotHead head{static_cast<std::uint32_t>(slice.bytes().size()), s.number == 0 ? 0x65u : 0x61u, {}};
  std::memcpy(slot, &head, sizeof head);
  std::memcpy(slot + sizeof head, slice.bytes().data(), slice.bytes().size());
  done = Event();
  ++s.number;
}

void H264Encoder::reset() { state_->number = 0; }

std::vector<std::uint8_t> H264Encoder::packet(const std::byte* slot) {
  SlotHead head;
  std::memcpy(&head, slot, sizeof head);
  std::vector<std::uint8_t> bytes;
  append_nal_unit(bytes, static_cast<std::uint8_t>(head.header),
                  reinterpret_cast<const std::uint8_t*>(slot) + sizeof head, head.bytes);
  return bytes;
}
bool H264Encoder::is_key(const std::byte* slot) {
  SlotHead head;
  std::memcpy(&head, slot, sizeof head);
  return head.header == 0x65;
}

std::vector<std::uint8_t> H264Encoder::reconstruction() const { return state_->last; }

}  // namespace simreel
