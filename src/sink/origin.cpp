#include "sink/origin.h"

#include <fmt/format.h>

#include "base/version.h"
#include "sink/sink.h"

namespace simreel {

Tags origin_tags(const StreamInfo& info) {
  Tags tags;
  const auto add = [&](const char* key, std::string text) {
    if (!text.empty()) tags.emplace_back(key, std::move(text));
  };
  add("title", info.title);
  add("scene", info.scene_text);
  add("overrides", fmt::format("{}", fmt::join(info.overrides, "\n")));
  add("version", fmt::format("simreel {}", version));
  return tags;
}

}  // namespace simreel
