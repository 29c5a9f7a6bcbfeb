// Gadget's own binary format, 1 and 2: records of Fortran, each between two copies of its length in bytes. Format 2 has
// a record with the name of the block before each. Arrays have the names of the HDF5 format.

#include <array>
#include <bit>
#include <iterator>

#include "base/text.h"
#include "formats/array_file.h"
#include "formats/file_bytes.h"
#include "formats/npy.h"

namespace simreel {
namespace {

constexpr std::size_t kinds = 6;
constexpr std::uint32_t header_bytes = 256;
constexpr const char* labels[] = {"POS ", "VEL ", "ID  ", "MASS"};  // of the blocks that are read
constexpr const char* names[] = {"Coordinates", "Velocities", "ParticleIDs", "Masses"};

class GadgetFile final : public ArrayFile {
 public:
  explicit GadgetFile(const std::string& path) : ArrayFile(path), file_(path) {
    const std::uint32_t first = word(0, false);
    big_endian_ = first != header_bytes && first != 8;
    const bool named = word(0, big_endian_) == 8;
    std::uint64_t at = named ? 16 : 0;
    const std::uint64_t header = next(at, "the header");
    if (length_ != header_bytes) fail("its header has {} bytes instead of {}", length_, header_bytes);
    for (std::size_t k = 0; k < kinds; ++k) {
      count_[k] = word(header + 4 * k, big_endian_);
      mass_[k] = real(header + 24 + 8 * k);
      total_ += count_[k];
      if (mass_[k] == 0) with_mass_ += count_[k];
    }
    time_ = real(header + 72);
    files_ = word(header + 124, big_endian_);
    if (total_ == 0) return;
    for (std::size_t block = 0; block < std::size(names) && at < file_.size(); ++block) {
      if (block == 3 && with_mass_ == 0) break;
      if (named) {
        const std::string label(file_.view(next(at, "the name of a block"), 4));
        if (label != labels[block])
          fail("its block {} is named {}, not {}", block + 1, quote(label), quote(labels[block]));
      }
      const std::uint64_t values = next(at, names[block]);
      add_block(block, values);
    }
    if (arrays_.empty()) fail("it holds no positions");
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    RawArray raw;
    raw.big_endian = big_endian_;
    raw.file = &file_;
    raw.at = at_[static_cast<std::size_t>(&array - arrays_.data())];
    copy_part(array, raw, start, count, to);
  }

  std::optional<double> attribute(std::string_view name) const override {
    if (name == "/Header/Time") return time_;
    if (name == "/Header/NumFilesPerSnapshot") return files_;
    return {};
  }
  std::vector<double> attribute_list(std::string_view name, std::size_t max) const override {
    if (name == "/Header/MassTable") return {mass_.begin(), mass_.end()};
    if (name == "/Header/NumPart_ThisFile") return {count_.begin(), count_.end()};
    return ArrayFile::attribute_list(name, max);
  }

 private:
  std::uint64_t number(std::uint64_t at, std::size_t bytes, bool big) const {
    if (at > file_.size() || file_.size() - at < bytes) fail("the file ends early");
    const std::string_view text = file_.view(at, bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = value << 8 | static_cast<unsigned char>(text[big ? i : bytes - 1 - i]);
    return value;
  }
  std::uint32_t word(std::uint64_t at, bool big) const { return static_cast<std::uint32_t>(number(at, 4, big)); }
  double real(std::uint64_t at) const { return std::bit_cast<double>(number(at, 8, big_endian_)); }

  // Where the values of the record at `at` begin, whose length becomes length_; moves `at` past it.
  std::uint64_t next(std::uint64_t& at, const char* what) {
    length_ = word(at, big_endian_);
    const std::uint64_t values = at + 4;
    if (length_ > file_.size() || file_.size() - length_ < values + 4 || word(values + length_, big_endian_) != length_)
      fail("it is damaged, or cut off, in {}", what);
    at = values + length_ + 4;
    return values;
  }

  void add_block(std::size_t block, std::uint64_t values) {
    const std::uint64_t columns = block < 2 ? 3 : 1, rows = block == 3 ? with_mass_ : total_;
    const std::uint64_t bytes = length_ / (rows * columns);
    if ((bytes != 4 && bytes != 8) || bytes * rows * columns != length_)
      fail("{} bytes of {} are not those of {} particles", length_, names[block], rows);
    for (std::size_t k = 0; k < kinds; ++k) {
      if (count_[k] == 0 || (block == 3 && mass_[k] != 0)) continue;
      ArrayInfo array;
      array.name = fmt::format("/PartType{}/{}", k, names[block]);
      array.element = {block == 2 ? Element::Kind::unsigned_integer : Element::Kind::real,
                       static_cast<decltype(Element::bytes)>(bytes)};
      array.extents = {count_[k]};
      if (columns == 3) array.extents.push_back(3);
      arrays_.push_back(std::move(array));
      at_.push_back(values);
      values += count_[k] * columns * bytes;
    }
  }

  FileBytes file_;
  bool big_endian_ = false;
  std::array<std::uint32_t, kinds> count_{};
  std::array<double, kinds> mass_{};
  std::uint64_t total_ = 0, with_mass_ = 0;
  double time_ = 0;
  std::uint32_t files_ = 1, length_ = 0;
  std::vector<std::uint64_t> at_;  // of arrays_
};

}  // namespace

bool is_gadget(std::string_view head) {
  if (head.size() < 8) return false;
  const auto starts = [&](std::string_view mark) { return head.starts_with(mark); };
  const bool one = starts(std::string_view("\0\1\0\0", 4)) || starts(std::string_view("\0\0\1\0", 4));
  const bool two = starts(std::string_view("\x08\0\0\0", 4)) || starts(std::string_view("\0\0\0\x08", 4));
  return one || (two && head.substr(4, 4) == "HEAD");
}

std::unique_ptr<ArrayFile> open_gadget_file(const std::string& path) { return std::make_unique<GadgetFile>(path); }

}  // namespace simreel
