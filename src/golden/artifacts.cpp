#include "golden/artifacts.h"

#include <fmt/format.h>

#include "files/part_file.h"

namespace simreel {
namespace fs = std::filesystem;

void write_artifacts(const fs::path& folder, const SceneCheck& check) {
  for (const StillCheck& still : check.stills) {
    if (still.problem.empty() || !still.actual) continue;
    const fs::path name = folder / fmt::format("{}.{:06}", check.name, still.frame);
    write_picture(name.string() + ".actual.png", *still.actual);
    if (still.metrics)
      write_picture(name.string() + ".difference.png", difference_picture(*still.expected, judged(still)));
  }
  for (const auto& [ending, text] : check.texts) {
    PartFile file(folder / (check.name + ".actual" + ending), true);
    file.write(text);
    file.commit();
  }
}

}  // namespace simreel
