#pragma once
// Bodies -> pixels: the camera of each frame, the exposure, and the history for trails. Uses kernels/raster/splat.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/base/view.h"
#include "kernels/raster/splat.h"
#include "raster/bodies/camera.h"
#include "raster/canvases.h"
#include "raster/figure_context.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

// The parameters of a rasterizer that are not in [view].
struct DrawContext {
  std::size_t bodies = 0;  // 0: the scene draws a field
  double interval = 0;     // simulated time from one frame to the next, at speed 1
  CameraOptions camera;
  AnimationOptions animation;
  double cell_aspect = 1;  // of a field: the height of a cell by its width
  FigureContext figure;
  // Of a field of which a part is seen: cells of the same proportions but for rounding, whose picture it fills.
  std::optional<std::array<double, 2>> fills = {};
};

class ParticlePainter {
 public:
  // State that persists from frame to frame; the block "light" of a checkpoint.
  struct Known {
    double total = 0;               // weight of all bodies
    double quanta = 0;              // 0: not computed yet
    double white = 0;               // weight per pixel that is white; 0: not known yet
    std::int64_t kept = 0;          // frames stored in the history of trails since the start
    std::int64_t frames_drawn = 0;  // pictures of the run
  };

  // Throws UsageError for an invalid camera, and for [view] keys that contradict each other for bodies.
  ParticlePainter(const Executor&, const ViewOptions&, const DrawContext&);

  static std::size_t memory_bytes(const Executor&, const ViewOptions&, const DrawContext&);
  static std::size_t trail_bytes(const ViewOptions&, const DrawContext&);

  // How the range is determined; by default from the first frame.
  RangeMode range_mode() const;
  // Whether `range` is weight per pixel, from black to white, instead of values on the colormap.
  bool shows_density() const { return field_ == BodyField::density; }

  // density: [0, the light that becomes white]. speed, mass: the interval of all but a hundredth of the bodies at
  // either end; group: the smallest and the largest. Waits for the executor.
  template <class Real>
  Interval measure(const ParticlesView<Real>&, std::int64_t frame);

  // Whether the camera is fitted to all frames: then what `measure_reach` finds in each, combined, is to be set before
  // the first is drawn.
  bool fits_all_frames() const { return stage_.camera.fits_all_frames(); }
  template <class Real>
  Reach measure_reach(const ParticlesView<Real>&);
  void set_reach(const Reach&);

  // Why no light of the bodies, without their trails, falls into the picture of the frame, and a way out; nullopt if
  // some does. Waits for the executor.
  template <class Real>
  std::optional<std::string> unseen(const ParticlesView<Real>&, std::int64_t frame);

  // Fills the canvases; frames must be drawn in order. `colors`: as for FieldPainter. Without a canvas it keeps what
  // later frames need.
  template <class Real>
  void draw(const ParticlesView<Real>&, std::int64_t frame, Interval range, const Color* colors, int count, Canvases);

  // Where some bodies are in the picture of that frame, which is drawn. Waits for the executor.
  template <class Real>
  std::vector<ScreenPoint> places(const ParticlesView<Real>&, std::int64_t frame, const std::vector<std::size_t>&);

  // Lets the next frame take the place of the last one in the trails, with its exposure.
  void forget_last() {
    again_ = true;
    known_.kept -= known_.kept > 0 ? 1 : 0;
  }

  // For the end of a run: the automatic exposure, and whether a large part of the picture was saturated.
  std::vector<std::string> findings() const;

  // The state that later frames depend on in addition to the bodies: trails, and the statistics of the first frame.
  void save(Checkpoint&) const;
  void load(const Checkpoint&);

 private:
  template <class Real>
  void weigh(const ParticlesView<Real>&);
  double white_of_light();
  template <class Real>
  void keep_trails(const ParticlesView<Real>&, std::int64_t frame, const SplatParams* seen);
  template <class Real>
  Vec4<double> followed(const ParticlesView<Real>&, const Vec4<Real>* of);
  template <class Real>
  void fit_to_first(const ParticlesView<Real>&);
  template <class Real>
  SplatParams params(const ParticlesView<Real>&, std::int64_t frame, Interval range);

  const Executor& executor_;
  ViewOptions view_;
  DrawContext stage_;
  BodyField field_;
  Curve tone_;
  bool follows_;        // each frame decides on its exposure
  bool again_ = false;  // the next frame is the last one once more
  int trail_length_;    // frames; 0: none
  CameraPath camera_;
  std::optional<Reach> reach_;  // that the camera is fitted to
  Known known_;
  double heaviest_ = 0;  // mass, where it decides on the radius; 0: not known yet
  PixelSums sums_;
  Buffer<std::uint64_t> light_;
  Buffer<std::uint64_t> burnt_;  // one number: saturated pixels of all frames
  Buffer<std::byte> scratch_;
  Buffer<Vec4<float>> past_position_, past_velocity_;  // ring buffers of the last frames: frame k is entry k % entries
  std::vector<double> intervals_;                      // that past_interval_ holds
  Buffer<double> past_interval_;                       // TrailView::interval
};

}  // namespace simreel
