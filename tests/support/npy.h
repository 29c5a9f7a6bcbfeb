#pragma once
// Arrays as numpy.save writes them.

#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace simreel::test {

// The bytes of a .npy file: floats or doubles, in C order.
template <class Real>
std::string npy(const std::vector<int>& shape, const std::vector<Real>& values) {
  std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}{}), }}", sizeof(Real),
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.append(128 - 11 - header.size(), ' ');
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Real));
}

}  // namespace simreel::test
