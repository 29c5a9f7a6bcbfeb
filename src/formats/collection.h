#pragma once
// ParaView's lists of files with times, .pvd.

#include <string>
#include <vector>

namespace simreel {

struct CollectionStep {
  std::string file;  // as a path from where the program runs
  double time = 0;
  std::size_t line = 0;  // of the list, from 1
};

// The files of a .pvd file by rising times; a repeated line counts once. Throws RuntimeError if it cannot be read, is
// no such list, or names several files for one time.
std::vector<CollectionStep> read_collection(const std::string& path);

}  // namespace simreel
