// numpy's archives of arrays: ZIP (PKWARE's APPNOTE 6.3.3), entries stored or deflated, with sizes of 32 or 64 bits.

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"
#include "formats/array_file.h"
#include "formats/file_bytes.h"
#include "formats/npy.h"

namespace simreel {
namespace {

// Deflated bytes of a file (RFC 1951), unpacked piece by piece: neither side is in memory as a whole.
class Inflate {
 public:
  // `packed` bytes of the file from `at` on. The file must outlive it. Throws std::bad_alloc.
  Inflate(const FileBytes& file, std::uint64_t at, std::uint64_t packed) : file_(file), at_(at), left_(packed) {
    constexpr int without_header = -MAX_WBITS;
    if (inflateInit2(&stream_, without_header) != Z_OK) throw std::bad_alloc();
  }
  ~Inflate() { inflateEnd(&stream_); }
  Inflate& operator=(Inflate&&) = delete;

  // The next bytes; false where the packed ones are damaged or end early.
  bool read(std::span<std::byte> to) {
    constexpr std::size_t at_once = 1 << 20;  // within what zlib counts, and what a cache holds for the checksum
    while (!to.empty()) {
      const std::span<std::byte> part = to.first(std::min(to.size(), at_once));
      stream_.next_out = reinterpret_cast<Bytef*>(part.data());
      stream_.avail_out = static_cast<uInt>(part.size());
      while (stream_.avail_out > 0) {
        if (stream_.avail_in == 0) {
          const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_.size()));
          file_.read(at_, std::span(piece_).first(count));
          at_ += count;
          left_ -= count;
          stream_.next_in = reinterpret_cast<Bytef*>(piece_.data());
          stream_.avail_in = static_cast<uInt>(count);
        }
        const int result = inflate(&stream_, Z_NO_FLUSH);
        if (result != Z_OK && !(result == Z_STREAM_END && stream_.avail_out == 0)) return false;
      }
      checksum_ = libdeflate_crc32(checksum_, part.data(), part.size());
      to = to.subspan(part.size());
    }
    return true;
  }

  // The CRC-32 of all bytes that were read.
  std::uint32_t checksum() const { return checksum_; }

 private:
  const FileBytes& file_;
  std::uint64_t at_, left_;  // of the packed bytes
  std::uint32_t checksum_ = 0;
  z_stream stream_ = {};
  std::array<std::byte, 1 << 16> piece_;
};

// What is read in parts must be in memory as a whole.
constexpr std::uint64_t max_unpacked = limits::unpacked_bytes;
constexpr std::uint64_t max_entries = 100000;

struct Entry {
  std::string name;
  std::uint64_t offset = 0, packed = 0, size = 0;  // of the local header; of the stored bytes, packed and unpacked
  std::uint32_t checksum = 0;
  bool deflated = false;
};

class NpzFile final : public ArrayFile {
 public:
  explicit NpzFile(const std::string& path) : ArrayFile(path), file_(path) {
    read_directory();
    for (const Entry& entry : entries_) {
      const std::string name = entry.name.substr(0, entry.name.size() - 4);
      open_member(name, [&] { open(entry, name); });
    }
    if (arrays_.empty()) throw RuntimeError("{}: {}", place_of(path, unread_.begin()->first), unread_.begin()->second);
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    const std::size_t index = static_cast<std::size_t>(&array - arrays_.data());
    const Part& part = parts_[index];
    const bool whole = std::ranges::equal(count, array.extents) && (!part.header.fortran_order || count.size() < 2);
    if (part.entry.deflated && whole && unpacked_ != index) return unpack_values(array, part, to);
    RawArray raw{{}, part.header.fortran_order, part.header.big_endian};
    if (part.entry.deflated) {
      raw.bytes = unpacked(index, part.entry).subspan(part.header.bytes);
    } else {
      raw.file = &file_;
      raw.at = place_of_stored(part.entry) + part.header.bytes;
    }
    copy_part(array, raw, start, count, to);
  }

 private:
  struct Part {
    Entry entry;
    NpyHeader header;
  };

  template <std::size_t count>
  std::uint64_t number(std::uint64_t at) const {
    const std::string_view bytes = letters(at, count);
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }
  std::string_view letters(std::uint64_t at, std::uint64_t count) const {
    if (at > file_.size() || file_.size() - at < count) fail("the archive is damaged");
    return file_.view(at, count);
  }

  // The end of an archive: 22 bytes and a comment of up to 64 KiB.
  std::uint64_t find_end() const {
    constexpr std::uint64_t min = 22, comment = 65535;
    const std::uint64_t size = file_.size(), max = std::min(size, min + comment);
    const std::string_view end = file_.view(size - max, max);
    for (std::uint64_t back = min; back <= max; ++back)
      if (end.substr(max - back, 4) == "PK\5\6") return size - back;
    fail("the archive has no directory at its end: it was not written completely");
  }

  void read_directory() {
    const std::uint64_t end = find_end();
    std::uint64_t count = number<2>(end + 10), at = number<4>(end + 16);
    if (end >= 20 && letters(end - 20, 4) == "PK\6\7") {
      const std::uint64_t large = number<8>(end - 12);
      if (letters(large, 4) != "PK\6\6") fail("the archive is damaged");
      count = number<8>(large + 32);
      at = number<8>(large + 48);
    }
    if (count > max_entries) fail("{} entries are too many; the limit is {}", count, max_entries);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (letters(at, 4) != "PK\1\2") fail("the archive is damaged");
      Entry entry;
      const std::uint64_t flags = number<2>(at + 8), method = number<2>(at + 10);
      entry.checksum = static_cast<std::uint32_t>(number<4>(at + 16));
      entry.packed = number<4>(at + 20);
      entry.size = number<4>(at + 24);
      const std::uint64_t name = number<2>(at + 28), extra = number<2>(at + 30), comment = number<2>(at + 32);
      entry.offset = number<4>(at + 42);
      entry.name = letters(at + 46, name);
      read_large_sizes(at + 46 + name, extra, entry);
      at += 46 + name + extra + comment;
      if (!entry.name.ends_with(".npy")) continue;  // not an array
      const std::string bare = entry.name.substr(0, entry.name.size() - 4);
      if ((flags & 1) != 0) unread_[bare] = "it is encrypted";
      if (method != 0 && method != 8)
        unread_[bare] =
            fmt::format("it is packed by a method that numpy does not use ({}); write it with numpy.savez", method);
      if (unread_.contains(bare)) continue;
      entry.deflated = method == 8;
      entries_.push_back(std::move(entry));
    }
    if (entries_.empty() && unread_.empty()) fail("the archive contains no .npy array");
  }

  void read_large_sizes(std::uint64_t at, std::uint64_t length, Entry& entry) const {
    constexpr std::uint64_t elsewhere = 0xffffffff;
    for (const std::uint64_t end = at + length; at + 4 <= end;) {
      const std::uint64_t tag = number<2>(at), size = number<2>(at + 2);
      at += 4;
      if (tag == 1)
        for (std::uint64_t next = at; std::uint64_t * value : {&entry.size, &entry.packed, &entry.offset})
          if (*value == elsewhere && next + 8 <= at + size) {
            *value = number<8>(next);
            next += 8;
          }
      at += size;
    }
  }

  std::uint64_t place_of_stored(const Entry& entry) const {
    if (letters(entry.offset, 4) != "PK\3\4") fail("the archive is damaged");
    const std::uint64_t at = entry.offset + 30 + number<2>(entry.offset + 26) + number<2>(entry.offset + 28);
    if (at > file_.size() || file_.size() - at < entry.packed) fail("the archive is damaged");
    return at;
  }

  // The next bytes of a packed entry. After the last byte the checksum must match.
  void unpack(const Entry& entry, Inflate& from, std::span<std::byte> to, bool last) const {
    if (!from.read(to) || (last && from.checksum() != entry.checksum))
      fail("{} is damaged: it does not unpack to what was packed", quote(entry.name));
  }

  // The first bytes of a packed entry.
  std::vector<std::byte> unpack(const Entry& entry, std::uint64_t count) const {
    std::vector<std::byte> memory(static_cast<std::size_t>(count));
    Inflate from(file_, place_of_stored(entry), entry.packed);
    unpack(entry, from, memory, count == entry.size);
    return memory;
  }

  // All values of an array, in its order, straight to where they belong.
  void unpack_values(const ArrayInfo& array, const Part& part, std::byte* to) const {
    std::size_t count = 1;
    for (const std::uint64_t extent : array.extents) count *= static_cast<std::size_t>(extent);
    const std::span<std::byte> values(to, count * array.element.bytes);
    Inflate from(file_, place_of_stored(part.entry), part.entry.packed);
    std::vector<std::byte> header(part.header.bytes);
    unpack(part.entry, from, header, false);
    unpack(part.entry, from, values, true);
    const bool swapped = part.header.big_endian == (std::endian::native == std::endian::little);
    if (swapped && array.element.bytes > 1) swap_bytes(to, count, array.element.bytes);
  }

  // All bytes of a packed entry; they stay until those of another array are wanted.
  std::span<const std::byte> unpacked(std::size_t index, const Entry& entry) const {
    if (unpacked_ != index) {
      unpacked_ = none;
      memory_ = std::vector<std::byte>();  // not beside the next ones
      memory_ = unpack(entry, entry.size);
      unpacked_ = index;
    }
    return memory_;
  }

  void open(const Entry& entry, const std::string& name) {
    const std::string place = place_of(path_, name);
    const std::uint64_t at = place_of_stored(entry);
    if (entry.deflated && entry.size / 1032 > entry.packed)
      throw RuntimeError("{}: the archive is damaged: {} bytes are to become {}, and deflate packs at most 1032 to 1",
                         place, entry.packed, entry.size);
    if (entry.deflated && std::max(entry.size, entry.packed) > max_unpacked)
      throw RuntimeError(
          "{}: {} bytes when it is unpacked are too many (the limit is {}); save it with numpy.save, which "
          "packs nothing",
          place, std::max(entry.size, entry.packed), max_unpacked);
    if (!entry.deflated && entry.size != entry.packed) fail("the archive is damaged");
    Part part{entry, {}};
    const std::uint64_t max = std::min<std::uint64_t>(entry.size, 1 << 16);
    const std::vector<std::byte> unpacked = entry.deflated ? unpack(entry, max) : std::vector<std::byte>();
    const std::string_view start =
        entry.deflated ? std::string_view(reinterpret_cast<const char*>(unpacked.data()), max) : file_.view(at, max);
    part.header = parse_npy_header(start, place);
    ArrayInfo array;
    array.name = name;
    array.element = part.header.element;
    array.extents = part.header.extents;
    check_claims(array);
    std::uint64_t values = 1;
    for (const std::uint64_t extent : array.extents) values *= extent;
    const std::uint64_t bytes = part.header.bytes + values * array.element.bytes;
    if (bytes > entry.size)
      throw RuntimeError("{}: it ends early: {} values of {} would make {} bytes, and it has {}", place,
                         words_for(array.extents), name_of(array.element), bytes, entry.size);
    if (entry.deflated && bytes < entry.size)
      throw RuntimeError("{}: the archive is damaged: {} bytes follow the {} values", place, entry.size - bytes,
                         words_for(array.extents));
    arrays_.push_back(std::move(array));
    parts_.push_back(std::move(part));
  }

  FileBytes file_;
  std::vector<Entry> entries_;
  std::vector<Part> parts_;  // of arrays_
  static constexpr auto none = static_cast<std::size_t>(-1);
  mutable std::vector<std::byte> memory_;
  mutable std::size_t unpacked_ = none;  // the array in memory_
};

}  // namespace

std::unique_ptr<ArrayFile> open_npz_file(const std::string& path) { return std::make_unique<NpzFile>(path); }

}  // namespace simreel
