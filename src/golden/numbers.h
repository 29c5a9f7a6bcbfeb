#pragma once
// The numbers of a golden: columns of a scene's diagnostics, a row for each frame, in NAME.golden.csv.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "scene/scene.h"
#include "sink/sink.h"

namespace simreel {

struct Numbers {
  std::vector<std::string> names;         // of the columns
  std::vector<std::vector<double>> rows;  // as long as the names
};

// A sink that keeps the columns that [golden] csv names, of `columns`. Throws UsageError, with its place, for a name
// that is not among them.
std::unique_ptr<Sink> open_numbers(const GoldenOptions&, const std::vector<std::string>& columns, Numbers&);

// The text of the file; the same doubles are read from it again.
std::string numbers_text(const Numbers&);

// What is wrong with the numbers, a sentence for each column: one that is farther from the accepted one in `file` than
// the scene allows. Throws UsageError where the file is not such a table.
std::vector<std::string> differing_numbers(const std::filesystem::path& file, const GoldenOptions&, const Numbers&);

}  // namespace simreel
