#pragma once
// The base of text outputs: one line per frame, optionally after a header.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/part_file.h"
#include "sink/sink.h"

namespace simreel {

class Lines : public Sink {
 public:
  void write(const Frame&) override;
  void finish() override;  // without frames there is no file
  std::int64_t safe_frames() const override { return written_; }
  void sync() const override { file_->sync(); }
  std::vector<Checksum> checksums(std::int64_t frames) const override {
    return checksums_.first(static_cast<std::size_t>(frames));
  }

 protected:
  // `header`: the lines before that of the first frame, each with its line end.
  Lines(SinkTraits, const std::string& target, const StreamInfo&, Opening, std::string header = "");

  virtual std::string line_of(const Frame&) const = 0;  // without line end

 private:
  std::string header_;  // not written yet
  std::unique_ptr<PartFile> file_;
  ChecksumList checksums_;
  std::atomic<std::int64_t> written_;
};

// One line per frame: its index, a space, and 16 hexadecimal digits, which are XXH3_64bits with seed 0 of the frame's
// RGB bytes: three bytes per pixel, rows from the top, no padding. `xxhsum -H3` prints the same digits for those bytes,
// for example for the output of `ffmpeg -i 000000.png -f rawvideo -pix_fmt rgb24 -` if the picture is opaque.
// The digits of one frame in the layout `rgb`.
std::string hash_digits(const std::byte* rgb, Size);

std::unique_ptr<Sink> open_hashes(const std::string& target, const OutputOptions&, const StreamInfo&,
                                  Opening = Opening::real);

}  // namespace simreel
