#include "formats/collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/text.h"
#include "formats/xml_tags.h"

namespace simreel {

std::vector<std::string> pieces_of(const std::string& file) {
  std::vector<std::string> pieces;
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) pieces.push_back(line);
  return pieces;
}

std::vector<CollectionStep> read_collection(const std::string& path) {
  const FileBytes file(path);
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 28;
  XmlTags tags(file, path, ".pvd");
  if (file.size() > max_bytes)
    tags.fail(fmt::format("it has {} bytes; a .pvd file has at most {}", file.size(), max_bytes));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<CollectionStep> steps;
  bool is_collection = false;
  while (tags.next()) {
    if (tags.name() == "VTKFile") {
      const std::string type = tags.attribute("type");
      if (type != "Collection")
        tags.fail(fmt::format("it holds {}, and a .pvd file holds a Collection", quote(shorten(type, 40))));
      is_collection = true;
    }
    if (tags.name() != "DataSet") continue;
    const std::string name = tags.attribute("file"), when = tags.attribute("timestep");
    if (name.empty()) tags.fail(fmt::format("its DataSet {}, from 0, names no file", steps.size()));
    CollectionStep step{(folder / name).string(), static_cast<double>(steps.size()), tags.line()};
    const auto result = std::from_chars(when.data(), when.data() + when.size(), step.time);
    if (!when.empty() &&
        (result.ec != std::errc() || result.ptr != when.data() + when.size() || !std::isfinite(step.time)))
      tags.fail(fmt::format("the timestep of {} is {}, which is no number", name, quote(shorten(when, 40))));
    steps.push_back(std::move(step));
  }
  if (!is_collection) tags.damaged();
  if (steps.empty()) tags.fail("it lists no files yet");
  std::ranges::stable_sort(steps, {}, &CollectionStep::time);
  const auto repeated = std::ranges::unique(
      steps, [](const CollectionStep& a, const CollectionStep& b) { return a.time == b.time && a.file == b.file; });
  steps.erase(repeated.begin(), repeated.end());
  std::vector<CollectionStep> joined;
  for (CollectionStep& step : steps)
    if (joined.empty() || joined.back().time != step.time) {
      joined.push_back(std::move(step));
    } else if (joined.back().file.ends_with(".vti") && step.file.ends_with(".vti")) {
      joined.back().file += '\n' + step.file;
    } else {
      tags.fail(
          fmt::format("it names several files for the time {}, {} and {}; only pieces of images, .vti, are put "
                      "together",
                      step.time, joined.back().file, step.file));
    }
  return joined;
}

}  // namespace simreel
