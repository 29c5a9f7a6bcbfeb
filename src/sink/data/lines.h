#pragma once
// The base of text outputs: one line per frame, optionally after a header.

#include <atomic>
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

}  // namespace simreel
