#pragma once
// Whether all frames of a run are the same picture.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace simreel {

// Compares the hashes of frames until one differs from the first; that is soon in most runs, so that it costs the hash
// of two or three frames.
class Stillness {
 public:
  // Takes the next frame. Does nothing once one has differed.
  void look(const std::byte* pixels, std::size_t bytes);

  bool ended() const { return ended_; }  // a frame has differed
  bool all_same() const { return frames_ > 1 && !ended_; }

 private:
  std::optional<std::uint64_t> first_;
  std::int64_t frames_ = 0;
  bool ended_ = false;
};

}  // namespace simreel
