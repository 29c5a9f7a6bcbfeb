// [animation]: the frames of a video and their times.

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text.h"
#include "scene/reads.h"
#include "scene/tables.h"

namespace simreel {
namespace {

// Containers count time in small integers: Matroska in milliseconds, libav in products of 32 bits.
constexpr int max_fps_part = 1'000'000;
constexpr int max_fps = 1000;
constexpr double min_fps = 0.01;

// In frames: where the frame would be if each had steps_per_frame steps. A sum of trapezoids, so that nothing drifts.
double paced(const AnimationOptions& animation, std::int64_t frame) {
  const auto x = static_cast<double>(frame);
  if (animation.speed.empty()) return x;
  double at = 0, factor = animation.speed[0][1], sum = 0;
  for (const auto& [time, next] : animation.speed) {
    const double point = time * animation.fps(), to = std::min(x, point);
    if (to > at) sum += (factor + (factor + (next - factor) * ((to - at) / (point - at)))) / 2 * (to - at);
    if (x <= point) return sum;
    at = point, factor = next;
  }
  return sum + factor * (x - at);
}

void read_speed(Table& animation, AnimationOptions& options) {
  animation.read(
      "speed", options.speed,
      {"list of [time, factor], time in seconds of video. A frame at that time takes factor * steps_per_frame steps: "
       "below 1 slow motion, above 1 time lapse. Between two times the factor changes linearly; outside them it is "
       "constant",
       "1 throughout", "[[2, 1], [3, 0.25]]"});
  if (!animation.has("speed")) return;
  if (options.speed.empty())
    animation.fail("speed", "\"speed\" in [animation] is empty; write [[time, factor], ...], or leave it out");
  double before = -1;
  bool moves = false;
  for (const auto& [time, factor] : options.speed) {
    if (!(time >= 0 && time > before))
      animation.fail("speed",
                     "\"speed\" in [animation] has the time {:.6g}; times are seconds of video from 0, each greater "
                     "than the one before",
                     time);
    if (!(factor >= 0 && factor <= 1e6))
      animation.fail("speed", "\"speed\" in [animation] has the factor {:.6g}; it must be between 0 and 1000000",
                     factor);
    before = time;
    moves |= factor > 0;
  }
  if (!moves)
    animation.fail("speed", "\"speed\" in [animation] is 0 throughout, so nothing would move; raise a factor");
}

}  // namespace

std::int64_t AnimationOptions::step_at(std::int64_t frame) const {
  if (speed.empty()) return start + frame * steps_per_frame;
  return start + std::llround(static_cast<double>(steps_per_frame) * paced(*this, frame));
}

double AnimationOptions::share_at(std::int64_t frame) const {
  const double all = paced(*this, frames - 1);
  return all > 0 ? paced(*this, frame) / all : 0;
}

int AnimationOptions::fade_at(std::int64_t picture, std::int64_t pictures) const {
  const auto share = [&](double seconds, std::int64_t from_edge) {
    return seconds > 0 ? std::min(static_cast<double>(from_edge) / (seconds * fps()), 1.0) : 1.0;
  };
  return static_cast<int>(
      std::lround(fade_whole * std::min(share(fade_in, picture), share(fade_out, pictures - 1 - picture))));
}

AnimationOptions read_animation(Table animation, bool ends, bool all) {
  AnimationOptions options;
  read_fps(animation, options);
  if (all && !ends)
    animation.fail("frames",
                   "frames = \"all\" is for kind = \"data\", whose input ends; a solver goes on, so give a number");
  animation.read("frames", options.frames,
                 "number of frames; of kind = \"data\" also \"all\", which is its default: those of the input",
                 Range::at_least(1));
  if (const std::optional<double> seconds = read_duration(animation))
    options.frames = std::max<std::int64_t>(options.frames_in(*seconds), 1);
  animation.read("steps_per_frame", options.steps_per_frame,
                 {"simulation steps from one frame to the next", "follows from the solver's keys and fps", "4"},
                 Range::at_least(1));
  animation.read("start", options.start, "the step that the first frame shows", Range::at_least(0));
  read_part(animation, options);
  // A shorter run for a look ends where it ends. How many "all" are is not known yet.
  for (const char* key : {"frames", "duration"})
    if (options.last >= options.frames && animation.has(key) && animation.position(key).line == 0 && !all &&
        animation.position("last").line > 0)
      options.last.reset();
  constexpr double max_steps = 0x1p62;  // so that no step counter can overflow
  double factor = 1;
  for (const auto& [time, own] : options.speed) factor = std::max(factor, own);
  if (static_cast<double>(options.frames) * static_cast<double>(options.steps_per_frame) * factor +
          static_cast<double>(options.start) >
      max_steps)
    animation.fail("frames", "start + frames * steps_per_frame is more steps than can be counted (2^62)");
  return options;
}

void read_fps(Table& animation, AnimationOptions& options) {
  std::array<int, 2> fraction{};
  if (animation.read_either("fps", options.fps_numerator, Range::between(1, max_fps), fraction,
                            Range::between(1, max_fps_part), "[numerator, denominator], [30000, 1001] for 29.97",
                            "frames per second of video")) {
    options.fps_numerator = fraction[0];
    options.fps_denominator = fraction[1];
    if (!(options.fps() >= min_fps && options.fps() <= max_fps))
      animation.fail("fps", "\"fps\" in [animation] is [{}, {}], {:.6g} a second; it must be between {} and {}",
                     fraction[0], fraction[1], options.fps(), min_fps, max_fps);
  }
}

std::optional<double> read_duration(Table& animation, std::string_view name) {
  std::string text;
  read_quantity(
      animation, "duration", text,
      {"length of the video, with its unit: \"8 s\", \"2 min\", \"1 h\". The number of frames is this length times "
       "fps. Not together with frames",
       "follows from frames", "\"8 s\""});
  if (!animation.has("duration")) return std::nullopt;
  const bool over_frames = animation.position("duration").line == 0,
             over_duration = animation.position("frames").line == 0;
  if (animation.has("frames") && over_frames == over_duration)
    animation.fail("duration",
                   "\"frames\" in [animation] and \"duration\" both say how long the video is; leave one out");
  const Quantity length = quantity_of(text);
  const double unit = length.unit == "s" ? 1 : length.unit == "min" ? 60 : length.unit == "h" ? 3600 : 0;
  if (!(length.value > 0 && length.value * unit > 0 && length.value * unit <= 1e9))
    animation.fail("duration",
                   "\"duration\" in {} is {}; write a number above 0 and its unit, as \"8 s\", \"2 min\" or \"1 h\"",
                   name, written_quantity(text));
  if (animation.has("frames") && over_duration) return std::nullopt;
  return length.value * unit;
}

void read_part(Table& animation, AnimationOptions& options) {
  read_speed(animation, options);
  animation.read("first", options.first,
                 "first frame that is written. Earlier frames are simulated but not written; frame numbers, labels, "
                 "camera and colours do not change",
                 Range::at_least(0));
  animation.read("last", options.last, {"last frame that is written, numbered from 0", "the last of all", "299"},
                 Range::at_least(0));
  animation.read("hold_last", options.hold_last,
                 "how long the last picture is shown after the last frame, seconds; data files contain it once",
                 Range::between(0, 3600));
  animation.read("fade_in", options.fade_in,
                 "length of the fade from the background at the beginning, seconds; 0: none", Range::between(0, 3600));
  animation.read("fade_out", options.fade_out,
                 "length of the fade to the background at the end, held pictures included, seconds; 0: none",
                 Range::between(0, 3600));
  using Loop = AnimationOptions::Loop;
  constexpr std::array<std::string_view, 3> loops = {"none", "pingpong", "crossfade"};
  animation.choose("loop", options.loop, loops,
                   "pictures that repeat without a jump: pingpong shows them forward and then backward, crossfade "
                   "leaves the first ones out and blends the last ones into them; for pictures of pixels");
  animation.read("loop_fade", options.loop_fade, "length of a crossfade, seconds", Range::between(0.001, 3600));
  for (const char* key : {"first", "last", "loop", "loop_fade", "hold_last", "fade_in", "fade_out", "speed"})
    options.positions[key] = animation.position(key);
  if (animation.has("loop_fade") && options.loop != Loop::crossfade)
    animation.fail("loop_fade",
                   "\"loop_fade\" in [animation] is for loop = \"crossfade\"; write that, or leave it out");
  for (const char* key : {"hold_last", "fade_in", "fade_out"})
    if (options.loop != Loop::none && animation.has(key) && !animation.is_default(key))
      animation.fail(key, "\"{}\" in [animation] makes an end, and a \"loop\" has none; leave one of them out", key);
}

}  // namespace simreel
