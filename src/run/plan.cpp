#include "run/plan.h"

#include "raster/color/colormap.h"
#include "run/ring.h"
#include "sink/video/video.h"

namespace simreel {

ParticleStage particle_stage(const Scene& scene, const SourcePlan& plan) {
  return {plan.bodies, plan.frame_interval, scene.camera, scene.animation};
}

std::string default_output(const Scene& scene) {
  if (!scene.output.path.empty()) return scene.output.path.string();
  return scene.resolve(scene.file.stem().string() + default_extension(scene.output)).string();
}

StreamInfo stream_info(const Scene& scene, const SourcePlan& plan, bool overwrite) {
  StreamInfo info;
  info.size = scene.view.size;
  info.fps_numerator = scene.animation.fps_numerator;
  info.fps_denominator = scene.animation.fps_denominator;
  info.frames = scene.animation.frames;
  info.diagnostics = plan.diagnostics;
  info.fields = plan.state_fields;
  info.state_bytes = state_bytes(plan);
  info.alpha = scene.view.background.a < 255;
  info.title = scene.title;
  info.scene_text = scene.text;
  info.overrides = scene.overrides;
  info.overwrite = overwrite;
  info.inputs = {scene.file.string()};
  info.inputs.insert(info.inputs.end(), plan.inputs.begin(), plan.inputs.end());
  if (const std::string colormap = colormap_file(scene.view.colormap); !colormap.empty())
    info.inputs.push_back(colormap);
  return info;
}

std::size_t state_bytes(const SourcePlan& plan) { return plan.view_bytes * plan.state_fields.size(); }

std::size_t saved_bytes(const Scene& scene, const SourcePlan& plan) {
  return plan.saved_bytes + ParticlePainter::trail_bytes(scene.view, particle_stage(scene, plan));
}

RenderMemory render_memory(const Scene& scene, const SourcePlan& plan, const Executor& executor,
                           const SinkNeeds& sinks) {
  const std::size_t frames =
      FrameRing::memory_bytes(sinks.layouts, scene.view.size, sinks.state ? state_bytes(plan) : 0);
  const ParticleStage stage = particle_stage(scene, plan);
  const std::size_t trails = ParticlePainter::trail_bytes(scene.view, stage);
  const std::size_t model = plan.bytes(executor) + Rasterizer::memory_bytes(executor, scene.view, stage, sinks.layouts);
  const std::size_t host = plan.made_bytes + sinks.memory_bytes;
  if (executor.backend() == Backend::cpu) return {model + frames + host, 0, trails};
  // Every slot exists twice: the device writes one copy, the sinks read the other.
  return {model + frames, frames + host, trails};
}

}  // namespace simreel
