#include "checkpoint/block_file.h"

#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "files/own_file.h"
#include "files/part_file.h"

namespace simreel {
namespace fs = std::filesystem;
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

void append(std::vector<std::byte>& head, std::span<const std::byte> bytes) {
  const std::size_t end = head.size();
  head.resize(end + bytes.size());
  if (!bytes.empty()) std::memcpy(head.data() + end, bytes.data(), bytes.size());
}

template <class T>
void append_value(std::vector<std::byte>& head, const T& value) {
  append(head, std::as_bytes(std::span(&value, 1)));
}

// Reads values from the front of a head; `good` becomes false if it is too short.
struct Reader {
  std::span<const std::byte> rest;
  bool good = true;

  std::span<const std::byte> read(std::uint64_t count) {
    good = good && count <= rest.size();
    if (!good) return {};
    const auto front = rest.first(count);
    rest = rest.subspan(count);
    return front;
  }
  template <class T>
  T read() {
    T value{};
    const auto bytes = read(sizeof(T));
    if (good) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
};

}  // namespace

std::vector<std::byte> make_head(std::span<const NamedBytes> blocks) {
  std::vector<std::byte> head;
  append_value(head, Start{magic, 0, blocks.size()});
  for (const NamedBytes& block : blocks) {
    append_value(head,
                 Entry{block.name.size(), block.bytes.size(), XXH3_64bits(block.bytes.data(), block.bytes.size())});
    append(head, std::as_bytes(std::span(block.name)));
  }
  const std::uint64_t length = head.size() + sizeof(std::uint64_t);
  std::memcpy(head.data() + offsetof(Start, head_bytes), &length, sizeof length);
  append_value(head, std::uint64_t{XXH3_64bits(head.data(), head.size())});
  return head;
}

std::uint64_t checksum_in(std::span<const std::byte> head) {
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, head.data() + (head.size() - sizeof checksum), sizeof checksum);
  return checksum;
}

const char* read_head(std::istream& in, std::uintmax_t size, BlockHead& found) {
  constexpr const char *cut = "is cut short", *damaged = "is damaged";
  Start start{};
  if (!fill(in, std::as_writable_bytes(std::span(&start, 1)))) return cut;
  if (start.magic != magic) return "is no checkpoint of this program";
  if (start.head_bytes > size || start.head_bytes < sizeof start + sizeof(std::uint64_t)) return damaged;
  std::vector<std::byte> head(start.head_bytes);
  std::memcpy(head.data(), &start, sizeof start);
  if (!fill(in, std::span(head).subspan(sizeof start))) return cut;
  const std::size_t checked = head.size() - sizeof(std::uint64_t);
  if (XXH3_64bits(head.data(), checked) != checksum_in(head)) return damaged;

  found = {{}, start.head_bytes, checksum_in(head)};
  Reader entries{std::span(head).subspan(sizeof start, checked - sizeof start)};
  for (std::uint64_t i = 0; i < start.blocks; ++i) {
    const Entry entry = entries.read<Entry>();
    const auto letters = entries.read(entry.name_bytes);
    if (!entries.good) return damaged;
    if (entry.bytes > size - found.file_bytes) return cut;
    found.entries.push_back({std::string(reinterpret_cast<const char*>(letters.data()), letters.size()), entry.bytes,
                             entry.checksum, found.file_bytes});
    found.file_bytes += entry.bytes;
  }
  return nullptr;
}

bool fill(std::istream& in, std::span<std::byte> bytes) {
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return in.good() || bytes.empty();
}

void write_complete(const fs::path& name, std::span<const std::span<const std::byte>> contents) {
  const fs::path part = name.string() + ".part";
  std::error_code unknown;
  fs::remove(part, unknown);
  OwnFile file = OwnFile::make(part);
  if (!file) throw RuntimeError("{}: open: {}", part.string(), std::generic_category().message(errno));
  try {
    for (const auto& piece : contents) file.write(piece.data(), piece.size());
    file.sync();
    file.rename(name, true);
  } catch (...) {
    file.remove();
    throw;
  }
  sync_folder(name);
}

}  // namespace simreel
