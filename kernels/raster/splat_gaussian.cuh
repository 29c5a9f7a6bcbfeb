#pragma once
// Gaussians on a GPU, of bodies and along trails: the lanes of a warp share a dab, so that those next to each other add
// to pixels next to each other. Integer sums are the same in any order.
//
// Measured on an H200, 1920 x 1080, a frame of 262144 bodies with a radius of about five pixels: 1.7 ms instead of 18.6
// with a thread for each; three bodies with long trails (the scene figure_eight): 0.24 instead of 4.3 with a thread for
// each segment.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "exec/cuda_check.h"
#include "kernels/raster/splat_dab.h"

namespace simreel {

inline constexpr int group_threads = 256;  // of a block
inline constexpr unsigned all_lanes = 0xffffffff;

// What lane `lane` of a warp has; each lane may ask another one.
template <class T>
__device__ T of_lane(const T& own, int lane) {
  constexpr int words = sizeof(T) / sizeof(std::uint32_t);
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint32_t) == 0);
  std::uint32_t word[words];
  std::memcpy(word, &own, sizeof own);
#pragma unroll
  for (int k = 0; k < words; ++k) word[k] = __shfl_sync(all_lanes, word[k], lane);
  T value;
  std::memcpy(&value, word, sizeof value);
  return value;
}

// Draws the dabs of the first `count` lanes of a warp: one after the other, or as many at once as the warp has groups
// of `lanes`. A dab without light is none.
template <int lanes, bool colored>
__device__ void put_gaussians(const LightCanvas<colored>& canvas, const Dab& own, int count) {
  const int own_lane = static_cast<int>(threadIdx.x) % 32, lane = own_lane % lanes;
  GaussianPlace own_place;
  const bool seen = own.light > 0 && own_place.find(canvas.size, own.x, own.y, own.radius, own.light);
  if (!__any_sync(all_lanes, seen)) return;
  for (int first = 0; first < count; first += 32 / lanes) {
    const int owner = first + own_lane / lanes;
    const GaussianPlace at = of_lane(own_place, owner);
    const std::uint64_t light = of_lane(own.light, owner), place = colored ? of_lane(own.place, owner) : 0;
    const int width = at.right - at.left + 1, rows = lanes / width, columns = lanes % width;  // to a lane's next pixel
    int column = at.left + lane % width, row = at.top + lane / width;
    std::uint64_t spent = 0;
    while (row <= at.bottom) {
      const std::uint64_t part = at.share(column, row, at.row_part(row));
      spent += part;
      canvas.add(column, row, part, place);
      row += rows, column += columns;
      if (column > at.right) column -= width, ++row;
    }
    for (int distance = lanes / 2; distance > 0; distance /= 2) spent += __shfl_xor_sync(all_lanes, spent, distance);
    if (lane == 0 && at.bottom >= at.top) canvas.add(at.centre_x, at.centre_y, light - spent, place);
  }
}

__device__ inline std::int64_t warp_of_grid() { return (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32; }

// A warp looks at `share` bodies, a lane each, and draws them.
template <int lanes, bool colored, class Body>
__global__ void __launch_bounds__(group_threads)
    splat_by_groups(std::int64_t count, int share, SumsTarget target, const __grid_constant__ Body body) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t i = warp_of_grid() * share + lane;
  Dab dab;
  if (lane < share && i < count) body.look(i, dab);
  put_gaussians<lanes>(LightCanvas<colored>{target, body.p.size}, dab, share);
}

// `team` warps draw the points of `share` segments, 32 at once, a lane for each.
template <int lanes, bool colored, class Trail>
__global__ void __launch_bounds__(group_threads)
    splat_trails_by_groups(std::int64_t count, int share, int team, SumsTarget target,
                           const __grid_constant__ Trail trail) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warp = warp_of_grid(), start = warp / team * share;
  const int points = lane < share && start + lane < count ? trail.points(start + lane) : 0;
  int end = points;  // of the segments up to that of this lane
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(all_lanes, end, distance);
    if (lane >= distance) end += before;
  }
  const int total = __shfl_sync(all_lanes, end, 31);
  for (int first = static_cast<int>(warp % team) * 32; first < total; first += team * 32) {
    const int point = first + lane;
    int segment = 0;  // the segments that end before the point
    for (int step = 16; step > 0; step /= 2)
      if (__shfl_sync(all_lanes, end, segment + step - 1) <= point) segment += step;
    const int of_segment = __shfl_sync(all_lanes, points, segment),
              begin = __shfl_sync(all_lanes, end, segment) - of_segment;
    Dab dab;
    if (point < total) trail.look(start + segment, of_segment, point - begin + 1, dab);
    put_gaussians<lanes>(LightCanvas<colored>{target, trail.p.size}, dab, min(32, total - first));
  }
}

// The most that any GPU runs at once.
inline std::int64_t warps_at_once(const Executor& executor) { return std::int64_t{executor.multiprocessors()} * 64; }

// Calls launch<lanes>(share): a warp takes `share` of `count` bodies or segments. `radius`: of the dabs, in the unit of
// `p`.
template <class Launch>
void with_groups(const Executor& executor, std::int64_t count, const SplatParams& p, double radius,
                 const Launch& launch) {
  constexpr double narrow = 1.5;  // pixels: narrower dabs have few pixels for a warp
  const std::int64_t each = count / warps_at_once(executor);
  const auto share = [&](int min) { return static_cast<int>(std::clamp<std::int64_t>(each, min, 32)); };
  if (p.world_radius || radius >= narrow)
    launch.template operator()<32>(share(1));
  else
    launch.template operator()<8>(share(4));
}

inline unsigned blocks_of_warps(std::int64_t warps) {
  constexpr std::int64_t of_block = group_threads / 32;
  return static_cast<unsigned>((warps + of_block - 1) / of_block);
}

template <bool colored, class Body>
void splat_gaussians(const Executor& executor, std::int64_t count, const PixelSums& sums, const Body& body) {
  if (count == 0) return;
  with_groups(executor, count, body.p, body.p.radius, [&]<int lanes>(int share) {
    splat_by_groups<lanes, colored>
        <<<blocks_of_warps((count + share - 1) / share), group_threads, 0, executor.stream()>>>(
            count, share, SumsTarget{sums.sums}, body);
  });
  check_launch("splat bodies");
}

template <bool colored, class Trail>
void splat_gaussian_trails(const Executor& executor, std::int64_t count, const PixelSums& sums, const Trail& trail) {
  if (count == 0) return;
  with_groups(executor, count, trail.p, trail.p.radius / 2, [&]<int lanes>(int share) {
    constexpr std::int64_t max = 64;  // warps of a team
    const std::int64_t groups = (count + share - 1) / share;
    const std::int64_t team = std::clamp<std::int64_t>(warps_at_once(executor) / groups, 1, max);
    splat_trails_by_groups<lanes, colored><<<blocks_of_warps(groups * team), group_threads, 0, executor.stream()>>>(
        count, share, static_cast<int>(team), SumsTarget{sums.sums}, trail);
  });
  check_launch("splat trails");
}

}  // namespace simreel
