#include "formats/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace simreel {
namespace {

template <class From, class Real>
void convert_all(const std::byte* from, std::size_t count, Real* to) {
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    to[i] = static_cast<Real>(value);
  }
}

// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction.
float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 0x1f) {
    const std::uint32_t word =
        (std::uint32_t{bits} & 0x8000u) << 16 | 0x7f800000u | static_cast<std::uint32_t>(fraction) << 13;
    return std::bit_cast<float>(word);
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

template <class Real>
void convert_halves(const std::byte* from, std::size_t count, Real* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, from + 2 * i, 2);
    to[i] = static_cast<Real>(half_value(bits));
  }
}

template <class Real>
void convert_booleans(const std::byte* from, std::size_t count, Real* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i] == std::byte{0} ? Real(0) : Real(1);
}

}  // namespace

bool is_known(const Element& e) {
  if (e.kind == Element::Kind::boolean) return e.bytes == 1;
  if (e.kind == Element::Kind::real && e.bytes == 1) return false;
  return e.bytes == 1 || e.bytes == 2 || e.bytes == 4 || e.bytes == 8;
}

std::string name_of(const Element& e) {
  switch (e.kind) {
    case Element::Kind::boolean: return "bool";
    case Element::Kind::signed_integer: return fmt::format("int{}", 8 * e.bytes);
    case Element::Kind::unsigned_integer: return fmt::format("uint{}", 8 * e.bytes);
    case Element::Kind::real: return fmt::format("float{}", 8 * e.bytes);
  }
  return "";
}

bool fits_float(const Element& e) { return e.kind == Element::Kind::real ? e.bytes <= 4 : e.bytes <= 2; }

template <class Real>
void convert(const Element& e, const std::byte* from, std::size_t count, Real* to) {
  const bool is_signed = e.kind == Element::Kind::signed_integer;
  if (e.kind == Element::Kind::boolean) return convert_booleans(from, count, to);
  if (e.kind == Element::Kind::real) {
    if (e.bytes == 2) return convert_halves(from, count, to);
    return e.bytes == 4 ? convert_all<float>(from, count, to) : convert_all<double>(from, count, to);
  }
  switch (e.bytes) {
    case 1: return is_signed ? convert_all<std::int8_t>(from, count, to) : convert_all<std::uint8_t>(from, count, to);
    case 2: return is_signed ? convert_all<std::int16_t>(from, count, to) : convert_all<std::uint16_t>(from, count, to);
    case 4: return is_signed ? convert_all<std::int32_t>(from, count, to) : convert_all<std::uint32_t>(from, count, to);
    default:
      return is_signed ? convert_all<std::int64_t>(from, count, to) : convert_all<std::uint64_t>(from, count, to);
  }
}

void swap_bytes(std::byte* values, std::size_t count, std::size_t value_bytes) {
  const auto swap = [&](auto word, const auto& reversed) {
    for (std::size_t i = 0; i < count; ++i, values += sizeof word) {
      std::memcpy(&word, values, sizeof word);
      word = reversed(word);
      std::memcpy(values, &word, sizeof word);
    }
  };
  if (value_bytes == 8) return swap(std::uint64_t{}, [](std::uint64_t word) { return __builtin_bswap64(word); });
  if (value_bytes == 4) return swap(std::uint32_t{}, [](std::uint32_t word) { return __builtin_bswap32(word); });
  for (std::size_t i = 0; i < count; ++i) std::reverse(values + i * value_bytes, values + (i + 1) * value_bytes);
}

template void convert(const Element&, const std::byte*, std::size_t, float*);
template void convert(const Element&, const std::byte*, std::size_t, double*);

}  // namespace simreel
