#pragma once
// Opens the file of an output that appends frame by frame, fresh or resumed.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/part_file.h"
#include "sink/sink.h"

namespace simreel {

// The checksums of the frames to keep, one for every `stride` of them; empty if they are not known.
std::vector<Checksum> kept_checksums(const StreamInfo&, const std::string& target, std::int64_t stride);

// Throws the error for frames that do not match their checksum: piece `index` of `stride` frames each.
[[noreturn]] void throw_damaged(const std::string& target, const StreamInfo&, std::int64_t stride, std::size_t index);

// `length` finds the length of the frames to keep in a file that is resumed; the pieces of `stride` frames with the
// kept checksums end there. `note`: see PartFile.
std::unique_ptr<PartFile> open_part(const std::string& target, const StreamInfo&, const PartFile::Length& length,
                                    Opening, std::int64_t stride = 1, std::string_view note = "");

}  // namespace simreel
