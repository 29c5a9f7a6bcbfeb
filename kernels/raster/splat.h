#pragma once
// Bodies in space -> light on pixels -> colours on a canvas. Light is an integer, so a picture does not depend on the
// order of bodies, on threads or on the machine; 64 bits can hold the light of all bodies on one pixel.

#include <array>
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

// How the light of a body spreads over pixels. Every shape deposits exactly the same amount if all of it is inside the
// picture.
enum class SplatShape {
  pixel,     // all of it on the pixel that contains the body
  bilinear,  // on the four nearest pixel centres; positions are rounded to 1/256 of a pixel
  gaussian,  // (1 - d^2 / (8 r^2))^8 at distance d: within 0.036 of exp(-d^2 / r^2), and 0 from 2.83 r on
};
enum class BodyField { density, speed, mass, group };

constexpr double min_gaussian_radius = 0.75, max_gaussian_radius = 128;  // pixels; radii are clamped to these

// From a body's value to its position in the colormap, clamped to 0 .. `max_place`.
struct PlaceScale {
  Curve curve = Curve::linear;
  double linear_width = 1, start = 0, factor = 1;  // as in ColorScale
};
constexpr int max_place = 1023;

struct SplatParams {
  Lens lens;
  Size size;
  SplatShape shape = SplatShape::bilinear;
  double radius = 1;          // of a gaussian
  bool world_radius = false;  // `radius` is in world units, not in pixels
  bool by_mass = true;        // a body's weight: its mass, or one
  double heaviest = 0;        // above 0: `radius` is that of this mass, and others have it as the sixth root of theirs
  double quanta = 1;          // integer units of light per weight; see `light_quanta`
  BodyField field = BodyField::density;
  PlaceScale place;  // for every field but density
};

// Sums per pixel: the light and, for every field but density, the light times the places of its bodies.
constexpr int light_words(BodyField field) { return field == BodyField::density ? 1 : 2; }

// The largest power of two for `quanta` that cannot overflow. `total` is the weight of all bodies, `segments` the
// length of their trails in frames.
double light_quanta(double total, BodyField, int segments);

// Adds the light of all bodies to `sums`. Bodies behind or at the camera and bodies with a non-finite coordinate are
// skipped.
template <class Real>
void splat_bodies(const Executor&, const ParticlesView<Real>&, const SplatParams&, const PixelSums& sums);

// The states of bodies at the last frames, in executor memory: a ring buffer of `entries` times `count` Vec4s as in
// ParticlesView. Entries that were never used need no memory.
struct TrailView {
  const Vec4<float>*position = nullptr, *velocity = nullptr;
  const std::uint8_t* group = nullptr;
  std::size_t count = 0;
  int entries = 0;
  int newest = 0;                    // the entry of the last frame
  int segments = 0;                  // the number of known steps back from there, < entries
  const double* interval = nullptr;  // simulated time that each of these took, the latest first; executor memory
};

// Adds the paths between the entries: cubic Hermite curves through positions with their velocities. The brightness of a
// line does not depend on the speed of the body; it is half that of the body at the fresh end and fades with the square
// of the remaining life. Points are half a pixel apart or closer, those of wide Gaussians two thirds of their radius.
void splat_trails(const Executor&, const TrailView&, const SplatParams&, const PixelSums& sums);

// What moves along with something.
struct MovingFrame {
  Vec4<double> origin{}, velocity{};
  bool moves = false;
};

// Stores the bodies' positions and velocities, in a frame, as entry `entry` of a history. Where the frame moves, `w` of
// a velocity is the speed of the body itself, above 0.
template <class Real>
void keep_entry(const Executor&, const ParticlesView<Real>&, int entry, Vec4<float>* position, Vec4<float>* velocity,
                const MovingFrame& = {});

// From light to brightness: b = (s(v + shift) - start) * factor, v in weight per pixel.
struct ToneScale {
  Curve curve = Curve::asinh;
  double linear_width = 1, shift = 0, start = 0, factor = 1;
};
// Brightness 0 at `low` and 1 at `high`, 0 <= low < high. With low = 0 the logarithm is s(v) = ln(v + linear_width).
ToneScale tone_scale(Curve, double linear_width, double low, double high);

// Whether shading keeps the sums for another canvas or sets them to zero for the next frame.
enum class SumsAfter { kept, cleared };

// Colours the canvas, of Color or DeepColor. Brightness b mixes the colour into the background: on black that adds
// light, on white it subtracts light. density: the colour is the map at b; it covers the background from b = 1/16 on.
// Other fields: the colour is the map at the mean place; above b = 1 it saturates, to white on a background darker than
// middle grey, otherwise to black. Colours are rounded to levels of the canvas before they are mixed, so canvases of 8
// and 16 bits differ by at most one 8-bit level. `colors` are `count` entries of the map in executor memory, followed
// by three more (ColorScale). If the sums are cleared, `burnt` (executor memory) counts the pixels above b = 1.
// Asynchronous on a GPU.
template <class Pixel>
void shade_light(const Executor&, const PixelSums& sums, SumsAfter, double quanta, const ToneScale&,
                 const Color* colors, int count, Color background, const Canvas<Pixel>& canvas, std::uint64_t* burnt);

// ---- Where bodies are. These wait for the executor; `scratch` is executor memory of splat_scratch_bytes.

// Of bodies with finite coordinates: all, or those of a group.
constexpr int every_group = -1;

// Their mean position or velocity by mass (`of`); w: their mass, without which the mean is not a number.
template <class Real>
Vec4<double> mean_by_mass(const Executor&, const ParticlesView<Real>&, const Vec4<Real>* of, int group, void* scratch);

// The least of normal * (position - origin), for each of the normals; infinity without a body.
struct Directions {
  static constexpr int count = 6;
  std::array<Vec4<double>, count> normals;
  Vec4<double> origin;
};
using Reach = std::array<double, Directions::count>;
template <class Real>
Reach find_reach(const Executor&, const ParticlesView<Real>&, int group, const Directions&, void* scratch);

// ---- Statistics of the first frame. These wait for the executor; `scratch` is executor memory of splat_scratch_bytes.
std::size_t splat_scratch_bytes(std::size_t bodies);

// The sum of all positive masses.
template <class Real>
double total_mass(const Executor&, const ParticlesView<Real>&, void* scratch);

// Histograms: the number of values in each bin [bin_edge(k), bin_edge(k + 1)), which is narrower than 1/256 of its
// edge. Values that are not finite or below 0 are not counted.
std::vector<std::uint32_t> count_light(const Executor&, const PixelSums& sums, double quanta,
                                       void* scratch);  // of lit pixels, in weight per pixel
template <class Real>
std::vector<std::uint32_t> count_values(const Executor&, const ParticlesView<Real>&, BodyField, void* scratch);
double bin_edge(std::size_t bin);
// The bin of the q-quantile of all counted values, 0 <= q <= 1; -1 if nothing was counted.
std::ptrdiff_t quantile_bin(const std::vector<std::uint32_t>& counts, double q);

}  // namespace simreel
