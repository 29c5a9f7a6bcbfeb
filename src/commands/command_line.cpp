#include "commands/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "scene/scene.h"
#include "sink/outputs.h"

namespace simreel {
namespace {

// The names that other programs give to options.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"--max-diff", "--tolerance --threshold --tol"},
    {"--overwrite", "--force -f -y"},
    {"--threads", "--jobs -j -t"},
    {"--device", "--gpu"},
    {"--backend", "--cuda --cpu"},
    {"--progress none", "--quiet -q --silent"},
    {"--colormap", "--cmap"},
    {"--range", "--vmin --vmax --clim"},
    {"--scale", "--norm"},
    {"--legend-at", "--loc --legend-loc"},
    {"--band", "--fill --fill-between"},
    {"--resume", "--continue"},
    {"--report", "--html"},
    {"--junit", "--xml"},
    {"--legend", "--label --labels --names"},
    {"--style", "--marker --markers --linestyle"},
    {"--loglog", "--log --log-log --logxy"},
    {"--width", "--size --figsize"},
    {"--height", "--aspect"},
    {"--dpi", "--resolution"},
    {"--font-size", "--font"},
    {"-y", "--columns --column"},
    {"--error", "--errors --yerr"},
    {"--title", "--name"},
    {"--slope", "--fit --power"},
};

// The names that other programs give to keys of a scene, and how such a key is written.
constexpr std::pair<std::string_view, std::string_view> other_keys[] = {
    {"--cmap", "view.colormap=magma"},  {"--colormap", "view.colormap=magma"},
    {"--vmin", "view.range='[0, 1]'"},  {"--vmax", "view.range='[0, 1]'"},
    {"--clim", "view.range='[0, 1]'"},  {"--norm", "view.scale=log"},
    {"--aspect", "figure.aspect=auto"}, {"--extent", "figure.extent='[0, 1, 0, 1]'"},
    {"--figsize", "figure.width=85mm"}, {"--levels", "figure.contours=8"},
};

const CLI::App& innermost(const CLI::App& program) {
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

// "simreel golden check"
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

// Every way to write an option: "--output", "-o".
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// "--font-size" as a key: "font_size".
std::string as_key(std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  std::ranges::replace(name, '-', '_');
  return name;
}

// `--frames` is no option, but "frames" is a key of a scene: "animation.frames"; empty if it is none.
std::string key_like(const std::string& option) {
  const std::string name = as_key(option);
  for (const TableDoc& table : scene_tables())
    for (const KeyDoc& doc : table.keys)
      if (doc.key == name && !table.list) return table.path.empty() ? name : table.path + "." + name;
  return "";
}

std::string unknown_option(const CLI::App& app, const std::string& given) {
  std::string option = given.substr(0, given.find('='));
  const std::vector<std::string> names = option_names(app);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  std::vector<std::string_view> words;  // without the dashes, which make all options alike
  for (const std::string_view name : names)
    if (name.starts_with("--")) words.push_back(name.substr(2));
  const std::string start = fmt::format("{}: unknown option {}; ", full_name(app), shorten(option, 60));
  if (option.size() > 2 && option[1] != '-') option.insert(0, "-");  // -title
  std::string meant;
  if (option.starts_with("--")) meant = nearest(option.substr(2), words);
  if (!meant.empty()) meant.insert(0, "--");
  if (option.size() == 3 && has(option.substr(1))) meant = option.substr(1);  // --x
  for (const auto& [ours, theirs] : other_names)
    if (is_among(option, theirs) && has(ours.substr(0, ours.find(' ')))) meant = ours;
  if (!meant.empty()) return fmt::format("{}did you mean {}?", start, meant);
  for (const auto& [theirs, key] : other_keys)
    if (option == theirs && has("--set")) return fmt::format("{}here it is --set {}", start, key);
  if (const std::string key = as_key(option);
      app.get_name() == "figure" &&
      is_among(key, "title columns gap width dpi font_size share labels letters scene set"))
    return fmt::format("{}{} is a key of [figure] in the file", start, key);
  const bool scenes = has("--set") || app.get_option_no_throw("folder") != nullptr;
  if (const std::string key = key_like(option); !key.empty() && scenes)
    return start + (has("--set") ? fmt::format("to set that key of the scene: --set {}=...", key)
                                 : fmt::format("{} is a key of the scene", key));
  return fmt::format("{}there are {}", start, fmt::join(names, ", "));
}

std::string unknown_word(const CLI::App& app, const std::string& word) {
  const std::string start = full_name(app) + ": ";
  const std::vector<std::string> commands = command_names(app);
  if (!commands.empty())
    return fmt::format("{}unknown command {}; there are {}", start, quote(shorten(word, 60)),
                       choices(word, std::vector<std::string_view>(commands.begin(), commands.end())));
  std::string hint;
  std::error_code unknown;
  if (app.get_name() == "view" && std::filesystem::is_regular_file(word, unknown))
    hint = "; where the shell has put files for a wildcard, write it in quotes: 'run/*.npy'";
  else if (kind_by_extension(word) != nullptr && app.get_option_no_throw("--output") != nullptr)
    hint = fmt::format("; an output is named with -o: -o {}", word);
  else if (word.find('=') != std::string::npos && app.get_option_no_throw("--set") != nullptr)
    hint = fmt::format("; a key is set with --set: --set {}", word);
  else if (word == "auto" && app.get_option_no_throw("--resume") != nullptr)
    hint = "; --resume takes it after an equals sign: --resume=auto";
  else if (word.ends_with(".toml"))
    hint = "; run the command once for each scene";
  return fmt::format("{}{} was not expected{}", start, quote(shorten(word, 60)), hint);
}

// Names an option that took the next one for its value: "--ranks --frames 20". Empty if none did. `error` begins with
// the name of the option that is wrong, and is empty where a word is left over instead. Options that are not to blame
// may have such values: a label may be "-y".
std::string without_value(const CLI::App& app, const std::string& error) {
  const std::vector<std::string> names = option_names(app);
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (!option->get_positional() && std::ranges::find(names, value) != names.end() &&
          (error.empty() || error.starts_with(option->get_name())))
        return fmt::format("{}: {} needs a {}, and {} follows", full_name(app), option->get_name(),
                           option->get_type_name().starts_with("INT") ? "number" : "value", value);
  return "";
}

}  // namespace

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& app = innermost(program);
  const std::vector<std::string> left = program.remaining(true);
  const auto option = std::ranges::find_if(
      left, [](const std::string& word) { return word.size() > 1 && word.starts_with('-') && word != "--"; });
  std::string text = error.what();
  if (const std::size_t max = text.find(": At Most 1 required"); max != std::string::npos)
    text = fmt::format("{} is given more than once; leave all but one out", text.substr(0, max));
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) text.insert(0, full_name(app) + ": ");
  if (option != left.end())
    text = unknown_option(app, *option);
  else if (!left.empty())
    text = unknown_word(app, left.front());
  if (const std::string missing = without_value(app, left.empty() ? error.what() : ""); !missing.empty())
    text = missing;
  return fmt::format("{}\n{} --help lists what there is", text, full_name(app));
}

void refuse_single_dash(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* app = &program;
  for (const std::string& word : words) {
    const auto commands = app->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (!commands.empty()) app = commands.front();
    if (word == "--") return;
    if (word.size() < 4 || word[0] != '-' || word[1] == '-') continue;
    const std::string meant = "-" + word.substr(0, word.find('='));
    const std::vector<std::string> names = option_names(*app);
    if (std::ranges::find(names, meant) != names.end()) throw UsageError(unknown_option(*app, word));
  }
}

CLI::Validator at_least(std::int64_t low) {
  return CLI::Validator(
      [low](const std::string& text) {
        const bool good = parse_number<std::int64_t>(text) >= low;
        return good ? std::string() : fmt::format("{} is not a whole number of at least {}", text, low);
      },
      fmt::format("{} or more", low));
}

CLI::Validator within(std::int64_t low, std::int64_t high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        const std::optional<std::int64_t> value = parse_number<std::int64_t>(text);
        const bool good = value >= low && value <= high;
        return good ? std::string() : fmt::format("{}: write a whole number from {} to {}", text, low, high);
      },
      fmt::format("{} to {}", low, high));
}

}  // namespace simreel
