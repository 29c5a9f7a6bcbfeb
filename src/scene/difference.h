#pragma once

#include <string>
#include <vector>

namespace simreel {

// The text of a scene file and the --set arguments that override it.
struct SceneText {
  std::string text;
  std::vector<std::string> overrides;
};

// The first key that differs, with both values: "solver.damping was 0.01 and is 0.02". If no key differs but the texts
// do (comments, order, notation), a sentence that says so. Empty for identical texts. Throws UsageError for a text that
// is not a scene.
std::string scene_difference(const SceneText& before, const SceneText& now);

// Whether a --set argument sets the number of frames.
bool sets_frames(const std::string& argument);

}  // namespace simreel
