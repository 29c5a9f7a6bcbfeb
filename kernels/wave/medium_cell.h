#pragma once
// The step of one cell of a medium. Whole grids, and the copies of tiles on both machines, are advanced by this
// function alone, so all give the same bits.

#include "kernels/wave/medium.h"

#include <cmath>

namespace simreel {

// A part of a grid in arrays of its own, or the whole grid. Along an axis that wraps, the part may extend beyond the
// grid; along others it lies inside.
template <class Real>
struct WaveRegion {
  int x0 = 0, y0 = 0;     // the cell of the grid at [0, 0]
  int nx = 0, ny = 0;     // cells of the part
  std::size_t pitch = 0;  // of all arrays of the part but the memories along x
  int grid_nx = 0;
  int up = 0, whole_ny = 0;  // from a row of the grid to that of the whole grid, and the rows of that
  const Real* coupling = nullptr;
  const std::uint8_t* links = nullptr;
  Real friction = 0;
  WaveLayers<Real> layers;
};

// The place in the grid of column or row i of a part.
HD inline int wave_wrapped(int i, int n, bool wraps) { return wraps ? ((i % n) + n) % n : i; }

// The place of a cell in a layer, and what it needs to know of it.
template <class Real>
struct WavePlace {
  int depth = -1;              // 0 for the outermost, -1: in no layer
  int slot = 0;                // of its memories
  int inner = 0;               // from there to the slot of its inner neighbour; 0 for the innermost cell
  WaveDepth<Real> here, next;  // of the inner neighbour, zeros for the innermost cell
};
template <class Real>
HD inline WavePlace<Real> wave_place(int i, int n, int low, int high, const WaveLayers<Real>& layers) {
  WavePlace<Real> place;
  const bool first = i >= 0 && i < low, last = i < n && i >= n - high;
  if (!first && !last) return place;
  place.depth = first ? i : n - 1 - i;
  place.slot = first ? place.depth : layers.width + place.depth;
  place.here = layers.depth[place.depth];
  if (place.depth + 1 < layers.width) {
    place.inner = 1;
    place.next = layers.depth[place.depth + 1];
  }
  return place;
}

template <class Real>
HD inline Real wave_neighbour(std::uint8_t links, int direction, Real own, Real value) {
  const Real seen = (links & (direction * wave_zero)) != 0 ? Real(0) : value;
  return (links & direction) != 0 ? own : seen;
}

// How many faces of a cell absorb, and by how much of its mass such a cell is lighter: the faces lie half a cell before
// its centre, so part of it is beyond them. It has as many links less, so the scheme is as stable as it was.
HD inline int wave_absorbing_faces(std::uint8_t links) {
  const int both = links & (links / wave_zero);
  return (both & 1) + (both / wave_east & 1) + (both / wave_south & 1) + both / wave_north;
}
HD inline double wave_lack(int faces) { return 0.25 * (faces < 4 ? faces : 3); }

// The increment of a cell with such faces: what flows through one is -c u_t, as in a wave that leaves (u_t + c u_n =
// 0). `d` is the increment without them, `before` the last one.
template <class Real>
HD inline Real wave_absorbed(std::uint8_t links, Real coupling, Real before, Real d) {
  const int faces = wave_absorbing_faces(links);
  if (faces == 0) return d;
  const Real lack = static_cast<Real>(wave_lack(faces));
  const Real loss = Real(0.5) * static_cast<Real>(faces) * std::sqrt(coupling);
  return std::fma(-(lack + loss), before, d) / (Real(1) - lack + loss);
}

// What a layer adds to the second derivative across it. `at` is the place of the cell's memories, `stride` the distance
// between slots.
template <class Real>
HD inline Real wave_layer_term(const WavePlace<Real>& place, std::ptrdiff_t at, std::ptrdiff_t stride, Real own,
                               Real outer, Real inner, const Real* face_from, const Real* cell_from, Real* face_to,
                               Real* cell_to) {
  const Real face = std::fma(place.here.face_keep, face_from[at], place.here.face_take * (outer - own));
  // The memory of the inner face, which is the outer one of the next cell.
  const Real behind =
      std::fma(place.next.face_keep, face_from[at + place.inner * stride], place.next.face_take * (own - inner));
  const Real change = face - behind;
  const Real second = std::fma(Real(-2), own, outer + inner) + change;
  const Real cell = std::fma(place.here.cell_keep, cell_from[at], place.here.cell_take * second);
  face_to[at] = face;
  cell_to[at] = cell;
  return change + cell;
}

// `across` and `up` are the cell's places in the layers. `inside`: it is at no end of the part; `open`: it has no links
// of its own.
template <bool inside, bool open, class Real>
HD inline void wave_medium_cell(const WaveRegion<Real>& part, const WaveMediumState<Real>& from,
                                const WaveMediumState<Real>& to, int x, int y, const WavePlace<Real>& across,
                                const WavePlace<Real>& up) {
  const std::ptrdiff_t pitch = static_cast<std::ptrdiff_t>(part.pitch), k = y * pitch + x;
  const std::uint8_t links = open ? std::uint8_t{0} : part.links[k];
  const Real* const height = from.state.u;
  const Real u = height[k];
  // Beyond the ends of the part lies, along an axis that wraps, the other end; otherwise the value does not count.
  const Real west = wave_neighbour(links, wave_west, u, height[inside || x > 0 ? k - 1 : k + part.nx - 1]);
  const Real east = wave_neighbour(links, wave_east, u, height[inside || x < part.nx - 1 ? k + 1 : k - part.nx + 1]);
  const Real south =
      wave_neighbour(links, wave_south, u, height[inside || y > 0 ? k - pitch : k + (part.ny - 1) * pitch]);
  const Real north =
      wave_neighbour(links, wave_north, u, height[inside || y < part.ny - 1 ? k + pitch : k - (part.ny - 1) * pitch]);
  Real laplacian = std::fma(Real(-4), u, (west + east) + (south + north));
  if (across.depth >= 0) {
    const bool left = across.slot < part.layers.width;
    laplacian +=
        wave_layer_term(across, std::ptrdiff_t{y} * 2 * part.layers.width + across.slot, 1, u, left ? west : east,
                        left ? east : west, from.memory.x_face, from.memory.x_cell, to.memory.x_face, to.memory.x_cell);
  }
  if (up.depth >= 0) {
    const bool bottom = up.slot < part.layers.width;
    laplacian += wave_layer_term(up, up.slot * pitch + x, pitch, u, bottom ? south : north, bottom ? north : south,
                                 from.memory.y_face, from.memory.y_cell, to.memory.y_face, to.memory.y_cell);
  }
  const Real before = from.state.d[k];
  const Real plain = std::fma(part.coupling[k], laplacian, std::fma(-part.friction, before, before));
  const Real d = open ? plain : wave_absorbed(links, part.coupling[k], before, plain);
  to.state.d[k] = d;
  to.state.u[k] = u + d;
}

template <class Real>
HD inline WavePlace<Real> wave_place_x(const WaveRegion<Real>& part, int x) {
  return wave_place(part.x0 + x, part.grid_nx, part.layers.left, part.layers.right, part.layers);
}
template <class Real>
HD inline WavePlace<Real> wave_place_y(const WaveRegion<Real>& part, int y) {
  return wave_place(part.up + part.y0 + y, part.whole_ny, part.layers.bottom, part.layers.top, part.layers);
}

// What the sources do to a cell after its step number `step` of the pass. `before` is its height before the step.
template <class Real>
HD inline void wave_drive(const WaveDrive<Real>& drive, const WaveDriven& driven, int step, Real before, Real& u,
                          Real& d) {
  Real set = 0;
  bool hard = false;
  for (std::uint32_t i = driven.first; i < driven.first + driven.count; ++i) {
    const WaveShare<Real> share = drive.shares[i];
    const std::size_t at = static_cast<std::size_t>(step) * drive.sources + share.source;
    const Real value = share.weight * drive.value[at];
    if (drive.hard[at] != 0) {
      hard = true;
      set = value;
    } else {
      d += value;
    }
  }
  if (hard) d = set - before;
  u = hard ? set : before + d;
}
// The same, k is the cell's place in the arrays.
template <class Real>
HD inline void wave_drive_cell(const WaveDrive<Real>& drive, const WaveDriven& driven, int step, std::ptrdiff_t k,
                               const WaveState<Real>& from, const WaveState<Real>& to) {
  wave_drive(drive, driven, step, from.u[k], to.u[k], to.d[k]);
}

}  // namespace simreel
