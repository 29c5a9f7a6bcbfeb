#pragma once

#include <string>
#include <vector>

namespace simreel {

// A scene file's text with the --set arguments laid over it.
struct SceneText {
  std::string text;
  std::vector<std::string> overrides;
};

// The first key that differs, with both values: "solver.damping was 0.01 and is 0.02". Where none does but the texts
// are not the same (comments, order, another way to say it): that. Empty for two that are the same to the letter.
// Throws UsageError for a text that is no scene.
std::string scene_difference(const SceneText& before, const SceneText& now);

}  // namespace simreel
