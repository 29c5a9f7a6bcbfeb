#pragma once
// The pictures of a video that a loop shows again. They are in a file next to the first output, because those of a long
// video do not fit into memory, and because a run that is resumed needs those from before.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/pixels.h"
#include "files/part_file.h"
#include "sink/sink.h"

namespace simreel {

class LoopStore {
 public:
  // "x.mp4" -> "x.mp4.loop", which never gets this name: it is a .part file, and is gone when the run is complete.
  // Empty where no output is a file.
  static std::filesystem::path file_of(const std::vector<std::string>& outputs);
  // Executor and host memory that a run takes for it.
  static std::size_t memory_bytes(Size);
  static std::uintmax_t file_bytes(const StreamInfo&);

  // Opens it for StreamInfo::kept pictures, of which StreamInfo::resume are there. Throws what outputs throw.
  LoopStore(const std::filesystem::path&, const StreamInfo&, Opening = Opening::real);

  void add(const std::vector<Color>&);                 // the next picture; throws RuntimeError
  void read(std::int64_t index, std::vector<Color>&);  // one that was added; throws RuntimeError
  std::vector<Checksum> checksums() const;             // of each
  void sync() const { file_->sync(); }                 // any thread may call it
  void remove_at_end() { file_->keep(false); }         // the run needs no picture any more

 private:
  std::string name_;
  std::size_t bytes_;  // of a picture
  std::int64_t size_;
  ChecksumList checksums_;
  std::unique_ptr<PartFile> file_;
  std::ifstream in_;
};

// Brings `picture` so many of AnimationOptions::fade_whole parts towards `other`. Colours are not multiplied by their
// opacity, so each counts by that.
void blend(std::vector<Color>& picture, const std::vector<Color>& other, int share);

}  // namespace simreel
