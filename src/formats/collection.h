#pragma once
// ParaView's lists of files with times, .pvd and .series.

#include <string>
#include <string_view>
#include <vector>

namespace simreel {

struct CollectionStep {
  std::string file;  // as a path from where the program runs; several pieces with line breaks between
  double time = 0;
  std::size_t line = 0;  // of the list, from 1
};

// The files of a step.
std::vector<std::string> pieces_of(const std::string& file);

bool is_collection(std::string_view path);  // by its name

// The files of a list by rising times; a repeated line counts once, and several files of a time are its pieces (.pvd).
// Throws RuntimeError if it cannot be read or is no such list.
std::vector<CollectionStep> read_collection(const std::string& path);

}  // namespace simreel
