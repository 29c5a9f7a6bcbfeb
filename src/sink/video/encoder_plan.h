#pragma once
// The settings of [output] for an encoder, checked once before the run; the encoder of each segment is opened from
// them. Internal to the video sink.

#include <optional>
#include <string>
#include <vector>

#include "sink/sink.h"
#include "sink/video/av.h"
#include "sink/video/codecs.h"

namespace simreel {

// The position of a key of [output] ("preset", "options.tune"; the table itself, where the scene does not give the
// key), or `otherwise` for options that no scene gave.
std::string place_of(const OutputOptions&, const std::string& key, const std::string& otherwise);

class EncoderPlan {
 public:
  // Throws UsageError with the key's place for options, a preset or a quality that the codec does not take, for
  // an option that would change what the run decides (the size, the rate, the colours, the number of threads), and for
  // a size that the encoder refuses.
  EncoderPlan(const Codec&, const PixelFormat&, const OutputOptions&, const StreamInfo&);

  // The program that encodes a segment, with its arguments (ProgramEncoder); empty: libav does.
  const std::vector<std::string>& command() const { return command_; }
  // Opens an encoder; all of them give equal packets for equal frames. Throws RuntimeError.
  AvPtr<AVCodecContext> open() const;

  const Codec& codec() const { return codec_; }
  const PixelFormat& pixels() const { return pixels_; }
  Size size() const;              // of the video, padding included
  AVRational frame_rate() const;  // frames a second
  int segment_frames() const;     // of every segment but the last; at least 2 unless the codec is intra-only
  int threads() const;            // of one encoder, on every machine
  std::int64_t frames() const { return info_.frames; }                  // planned
  const AVCodecParameters& parameters() const { return *parameters_; }  // the header of every segment
  std::optional<PacketStream> packets() const;                          // for Sink::packets
  int delay() const { return delay_; }  // frames between decoding and presentation, because of reordering

  std::size_t memory_bytes() const;  // estimated peak of one encoder

  // The differences between the video and what was requested, for SinkTraits::remarks.
  std::vector<std::string> remarks(const std::string& target) const;

 private:
  struct Attempt {
    AvPtr<AVCodecContext> context;
    int result;  // of avcodec_open2, which leaves unknown options in the dictionary
  };
  Attempt attempt(Size, AvOptions&) const;
  // Of H.264 or H.265, which libav does not encode.
  void set_parameters(AVCodecID, const std::vector<std::uint8_t>& header);
  void set_header(const std::uint8_t*, std::size_t);
  void plan_libav();
  void plan_program(const std::string& program);
  void plan_own();                    // for the encoder of kernels/encode
  void take_header(AVCodecContext&);  // into the parameters, from a picture that is encoded for this purpose

  const Codec& codec_;
  const PixelFormat& pixels_;
  OutputOptions options_;
  StreamInfo info_;
  AvPtr<AVCodecParameters> parameters_;
  std::vector<std::string> command_;
  int delay_ = 0;
};

}  // namespace simreel
