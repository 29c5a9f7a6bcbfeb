#pragma once
// IEEE 754 half precision as a storage format for floats, with the same bits on every machine. Conversions round to
// nearest, ties to even. Numbers that round beyond 65504 become infinite, subnormals are kept, NaN stays NaN.

#include <cstdint>

#include "kernels/base/launch.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif
#ifdef __F16C__
#include <immintrin.h>
#endif
#include <bit>

namespace simreel {

struct Half {
  std::uint16_t bits;
};

namespace detail {

inline float half_to_float_in_software(std::uint32_t h) {
  const std::uint32_t sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  // The magnitude's bits, moved into place, are the number times 2^-112, subnormal ones included.
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f) | sign);
}

inline std::uint16_t float_to_half_in_software(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value), sign = word >> 16 & 0x8000u,
                      magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and above
  if (magnitude < 0x38800000u) {  // below 2^-14: adding 1/2 leaves the multiple of 2^-24 in the lowest bits, rounded
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  return static_cast<std::uint16_t>(sign | (((magnitude + 0xfffu + (magnitude >> 13 & 1)) >> 13) - 0x1c000u));
}

}  // namespace detail

// The two conversions are compiled differently for CPUs with and without F16C. Each kind has a namespace of its own, so
// that files compiled for either can be linked into one program (one definition rule).
#ifdef __F16C__
inline namespace with_f16c {
#else
inline namespace without_f16c {
#endif

HD inline float half_to_float(Half h) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(h.bits));
#elif defined(__F16C__)
  return _cvtsh_ss(h.bits);
#else
  return detail::half_to_float_in_software(h.bits);
#endif
}

HD inline Half float_to_half(float value) {
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(value))};
#elif defined(__F16C__)
  return {static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT))};
#else
  return {detail::float_to_half_in_software(value)};
#endif
}

}  // namespace with_f16c or without_f16c

}  // namespace simreel
