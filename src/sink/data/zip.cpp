#include "sink/data/zip.h"

#include <libdeflate.h>

namespace simreel {
namespace {

// Whole numbers with the low byte first.
template <int bytes>
std::string number(std::uint64_t value) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

constexpr std::uint64_t version = 45;            // of the format, the first with sizes of 64 bits
constexpr std::uint64_t elsewhere = 0xffffffff;  // the number stands in the field of 64-bit numbers
constexpr std::uint64_t sizes_tag = 1;
constexpr std::uint64_t no_time = 0, first_day = 1 << 5 | 1;  // 1980-01-01, so that equal entries have equal bytes

// What the headers before an entry and in the directory share.
std::string common(std::uint32_t checksum, std::size_t name_bytes, std::uint64_t extra_bytes) {
  constexpr std::uint64_t flags = 0, stored = 0;
  return number<2>(version) + number<2>(flags) + number<2>(stored) + number<2>(no_time) + number<2>(first_day) +
         number<4>(checksum) + number<4>(elsewhere) + number<4>(elsewhere) + number<2>(name_bytes) +
         number<2>(extra_bytes);
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::add(std::string_view name, std::string_view header, std::span<const std::byte> values) {
  const std::uint64_t offset = written_, size = header.size() + values.size();
  std::uint32_t checksum = libdeflate_crc32(0, header.data(), header.size());
  checksum = libdeflate_crc32(checksum, values.data(), values.size());

  const std::string sizes = number<8>(size) + number<8>(size);
  write("PK\3\4" + common(checksum, name.size(), 4 + 16) + std::string(name) + number<2>(sizes_tag) + number<2>(16) +
        sizes);
  write(header);
  file_.write(values.data(), values.size());
  written_ += values.size();

  constexpr std::uint64_t comment = 0, disk = 0, attributes = 0;
  directory_ += "PK\1\2" + number<2>(version) + common(checksum, name.size(), 4 + 24) + number<2>(comment) +
                number<2>(disk) + number<2>(attributes) + number<4>(attributes) + number<4>(elsewhere) +
                std::string(name) + number<2>(sizes_tag) + number<2>(24) + sizes + number<8>(offset);
  ++entries_;
}

void ZipWriter::finish() {
  const std::uint64_t start = written_;
  write(directory_);
  const std::uint64_t end = written_;
  constexpr std::uint64_t disk = 0, rest = 44, disks = 1, comment = 0, many = 0xffff;
  write("PK\6\6" + number<8>(rest) + number<2>(version) + number<2>(version) + number<4>(disk) + number<4>(disk) +
        number<8>(entries_) + number<8>(entries_) + number<8>(end - start) + number<8>(start));
  write("PK\6\7" + number<4>(disk) + number<8>(end) + number<4>(disks));
  write("PK\5\6" + number<2>(disk) + number<2>(disk) + number<2>(many) + number<2>(many) + number<4>(elsewhere) +
        number<4>(elsewhere) + number<2>(comment));
}

}  // namespace simreel
