#pragma once
// The text of a scene file.

#include <filesystem>
#include <string>

namespace simreel {

// Throws UsageError, starting with the file: unreadable, or larger than scene_size_limit (parse.h).
std::string read_scene_text(const std::filesystem::path&);

}  // namespace simreel
