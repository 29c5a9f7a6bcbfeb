#pragma once
// The base of outputs in text: a line a frame, under a header or none.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "files/part_file.h"
#include "sink/sink.h"

namespace simreel {

class Lines : public Sink {
 public:
  void write(const Frame&) override;
  void finish() override;  // without a frame there is no file
  std::int64_t safe_frames() const override { return written_; }
  void sync() const override { file_->sync(); }

 protected:
  // `header`: the lines above the first frame's, each with its end.
  Lines(const std::string& target, const StreamInfo&, Opening, std::string header = "");

  virtual std::string line_of(const Frame&) const = 0;  // without its end

 private:
  std::string header_;  // still to be written
  std::unique_ptr<PartFile> file_;
  std::atomic<std::int64_t> written_;
};

}  // namespace simreel
