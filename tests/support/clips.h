#pragma once
// Small clips in yuv420p for the tests of the H.264 encoder: what it meets, and what it must survive.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "base/pixels.h"
#include "exec/buffer.h"
#include "kernels/encode/h264.h"
#include "kernels/encode/packed.h"
#include "kernels/encode/slice.h"

namespace simreel::test {

using Planes = std::vector<std::uint8_t>;  // Y', Cb, Cr of an even size

enum class Clip { noise, extremes, flat, gradient, text, particles, cuts };
inline constexpr Clip all_clips[] = {Clip::noise, Clip::extremes,  Clip::flat, Clip::gradient,
                                     Clip::text,  Clip::particles, Clip::cuts};

// Picture `frame` of a clip; `size` is even.
inline Planes picture_of(Clip clip, Size size, int frame, std::uint32_t seed) {
  const int width = size.width, height = size.height;
  Planes planes(frame_bytes(size, PixelLayout::yuv420p));
  std::uint8_t* plane = planes.data();
  if (clip == Clip::cuts) seed += static_cast<std::uint32_t>(frame / 3) * 977;
  std::mt19937 fixed(seed), changing(seed * 31 + static_cast<std::uint32_t>(frame));
  const int speed_x = static_cast<int>(fixed() % 13) - 6, speed_y = static_cast<int>(fixed() % 9) - 4;
  for (int c = 0; c < 3; ++c) {
    const int w = c ? width / 2 : width, h = c ? height / 2 : height;
    const int shift_x = frame * speed_x / (c ? 2 : 1), shift_y = frame * speed_y / (c ? 2 : 1);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const int u = x + shift_x, v = y + shift_y;
        int value = 128;
        switch (clip) {
          case Clip::noise: value = static_cast<int>(changing() & 255); break;
          case Clip::extremes: value = (changing() >> 7 & 1) != 0 ? 255 : 0; break;
          case Clip::flat: value = c ? 120 + frame : 30 + 9 * frame; break;
          case Clip::gradient: value = 40 + ((u + 2 * v + (u * u + v * v) / 64) & 127); break;
          case Clip::text:
            value = c ? 128 : ((u >> 2) * 7 ^ (v >> 2) * 5 ^ ((u >> 3) * (v >> 3))) & 4 ? 235 : 16;
            break;
          case Clip::particles: value = c ? 128 : 16; break;
          case Clip::cuts:
            value = static_cast<int>(((seed >> 3) + static_cast<unsigned>(u * 3) + static_cast<unsigned>(v)) & 255);
            break;
        }
        plane[y * w + x] = static_cast<std::uint8_t>(value);
      }
    if (clip == Clip::particles)
      for (int k = 0; k < w * h / 40; ++k) {
        const int x = static_cast<int>(fixed() % static_cast<unsigned>(w)),
                  y = static_cast<int>(fixed() % static_cast<unsigned>(h));
        const int dx = static_cast<int>(fixed() % 7) - 3, dy = static_cast<int>(fixed() % 7) - 3;
        const int px = ((x + frame * dx) % w + w) % w, py = ((y + frame * dy) % h + h) % h;
        plane[py * w + px] = static_cast<std::uint8_t>(60 + fixed() % 196);
      }
    plane += static_cast<std::ptrdiff_t>(w) * h;
  }
  return planes;
}

// An encoder with its slot and the memory of its input.
class ClipEncoder {
 public:
  ClipEncoder(const Executor& executor, Size size, int quality, bool graphs = true)
      : encoder(executor, {.size = size, .fps_numerator = 30, .quality = quality, .graphs = graphs}),
        input_(executor, frame_bytes(size, PixelLayout::yuv420p)),
        slot_(executor, H264Encoder::slot_bytes(size), Memory::pinned) {}

  std::vector<std::uint8_t> packet(const Planes& planes, bool key = false) {
    input_.upload(reinterpret_cast<const std::byte*>(planes.data()));
    encoder.encode(input_.data(), key, slot_.data(), done_);
    done_.wait();
    return H264Encoder::packet(slot_.data());
  }
  bool is_key() const { return H264Encoder::is_key(slot_.data()); }
  // Of the macroblock of the last picture that has most, to within a byte. Pictures one macroblock wide only: it is
  // what a row adds to the slice of those above it.
  std::int64_t max_bits() const {
    const std::size_t filled = H264Encoder::filled_bytes(slot_.data());
    h264::SlotHead head = this->head();
    const std::size_t rows = head.height, records = sizeof head + rows * sizeof(h264::Mode);
    std::int64_t before = 0, max = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      head.height = static_cast<std::uint32_t>(row + 1);
      std::vector<std::byte> upper(slot_.data(), slot_.data() + records - (rows - row - 1) * sizeof(h264::Mode));
      std::memcpy(upper.data(), &head, sizeof head);
      upper.insert(upper.end(), slot_.data() + records, slot_.data() + filled);
      const auto bits = static_cast<std::int64_t>(8 * code_slice(upper.data()).bytes.size());
      max = std::max(max, bits - before);
      before = bits;
    }
    return max;
  }
  // Of the macroblocks of the last picture, row by row.
  std::vector<h264::Mode> modes() const {
    const h264::SlotHead head = this->head();
    std::vector<h264::Mode> modes(std::size_t{head.width} * head.height);
    std::memcpy(modes.data(), slot_.data() + sizeof head, modes.size() * sizeof(h264::Mode));
    return modes;
  }

  H264Encoder encoder;

 private:
  h264::SlotHead head() const {
    h264::SlotHead head;
    std::memcpy(&head, slot_.data(), sizeof head);
    return head;
  }

  Buffer<std::byte> input_, slot_;
  Event done_;
};

}  // namespace simreel::test
