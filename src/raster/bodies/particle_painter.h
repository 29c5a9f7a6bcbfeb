#pragma once
// Bodies -> pixels: the camera of each frame, how much light is white, and the paths that bodies leave behind.
// kernels/raster/splat.h does the work.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/base/view.h"
#include "kernels/raster/splat.h"
#include "raster/bodies/camera.h"
#include "raster/canvases.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

// What bodies need beside [view].
struct ParticleStage {
  std::size_t bodies = 0;  // 0: the scene draws a field
  double interval = 0;     // simulated time from one frame to the next
  CameraOptions camera;
  AnimationOptions animation;
};

class ParticlePainter {
 public:
  // Numbers that go from frame to frame; the block "light" of a checkpoint.
  struct Known {
    double total = 0;               // weight of all bodies
    double quanta = 0;              // 0: not weighed yet
    double white = 0;               // weight a pixel that is white; 0: not known yet
    std::int64_t kept = 0;          // frames in the trails' history since the start
    std::int64_t frames_drawn = 0;  // of the run
  };

  // Throws UsageError for a camera that cannot be, and for [view] keys that contradict each other for bodies.
  ParticlePainter(const Executor&, const ViewOptions&, const ParticleStage&);

  static std::size_t memory_bytes(const Executor&, const ViewOptions&, const ParticleStage&);
  static std::size_t trail_bytes(const ViewOptions&, const ParticleStage&);

  // How the range of a scene is found. Bodies take that of the first frame where the scene names none.
  RangeMode range_mode() const;
  // Whether `range` is weight a pixel, from black to white, and not values on the colormap.
  bool shows_density() const { return field_ == BodyField::density; }

  // density: [0, the light that is to be white]. speed, mass: where all but a hundredth of the bodies at either end
  // lie; group: the least and the greatest. Waits for the executor.
  template <class Real>
  Interval measure(const ParticlesView<Real>&, std::int64_t frame);

  // Fills the canvases; frames come one after the other. `colors`: as for FieldPainter.
  template <class Real>
  void draw(const ParticlesView<Real>&, std::int64_t frame, Interval range, const Color* colors, int count, Canvases);

  // For the end of a run: the exposure that was found, and whether much of the picture was brighter than white.
  std::vector<std::string> findings() const;

  // What the frames to come depend on beside the bodies: trails, and what the first frame told.
  void save(Checkpoint&) const;
  void load(const Checkpoint&);

 private:
  template <class Real>
  void weigh(const ParticlesView<Real>&);
  double white_of_light();
  template <class Real>
  void splat_trails_up_to(const ParticlesView<Real>&, const SplatParams&);
  SplatParams params(std::int64_t frame, Interval range) const;

  const Executor& executor_;
  ViewOptions view_;
  ParticleStage stage_;
  BodyField field_;
  Curve tone_;
  int trail_length_;  // frames; 0: none
  CameraPath camera_;
  Known known_;
  PixelSums sums_;
  Buffer<std::uint64_t> light_;
  Buffer<std::uint64_t> burnt_;  // one number: pixels of all frames brighter than white
  Buffer<std::byte> scratch_;
  Buffer<Vec4<float>> past_position_, past_velocity_;  // of the last frames, by turns: frame k is entry k % entries
};

}  // namespace simreel
