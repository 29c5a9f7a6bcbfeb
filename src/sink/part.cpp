#include "sink/part.h"

namespace simreel {

std::unique_ptr<PartFile> open_part(const std::filesystem::path& target, const StreamInfo& info,
                                    const PartFile::Length& length, Opening opening, std::string_view note) {
  if (info.resume == 0) return std::make_unique<PartFile>(target, info.overwrite, opening, note);
  return std::make_unique<PartFile>(target, info.resume, length, opening);
}

}  // namespace simreel
