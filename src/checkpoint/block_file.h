#pragma once
// The format of the files of checkpoints: a head with the names, lengths and XXH3 checksums of blocks, then each block.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <span>
#include <string>
#include <vector>

namespace simreel {

struct NamedBytes {
  std::string name;
  std::span<const std::byte> bytes;
};

// A block of a file, as its head tells.
struct BlockEntry {
  std::string name;
  std::uint64_t bytes = 0, checksum = 0;
  std::uint64_t position = 0;  // of its first byte in the file
};

struct BlockHead {
  std::vector<BlockEntry> entries;  // in the order of their bytes
  std::uint64_t file_bytes = 0;     // of head and blocks
  std::uint64_t checksum = 0;       // of the head. It covers the checksums of the blocks, and so the whole file
};

// The head of a file with these blocks, and the checksum in it.
std::vector<std::byte> make_head(std::span<const NamedBytes>);
std::uint64_t checksum_in(std::span<const std::byte> head);

// Reads the head of a file of `size` bytes from its start; the stream is then at the first block. Returns what is wrong
// with the file, "is cut short", or null.
const char* read_head(std::istream&, std::uintmax_t size, BlockHead&);

// Fills the bytes from the stream; false if it has fewer.
bool fill(std::istream&, std::span<std::byte>);

// Writes a file that appears under its name only when it is complete: NAME.part, fsync, rename, fsync of the folder.
// Replaces what has these names. Throws RuntimeError with the path; the .part file is then removed.
void write_complete(const std::filesystem::path&, std::span<const std::span<const std::byte>> contents);

}  // namespace simreel
