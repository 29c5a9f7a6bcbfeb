#pragma once
// State for resuming a run: named blocks of bytes in host memory, and their file format. A state saved on one backend
// can be loaded on the other: blocks hold values, never addresses.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

  bool has(std::string_view name) const { return blocks_.find(name) != blocks_.end(); }

  // These throw RuntimeError if there is no such block, or if its size is not that of the values.
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

  // A block to be filled from elsewhere, and the bytes of one. `block` throws as `load` does.
  Block& resized(std::string_view name, std::size_t bytes);
  const Block& block(std::string_view name, std::size_t bytes) const;

  void remove(std::string_view name) {
    if (const auto found = blocks_.find(name); found != blocks_.end()) blocks_.erase(found);
  }
  // Drops every block whose name does not begin with the prefix.
  void keep_only(std::string_view prefix) {
    std::erase_if(blocks_, [&](const auto& block) { return !block.first.starts_with(prefix); });
  }
  std::size_t bytes() const;  // of all blocks

  // Copies pieces of a block of so many bytes to their executor memory: Communicator::collect, the other way round.
  // Throws as `load` does.
  void load_pieces(const Executor&, std::string_view name, std::size_t bytes, std::span<const Piece>) const;

  // The checkpoint of rank 0, as processes load it together: they make the same calls in the same order, and get what
  // they ask for from rank 0, pieces in bands. So none keeps more of it than it loads. `own` is null on the others; it
  // and the ranks must outlive the result. Collective, as all loading from it is.
  static Checkpoint together(const Checkpoint* own, const Communicator&);

  // The contents of a checkpoint file: a head with names, sizes and XXH3 checksums, then each block. The pieces point
  // into this checkpoint and into `head`.
  std::vector<std::span<const std::byte>> serialize(Block& head) const;

  // Reads such a file. Returns nullopt, with the reason in `damage`, if it cannot be read, is truncated, or does not
  // match a checksum.
  static std::optional<Checkpoint> read(const std::filesystem::path& file, std::string& damage);

 private:
  const Block& block(std::string_view name) const;

  std::map<std::string, Block, std::less<>> blocks_;
  // Of `together`.
  const Communicator* ranks_ = nullptr;
  const Checkpoint* first_ = nullptr;
  mutable Block received_;  // the last one
};

}  // namespace simreel
