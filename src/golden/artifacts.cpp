#include "golden/artifacts.h"

#include <fmt/format.h>

#include "files/part_file.h"

namespace simreel {

void write_artifacts(const std::filesystem::path& folder, const SceneCheck& check) {
  for (const StillCheck& still : check.stills) {
    if (still.problem.empty() || !still.actual) continue;
    const std::string name = fmt::format("{}.{:06}", check.name, still.frame);
    write_below(folder, name + ".actual.png", png_bytes(*still.actual));
    if (still.metrics)
      write_below(folder, name + ".difference.png", png_bytes(difference_picture(*still.expected, judged(still))));
  }
  for (const auto& [ending, text] : check.texts) write_below(folder, check.name + ".actual" + ending, text);
}

}  // namespace simreel
