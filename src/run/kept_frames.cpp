#include "run/kept_frames.h"

#include <utility>
#include <variant>

namespace simreel {
namespace {

// Calls `use` with each list of a view, its bytes, and where it begins behind those before it.
template <class Real, class Use>
std::size_t each_list(FieldView<Real>& field, const Use& use) {
  const std::size_t bytes =
      (static_cast<std::size_t>(field.ny - 1) * field.pitch + static_cast<std::size_t>(field.nx)) * sizeof(Real);
  use(field.value, bytes, 0);
  return bytes;
}
template <class Real, class Use>
std::size_t each_list(ParticlesView<Real>& bodies, const Use& use) {
  const std::size_t bytes = bodies.count * sizeof(Vec4<Real>);
  use(bodies.position, bytes, 0);
  use(bodies.velocity, bytes, bytes);
  return 2 * bytes;
}

}  // namespace

void KeptFrames::keep(Source& source) {
  View view = source.view(field_);
  std::visit(
      [&](auto& v) {
        Buffer<std::byte> values(executor_, each_list(v, [](const auto*, std::size_t, std::size_t) {}));
        each_list(v, [&](const auto* list, std::size_t bytes, std::size_t at) {
          executor_.copy(values.data() + at, list, bytes);
        });
        frames_.push_back({std::move(values), source.steps_done(), source.time()});
      },
      view);
}

View KeptFrames::view(std::string_view field) {
  View view = source_->view(field);
  std::visit(
      [&](auto& v) {
        each_list(v, [&]<class Value>(const Value*& list, std::size_t, std::size_t at) {
          list = reinterpret_cast<const Value*>(now().values.data() + at);
        });
      },
      view);
  return view;
}

}  // namespace simreel
