#pragma once
// Macroblocks that are predicted from the picture before.

#include "kernels/encode/prediction.h"
#include "kernels/encode/residual.h"

namespace simreel::h264 {

struct Inter {
  using Shared = InterShared;
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    Vector* const vector = p.quarter + 4 * i;
    if constexpr (Team::lanes == 1) {
      predict_whole(s, x, y, vector);
    } else {
      for (int k = team.lane; k < 64; k += Team::lanes) {
        const Taps taps = taps_of(p, 16 * x, 16 * y, vector[(k >> 5) * 2 + (k >> 1 & 1)]);
        store_four(s.predicted + 4 * k,
                   predict_four(taps, static_cast<std::ptrdiff_t>(k >> 2) * p.pitch() + (k & 3) * 4));
      }
      // Four pixels in sequence have one vector.
      const int plane = team.lane >> 4, cx = (team.lane & 1) * 4, cy = team.lane >> 1 & 7;
      const ChromaTaps taps(p, plane, 8 * x + cx, 8 * y + cy, vector[(cy >> 2) * 2 + (cx >> 2)]);
      for (int j = 0; j < 4; ++j) s.predicted[256 + 4 * team.lane + j] = taps.pixel(j);
    }
    team.sync();
    Residual<Left::by_motion>::code(p, s, team, i);
    if (s.pcm)
      for (int k = team.lane; k < 4; k += Team::lanes) vector[k] = {no_motion, 0};
    if (team.lane == 0) {
      p.mode[i].luma = s.by_eight, p.mode[i].coded = s.coded;
      if (s.pcm) p.mode[i].kind = Mode::pcm;
    }
  }

 private:
  // By one thread: quarter by quarter, or all at once where the vectors are one.
  HD void predict_whole(Shared& s, int x, int y, const Vector* vector) const {
    const bool one = vector[0] == vector[1] && vector[0] == vector[2] && vector[0] == vector[3];
    if (one) {
      predict_part<8>(s, x, y, 0, 0, vector[0]);
    } else {
      for (int k = 0; k < 4; ++k) predict_part<4>(s, x, y, 4 * (k & 1), 4 * (k >> 1), vector[k]);
    }
  }
  // Chroma of `n` x `n` pixels at (cx, cy) in the macroblock, and the luma of the same place.
  template <int n>
  HD void predict_part(Shared& s, int x, int y, int cx, int cy, Vector v) const {
    const Taps luma = taps_of(p, 16 * x + 2 * cx, 16 * y + 2 * cy, v);
    std::uint8_t* to = s.predicted + 16 * (2 * cy) + 2 * cx;
    for (int row = 0; row < 2 * n; ++row, to += 16) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * p.pitch();
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
      const __m128i pixels = predict_sixteen(luma, at);  // those to the right of a quarter are not used
      std::memcpy(to, &pixels, 2 * n);
#else
      for (int k = 0; k < 2 * n; k += 4) store_four(to + k, predict_four(luma, at + k));
#endif
    }
    for (int plane = 0; plane < 2; ++plane) {
      const ChromaTaps taps(p, plane, 8 * x + cx, 8 * y + cy, v);
      std::uint8_t* chroma = s.predicted + 256 + 64 * plane + 8 * cy + cx;
      for (int row = 0; row < n; ++row, chroma += 8) {
        const int at = row * p.chroma_pitch();
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
        const __m128i pixels = taps.predict_eight(at);
        std::memcpy(chroma, &pixels, n);
#else
        SIMREEL_INDEPENDENT
        for (int k = 0; k < n; ++k) chroma[k] = taps.pixel(at + k);
#endif
      }
    }
  }
};

}  // namespace simreel::h264
