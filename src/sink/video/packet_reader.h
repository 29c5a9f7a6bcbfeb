#pragma once
// Reads the packets of a video file that simreel wrote, finished or not, as the encoder delivered them. Internal to the
// video sink.

#include <cstdint>
#include <filesystem>
#include <string>

#include "files/checksum.h"
#include "sink/video/av.h"
#include "sink/video/encoder_plan.h"

namespace simreel {

class PacketReader {
 public:
  // `name` appears in messages, `handle` is opened. Throws RuntimeError if it is not a video.
  PacketReader(const std::filesystem::path& name, const std::filesystem::path& handle, const EncoderPlan&);
  ~PacketReader();
  PacketReader& operator=(PacketReader&&) = delete;

  const AVCodecParameters& parameters() const { return *context_->streams[0]->codecpar; }
  std::string tag(const std::string& key) const;  // empty if there is none

  // The next packet in decoding order, with timestamps in frames as in a Segment; valid until the next call. Null at
  // the end of what can be read completely. Throws RuntimeError where the disk cannot be read.
  AVPacket* next();

 private:
  std::string name_;
  AVRational frame_time_;
  int delay_;
  std::int64_t read_ = 0, first_ = 0;
  AvPtr<AVPacket> packet_;
  AVFormatContext* context_ = nullptr;
};

// Adds what a packet shows, with its number and its place in the order of display: the same for a packet of the encoder
// and for that which a reader finds in any container, because containers omit start codes and headers of packets.
void add_packet(RunningChecksum&, const AVPacket&, AVCodecID);

}  // namespace simreel
