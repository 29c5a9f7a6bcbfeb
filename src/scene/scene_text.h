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

// As parse_scene, for a text that the program made and its user never sees: messages about it name no place. `name`
// stands for the file in the names of outputs.
Scene parse_made_scene(const std::string& text, const std::filesystem::path& name,
                       const std::vector<std::string>& overrides, SolverCheck);

}  // namespace simreel
