#pragma once
// The text of a scene file.

#include <filesystem>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace simreel {

// Of a name that is a stream (stream_name), the name to open; empty for other names.
std::string stream_of(const std::filesystem::path&);

// Throws UsageError, starting with the file: unreadable, or larger than scene_size_limit (parse.h).
std::string read_scene_text(const std::filesystem::path&);

// As parse_scene, for a text of no file. `name` takes its place in the names of outputs, and paths start at its folder.
// `source` begins the places in messages; empty, as of a text that its user never sees: they name none.
Scene parse_made_scene(const std::string& text, const std::filesystem::path& name,
                       const std::vector<std::string>& overrides, SolverCheck, const std::string& source = "");

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
