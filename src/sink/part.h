#pragma once
// Opens the file of an output that appends frame by frame, fresh or resumed.

#include <filesystem>
#include <memory>
#include <string_view>

#include "files/part_file.h"
#include "sink/sink.h"

namespace simreel {

// `length` finds the length of the frames to keep in a file that is resumed; `note`: see PartFile.
std::unique_ptr<PartFile> open_part(const std::filesystem::path& target, const StreamInfo&, const PartFile::Length&,
                                    Opening, std::string_view note = "");

}  // namespace simreel
