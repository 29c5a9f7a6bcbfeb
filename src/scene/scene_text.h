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

// As parse_scene, for a text of no file. `name` stands for it in the names of outputs, and paths start at its folder.
// `source` begins the places in messages; empty, as of a text that its user never sees: they name none.
Scene parse_made_scene(const std::string& text, const std::filesystem::path& name,
                       const std::vector<std::string>& overrides, SolverCheck, const std::string& source = "");

}  // namespace simreel
