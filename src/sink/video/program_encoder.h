#pragma once
// H.264 and H.265 by the program ffmpeg, where x264 and x265 are not linked: the GPL forbids to pass them on in one
// file with CUDA's runtime. One run of it encodes one segment. Internal to the video sink.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exec/child.h"
#include "sink/video/encoder.h"

namespace simreel {

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
  // The header of what it wrote, and the last line of its complaints; behind drain().
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
