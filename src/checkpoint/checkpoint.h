#pragma once
// State for resuming a run: named blocks of bytes in host memory, and their files. A state saved on one backend can be
// loaded on the other: blocks hold values, never addresses.
//
// Some blocks are spread: each rank has pieces of them. They are whole in the memory of rank 0 and in its file, or each
// process keeps its own pieces and writes them to a file of its own (piece_files.h). Whoever loads sees no difference.

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "checkpoint/piece_files.h"
#include "exec/buffer.h"
#include "exec/communicator.h"

namespace simreel {

class Checkpoint {
 public:
  using Block = std::vector<std::byte>;

  // Stores a copy of the values under this name and replaces an earlier block. Saving a buffer waits for the executor.
  template <class T>
  void save(std::string_view name, const Buffer<T>& values) {
    Block& block = resized(name, values.bytes());
    if (values.size() > 0) values.download_to(reinterpret_cast<T*>(block.data()));
  }
  template <class T>
  void save(std::string_view name, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(values);
    resized(name, 0).assign(bytes.begin(), bytes.end());
  }
  void save_text(std::string_view name, std::string_view text) { save(name, std::span(text.data(), text.size())); }
  template <class T>
  void save_value(std::string_view name, const T& value) {
    save(name, std::span<const T>(&value, 1));
  }

  bool has(std::string_view name) const {
    return blocks_.find(name) != blocks_.end() || own_.find(name) != own_.end() || (files_ && files_->has(name));
  }

  // These throw RuntimeError if there is no such block, if its size is not that of the values, or if the piece files of
  // a spread block can no longer be read.
  template <class T>
  void load(std::string_view name, Buffer<T>& values) const {
    values.upload(reinterpret_cast<const T*>(block(name, values.bytes()).data()));
  }
  template <class T>
  std::vector<T> load_list(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const Block& bytes = block(name);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  template <class T>
  T load_value(std::string_view name) const {
    T value;
    std::memcpy(&value, block(name, sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string load_text(std::string_view name) const;

  // A block to be filled from elsewhere, and the bytes of one, valid until the next call. `block` throws as `load`
  // does.
  Block& resized(std::string_view name, std::size_t bytes);
  const Block& block(std::string_view name, std::size_t bytes) const;

  void remove(std::string_view name) {
    if (const auto found = blocks_.find(name); found != blocks_.end()) blocks_.erase(found);
  }
  // Takes the blocks of another over, under names with this prefix, and gives copies of them back. Spread ones are not
  // among them.
  void nest(std::string_view prefix, Checkpoint part);
  Checkpoint nested(std::string_view prefix) const;
  // Drops every block whose name does not begin with the prefix, and all spread ones.
  void keep_only(std::string_view prefix) {
    std::erase_if(blocks_, [&](const auto& block) { return !block.first.starts_with(prefix); });
    own_.clear();
    files_.reset();
  }
  std::size_t bytes() const;  // of what is in memory

  // Whether spread blocks are to be saved by `save_pieces`, on each rank, or whole on rank 0.
  void keep_pieces(bool keep) { keeps_pieces_ = keep; }
  bool keeps_pieces() const { return keeps_pieces_; }
  // Stores a copy of this rank's pieces of a block of so many bytes, and replaces earlier ones. Waits for the executor.
  void save_pieces(const Executor&, std::string_view name, std::size_t bytes, std::span<const Piece>);
  bool has_pieces() const { return !own_.empty(); }
  // Drops all but the pieces.
  void keep_only_pieces() { blocks_.clear(); }
  // Writes the pieces to a file (write_complete). Throws RuntimeError.
  PieceRef write_pieces(const std::filesystem::path&) const;
  // Names the piece files of all ranks, for the file of this checkpoint.
  void link(std::vector<PieceRef> refs) { refs_ = std::move(refs); }
  const std::vector<PieceRef>& refs() const { return refs_; }

  // Copies pieces of a block of so many bytes to their executor memory: Communicator::collect, the other way round.
  // Throws as `load` does.
  void load_pieces(const Executor&, std::string_view name, std::size_t bytes, std::span<const Piece>) const;

  // The checkpoint of rank 0, as processes load it together: they make the same calls in the same order, and get what
  // they ask for from rank 0, pieces in bands; from piece files, where all see them, each reads by itself. So none
  // keeps more of it than it loads. `own` is null on the others; it and the ranks must outlive the result. Collective,
  // as all loading from it is.
  static Checkpoint together(const Checkpoint* own, const Communicator&);

  // The contents of a checkpoint file (block_file.h): all but the pieces, of which it has the refs. The spans point
  // into this checkpoint and into `head`.
  std::vector<std::span<const std::byte>> serialize(Block& head) const;

  // Reads a checkpoint file; pieces stay in their files, which must stay, too, until they are loaded. Returns nullopt,
  // with the reason in `damage`, if that file or a piece file cannot be read, is truncated, does not match a checksum,
  // or if a piece file belongs to another checkpoint.
  static std::optional<Checkpoint> read(const std::filesystem::path& file, std::string& damage);

 private:
  struct OwnPiece {
    std::size_t offset = 0;
    Block bytes;
  };
  struct OwnPieces {
    std::size_t whole = 0;  // bytes of the block
    std::vector<OwnPiece> pieces;
  };

  const Block& block(std::string_view name) const;
  // A saved block replaces that of the files, and with it come all others.
  void leave_files(std::string_view name) {
    if (files_ && files_->has(name)) files_.reset();
  }

  std::map<std::string, Block, std::less<>> blocks_;
  bool keeps_pieces_ = false;
  std::map<std::string, OwnPieces, std::less<>> own_;
  std::vector<PieceRef> refs_;               // of what `own_` is a part of
  std::shared_ptr<const PieceFiles> files_;  // of a checkpoint that was read; null: it is whole
  // Of `together`.
  const Communicator* ranks_ = nullptr;
  const Checkpoint* first_ = nullptr;
  mutable Block received_;  // the last one
};

}  // namespace simreel
