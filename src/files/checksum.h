#pragma once
// Checksums of what was written, by which a resumed run finds damage that happened to an output in between.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

struct XXH3_state_s;

namespace simreel {

// The length and the XXH3 hash of some bytes. Nothing was written that has no bytes: then the checksum is not known.
struct Checksum {
  std::uint64_t bytes = 0, hash = 0;

  bool operator==(const Checksum&) const = default;
};

// The checksum of bytes that come in pieces.
class RunningChecksum {
 public:
  RunningChecksum();

  void add(const void* bytes, std::size_t count);
  Checksum take();  // of what was added since the last call

 private:
  struct Free {
    void operator()(XXH3_state_s*) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
  std::uint64_t bytes_ = 0;
};

// The checksum of a file, which may be larger than memory; nullopt if it cannot be read.
std::optional<Checksum> checksum_of(const std::filesystem::path&);

// The index of the first of consecutive pieces of a stream, from its current position on, that does not have its
// checksum; nullopt if all have theirs.
std::optional<std::size_t> first_damaged(std::istream&, std::span<const Checksum>);

// The checksums of the pieces of an output (the frames of a list, the segments of a video). Any thread may call its
// members.
class ChecksumList {
 public:
  explicit ChecksumList(std::vector<Checksum> kept = {}) : list_(std::move(kept)) {}

  void set(std::size_t index, Checksum);
  std::vector<Checksum> first(std::size_t count) const;  // pieces that are not there are not known

 private:
  mutable std::mutex mutex_;
  std::vector<Checksum> list_;
};

}  // namespace simreel
