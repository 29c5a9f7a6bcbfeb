#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/embedded_scenes.h"
#include "files/part_file.h"

namespace simreel {
namespace {

constexpr std::string_view first_example = "gray_scott";  // of typed equations

struct NewArguments {
  std::string kind, file, example;
  bool overwrite = false;
};

// What is written, and the name of its file without extension.
EmbeddedScene scene_of(const std::string& kind, const std::string& example) {
  if (kind == "pde") {
    const std::span<const EmbeddedScene> examples = embedded_equations();
    const std::string_view name = example.empty() ? first_example : example;
    if (const auto found = std::ranges::find(examples, name, &EmbeddedScene::name); found != examples.end())
      return *found;
    std::vector<std::string_view> names;
    for (const EmbeddedScene& scene : examples) names.push_back(scene.name);
    throw UsageError("new pde --example {}: the examples are: {}", shorten(name, 60), choices(name, names));
  }
  if (!example.empty()) throw UsageError("--example is for simreel new pde; leave it out");
  const std::span<const EmbeddedScene> first_scenes = embedded_first_scenes();
  if (const auto found = std::ranges::find(first_scenes, kind, &EmbeddedScene::name); found != first_scenes.end())
    return *found;
  if (kind == "data")
    throw UsageError(
        "new data: simreel view FILE shows files of other programs without a scene; docs/data.md has scenes");
  std::vector<std::string_view> kinds;
  for (const EmbeddedScene& scene : first_scenes) kinds.push_back(scene.name);
  kinds.push_back("pde");
  throw UsageError("new {}: there are scenes for: {}", shorten(kind, 60), choices(kind, kinds));
}

int run(const NewArguments& arguments) {
  const EmbeddedScene scene = scene_of(arguments.kind, arguments.example);
  if (arguments.file == "-") {
    fmt::print("{}", scene.text);
    return 0;
  }
  const std::string name = arguments.file.empty() ? fmt::format("{}.toml", scene.name) : arguments.file;
  if (extension_of(name) != ".toml")
    throw UsageError("{}: a scene's name ends in .toml; {}.toml, for example", name, name);
  const auto write = [&](const std::string& path, std::string_view text) {
    PartFile file(path, arguments.overwrite);
    file.write(text);
    file.commit();
  };
  for (const EmbeddedScene& image : embedded_images())
    if (const std::string file = fmt::format("{}.png", image.name); scene.text.find(file) != std::string_view::npos)
      write((std::filesystem::path(name).parent_path() / file).string(), image.text);
  write(name, scene.text);
  fmt::print("{}: written; simreel render {} makes the video\n", name, name);
  return 0;
}

}  // namespace

std::string_view new_scene(std::string_view solver) { return scene_of(std::string(solver), "").text; }

void add_new(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("new", "Write a commented scene to begin with");
  const auto arguments = std::make_shared<NewArguments>();
  command->add_option("kind", arguments->kind, "The solver: wave, lbm, nbody or pde")->required();
  command->add_option("file", arguments->file,
                      "The file to write; default: KIND.toml, or EXAMPLE.toml; -: standard output");
  command->add_option("--example", arguments->example,
                      "pde: the equations, as \"cahn_hilliard\"; a wrong name lists all");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the file if it exists");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
