#pragma once
// The types of numbers in array files, and their conversion to what pictures are made of.

#include <cstddef>
#include <cstdint>
#include <string>

namespace simreel {

// A type of numbers, in the byte order of this machine.
struct Element {
  enum class Kind { boolean, signed_integer, unsigned_integer, real } kind = Kind::real;
  std::size_t bytes = 4;  // real: 2, 4, 8; integers: 1, 2, 4, 8; boolean: 1

  bool operator==(const Element&) const = default;
};

// Whether the type is one that `convert` knows.
bool is_known(const Element&);
std::string name_of(const Element&);  // "float32", "uint8", "bool"

// As fits_float(Number) of kernels/base/gather.h.
bool fits_float(const Element&);

// Converts `count` values; rounds to nearest where Real does not hold one. `from` needs no alignment.
template <class Real>
void convert(const Element&, const std::byte* from, std::size_t count, Real* to);

// Reverses the bytes of each of `count` values.
void swap_bytes(std::byte* values, std::size_t count, std::size_t value_bytes);

// The product of two sizes; the largest number where it is larger.
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

}  // namespace simreel
