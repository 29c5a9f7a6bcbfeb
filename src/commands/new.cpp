#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/new_scenes.h"
#include "files/part_file.h"

namespace simreel {
namespace {

struct NewArguments {
  std::string kind, file;
  bool overwrite = false;
};

const NewScene& scene_of(const std::string& kind) {
  const auto found = std::ranges::find(new_scenes(), kind, &NewScene::kind);
  if (found != new_scenes().end()) return *found;
  if (kind == "data")
    throw UsageError(
        "new data: simreel view FILE shows files of other programs without a scene; docs/data.md has scenes");
  std::vector<std::string_view> kinds;
  for (const NewScene& scene : new_scenes()) kinds.push_back(scene.kind);
  throw UsageError("new {}: there are scenes for: {}", shorten(kind, 60), choices(kind, kinds));
}

int run(const NewArguments& arguments) {
  const NewScene& scene = scene_of(arguments.kind);
  if (arguments.file == "-") {
    fmt::print("{}", scene.text);
    return 0;
  }
  const std::string name = arguments.file.empty() ? fmt::format("{}.toml", scene.kind) : arguments.file;
  if (extension_of(name) != ".toml")
    throw UsageError("{}: a scene's name ends in .toml; {}.toml, for example", name, name);
  PartFile file(name, arguments.overwrite);
  file.write(scene.text);
  file.commit();
  fmt::print("{}: written; simreel render {} makes the video\n", name, name);
  return 0;
}

}  // namespace

void add_new(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("new", "Write a commented scene to begin with");
  const auto arguments = std::make_shared<NewArguments>();
  command->add_option("kind", arguments->kind, "The solver: wave, lbm or nbody")->required();
  command->add_option("file", arguments->file, "The file to write; default: KIND.toml; -: standard output");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the file if it exists");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
