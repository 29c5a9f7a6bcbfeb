#include "source/data/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace simreel {
namespace {

constexpr std::string_view contents[] = {"auto", "field", "bodies"};
constexpr std::string_view origins[] = {"auto", "lower", "upper"};
constexpr std::string_view unevens[] = {"auto", "cells", "resample"};
constexpr std::string_view rolls[] = {"auto", "none"};
constexpr std::string_view reductions[] = {"max", "min", "mean", "sum"};

void read_slice(Table& keys, DataOptions& o) {
  Table slice = keys.table("slice", "three dimensions: the plane that is drawn, or what is drawn of the whole depth");
  for (const char axis : {'z', 'y', 'x'}) {
    const std::string key(1, axis);
    int mode = 0;
    double index = 0;
    const bool plane = slice.read_either(
        key, mode, reductions, index, "the index of a plane, from 0",
        {fmt::format("along {}: a plane, or a projection; mean and sum leave out what is not a number", axis), "unset",
         "0"},
        Range::between(0, 1e9));
    if (!slice.has(key)) continue;
    if (o.slice) slice.fail(key, "only one axis can be sliced; leave the other out");
    if (plane && index != static_cast<double>(static_cast<std::int64_t>(index)))
      slice.fail(key, "\"{}\" in [solver.slice] is {}; a plane has a whole number", key, index);
    o.slice = DataOptions::Slice{
        axis, plane ? DataOptions::Slice::Mode::plane : static_cast<DataOptions::Slice::Mode>(mode + 1),
        static_cast<std::int64_t>(index)};
  }
}

void check(const Table& keys, const DataOptions& o) {
  if (o.files.empty() && keys.has("files")) keys.fail("files", "\"files\" in [solver] is empty");
  for (const char axis : o.axes)
    if (std::string_view("tzyxc1").find(axis) == std::string_view::npos)
      keys.fail("axes",
                "\"axes\" in [solver] is {}; each axis has a letter: t, z, y, x, c for "
                "components, or 1 for an axis of one entry; the slowest comes first, as \"tyx\"",
                quote(shorten(o.axes, 40)));
  for (const char axis : {'t', 'z', 'y', 'x', 'c'})
    if (std::ranges::count(o.axes, axis) > 1) keys.fail("axes", "\"axes\" in [solver] names {} twice", axis);
  if (!o.time.empty() && !o.time.starts_with("attr:") && !o.time.starts_with("dataset:") &&
      !o.time.starts_with("file:"))
    keys.fail("time",
              "\"time\" in [solver] is {}; write \"attr:NAME\", \"dataset:/NAME\" or "
              "\"file:NAME.csv\", or give the time of a step as timestep",
              quote(shorten(o.time, 60)));
  if (!o.time.empty() && o.timestep_given)
    keys.fail("timestep", "\"time\" and \"timestep\" in [solver] both say when a step is; leave one of them out");
  if (!o.follow) keys.refuse_without("follow = true", "end");
  if (o.follow && o.interpolate)
    keys.fail("interpolate", "a series that is still written cannot be spread over the frames; leave interpolate out");
}

// "x.h5:/path" as its two parts: the second begins after the first colon that follows an extension of a file with
// several arrays, or else with the last ":/".
std::pair<std::string, std::string> split_array_name(const std::string& files) {
  const std::string lower = lower_case(files);
  std::size_t at = std::string::npos;
  for (const std::string_view extension :
       {".h5:", ".hdf5:", ".hdf:", ".he5:", ".nc:", ".nc4:", ".mat:", ".npz:", ".vtk:", ".vti:", ".vtr:", ".pvti:",
        ".pvd:", ".npy:", ".vtkhdf:", ".series:"})
    if (const std::size_t found = lower.find(extension); found != std::string::npos)
      at = std::min(at, found + extension.size() - 1);
  if (at == std::string::npos) at = files.rfind(":/");  // plt_cnt_0010:/dens
  if (at == std::string::npos) return {files, ""};
  return {files.substr(0, at), files.substr(at + 1)};
}

}  // namespace

DataOptions read_data_options(Table& keys, int nx, int ny) {
  DataOptions o;
  keys.require("files", "files = \"run/%05d.npy\"");
  std::string files;
  keys.read("files", files,
            {"what is drawn, relative to the scene: a file a step, \"run/%05d.npy\" or \"run/*.npy\" in natural order, "
             "a list of files with times, \"run.pvd\", or one file with a time axis; an array in it follows a colon, "
             "\"run.h5:/fields/vorticity\"",
             "required", "\"run/%05d.npy\""});
  std::tie(o.files, o.array) = split_array_name(files);
  keys.choose(
      "content", o.content, contents,
      "field: values on a grid; bodies: rows of x, y, z, vx, vy, vz, mass, or a snapshot; auto: by what is there");
  keys.read("axes", o.axes,
            {"the axes of the array, the slowest first: t, z, y and x, c for the components of a vector, 1 for an axis "
             "of one entry",
             "by their names, time and one of space being a diagram; otherwise y, x are the last two, before them t in "
             "one file, z in a series of files",
             "\"tyx\""});
  read_slice(keys, o);
  keys.read(
      "time", o.time,
      {"where the time of a step stands: \"attr:NAME\", \"dataset:/NAME\", or \"file:NAME.csv\" with a number a line",
       "as the file says (simreel's own, NetCDF, snapshots, .pvd), otherwise timestep", "\"attr:time\""});
  o.timestep_given = keys.has("timestep");
  keys.read("timestep", o.timestep, "simulated time from one input step to the next", Range::above(0));
  keys.read("spacing", o.spacing,
            {"distance of neighbouring cells along x and y; only their ratio shows",
             "as the file says, otherwise square", "[1, 1]"},
            Range::above(0));
  if (keys.has("extent") && keys.has("spacing"))
    keys.fail("spacing", "\"extent\" and \"spacing\" in [solver] both say how large a cell is; leave one of them out");
  std::array<double, 4> extent{};
  keys.read(
      "extent", extent,
      {"the coordinates of the picture's edges, [left, right, bottom, top], rising, for files without coordinates",
       "as the file says, otherwise cells are counted", "[0, 2.5, -1, 1]"});
  if (keys.has("extent")) {
    if (!(extent[0] < extent[1] && extent[2] < extent[3]))
      keys.fail("extent", "\"extent\" in [solver] is [left, right, bottom, top], with left < right and bottom < top");
    o.extent = extent;
  }
  keys.read("mask", o.mask,
            {"solid cells: an array of the first file, or a .npy file, that is not 0 there",
             "\"solid\" where simreel wrote the file", "\"solid\""});
  keys.read("missing", o.missing,
            {"a value that marks cells without data, as NaN and _FillValue of the file do", "unset", "-999"});
  keys.choose("origin", o.origin, origins,
              "where the first row lies; auto: below, unless y coordinates of the file fall");
  keys.read("coordinates", o.coordinates,
            "heed the coordinates of the file: the picture rises to the right and upwards, and axes show them; false: "
            "cells lie as in the file, and are counted");
  keys.choose("uneven", o.uneven, unevens,
              "coordinates that are not evenly spaced: cells: one is drawn as large as the other, with a warning; "
              "resample: each has the size that the coordinates give it; auto: resample dates, as of months");
  keys.choose(
      "roll", o.roll, rolls,
      "coordinates that begin again, as longitudes 0 to 170, -180 to -10: auto: cells are drawn in rising order, "
      "and check says so; none: as they are");
  keys.read("unit", o.unit, {"unit of the values", "as the file says", "\"m/s\""});
  int spread = 0;
  constexpr std::string_view spreads[] = {"time"};
  o.by_time = keys.read_either("interpolate", o.interpolate, spread, spreads,
                               "true: spread the input steps evenly over the frames, linear between them; \"time\": "
                               "frames are evenly spaced in time; otherwise a frame shows a step");
  o.interpolate |= o.by_time;
  keys.read("follow", o.follow,
            "the series is still written: wait for the next file, until `end` exists or a signal ends the run");
  keys.read("end", o.end,
            {"follow: a file whose existence ends the series, relative to the scene", "none", "\"run/done\""});
  o.obstacles = read_obstacles(keys, nx, ny, "solid cells that are drawn over the data, with smooth edges", false);
  check(keys, o);
  return o;
}

CameraPose pose_for(const std::vector<Vec4<double>>& positions) {
  std::array<double, 3> low, high;
  low.fill(1e300), high.fill(-1e300);
  for (const Vec4<double>& p : positions) {
    const double at[] = {p.x, p.y, p.z};
    for (std::size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], at[i]), high[i] = std::max(high[i], at[i]);
  }
  CameraPose pose;
  double reach = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    pose.target[i] = (low[i] + high[i]) / 2;
    reach = std::max(reach, (high[i] - low[i]) / 2);
  }
  if (!(reach > 0)) reach = 1;
  pose.extent = 1.05 * reach;
  constexpr double tangent = 0.41421356237309503;  // of half of the usual angle of view, 45 degrees
  const double half_depth = (high[2] - low[2]) / 2;
  pose.position = {pose.target[0], pose.target[1], pose.target[2] + half_depth + pose.extent / tangent};
  return pose;
}

}  // namespace simreel
