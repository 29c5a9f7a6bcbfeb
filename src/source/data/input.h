#pragma once
// The input of a data scene, found and looked at: its steps, and what of them is drawn.

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/data/layout.h"
#include "source/data/reader.h"
#include "source/data/series.h"
#include "source/source.h"

namespace simreel {

struct DataInput {
  DataOptions options;  // with paths that are resolved
  FileSeries series;
  std::vector<InputStep> steps;
  std::vector<double> times;  // of the steps; empty where only reading all files would tell them
  DataLayout layout;
  std::vector<FieldInfo> infos;  // their texts are those of `layout`, or constant
  bool in_float = true;          // the values that the scene shows
  std::string types;             // of the shown values, for messages: "int16, as float exactly"
  std::string first_file;

  std::int64_t step_count() const { return static_cast<std::int64_t>(steps.size()); }
  bool bodies() const { return !layout.grid; }
  bool is_there(std::string_view field) const;
  // The two fields that [figure] names, or that by their names are the parts of a velocity ("ux" and "uy"); empty:
  // there are none.
  std::array<std::string, 2> vectors(const Scene&) const;
  // Indices in GridLayout::names of the fields that the scene shows and writes, the shown one first; empty for bodies.
  std::vector<std::size_t> fields(const Scene&) const;
  // What the values of a field mean; empty: they are numbers.
  std::vector<ValueClass> classes(std::size_t field) const;
  // A reader of these.
  StepReader reader(const Scene&) const;
};

// Throws UsageError with the place of the key in question.
std::shared_ptr<const DataInput> find_input(Table& keys, const Scene&);

// "data, 4 x 3 cells, 7 steps of 7 files".
std::string summary_of(const DataInput&);

// What to do about an array that looks like one picture with its channels; empty for any other.
std::string picture_hint(const DataInput&);

// How many frames so many input steps have, a step a frame (from `start` on, every `steps_per_frame`-th);
// max_paced_frames where `speed` ends before the last step.
inline constexpr std::int64_t max_paced_frames = 10'000'000;
std::int64_t frames_of(std::int64_t steps, const AnimationOptions&);

// Where a frame lies between the input steps: `part` of the way from `step` to the next, in [0, 1).
struct Place {
  std::int64_t step = 0;
  double part = 0;
};

Place place_of_frame(const DataInput&, const AnimationOptions&, std::int64_t frame);

}  // namespace simreel
