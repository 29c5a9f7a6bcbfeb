#pragma once
// Whether processes, perhaps of several hosts, see one folder.

#include <filesystem>
#include <optional>
#include <string_view>

#include "exec/communicator.h"

namespace simreel {

// The absolute path of a folder of rank 0, if all ranks see it there and may write in it: rank 0 makes a file of random
// contents, which all must read. Nullopt otherwise. Collective; the others' argument does not matter. A process that is
// killed meanwhile leaves files for which is_probe holds.
std::optional<std::filesystem::path> shared_folder(const Communicator&, const std::filesystem::path& folder);

bool is_probe(std::string_view file_name);

}  // namespace simreel
