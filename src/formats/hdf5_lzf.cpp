// The filter lzf of h5py (number 32000): LibLZF's format, unpacked.

#include <hdf5.h>

#include "formats/hdf5_library.h"
#include "formats/hdf5_lzf.h"
#include "formats/hdf5_values.h"

namespace simreel::hdf5 {

bool unpack_lzf(const std::uint8_t* from, std::size_t count, std::uint8_t* to, std::size_t room, std::size_t& length) {
  const std::uint8_t* const end = from + count;
  length = 0;
  while (from < end) {
    const std::size_t control = *from++;
    std::size_t run = control + 1, back = 0;
    if (control >= 32) {
      run = control >> 5;
      if (run == 7 && from < end) run += *from++;
      if (from == end) return false;
      back = ((control & 31) << 8 | *from++) + 1;
      run += 2;
      if (back > length) return false;
    } else if (run > static_cast<std::size_t>(end - from)) {
      return false;
    }
    if (run > room - length) return false;
    for (std::size_t i = 0; i < run; ++i, ++length) to[length] = back > 0 ? to[length - back] : *from++;
  }
  return true;
}

namespace {

// H5Z_func_t: returns the number of bytes in the new buffer; 0: it failed.
std::size_t filter(unsigned flags, std::size_t count, const unsigned values[], std::size_t bytes, std::size_t* size,
                   void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
  constexpr std::size_t max = std::size_t{1} << 32, ratio = 264;  // that three bytes can become
  std::size_t room = count > 2 && values[2] > 0 ? values[2] : *size;
  for (; room <= max && room / ratio <= bytes; room *= 2) {
    void* const memory = H5allocate_memory(room, false);
    std::size_t length = 0;
    if (memory == nullptr) return 0;
    if (unpack_lzf(static_cast<const std::uint8_t*>(*buffer), bytes, static_cast<std::uint8_t*>(memory), room,
                   length)) {
      H5free_memory(*buffer);
      *buffer = memory;
      *size = room;
      return length;
    }
    H5free_memory(memory);
    if (count > 2 && values[2] > 0) return 0;
  }
  return 0;
}

}  // namespace

void register_lzf() {
  static const H5Z_class2_t lzf = {H5Z_CLASS_T_VERS, 32000, 0, 1, "lzf", nullptr, nullptr, filter};
  if (H5Zfilter_avail(lzf.id) <= 0) check("H5Zregister", H5Zregister(&lzf));
}

}  // namespace simreel::hdf5
