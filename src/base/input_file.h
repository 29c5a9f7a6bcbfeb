#pragma once
// The gate for files that a scene, a figure or a golden folder names.

#include <filesystem>
#include <string>
#include <string_view>

namespace simreel {

// Whether a file lies in this folder or below, where links lead; neither need exist.
bool lies_below(const std::filesystem::path& file, const std::filesystem::path& folder);

// From here on the files that scenes name lie below this folder, of the whole process.
void confine_to(const std::filesystem::path& folder);

// Why such a file must not be opened: a pipe would wait for its writer, a device or a file of /proc may never end or
// tell what no scene should know, links may lead out of the folder of `confine_to`, and a pointer of Git LFS is not the
// file that its name promises. Empty for other plain files, and for folders and names of nothing, which have errors of
// their own.
std::string refusal_to_read(const std::filesystem::path&);

// Why the text of such a file, all of it, is not what its name promises: a pointer of Git LFS. Empty for other texts.
std::string refusal_of_pointer(std::string_view text);

// Where the links at the end of a path lead, also where nothing is there yet: writing this path makes or replaces that
// file. A link in a circle is returned as it is.
std::filesystem::path behind_links(const std::filesystem::path&);

// Why a scene must not name this output: it lies outside of the folder of `confine_to`. Empty where it may.
std::string refusal_to_write(const std::filesystem::path&);

}  // namespace simreel
