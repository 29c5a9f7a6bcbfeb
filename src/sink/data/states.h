#pragma once
// The base of outputs that hold the state of each frame in a file of its own, or that of the last frame in one.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/state.h"
#include "files/part_file.h"
#include "sink/sequence.h"
#include "sink/sink.h"

namespace simreel {

class States : public Sink {
 public:
  std::optional<PixelLayout> layout() const override { return std::nullopt; }
  bool wants_state() const override { return true; }
  std::int64_t safe_frames() const override {
    return sequence_ ? sequence_->safe_frames() : std::numeric_limits<std::int64_t>::max();
  }
  void sync() const override {
    if (sequence_) sequence_->sync();
  }
  std::size_t memory_bytes() const override { return file_bytes() + (sequence_ ? 0 : state_bytes_); }
  std::vector<Checksum> checksums(std::int64_t frames) const override {
    return sequence_ ? sequence_->checksums(frames) : std::vector<Checksum>();
  }
  void write(const Frame&) override;
  void finish() override;

 protected:
  // A target without a frame number is the last frame's. `what` a file is, for messages: "array".
  States(const std::string& target, const StreamInfo&, Opening, std::string_view what);

  // Writes the whole file of a frame. Throws RuntimeError with its path.
  virtual void write_file(const State&, PartFile&) const = 0;
  // The host memory that it takes.
  virtual std::size_t file_bytes() const = 0;

  std::size_t state_bytes() const { return state_bytes_; }  // of one frame

 private:
  std::size_t state_bytes_;
  std::optional<Sequence> sequence_;

  // The last frame, if there is no sequence. Only at the end is it known which frame is the last: a run may be stopped.
  std::unique_ptr<PartFile> file_;
  std::vector<std::byte> values_;
  State last_;
};

}  // namespace simreel
