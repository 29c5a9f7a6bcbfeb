#pragma once
// Scenes compiled in (cmake/embed.cmake): those of scenes/ with kind = "pde", the images that they read, and a
// commented one of scenes/new/ for each other solver. And the page of --live.

#include <span>
#include <string_view>

namespace simreel {

struct EmbeddedScene {
  std::string_view name;  // of its file, without .toml or .png
  std::string_view text;
};
std::span<const EmbeddedScene> embedded_equations();
std::span<const EmbeddedScene> embedded_images();
std::span<const EmbeddedScene> embedded_first_scenes();
std::span<const EmbeddedScene> embedded_live_page();  // src/commands/live.html

// What `simreel new` writes for a solver: wave, lbm, nbody, pde.
std::string_view new_scene(std::string_view solver);

}  // namespace simreel
