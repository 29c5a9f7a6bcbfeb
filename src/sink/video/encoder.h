#pragma once
// One encoder: frames in, packets out. Internal to the video sink.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/child.h"
#include "sink/animated/palette.h"
#include "sink/video/av.h"
#include "sink/video/encoder_plan.h"

namespace simreel {

class FrameEncoder {
 public:
  virtual ~FrameEncoder() = default;

  using Take = std::function<void(AVPacket&)>;  // pts in frames from the first frame of this encoder

  // Encodes the next frame, in the plan's pixels. Calls `take` for every packet that is ready. Throws RuntimeError with
  // the encoder's message.
  virtual void send(AvPtr<AVFrame> frame, const Take& take) = 0;
  // Ends the stream: delivers the remaining packets.
  virtual void drain(const Take& take) = 0;
};

// Of libav, or the program of the plan. Throws RuntimeError.
std::unique_ptr<FrameEncoder> open_encoder(const EncoderPlan&);

class LibavEncoder final : public FrameEncoder {
 public:
  explicit LibavEncoder(const EncoderPlan& plan);  // throws RuntimeError

  void send(AvPtr<AVFrame> frame, const Take& take) override;
  void drain(const Take& take) override;

 private:
  void encode(AVFrame&, const Take&);
  void exchange(const AVFrame*, const Take&);
  AvPtr<AVFrame> fresh_frame(const AVFrame& like) const;  // in the encoder's pixels
  AvPtr<AVFrame> indexed(const AVFrame&) const;
  AvPtr<AVFrame> reordered(const AVFrame&) const;
  AvPtr<AVFrame> with_alpha(const AVFrame&) const;

  AvPtr<AVCodecContext> context_;
  AvPtr<AVPacket> packet_;
  std::int64_t sent_ = 0;
  std::unique_ptr<GifPalette> palette_;  // for encoders that need one
  std::vector<AvPtr<AVFrame>> counted_;  // the frames that the palette has counted
};

// Pictures with alpha for encoders of Y'CbCr. Internal to the video sink.
// Fills `to`, in YUVA420P or YUVA444P10, from RGBA of the same size: BT.709 in limited range, chroma sited left, alpha
// in full range and not multiplied into the colours. Halved chroma is a mean in which a pixel counts as much as it is
// seen, so nothing of a transparent colour reaches the edges.
void fill_yuva(const AVFrame& rgba, AVFrame& to);

// H.264 and H.265 by the program ffmpeg, where x264 and x265 are not linked: the GPL forbids to pass them on in one
// file with CUDA's runtime. One run of it encodes one segment. Internal to the video sink.
// ffmpeg in PATH; where it is not there, or lacks the encoder ("libx264"), that of Python's imageio-ffmpeg, which the
// Python package names in SIMREEL_FFMPEG_OF_PYTHON. Empty: none.
std::string ffmpeg_with(std::string_view encoder);

// That encodes this codec: what SIMREEL_FFMPEG names; else none if the codec's encoder is linked; else `ffmpeg_with`
// it.
std::string program_for(const Codec&);

// The output of `command`, which begins with the program, for raw frames. Throws RuntimeError with its last words.
class ProgramEncoder final : public FrameEncoder {
 public:
  ProgramEncoder(const std::vector<std::string>& command, AVRational frame_rate);

  void send(AvPtr<AVFrame> frame, const Take& take) override;
  void drain(const Take& take) override;
  // The header of what it wrote, and the last line of its complaints; valid after drain().
  const std::vector<std::uint8_t>& header() const { return header_; }
  std::string complaint() const { return child_.last_words(); }

 private:
  [[noreturn]] void fail() const;

  std::string program_;
  AVRational frame_time_;
  Child child_;
  std::vector<std::uint8_t> pixels_, header_;
};

}  // namespace simreel
