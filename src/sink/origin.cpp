#include "sink/origin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/version.h"
#include "scene/difference.h"
#include "sink/sink.h"

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

}  // namespace simreel
