#include "scene/tables.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"

namespace simreel {
namespace {

// An axis that the camera does not look along.
std::string_view other_up(CameraPose pose) {
  pose.up = {0, 1, 0};
  return looks_along_up(pose) ? "[0, 0, 1]" : "[0, 1, 0]";
}

// `before`: the default where a key frame leaves a key out; empty for [camera] itself.
void read_pose(Table& table, CameraPose& pose, std::string_view before) {
  // Without a place of its own, the camera takes one that shows the bodies.
  const std::string_view framed = before.empty() ? "chosen so that the bodies are in view" : before;
  const auto read = [&](std::string_view key, auto& value, std::string_view meaning, std::string_view otherwise,
                        Range range = Range::any()) {
    table.read(key, value, {meaning, otherwise}, range);
  };
  read("position", pose.position, "where the camera is, world units; y points up", framed);
  read("target", pose.target, "the point it looks at, world units", before);
  read("up", pose.up, "the direction that points up in the picture; not along the view", framed);
  read("fov", pose.fov, "perspective: angle of view from the bottom to the top of the picture, degrees", before,
       Range::inside(0, 180));
  read("extent", pose.extent, "orthographic: half the height of the view, world units", framed, Range::above(0));
  read("orbit", pose.orbit, "angle turned around `up` over the whole animation, degrees", before);
  if (pose.position == pose.target)
    table.fail(table.has("position") ? "position" : "target",
               "the camera's position and target are the same point; move one of them");
  if (pose.up == std::array<double, 3>{})
    table.fail("up", "the camera's up direction is [0, 0, 0]; write [0, 1, 0], or another direction");
  if (looks_along_up(pose)) {
    const std::string_view key = table.has("up") ? "up" : table.has("position") ? "position" : "target";
    table.fail(key,
               "the camera looks along its own up direction, so no side of the picture is up; turn up, say "
               "to {}, or move position",
               other_up(pose));
  }
}

void refuse_other_projection(const Table& table, Projection projection) {
  const bool perspective = projection == Projection::perspective;
  const std::string_view key = perspective ? "extent" : "fov";
  if (!table.has(key)) return;
  table.fail(key,
             "\"{}\" has no effect with projection = \"{}\", where \"{}\" sets how much is seen; "
             "take that, or projection = \"{}\"",
             key, perspective ? "perspective" : "orthographic", perspective ? "fov" : "extent",
             perspective ? "orthographic" : "perspective");
}

// "group:1" or "body:0".
std::optional<BodyChoice> choice_of(std::string_view text) {
  for (const auto& [prefix, of] : {std::pair{std::string_view("group:"), BodyChoice::Of::group},
                                   std::pair{std::string_view("body:"), BodyChoice::Of::body}}) {
    if (!text.starts_with(prefix)) continue;
    const auto number = parse_number<decltype(BodyChoice::number)>(text.substr(prefix.size()));
    if (number && *number >= 0) return BodyChoice{of, *number};
  }
  return {};
}
bool is_group(std::string_view text) { return choice_of(text) && text.starts_with("group:"); }
bool is_choice(std::string_view text) { return choice_of(text).has_value(); }

void read_fit(Table& camera, CameraOptions& options) {
  constexpr std::array<std::string_view, 2> fits = {"first", "all"};
  constexpr std::array<std::string_view, 1> follows = {"mass"};
  int index = 0;
  PlacedText text;
  bool some = camera.choose_or_text(
      "fit", index, fits, text, is_group, "\"group:1\"",
      {"the camera's distance is chosen so that it sees all bodies of the first frame (\"first\"), of all frames "
       "(\"all\"), or one group in all frames (\"group:1\"); a pass before the video finds those of all frames",
       "none: `position` says where it is; bodies that fly apart: \"all\"", "\"all\""});
  if (camera.has("fit")) options.fit = {some ? *choice_of(text.text) : BodyChoice{}, !some && index == 0};
  index = 0;
  some = camera.choose_or_text("follow", index, follows, text, is_choice, "\"group:1\", or \"body:0\"",
                               {"what the camera moves along with: the centre of mass of all bodies, that of a group, "
                                "or a body, counted from 0; position and target are measured from there",
                                "nothing; bodies of a file that leave the picture together: \"mass\"", "\"mass\""});
  if (camera.has("follow")) options.follow = some ? *choice_of(text.text) : BodyChoice{};
  options.fit_position = camera.position("fit");
  options.follow_position = camera.position("follow");
  if (!options.fit) return;
  for (const char* key : {"orbit", "extent"})
    if (camera.has(key))
      camera.fail(key, "\"{}\" in [camera] has no effect where fit says how much is seen; leave one of them out", key);
  if (!options.keys.empty())
    throw UsageError(
        "{}this [[camera.key]] has no effect where \"fit\" in [camera] places the camera; leave one of them out",
        options.keys.front().position.before());
}

}  // namespace

void refuse_after_the_end(std::string_view table, double time, const Position& position,
                          const AnimationOptions& options, bool has_duration) {
  const double end = static_cast<double>(options.frames) / options.fps();
  const auto [here, last] = told_apart(time, end);
  if (time > end)
    throw UsageError("{}this [[{}]] is at {} s, but the video ends at {} s; take an earlier time, or {} in [animation]",
                     position.before(), table, here, last,
                     has_duration ? fmt::format("duration = \"{:.6g} s\"", time)
                                  : fmt::format("frames = {:.0f}", std::ceil(time * options.fps())));
}

CameraOptions read_camera(Table camera) {
  CameraOptions options;
  options.position = camera.position("");
  constexpr std::array<std::string_view, 2> projections = {"perspective", "orthographic"};
  const auto name = [&](Projection projection) { return projections[static_cast<std::size_t>(projection)]; };
  camera.choose("projection", options.projection, projections, "how space becomes the picture");
  read_pose(camera, options.pose, "");
  refuse_other_projection(camera, options.projection);
  CameraPose pose = options.pose;
  for (Table& table : camera.tables("key", "a pose of the camera at a time; `[camera]` is the one at time 0")) {
    CameraKey key;
    table.require("time", "time = 2.5");
    key.position = table.position("time");
    table.read("time", key.time, "seconds of video, greater than that of the key before", Range::at_least(0));
    if (!options.keys.empty() && !(key.time > options.keys.back().time))
      table.fail("time", "\"time\" in [[camera.key]] is {}; it must be greater than {}, that of the key before",
                 key.time, options.keys.back().time);
    Projection projection = options.projection;
    table.choose("projection", projection, projections, {"must be that of [camera]", "as in [camera]"});
    if (projection != options.projection)
      table.fail("projection",
                 "a camera keeps its projection: here it is \"{}\", but in [camera] \"{}\"; "
                 "leave it out here, or change it there",
                 name(projection), name(options.projection));
    read_pose(table, pose, "as before");
    refuse_other_projection(table, options.projection);
    key.pose = pose;
    options.keys.push_back(key);
  }
  read_fit(camera, options);
  return options;
}

bool looks_along_up(const CameraPose& pose) {
  std::array<double, 3> view{}, side{};
  for (std::size_t i = 0; i < 3; ++i) view[i] = pose.target[i] - pose.position[i];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    side[i] = view[j] * pose.up[k] - view[k] * pose.up[j];
  }
  const auto length = [](const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); };
  return !(length(side) > 1e-6 * length(view) * length(pose.up));
}

}  // namespace simreel
