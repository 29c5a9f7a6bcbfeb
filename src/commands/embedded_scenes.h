#pragma once
// The scenes of scenes/ with kind = "pde", and the images that they read, compiled in (cmake/embed.cmake).

#include <span>
#include <string_view>

namespace simreel {

struct EmbeddedScene {
  std::string_view name;  // of its file, without .toml or .png
  std::string_view text;
};
std::span<const EmbeddedScene> embedded_equations();
std::span<const EmbeddedScene> embedded_images();

// What `simreel new` writes for a solver: wave, lbm, nbody, pde.
std::string_view new_scene(std::string_view solver);

}  // namespace simreel
