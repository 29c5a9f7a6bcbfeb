#pragma once
// Where each macroblock begins in the slice: a prefix sum over all of them, in two steps, rows and then macroblocks.
// Between coded macroblocks of a picture with motion lies the number of skipped ones (mb_skip_run).

#include "kernels/encode/cavlc.h"

namespace simreel::h264 {

HD inline std::uint32_t aligned(std::uint32_t bits) { return (bits + 7) / 8 * 8; }
HD inline std::uint32_t skip_bits(const Picture& p, int skipped_ones) {
  return p.intra ? 0 : static_cast<std::uint32_t>(golomb_bits(static_cast<std::uint32_t>(skipped_ones)));
}

// Where bits end that begin at `position`.
HD inline std::uint32_t end_of(const Stretch& s, std::uint32_t position) {
  return s.aligned ? aligned(position + s.before) + s.after : position + s.before;
}

HD inline Stretch stretch_of(const Picture& p, int i) {
  switch (p.mode[i].kind) {
    case Mode::skip: return {1, 0, false, false, 0, 0};
    case Mode::pcm: return {0, 0, true, true, p.bits[i], 3072};
    default: return {0, 0, true, false, p.bits[i], 0};
  }
}

// First a, then b. Associative.
HD inline Stretch joined(const Picture& p, Stretch a, Stretch b) {
  if (!a.coded) {
    b.lead += a.lead;
    return b;
  }
  if (!b.coded) {
    a.trail += b.lead;
    return a;
  }
  b.before += skip_bits(p, a.trail + b.lead);
  if (!a.aligned) return {a.lead, b.trail, true, b.aligned, a.before + b.before, b.after};
  const std::uint32_t after = b.aligned ? aligned(a.after + b.before) + b.after : a.after + b.before;
  return {a.lead, b.trail, true, true, a.before, after};
}

struct LayoutShared {
  Stretch part[32];
  Stretch before;
};

// Joins lane by lane what `of(k)` gives for 0 <= k < count, in order, into s.part.
template <class Team, class Of>
HD void join_parts(const Picture& p, LayoutShared& s, const Team& team, int count, const Of& of) {
  const int each = (count + Team::lanes - 1) / Team::lanes, first = team.lane * each;
  Stretch all{0, 0, false, false, 0, 0};
  for (int k = first; k < first + each && k < count; ++k) all = joined(p, all, of(k));
  s.part[team.lane] = all;
  team.sync();
}

struct JoinRow {
  using Shared = LayoutShared;
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int row) const {
    join_parts(p, s, team, p.width, [&](int k) { return stretch_of(p, row * p.width + k); });
    if (team.lane > 0) return;
    Stretch all = s.part[0];
    for (int k = 1; k < Team::lanes; ++k) all = joined(p, all, s.part[k]);
    p.stretch[row] = all;
  }
};

// Writes what is around macroblocks, too: the header, the numbers of skipped ones, the end.
struct PlaceRow {
  using Shared = LayoutShared;
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int row) const {
    join_parts(p, s, team, row, [&](int k) { return p.stretch[k]; });
    if (team.lane == 0) {
      Stretch all = s.part[0];
      for (int k = 1; k < Team::lanes; ++k) all = joined(p, all, s.part[k]);
      s.before = all;
    }
    team.sync();
    join_parts(p, s, team, p.width, [&](int k) { return stretch_of(p, row * p.width + k); });
    Stretch before = s.before;
    for (int k = 0; k < team.lane; ++k) before = joined(p, before, s.part[k]);
    const int each = (p.width + Team::lanes - 1) / Team::lanes, first = team.lane * each;
    for (int k = first; k < first + each && k < p.width; ++k) {
      const int i = row * p.width + k;
      const Stretch own = stretch_of(p, i);
      if (own.coded) place(before, i);
      before = joined(p, before, own);
    }
    if (team.lane > 0) return;
    if (row == 0) {
      BitWriter to(p.out, 0);
      if (p.header_bits > 32) to.put(static_cast<std::uint32_t>(p.header >> 32), p.header_bits - 32);
      to.put(static_cast<std::uint32_t>(p.header), p.header_bits > 32 ? 32 : p.header_bits);
      to.flush();
    }
    if (row == p.height - 1) finish(joined(p, s.before, p.stretch[row]));
  }

 private:
  HD std::uint32_t end_after(const Stretch& before) const {
    const std::uint32_t header = static_cast<std::uint32_t>(p.header_bits);
    return before.coded ? end_of(before, header + skip_bits(p, before.lead)) : header;
  }
  HD void place(const Stretch& before, int i) const {
    const std::uint32_t at = end_after(before);
    const int run = before.coded ? before.trail : before.lead;
    if (!p.intra) {
      BitWriter to(p.out, at);
      put_golomb(to, static_cast<std::uint32_t>(run));
      to.flush();
    }
    p.start[i] = at + skip_bits(p, run);
  }
  HD void finish(const Stretch& all) const {
    BitWriter to(p.out, end_after(all));
    const int run = all.coded ? all.trail : all.lead;
    if (!p.intra && run > 0) put_golomb(to, static_cast<std::uint32_t>(run));
    to.put(1, 1);
    to.flush();
    *p.out_bits = to.position();
  }
};

// What a slot begins with; the bytes of the slice follow.
struct SlotHead {
  std::uint32_t bytes;
  std::uint32_t nal_header;
  std::uint32_t unused[2];
};

// Moves the slice into a slot and leaves zeros.
struct Deliver {
  struct Shared {};
  static constexpr int teams = 64;
  std::uint32_t* words;
  const std::uint32_t* bits;
  std::uint32_t* slot;
  std::uint32_t nal_header;

  template <class Team>
  HD void operator()(const Team& team, Shared&, int i) const {
    const std::uint32_t bytes = (*bits + 7) / 8, count = (bytes + 3) / 4;
    if (i == 0 && team.lane == 0) slot[0] = bytes, slot[1] = nal_header;
    constexpr std::uint32_t head = sizeof(SlotHead) / 4;
    for (auto k = static_cast<std::uint32_t>(i * Team::lanes + team.lane); k < count; k += teams * Team::lanes) {
      const std::uint32_t v = words[k];
      slot[head + k] = v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
      words[k] = 0;
    }
  }
};

}  // namespace simreel::h264
