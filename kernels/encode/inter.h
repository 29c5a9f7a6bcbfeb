#pragma once
// Macroblocks that are predicted from the picture before.

#include "kernels/encode/prediction.h"
#include "kernels/encode/residual.h"

namespace simreel::h264 {

struct Inter {
  using Shared = ResidualShared;
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const int x = i % p.width, y = i / p.width;
    Vector* const vector = p.quarter + 4 * i;
    for (int k = team.lane; k < 64; k += Team::lanes) {
      const Taps taps = taps_of(p, 16 * x, 16 * y, vector[(k >> 5) * 2 + (k >> 1 & 1)]);
      store_four(s.predicted + 4 * k,
                 predict_four(taps, static_cast<std::ptrdiff_t>(k >> 2) * p.pitch() + (k & 3) * 4));
    }
    // Four pixels in sequence have one vector.
    for (int k = team.lane; k < 32; k += Team::lanes) {
      const int plane = k >> 4, cx = (k & 1) * 4, cy = k >> 1 & 7;
      const Vector v = vector[(cy >> 2) * 2 + (cx >> 2)];
      for (int j = 0; j < 4; ++j)
        s.predicted[256 + 4 * k + j] = predict_chroma(p, plane, 8 * x + cx + j, 8 * y + cy, v);
    }
    team.sync();
    Residual<false>::code(p, s, team, i);
    if (s.pcm)
      for (int k = team.lane; k < 4; k += Team::lanes) vector[k] = {no_motion, 0};
    if (team.lane == 0) {
      p.mode[i].coded = s.coded;
      if (s.pcm) p.mode[i].kind = Mode::pcm;
    }
  }
};

}  // namespace simreel::h264
