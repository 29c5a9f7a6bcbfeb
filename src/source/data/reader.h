#pragma once
// Reads the steps of a series, as the executor needs them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/view.h"
#include "source/data/layout.h"

namespace simreel {

// A step of a series: a file, and where in it.
struct InputStep {
  std::string file;
  std::uint64_t index = 0;          // along its time axis
  std::optional<double> time = {};  // where a list of the files says it
};

// The values of a step, in host memory.
template <class Real>
struct StepValues {
  std::vector<std::vector<Real>> fields;  // ny rows of nx values, row 0 below; those that were asked for
  std::vector<Vec4<Real>> position, velocity;
  std::vector<std::uint8_t> group;  // empty: all are 0
  double time = 0;
};

// The smallest and largest finite value; low > high if there is none.
struct ValueRange {
  double low, high;
};

class StepReader {
 public:
  // `fields`: indices in GridLayout::names. `sorted`: bodies come in the order of their ids, where they have ids.
  StepReader(const DataOptions&, DataLayout, std::vector<std::size_t> fields, std::string first_file, bool sorted);

  // Whether all values that are read are those of a float.
  static bool in_float(const ArrayFile&, const DataLayout&, const std::vector<std::size_t>& fields);

  // Reads step `number` of the series. Throws RuntimeError with file, array and what is there. Used by one thread at a
  // time.
  template <class Real>
  StepValues<Real> read(const InputStep&, std::int64_t number);

  // The simulated time of a step.
  double time(const InputStep&, std::int64_t number);

  // The mask of solid cells of a step, -1 where it is solid; empty without one.
  std::vector<std::int8_t> solid_cells(const InputStep&);

  // Bytes of host memory that one `read` takes, results included.
  std::size_t read_bytes(std::size_t value_bytes) const;

 private:
  const ArrayFile& open(const std::string& file);
  const std::string& name_of_first() const;  // of the shown array
  template <class Real>
  void read_field(const ArrayFile&, std::size_t field, std::uint64_t t, std::vector<Real>& to) const;
  template <class Real>
  void read_part(const ArrayFile&, const BodyPart&, std::uint64_t t, StepValues<Real>&) const;
  template <class Real>
  std::vector<Real> columns(const ArrayFile&, const std::string& name, std::uint64_t t) const;

  DataOptions options_;
  DataLayout layout_;
  std::vector<std::size_t> fields_;
  std::string first_file_;
  bool sorted_;
  std::unique_ptr<ArrayFile> file_;  // the one that was opened last
  std::vector<double> times_;        // "dataset:" of file_, and "file:" of all
  std::string times_of_;
};

template <class Real>
ValueRange range_of(const std::vector<Real>& values);

}  // namespace simreel
