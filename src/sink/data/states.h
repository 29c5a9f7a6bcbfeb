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
  std::int64_t safe_frames() const override {
    return sequence_ ? sequence_->safe_frames() : std::numeric_limits<std::int64_t>::max();
  }
  void sync() const override {
    if (sequence_) return sequence_->sync();
    file_->sync();  // which is still empty, but must be there
  }
  std::vector<Checksum> checksums(std::int64_t frames) const override {
    return sequence_ ? sequence_->checksums(frames) : std::vector<Checksum>();
  }
  void write(const Frame&) override;
  void finish() override;

 protected:
  // A target without a frame number is the last frame's. `what` a file is, for messages: "array". `file_bytes`: the
  // host memory that write_file takes.
  States(const std::string& target, const StreamInfo&, Opening, std::string_view what, std::size_t file_bytes);

  // Writes the whole file of a frame. Throws RuntimeError with its path.
  virtual void write_file(const State&, PartFile&) const = 0;

 private:
  std::optional<Sequence> sequence_;

  // The last frame, if there is no sequence. Only at the end is it known which frame is the last: a run may be stopped.
  std::unique_ptr<PartFile> file_;
  std::vector<std::byte> values_;
  State last_;
};

}  // namespace simreel
