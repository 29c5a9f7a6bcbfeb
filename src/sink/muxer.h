#pragma once
// One libav container file with one video stream, and what is done to such a file afterwards. Internal to the video
// sink.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sink/av.h"
#include "sink/origin.h"
#include "sink/own_file.h"

namespace simreel {

class Muxer {
 public:
  struct Stream {
    const AVCodecParameters* parameters;
    AVRational time_base;  // of the packets to come
    AVRational frame_rate;
  };
  using Options = std::vector<std::pair<std::string, std::string>>;  // of the container's format

  // Writes the header to `file`, which is emptied first and must outlive this. Throws RuntimeError with the path, the
  // call and libav's words, as all do.
  Muxer(const OwnFile& file, const std::string& format, const Options&, const Stream&, const Tags&);
  ~Muxer();  // closes the file as it is
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  void write(AVPacket&);  // takes the packet's contents
  void finish();          // the trailer, and what was buffered

 private:
  int close();

  const OwnFile& file_;
  AVFormatContext* context_ = nullptr;
  AVRational packet_time_base_;
};

// Copies the packets of a fragmented MP4 or MOV into `to`, a file of the same kind with its index in front. Timestamps
// start at 0.
void copy_with_index_in_front(const OwnFile& from, const OwnFile& to, const std::string& format, const Tags&);

// Cuts the piece of a fragment off that a failed write left at the end of an MP4 or MOV; leaves a file it cannot
// change.
void cut_torn_fragment(const OwnFile&);

// How many whole frames a reader finds in a file, finished or not; 0 where it finds no video at all.
std::int64_t readable_frames(const OwnFile&);

}  // namespace simreel
