#pragma once
// The base of outputs that hold the state of each frame in a file of its own.

#include <cstdint>
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
  std::int64_t safe_frames() const override { return sequence_.safe_frames(); }
  void sync() const override { sequence_.sync(); }
  std::vector<Checksum> checksums(std::int64_t frames) const override { return sequence_.checksums(frames); }
  void write(const Frame&) override;
  void finish() override;

 protected:
  // `what` a file is, for messages: "array".
  States(const std::string& target, const StreamInfo&, Opening, std::string_view what);

  // Writes the whole file of a frame. Throws RuntimeError with its path.
  virtual void write_file(const State&, PartFile&) const = 0;

 private:
  Sequence sequence_;
};

}  // namespace simreel
