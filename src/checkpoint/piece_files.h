#pragma once
// Checkpoints in pieces: each process writes its pieces of the blocks that are spread over the ranks to a file of its
// own, 000042.rank3 next to 000042.state. That one has the other blocks and says which piece files belong to it.
//
// A piece is a block of its file, named by the spread block, its offset there and the length of the whole, in bytes:
// "height@4096/16384".

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/communicator.h"

namespace simreel {

// What tells a piece file from any other: its length, and the checksum of its head, which holds those of its pieces.
struct PieceRef {
  std::uint64_t bytes = 0, head = 0;

  bool operator==(const PieceRef&) const = default;
};

// The names of the files: "000042.state", and next to it "000042.rank3".
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, std::int64_t number);
std::filesystem::path piece_file(const std::filesystem::path& checkpoint, int rank);

std::string piece_name(std::string_view block, std::uint64_t offset, std::uint64_t whole);

// The piece files of a checkpoint. They are opened anew for each reading, by any number of threads; whoever has this
// object sees to it that they stay.
class PieceFiles {
 public:
  // Those of ranks 0, 1, ... Returns nullopt, with the file and the reason in `damage`, if one is missing, is another
  // one than its ref says, or has pieces that do not fit the others'. Reads the heads only.
  static std::optional<PieceFiles> open(const std::filesystem::path& checkpoint, std::vector<PieceRef>,
                                        std::string& damage);

  // Whether all pieces have their checksums; if not, `damage` names the file. Reads all of them, 4 MiB at a time.
  bool intact(std::string& damage) const;

  const std::filesystem::path& checkpoint() const { return checkpoint_; }
  const std::vector<PieceRef>& refs() const { return refs_; }

  bool has(std::string_view block) const { return blocks_.find(block) != blocks_.end(); }
  std::size_t bytes(std::string_view block) const { return blocks_.find(block)->second.bytes; }  // of the whole

  // Copies bytes of a block, from `offset` on. Those of which no rank has a piece are 0, as in a file of one rank.
  // Throws RuntimeError with the file.
  void read(std::string_view block, std::size_t offset, std::span<std::byte>) const;

 private:
  struct Range {
    std::uint64_t offset = 0, bytes = 0;  // in the block
    int rank = 0;
    std::uint64_t position = 0, checksum = 0;  // in the file of that rank
  };
  struct Block {
    std::size_t bytes = 0;
    std::vector<Range> ranges;  // ascending
  };

  std::filesystem::path checkpoint_;
  std::vector<PieceRef> refs_;
  std::map<std::string, Block, std::less<>> blocks_;
};

// The absolute path of a folder of rank 0, if all ranks see it there and may write in it: rank 0 makes a file of random
// contents, which all must read. Nullopt otherwise. Collective; the others' argument does not matter. A process that is
// killed meanwhile leaves files for which is_probe holds.
std::optional<std::filesystem::path> shared_folder(const Communicator&, const std::filesystem::path& folder);

bool is_probe(std::string_view file_name);

}  // namespace simreel
