#include "sink/data/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libdeflate.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "files/part_file.h"
#include "sink/data/states.h"
#include "sink/open.h"

namespace simreel {
namespace {

template <class Real>
std::vector<std::array<Real, 7>> rows_of(const Real* position, std::size_t count) {
  std::vector<std::array<Real, 7>> rows(count);
  const Real* const velocity = position + 4 * count;
  for (std::size_t i = 0; i < count; ++i) {
    const Real *const p = position + 4 * i, *const v = velocity + 4 * i;
    rows[i] = {p[0], p[1], p[2], v[0], v[1], v[2], p[3]};
  }
  return rows;
}

class Npy : public States {
 public:
  Npy(const std::string& target, const StreamInfo& info, Opening opening)
      : States(target, info, opening, "array", info.state_bytes) {}

 private:
  void write_file(const State& state, PartFile& file) const override {
    const StateLayout& layout = state.layout;
    const std::string type = fmt::format("<f{}", layout.value_bytes());
    if (layout.kind == StateLayout::Kind::field) {
      file.write(npy_header(type, {static_cast<std::size_t>(layout.ny), static_cast<std::size_t>(layout.nx)}));
      return file.write(state.values, layout.values_bytes());
    }
    file.write(npy_header(type, {layout.count, 7}));
    visit_values(state, [&](const auto* values) {
      const auto rows = rows_of(values, layout.count);
      file.write(rows.data(), rows.size() * sizeof rows[0]);
    });
  }
};

// Whole numbers with the low byte first.
template <int bytes>
std::string number(std::uint64_t value) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

constexpr std::uint64_t version = 45;            // of the format, the first with sizes of 64 bits
constexpr std::uint64_t elsewhere = 0xffffffff;  // the number is in the field of 64-bit numbers
constexpr std::uint64_t sizes_tag = 1;
constexpr std::uint64_t no_time = 0, first_day = 1 << 5 | 1;  // 1980-01-01, so that equal entries have equal bytes

// What the headers before an entry and in the directory share.
std::string common(std::uint32_t checksum, std::size_t name_bytes, std::uint64_t extra_bytes) {
  constexpr std::uint64_t flags = 0, stored = 0;
  return number<2>(version) + number<2>(flags) + number<2>(stored) + number<2>(no_time) + number<2>(first_day) +
         number<4>(checksum) + number<4>(elsewhere) + number<4>(elsewhere) + number<2>(name_bytes) +
         number<2>(extra_bytes);
}

// ZIP archives whose entries are stored as they are, for .npz files: PKWARE's APPNOTE 6.3.3, with sizes of 64 bits.
class ZipWriter {
 public:
  // Writes to a file that is empty; it must outlive the writer.
  explicit ZipWriter(PartFile& file) : file_(file) {}

  // Adds an entry: the header and the values, one after the other. Throws RuntimeError where it cannot be written.
  void add(std::string_view name, std::string_view header, std::span<const std::byte> values) {
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

  // Writes the directory that readers look for at the end.
  void finish() {
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

 private:
  void write(std::string_view bytes) {
    file_.write(bytes);
    written_ += bytes.size();
  }

  PartFile& file_;
  std::string directory_;
  std::uint64_t entries_ = 0, written_ = 0;
};

// The first `columns` of each four numbers from `first` on.
template <class Real>
std::vector<Real> columns_of(const Real* rows, std::size_t count, std::size_t first, std::size_t columns) {
  std::vector<Real> values;
  values.reserve(count * columns);
  for (std::size_t i = 0; i < count; ++i)
    values.insert(values.end(), rows + 4 * i + first, rows + 4 * i + first + columns);
  return values;
}

template <class Real>
void add_bodies(ZipWriter& zip, const StateLayout& layout, const Real* position, const std::string& type) {
  const std::size_t n = layout.count;
  const Real* const velocity = position + 4 * n;
  const auto add = [&](std::string_view name, const Real* rows, std::size_t first, std::size_t columns) {
    const std::vector<Real> values = columns_of(rows, n, first, columns);
    zip.add(name, columns == 1 ? npy_header(type, {n}) : npy_header(type, {n, columns}),
            std::as_bytes(std::span(values)));
  };
  add("position.npy", position, 0, 3);
  add("velocity.npy", velocity, 0, 3);
  add("mass.npy", position, 3, 1);
  if (layout.groups) {
    const auto* const group = reinterpret_cast<const std::byte*>(velocity + 4 * n);
    zip.add("group.npy", npy_header("|u1", {n}), std::span(group, n));
  }
}

class Npz : public States {
 public:
  Npz(const std::string& target, const StreamInfo& info, Opening opening)
      : States(target, info, opening, "archive", info.state_bytes / 2), fields_(info.fields) {}

 private:
  void write_file(const State& state, PartFile& file) const override {
    ZipWriter zip(file);
    const StateLayout& layout = state.layout;
    const std::string type = fmt::format("<f{}", layout.value_bytes());
    if (layout.kind == StateLayout::Kind::field) {
      const std::string header =
          npy_header(type, {static_cast<std::size_t>(layout.ny), static_cast<std::size_t>(layout.nx)});
      const std::size_t bytes = layout.field_values() * layout.value_bytes();
      for (std::size_t i = 0; i < fields_.size(); ++i)
        zip.add(fields_[i] + ".npy", header, std::span(state.values + i * bytes, bytes));
      if (layout.solid)
        zip.add("solid.npy",
                npy_header("|u1", {static_cast<std::size_t>(layout.ny), static_cast<std::size_t>(layout.nx)}),
                std::span(state.values + layout.values_bytes(), layout.field_values()));
    } else {
      visit_values(state, [&](const auto* values) { add_bodies(zip, layout, values, type); });
    }
    zip.finish();
  }

  std::vector<std::string> fields_;
};

}  // namespace

// Magic, version, length of what follows, a Python literal, spaces and a line end up to a multiple of 64 bytes.
std::string npy_header(std::string_view type, std::initializer_list<std::size_t> shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t before = 10, unit = 64;
  text.append((unit - (before + text.size() + 1) % unit) % unit, ' ');
  text += '\n';
  const std::string length = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + length + text;
}

std::unique_ptr<Sink> open_npy(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  if (info.fields.size() > 1)
    throw UsageError("{}: a .npy file holds one array, but \"fields\" in [output] names {}; write {}.npz, or name one",
                     target, info.fields.size(), target.substr(0, target.size() - 4));
  return std::make_unique<Npy>(target, info, opening);
}

std::unique_ptr<Sink> open_npz(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return std::make_unique<Npz>(target, info, opening);
}

}  // namespace simreel
