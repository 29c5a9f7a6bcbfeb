#pragma once
// Bodies in space -> light on pixels -> colours on a canvas. Light is counted in whole numbers, so a picture does not
// depend on the order of the bodies, on threads or on the machine; 64 bits hold the light of all bodies on one pixel.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/pixels.h"
#include "exec/executor.h"
#include "kernels/base/scatter.h"
#include "kernels/base/view.h"
#include "kernels/raster/field.h"
#include "kernels/raster/lens.h"

namespace simreel {

// How a body's light spreads over pixels. Its amount is the same for each, to the last whole number, as long as all of
// it falls into the picture.
enum class SplatShape {
  pixel,     // all on the pixel that the body is in
  bilinear,  // on the four nearest pixel centres, in 1/256 of a pixel each way
  gaussian,  // (1 - d^2 / (8 r^2))^8 at distance d: within 0.036 of exp(-d^2 / r^2), and nothing from 2.83 r on
};
enum class BodyField { density, speed, mass, group };

constexpr double least_gaussian_radius = 0.75, most_gaussian_radius = 128;  // pixels; what is beyond becomes these

// From a body's value to its place in the colormap: 0 to `most_place`, clamped.
struct PlaceScale {
  Curve curve = Curve::linear;
  double linear_width = 1, start = 0, factor = 1;  // as in ColorScale
};
constexpr int most_place = 1023;

struct SplatParams {
  Lens lens;
  Size size;
  SplatShape shape = SplatShape::bilinear;
  double radius = 1;          // of a gaussian
  bool world_radius = false;  // `radius` is in world units, not in pixels
  bool by_mass = true;        // a body's weight: its mass, or one
  double quanta = 1;          // light of weight 1, whole numbers; see `light_quanta`
  BodyField field = BodyField::density;
  PlaceScale place;  // for every field but density
};

// Words a pixel: the light, and for every field but density the light times its bodies' places.
constexpr int light_words(BodyField field) { return field == BodyField::density ? 1 : 2; }

// The largest power of two for `quanta` with which nothing overflows: `total` is the weight of all bodies, `segments`
// the length of their trails in frames.
double light_quanta(double total, BodyField, int segments);

// Adds the light of all bodies to `sums`. Bodies behind the camera or at it, and those with a coordinate that is not
// finite, are not seen.
template <class Real>
void splat_bodies(const Executor&, const ParticlesView<Real>&, const SplatParams&, const PixelSums& sums);

// Where bodies were at the last frames, in executor memory: `entries` pictures of `count` bodies, used in turns, as
// Vec4s like those of a ParticlesView. Entries beyond the newest that were never used need no memory.
struct TrailView {
  const Vec4<float>*position = nullptr, *velocity = nullptr;
  const std::uint8_t* group = nullptr;
  std::size_t count = 0;
  int entries = 0;
  int newest = 0;       // the entry of the last frame
  int segments = 0;     // how many steps back from there are known, < entries
  double interval = 0;  // simulated time from one entry to the next
};

// Adds the paths between the entries: cubic Hermite curves through positions with their velocities, as a line of steady
// brightness however fast a body is, half as bright as the body at its fresh end and fading with the square of its
// remaining life. Points lie less than a pixel apart.
void splat_trails(const Executor&, const TrailView&, const SplatParams&, const PixelSums& sums);

// Stores the bodies' positions and velocities as entry `entry` of a history.
template <class Real>
void keep_entry(const Executor&, const ParticlesView<Real>&, int entry, Vec4<float>* position, Vec4<float>* velocity);

// From light to brightness: b = (s(v + shift) - start) * factor, v in weight a pixel.
struct ToneScale {
  Curve curve = Curve::asinh;
  double linear_width = 1, shift = 0, start = 0, factor = 1;
};
// Brightness 0 at `low` and 1 at `high`, 0 <= low < high. With low = 0 the logarithm is s(v) = ln(v + linear_width).
ToneScale tone_scale(Curve, double linear_width, double low, double high);

// The sums of a frame are kept for another canvas, or set to zero for the next frame.
enum class SumsAfter { kept, cleared };

// Colours the canvas, of Color or DeepColor. Brightness b mixes the colour into the background: on black that is adding
// light, on white taking it away. density: the colour is the map's at b, and covers the background from b = 1/16 on.
// Other fields: the colour is the map's at the mean place; beyond b = 1 it burns out, to white on a background darker
// than a middle grey, to black on others. The colour has the canvas's levels before it is mixed, so canvases of 8 and
// of 16 bits differ by one level of 8 bits at most. `colors` are `count` entries of the map in executor memory,
// followed by three more (ColorScale). `burnt`, in executor memory, counts the pixels that got more than b = 1 where
// the sums are cleared. Asynchronous on a GPU.
template <class Pixel>
void shade_light(const Executor&, const PixelSums& sums, SumsAfter, double quanta, const ToneScale&,
                 const Color* colors, int count, Color background, Pixel* canvas, Size size, std::uint64_t* burnt);

// ---- What the first frame tells. These wait for the executor; `scratch` is executor memory of splat_scratch_bytes.
std::size_t splat_scratch_bytes(std::size_t bodies);

// The sum of all masses; bodies without a positive one count as 0.
template <class Real>
double total_mass(const Executor&, const ParticlesView<Real>&, void* scratch);

// How many of some values lie in each of the bins [bin_edge(k), bin_edge(k + 1)), which are narrower than 1/256 of
// themselves. Values that are not finite or below 0 are not counted.
std::vector<std::uint32_t> count_light(const Executor&, const PixelSums& sums, double quanta,
                                       void* scratch);  // of lit pixels, weight a pixel
template <class Real>
std::vector<std::uint32_t> count_values(const Executor&, const ParticlesView<Real>&, BodyField, void* scratch);
double bin_edge(std::size_t bin);
// The bin in which the value lies that a share of `q` of all counted ones does not exceed, 0 <= q <= 1; -1 where
// nothing was counted.
std::ptrdiff_t quantile_bin(const std::vector<std::uint32_t>& counts, double q);

}  // namespace simreel
