#include "run/stills.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>
#include <string_view>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "files/pattern.h"
#include "sink/outputs.h"

namespace simreel {

namespace {

// Whether the source says the time of each frame, in the unit of the labels.
bool lists_times(const Scene& scene, const SourcePlan& plan) {
  return !scene.figure.units.step && static_cast<std::int64_t>(plan.times.size()) == scene.animation.frames;
}

// Of a step, in that unit.
double time_of_step(const Scene& scene, const SourcePlan& plan) {
  const double time =
      scene.figure.units.step.value_or(plan.frame_interval / static_cast<double>(scene.animation.steps_per_frame));
  if (!(time > 0)) throw UsageError("the source does not say the time between frames; name a frame instead");
  return time;
}

}  // namespace

double time_at(const Scene& scene, const SourcePlan& plan, std::int64_t frame) {
  if (lists_times(scene, plan)) return plan.times[static_cast<std::size_t>(frame)];
  return time_of_step(scene, plan) * static_cast<double>(scene.animation.step_at(frame));
}

std::int64_t frame_at(const Scene& scene, const SourcePlan& plan, double time) {
  const bool lists = lists_times(scene, plan);
  const auto at = [&](std::int64_t frame) { return time_at(scene, plan, frame); };
  const std::int64_t last_frame = scene.animation.frames - 1;
  const auto [first, last] =
      lists ? std::ranges::minmax(plan.times) : std::ranges::minmax_result<double>{at(0), at(last_frame)};
  const double reach = (last - first) / std::max(1.0, 2 * static_cast<double>(last_frame));
  if (!(time >= first - reach && time <= last + reach))
    throw UsageError("time {} is outside the scene, which lasts from {}{}", time,
                     fmt::join(told_apart(first, last), " to "), lists ? "" : "; set animation.frames");
  if (lists)
    return std::ranges::min_element(plan.times, {}, [&](double t) { return std::abs(t - time); }) - plan.times.begin();
  const auto frames = std::views::iota(std::int64_t{0}, last_frame);
  const auto next = static_cast<std::int64_t>(std::ranges::lower_bound(frames, time, {}, at) - frames.begin());
  return next > 0 && time - at(next - 1) < at(next) - time ? next - 1 : next;
}

std::vector<std::int64_t> stills_at(const Scene& scene, const SourcePlan& plan, const std::string& list) {
  const auto refuse = [&](const std::string& why) { throw UsageError("--at {}: {}", list, why); };
  const auto number = [&]<class Number>(std::string_view text, Number value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
      refuse(fmt::format("{} is no time; write times with commas, as in 0,3.2,5, or frames, as in frame:0,frame:40",
                         quote(text)));
    return value;
  };
  constexpr std::string_view prefix = "frame:";
  std::map<std::int64_t, std::string> frames;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string item(trim(std::string_view(list).substr(at, comma - at)));
    at = comma + 1;
    std::int64_t frame = 0;
    if (item.starts_with(prefix)) {
      frame = number(std::string_view(item).substr(prefix.size()), std::int64_t{0});
      if (frame < 0 || frame >= scene.animation.frames)
        refuse(fmt::format("frame {} is none of the scene, which has {}, from 0 to {}", frame, scene.animation.frames,
                           scene.animation.frames - 1));
    } else {
      const double time = number(item, 0.0);
      try {
        frame = frame_at(scene, plan, time);
      } catch (const UsageError& error) {
        refuse(error.what());
      }
    }
    const auto [other, fresh] = frames.emplace(frame, item);
    if (!fresh) refuse(fmt::format("{} and {} are both frame {}; leave one of them out", other->second, item, frame));
  }
  std::vector<std::int64_t> result;
  for (const auto& [frame, item] : frames) result.push_back(frame);
  return result;
}

void check_stills(const std::vector<std::string>& outputs, std::size_t count) {
  for (const std::string& output : outputs) {
    const Content content = kind_of(output).content;
    if (content == Content::video)
      throw UsageError("{}: --at makes stills, and this is a video; write x_%d.png or x_%d.pdf", output);
    const bool single = content == Content::picture || content == Content::page || content == Content::state;
    if (!single || count == 1 || FilePattern(output).numbered()) continue;
    const std::string extension = extension_of(output);
    throw UsageError("{}: holds one frame, and --at names {}; write {}_%d{}", output, count,
                     output.substr(0, output.size() - extension.size()), extension);
  }
}

}  // namespace simreel
