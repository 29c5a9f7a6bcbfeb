#include "sink/sink.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/version.h"
#include "scene/scene_text.h"
#include "sink/open.h"

namespace simreel {

Tags origin_tags(const StreamInfo& info, Origin origin) {
  Tags tags;
  const auto add = [&](const char* key, std::string text) {
    if (!text.empty()) tags.emplace_back(key, std::move(text));
  };
  add("title", info.title);
  add("scene", info.scene_text);
  std::vector<std::string> overrides = info.overrides;
  if (origin == Origin::growing && info.bound_to_frames.empty()) std::erase_if(overrides, sets_frames);
  add("overrides", fmt::format("{}", fmt::join(overrides, "\n")));
  add("version", fmt::format("simreel {}", version));
  return tags;
}

std::vector<Checksum> kept_checksums(const StreamInfo& info, const std::string& target, std::int64_t stride) {
  const auto found = info.checksums.find(target);
  const auto wanted = static_cast<std::size_t>((info.resume + stride - 1) / stride);
  if (found == info.checksums.end() || found->second.size() < wanted) return {};
  return {found->second.begin(), found->second.begin() + static_cast<std::ptrdiff_t>(wanted)};
}

void throw_damaged(const std::string& target, const StreamInfo& info, std::int64_t stride, std::size_t index) {
  const std::int64_t first = static_cast<std::int64_t>(index) * stride,
                     last = std::min(first + stride, info.resume) - 1;
  const std::string frames =
      first == last ? fmt::format("frame {}", first) : fmt::format("frames {} to {}", first, last);
  throw MissingFrames("{}: {} {} not what the interrupted run wrote (the checksum differs)", target, frames,
                      first == last ? "is" : "are");
}

std::unique_ptr<PartFile> open_part(const std::string& target, const StreamInfo& info, const PartFile::Length& length,
                                    Opening opening, std::int64_t stride, std::string_view note) {
  if (info.resume == 0) return std::make_unique<PartFile>(target, info.overwrite, opening, note);
  const std::vector<Checksum> kept = kept_checksums(info, target, stride);
  const auto checked = [&](std::istream& in) -> std::optional<std::uintmax_t> {
    const std::optional<std::uintmax_t> bytes = length(in);
    if (!bytes || kept.empty() || std::ranges::any_of(kept, [](const Checksum& c) { return c.bytes == 0; }))
      return bytes;
    std::uintmax_t pieces = 0;
    for (const Checksum& piece : kept) pieces += piece.bytes;
    in.clear();
    in.seekg(static_cast<std::streamoff>(
        pieces > *bytes ? 0 : *bytes - pieces));  // after the head, which changes as the file grows
    if (const auto index = first_damaged(in, kept)) throw_damaged(target, info, stride, *index);
    return bytes;
  };
  return std::make_unique<PartFile>(target, info.resume, checked, opening);
}

namespace {

class Null : public Sink {
 public:
  Null() : Sink({}) {}
  void write(const Frame&) override {}
  void finish() override {}
};

}  // namespace

std::unique_ptr<Sink> open_null(const std::string&, const OutputOptions&, const StreamInfo&, Opening) {
  return std::make_unique<Null>();
}

}  // namespace simreel
