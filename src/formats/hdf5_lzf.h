#pragma once
// LibLZF's format, for HDF5's filter and its fuzzer.

#include <cstddef>
#include <cstdint>

namespace simreel::hdf5 {

// Unpacks into `to`; false if that is too small or the bytes are none of the format. A byte below 32 is one less than
// the number of letters that follow; others repeat what lies up to 8 KiB before.
bool unpack_lzf(const std::uint8_t* from, std::size_t count, std::uint8_t* to, std::size_t room, std::size_t& length);

}  // namespace simreel::hdf5
