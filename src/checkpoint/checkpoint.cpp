#include "checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/error.h"

namespace simreel {
namespace {

constexpr std::array<char, 16> magic = {"simreel state 1"};

// The head of a file: magic number, length of the head, number of blocks; for each block the length of its name, its
// length, its checksum and its name; at the end the checksum of the head.
struct Start {
  std::array<char, 16> magic;
  std::uint64_t head_bytes, blocks;
};
struct Entry {
  std::uint64_t name_bytes, bytes, checksum;
};

void append(Checkpoint::Block& head, std::span<const std::byte> bytes) {
  const std::size_t end = head.size();
  head.resize(end + bytes.size());
  if (!bytes.empty()) std::memcpy(head.data() + end, bytes.data(), bytes.size());
}

template <class T>
void append_value(Checkpoint::Block& head, const T& value) {
  append(head, std::as_bytes(std::span(&value, 1)));
}

// Reads values from the front of a head; `good` becomes false if it is too short.
struct Reader {
  std::span<const std::byte> rest;
  bool good = true;

  std::span<const std::byte> take(std::uint64_t count) {
    good = good && count <= rest.size();
    if (!good) return {};
    const auto front = rest.first(count);
    rest = rest.subspan(count);
    return front;
  }
  template <class T>
  T take() {
    T value{};
    const auto bytes = take(sizeof(T));
    if (good) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
};

bool fill(std::ifstream& in, std::span<std::byte> bytes) {
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return in.good() || bytes.empty();
}

}  // namespace

std::string Checkpoint::load_text(std::string_view name) const {
  const std::vector<char> text = load_list<char>(name);
  return {text.begin(), text.end()};
}

std::size_t Checkpoint::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, block] : blocks_) bytes += block.size();
  return bytes;
}

Checkpoint Checkpoint::together(const Checkpoint* own, const Communicator& ranks) {
  Checkpoint checkpoint;
  checkpoint.ranks_ = &ranks;
  checkpoint.first_ = own;
  return checkpoint;
}

void Checkpoint::load_pieces(const Executor& executor, std::string_view name, std::size_t bytes,
                             std::span<const Piece> pieces) const {
  constexpr std::size_t longest = std::size_t{1} << 26;  // of what is sent to other processes at a time
  const Block* const whole = ranks_ && !first_ ? nullptr : &(first_ ? first_->block(name, bytes) : block(name, bytes));
  for (std::size_t at = 0; at < bytes; at += longest) {
    const std::size_t band = std::min(longest, bytes - at);
    if (!whole) received_.resize(band);
    const std::byte* const from = whole ? whole->data() + at : received_.data();
    if (ranks_) ranks_->broadcast(const_cast<std::byte*>(from), band);  // rank 0's is only read
    for (const Piece& piece : pieces) {
      const std::size_t begin = std::max(piece.offset, at), end = std::min(piece.offset + piece.bytes, at + band);
      if (begin < end)
        executor.copy(static_cast<std::byte*>(piece.memory) + (begin - piece.offset), from + (begin - at), end - begin);
    }
  }
  if (!whole) received_ = Block();
}

std::vector<std::span<const std::byte>> Checkpoint::serialize(Block& head) const {
  head.clear();
  append_value(head, Start{magic, 0, blocks_.size()});
  for (const auto& [name, block] : blocks_) {
    append_value(head, Entry{name.size(), block.size(), XXH3_64bits(block.data(), block.size())});
    append(head, std::as_bytes(std::span(name)));
  }
  const std::uint64_t length = head.size() + sizeof(std::uint64_t);
  std::memcpy(head.data() + offsetof(Start, head_bytes), &length, sizeof length);
  append_value(head, std::uint64_t{XXH3_64bits(head.data(), head.size())});

  std::vector<std::span<const std::byte>> pieces = {head};
  for (const auto& [name, block] : blocks_) pieces.emplace_back(block);
  return pieces;
}

std::optional<Checkpoint> Checkpoint::read(const std::filesystem::path& file, std::string& damage) {
  const auto damaged = [&](const char* reason) {
    damage = fmt::format("{}: {}", file.string(), reason);
    return std::nullopt;
  };
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  if (error || !in) return damaged("cannot be read");

  Start start{};
  if (!fill(in, std::as_writable_bytes(std::span(&start, 1)))) return damaged("is cut short");
  if (start.magic != magic) return damaged("is no checkpoint of this program");
  if (start.head_bytes > size || start.head_bytes < sizeof start + sizeof(std::uint64_t)) return damaged("is damaged");
  Block head(start.head_bytes);
  std::memcpy(head.data(), &start, sizeof start);
  if (!fill(in, std::span(head).subspan(sizeof start))) return damaged("is cut short");
  std::uint64_t checksum = 0;
  const std::size_t checked = head.size() - sizeof checksum;
  std::memcpy(&checksum, head.data() + checked, sizeof checksum);
  if (XXH3_64bits(head.data(), checked) != checksum) return damaged("is damaged");

  Checkpoint checkpoint;
  Reader entries{std::span(head).subspan(sizeof start, checked - sizeof start)};
  for (std::uint64_t i = 0; i < start.blocks; ++i) {
    const Entry entry = entries.take<Entry>();
    const auto letters = entries.take(entry.name_bytes);
    if (!entries.good) return damaged("is damaged");
    if (entry.bytes > size) return damaged("is cut short");
    Block& block = checkpoint.resized({reinterpret_cast<const char*>(letters.data()), letters.size()}, entry.bytes);
    if (!fill(in, block)) return damaged("is cut short");
    if (XXH3_64bits(block.data(), block.size()) != entry.checksum) return damaged("is damaged");
  }
  return checkpoint;
}

Checkpoint::Block& Checkpoint::resized(std::string_view name, std::size_t bytes) {
  auto found = blocks_.find(name);
  if (found == blocks_.end()) found = blocks_.emplace(name, Block()).first;
  found->second.resize(bytes);
  return found->second;
}

const Checkpoint::Block& Checkpoint::block(std::string_view name) const {
  if (ranks_) {
    const Block* const whole = first_ ? &first_->block(name) : nullptr;
    std::size_t bytes = whole ? whole->size() : 0;
    ranks_->broadcast(&bytes, sizeof bytes);
    if (!whole) received_.resize(bytes);
    ranks_->broadcast(const_cast<std::byte*>(whole ? whole->data() : received_.data()), bytes);
    return whole ? *whole : received_;
  }
  const auto found = blocks_.find(name);
  if (found == blocks_.end()) throw RuntimeError(fmt::format("the checkpoint has no block \"{}\"", name));
  return found->second;
}

const Checkpoint::Block& Checkpoint::block(std::string_view name, std::size_t bytes) const {
  const Block& found = block(name);
  if (found.size() == bytes) return found;
  throw RuntimeError(fmt::format("block \"{}\" of the checkpoint has {} bytes, not {}", name, found.size(), bytes));
}

}  // namespace simreel
