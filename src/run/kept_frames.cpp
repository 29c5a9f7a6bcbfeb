#include "run/kept_frames.h"

#include <limits>
#include <variant>

#include "kernels/base/pack.h"

namespace simreel {
namespace {

std::size_t stride_of(const SolverPlan& plan) {
  constexpr std::size_t aligned = 32;  // as pack_view wants it
  return (plan.view_bytes + aligned - 1) / aligned * aligned;
}

template <class Real>
void look_at(FieldView<Real>& field, const std::byte* values, const std::int8_t* cells) {
  field.value = reinterpret_cast<const Real*>(values);
  field.pitch = static_cast<std::size_t>(field.nx);
  if (field.cell) field.cell = cells;
}
template <class Real>
void look_at(ParticlesView<Real>& bodies, const std::byte* values, const std::int8_t*) {
  bodies.position = reinterpret_cast<const Vec4<Real>*>(values);
  bodies.velocity = bodies.position + bodies.count;
}

}  // namespace

std::size_t KeptFrames::bytes(const SolverPlan& plan, std::int64_t frames) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::size_t stride = stride_of(plan), count = static_cast<std::size_t>(frames);
  return stride > most / count ? most : stride * count;
}

KeptFrames::KeptFrames(const Executor& executor, const SolverPlan& plan, std::int64_t frames)
    : executor_(executor), field_(plan.field), stride_(stride_of(plan)), values_(executor, bytes(plan, frames)) {}

void KeptFrames::keep(Source& source) {
  const View view = source.view(field_);
  if (const StateLayout layout = state_layout(view); frames_.empty() && layout.kind == StateLayout::Kind::field) {
    cells_ = Buffer<std::int8_t>(executor_, layout.field_values());
    pack_cells(executor_, view, cells_.data());
  }
  pack_view(executor_, view, values(std::ssize(frames_)));
  frames_.push_back({source.steps_done(), source.time()});
}

View KeptFrames::view(std::string_view field) {
  View view = source_->view(field);
  std::visit([&](auto& v) { look_at(v, values(frame_), cells_.data()); }, view);
  return view;
}

}  // namespace simreel
