#pragma once
// Files of frame hashes, as src/sink/hashes.h describes them, read again.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compare/picture.h"

namespace simreel {

struct FrameHash {
  std::int64_t frame = 0;
  std::string digits;  // 16, lower case
  bool operator==(const FrameHash&) const = default;
};

// The file's lines in their order. Throws UsageError that names the file, and the line that is wrong, where it is
// missing or empty, a line is not "INDEX DIGITS", or the indices do not rise.
std::vector<FrameHash> read_hashes(const std::filesystem::path&);

// The frames whose digits differ, in their order. Throws UsageError, which starts with `place`, for frames that only
// one of the lists has.
std::vector<std::int64_t> differing_frames(const std::vector<FrameHash>& expected, const std::vector<FrameHash>& actual,
                                           const std::string& place);

// The 16 digits of an opaque picture, as a .hashes file would hold them; alpha is not looked at.
std::string hash_picture(const Picture&);

}  // namespace simreel
