#pragma once
// An H.264 encoder that runs where pictures are drawn: on the threads of the CPU, or on the GPU, with the same bytes.
// Pixels stay in the executor's memory; modes, vectors and levels leave it, and a thread of the host codes them into a
// packet. docs/design/h264.md explains how it works.
//
// Progressive 4:2:0 of 8 bits, High profile. One picture in, one packet out, in order: no picture waits for a later
// one, so decoding order is display order. The bytes of a packet depend on the options and on the pictures since the
// last key picture only: not on the backend, the number of threads, the time, or any library.
//
//   H264Encoder encoder(executor, {.size = {1920, 1080}, .fps_numerator = 60, .quality = 26});
//   Buffer<std::byte> slot(executor, H264Encoder::slot_bytes(size), Memory::pinned);
//   Event done;
//   for each segment:
//     encoder.reset();
//     for each picture:
//       convert_pixels(executor, canvas, size, background, PixelLayout::yuv420p, planes);
//       encoder.encode(planes, false, slot.data(), done);  // any number of slots may be under way
//       done.wait();
//       write(H264Encoder::packet(slot.data()));           // on any thread

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/pixels.h"
#include "exec/executor.h"

namespace simreel {

struct H264Options {
  // Of the picture in pixels. An odd side is encoded with the pixel more that padded(size, PixelLayout::yuv420p) gives
  // it, because 4:2:0 can crop to even sides only; that is the size of the video.
  Size size;
  // Written into the stream (VUI) for players that read nothing else, and one of the things that its level follows
  // from. Both at least 1.
  int fps_numerator = 60, fps_denominator = 1;
  // The quantisation parameter (QP) of pictures that are predicted from others, in the mean: 0 (best) to 51. A step of
  // 6 doubles the error. Key pictures get 6 less and every fourth picture 1 less, because others are made from them;
  // the rest get 1 more.
  int quality = 26;
  // Whether the kernels of a picture are submitted as one CUDA graph (exec/graph.h), which is faster. Only where
  // nothing else in the process waits for the whole GPU.
  bool graphs = false;
};

class H264Encoder {
 public:
  // Whether pictures of this size can be encoded: sides from 1 to 8192, at most 139264 macroblocks of 16 x 16 pixels
  // (8192 x 4352), which is the most that any level of H.264 allows.
  static bool accepts(Size);
  // Executor memory that an encoder of this size holds from its construction on, in bytes. It holds no host memory to
  // speak of.
  static std::size_t memory_bytes(Size);
  // Size of a slot: room for the most that a picture of this size may come to, a third more than its own bytes. Usually
  // a thirtieth of it is filled.
  static std::size_t slot_bytes(Size);

  // The executor must outlive the encoder. Throws std::invalid_argument for options out of range, RuntimeError if the
  // memory cannot be allocated. The encoder may be used by the executor's thread only.
  H264Encoder(const Executor& executor, const H264Options& options);
  H264Encoder(H264Encoder&&) noexcept;
  H264Encoder& operator=(H264Encoder&&) noexcept;
  ~H264Encoder();

  // Sequence and picture parameter set, each with a start code of four bytes (ITU-T H.264, annex B): the extradata of
  // libav's muxers. The same for all segments; packets do not repeat them.
  std::vector<std::uint8_t> parameter_sets() const;

  // Encodes the next picture. `planes`: the yuv420p planes of convert_pixels (Y', Cb, Cr of the padded size without
  // gaps) in executor memory, which may be overwritten by work that is submitted later. `slot`: slot_bytes(size) of the
  // executor's pinned memory, not to be touched before `done` completes. Asynchronous on a GPU. Throws RuntimeError
  // if the device failed.
  //
  // `key` starts a new closed group within the segment: an IDR picture, from which decoding can begin. The first
  // picture after construction or reset() is one in any case.
  void encode(const std::byte* planes, bool key, std::byte* slot, Event& done);

  // Forgets all pictures, so that the next one starts a segment: its bytes and those of its successors will be those of
  // a new encoder. Segments of one stream need two pictures or more, or decoders may take two key pictures in sequence
  // for one (idr_pic_id).
  void reset();

  // The finished picture of a slot as a packet: one NAL unit with a start code of four bytes. This is where the
  // arithmetic coder runs: a few milliseconds for 1920 x 1080. Any thread, any number of times, until the slot is used
  // again.
  static std::vector<std::uint8_t> packet(const std::byte* slot);
  static bool is_key(const std::byte* slot);
  // The bytes at the beginning of a finished slot that these two read. A copy of them frees the slot.
  static std::size_t filled_bytes(const std::byte* slot);

  // What a decoder shows for the picture encoded last, as planes of the padded size in host memory. Waits for the
  // executor. For tests.
  std::vector<std::uint8_t> reconstruction() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simreel
