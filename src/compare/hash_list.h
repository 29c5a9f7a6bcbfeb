#pragma once
// Files of frame hashes, as src/sink/hashes.h describes them, read again.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace simreel {

struct FrameHash {
  std::int64_t frame = 0;
  std::string digits;  // 16, lower case
  bool operator==(const FrameHash&) const = default;
};

// The lines of the file in order. Throws UsageError with the file and the line if the file is missing or empty, a line
// is not "INDEX DIGITS", or the indices do not increase.
std::vector<FrameHash> read_hashes(const std::filesystem::path&);

// Frame numbers, ascending.
struct HashDifferences {
  std::vector<std::int64_t> differing;  // in both lists, with different digits
  std::vector<std::int64_t> missing;    // in the expected list only
  std::vector<std::int64_t> extra;      // in the actual list only
};
HashDifferences compare_hash_lists(const std::vector<FrameHash>& expected, const std::vector<FrameHash>& actual);

}  // namespace simreel
