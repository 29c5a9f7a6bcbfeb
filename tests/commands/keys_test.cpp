// `simreel keys` against the loader: each lists what the other accepts.

#include "commands/key_tables.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "scene/scene.h"
#include "tests/support/command_fixture.h"

namespace simreel::test {
namespace {

// A scene of each kind that has one entry of each list, so that --set reaches into all of them.
const std::map<std::string_view, std::string> scenes = {
    {"wave",
     "[solver]\nkind = \"wave\"\ngrid = [64, 64]\n[[solver.droplet]]\n[[solver.obstacle]]\n[[solver.source]]\n"},
    {"lbm",
     "[solver]\nkind = \"lbm\"\ngrid = [64, 64]\n[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\n"
     "[[solver.obstacle]]\n[solver.tracer]\n[[solver.tracer.spot]]\n[[solver.particles]]\n"},
    {"nbody", "[solver]\nkind = \"nbody\"\nbodies = 9\n[camera]\n[[camera.key]]\ntime = 1\n"},
    {"pde",
     "[solver]\nkind = \"pde\"\ngrid = [64, 64]\n[solver.fields.u]\ninitial = 0\nrate = \"= lap(u)\"\n"
     "[[solver.measure]]\nmean = \"= u\"\n"},
    {"data", "[solver]\nkind = \"data\"\nfiles = \"x.npy\"\n[[solver.obstacle]]\n"},
};

// The same of a flow with two phases, which has no inlet, obstacle, dye and particles.
const std::string two_phases =
    "[solver]\nkind = \"lbm\"\ngrid = [128, 128]\n[solver.phases]\n[[solver.phases.drop]]\n[[solver.phases.bubble]]\n";

// What keys need in addition: --set arguments, without which they are refused as meaningless. With a colon: of one
// kind.
const std::pair<std::string_view, std::vector<std::string>> company[] = {
    {"wave:solver.mode", {"solver.initial=mode"}},
    {"wave:solver.amplitude", {"solver.initial=noise"}},
    {"wave:solver.speed_range", {"solver.speed=map.png"}},
    {"solver.obstacle.min solver.obstacle.max", {"solver.obstacle.0.shape=rectangle"}},
    {"solver.obstacle.points", {"solver.obstacle.0.shape=polygon"}},
    {"solver.obstacle.file", {"solver.obstacle.0.shape=image"}},
    {"solver.obstacle.threshold", {"solver.obstacle.0.shape=image", "solver.obstacle.0.file=shape.png"}},
    {"solver.obstacle.porosity solver.obstacle.grain", {"solver.obstacle.0.shape=porous"}},
    {"solver.obstacle.solid", {"solver.obstacle.0.shape=formula"}},
    {"wave:solver.source.radius", {"solver.source.0.shape=disk"}},
    {"wave:solver.source.points", {"solver.source.0.shape=line"}},
    {"wave:solver.source.weight", {"solver.source.0.shape=formula"}},
    {"figure.profile.from", {"figure.profile.to=[9, 8]"}},
    {"figure.profile.to", {"figure.profile.from=[1, 2]"}},
    {"lbm:solver.reynolds", {"solver.length=10"}},
    {"lbm:solver.magic", {"solver.collision=trt"}},
    {"lbm:solver.units.length", {"solver.units.velocity=1", "solver.units.viscosity=0.1"}},
    {"lbm:solver.units.velocity", {"solver.units.length=1", "solver.units.viscosity=0.1"}},
    {"lbm:solver.units.viscosity", {"solver.units.velocity=1", "solver.units.length=1"}},
    {"lbm:solver.boundary.left", {"solver.boundary.right=periodic"}},
    {"lbm:solver.boundary.right", {"solver.boundary.left=periodic"}},
    {"lbm:solver.heat.hot lbm:solver.heat.cold lbm:solver.heat.height lbm:solver.heat.reference "
     "lbm:solver.heat.initial lbm:solver.heat.perturbation lbm:solver.heat.bottom lbm:solver.heat.bottom_flux "
     "lbm:solver.heat.top lbm:solver.heat.top_flux lbm:solver.obstacle.temperature lbm:solver.obstacle.flux",
     {"solver.heat.rayleigh=1e4"}},
    {"lbm:solver.heat.left lbm:solver.heat.left_flux lbm:solver.heat.right lbm:solver.heat.right_flux",
     {"solver.heat.rayleigh=1e4", "solver.boundary.left=wall", "solver.boundary.right=wall"}},
    {"lbm:solver.obstacle.period", {"solver.obstacle.0.rotation=0.01"}},
    {"lbm:solver.particles.from", {"solver.particles.0.to=[0, 40]"}},
    {"lbm:solver.particles.to", {"solver.particles.0.from=[0, 40]"}},
    {"nbody:solver.accuracy", {"solver.method=tree"}},
    {"pde:solver.unchecked", {"solver.timestep=0.1"}},
    {"pde:solver.stages", {"solver.scheme=rkc2"}},
    {"pde:solver.fields.u.noise", {"solver.scheme=euler"}},
    {"data:solver.end", {"solver.follow=true"}},
    {"nbody:solver.virial", {"solver.initial=cube"}},
    {"nbody:solver.central_mass nbody:solver.thickness nbody:solver.dispersion", {"solver.initial=disk"}},
    {"nbody:solver.bulge_mass nbody:solver.bulge_radius nbody:solver.halo_mass nbody:solver.halo_radius "
     "nbody:solver.toomre",
     {"solver.initial=galaxy"}},
    {"nbody:solver.expansion nbody:solver.displacement nbody:solver.spectrum",
     {"solver.initial=cosmological", "solver.bodies=4096"}},
    {"nbody:solver.mass_ratio nbody:solver.separation nbody:solver.pericenter nbody:solver.tilt",
     {"solver.initial=collision"}},
    {"animation.loop_fade", {"animation.loop=crossfade"}},
    {"camera.extent camera.key.extent", {"camera.projection=orthographic"}},
    {"view.radius view.radius_unit view.radius_by", {"view.splat=gaussian"}},
    {"figure.inset.at figure.inset.axes figure.inset.connect", {"figure.inset.view=[0, 0, 9, 9]"}},
    {"figure.xlabel figure.ylabel", {"figure.axes=ticks"}},
};
// Keys of one initial state, which makes its own number of bodies.
const std::map<std::string, std::string> initial_of = {
    {"solver.sun_mass", "kepler"}, {"solver.planet", "kepler"}, {"solver.file", "file"}};

// Keys of typed equations that take the place of others.
std::string equations_for(std::string_view path, std::string text) {
  const auto without = [&](const std::string& part) { text.erase(text.find(part), part.size()); };
  if (path == "solver.fields.u.value") {
    without("initial = 0\nrate = \"= lap(u)\"\n");
    text += "[solver.fields.v]\ninitial = 0\nrate = \"= v\"\n";
  }
  if (path.starts_with("solver.obstacle.")) text += "[[solver.obstacle]]\n";
  if (path.starts_with("solver.measure.") && path != "solver.measure.name") without("mean = \"= u\"\n");
  if (path.starts_with("solver.fields.u.boundary.")) text.insert(text.find("[solver.fields"), "boundary = \"free\"\n");
  return text;
}

// An overlay that may have the key, and has not.
std::string overlay_for(std::string_view path) {
  const std::string_view key = path.substr(path.find('.') + 1);
  const bool shape = key == "to" || key == "line_width", image = key == "height";
  std::string text = "[[overlay]]\n";
  if (shape || key == "shape") text += "position = [1, 2]\n";
  if (key == "shape" || key == "line_width") text += "to = [3, 4]\n";
  if (key != "text" && key != "image" && key != "shape")
    text += shape ? "shape = \"arrow\"\n" : image ? "image = \"logo.png\"\n" : "text = \"a\"\n";
  return text;
}

// What is seen at a time, without the key.
std::string window_for(std::string_view key) {
  if (key == "time") return "[[view.key]]\ncrop = [0, 0, 9, 9]\n";
  return std::string("[[view.key]]\ntime = 1\n") + (key == "center"  ? "width = 9\n"
                                                    : key == "width" ? "center = [9, 9]\n"
                                                                     : "");
}

// "solver.droplet.radius", and the same as --set writes it: "solver.droplet.0.radius".
std::string path_of(const KeyTable& table, const KeyDoc& doc, bool index) {
  if (table.doc.path.empty()) return doc.key;
  if (index && table.doc.path == "solver.obstacle.hold") return "solver.obstacle.0.hold." + doc.key;
  return table.doc.path + (table.doc.list && index ? ".0." : ".") + doc.key;
}

// Whether the loader and the solver take a scene; its complaint where they do not. Opens no file that the scene names.
std::string complaint(std::string_view kind, std::string text, const std::vector<std::string>& overrides) {
  try {
    const Scene scene = parse_scene(text, "x.toml", overrides);
    Table keys = scene.solver;
    std::ranges::find(solver_kinds(), kind, &SolverKind::name)->read(keys);
    keys.finish();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Keys, EachIsTakenByTheLoader) {
  std::size_t count = 0;
  for (const KeyTable& table : key_tables())
    for (const KeyDoc& doc : table.doc.keys) {
      const std::string path = path_of(table, doc, false);
      const std::vector<std::string_view> kinds =
          table.kind.empty() ? std::vector<std::string_view>{"wave", "lbm", "nbody", "pde", "data"}
                             : std::vector<std::string_view>{table.kind};
      for (const std::string_view kind : kinds) {
        if (path == "solver.kind" && kind != "wave") continue;  // the example names that one
        if (table.doc.path == "camera.key" && kind != "nbody") continue;
        std::string text = scenes.at(kind);
        if (table.doc.path == "view.class") text += "[[view.class]]\nvalue = 1\n";
        if (table.doc.path == "view.key") text += window_for(doc.key);
        if (kind == "pde") text = equations_for(path, text);
        if (path == "camera.fit") text = text.substr(0, text.find("[[camera.key]]"));
        if (table.doc.path == "overlay") text += overlay_for(path);
        if (path.starts_with("solver.phases.")) text = two_phases;
        std::vector<std::string> overrides;
        for (const auto& [keys, needed] : company)
          if (is_among(path, keys) || is_among(fmt::format("{}:{}", kind, path), keys)) overrides = needed;
        const auto initial = initial_of.find(table.doc.path == "solver" ? path : table.doc.path);
        if (initial != initial_of.end()) {
          text = fmt::format("[solver]\nkind = \"nbody\"\ninitial = \"{}\"\n", initial->second);
          if (initial->second == "kepler") text += "[[solver.planet]]\n";
        }
        overrides.push_back(fmt::format("{}={}", path_of(table, doc, true), doc.example));
        EXPECT_EQ(complaint(kind, text, overrides), "") << path << " = " << doc.example << ", kind " << kind;
        ++count;
        if (table.doc.path == "solver.parameters" || table.doc.path == "solver.obstacle.hold")
          continue;  // they have any name
        overrides.push_back(fmt::format("{}x=1", path_of(table, doc, true)));
        const std::string wrong = complaint(kind, text, overrides);
        EXPECT_TRUE(says(wrong, fmt::format("unknown key \"{}x\"", doc.key))) << path << ": " << wrong;
      }
    }
  EXPECT_GT(count, 200u);
}

TEST(Keys, EachHasAMeaningARangeAndADefault) {
  std::set<std::string> tables;
  for (const KeyTable& table : key_tables()) {
    tables.insert(table.doc.path);
    EXPECT_TRUE(table.doc.path.empty() || !table.doc.meaning.empty()) << table.doc.path;
    for (const KeyDoc& doc : table.doc.keys) {
      const std::string path = path_of(table, doc, false);
      EXPECT_GT(doc.meaning.size(), 4u) << path;
      EXPECT_FALSE(doc.meaning.starts_with("of ")) << path << " " << doc.meaning;  // says what, not only of what
      EXPECT_FALSE(doc.shown_default().empty()) << path;
      EXPECT_FALSE(doc.range.empty()) << path;
    }
  }
  for (const char* path :
       {"", "solver", "solver.droplet", "solver.rain", "solver.boundary", "solver.obstacle", "solver.absorber",
        "solver.source", "solver.tracer", "solver.tracer.spot", "solver.planet", "view", "view.key", "camera",
        "camera.key", "animation", "output", "output.options", "golden"})
    EXPECT_TRUE(tables.contains(path)) << path;
}

// The keys that a TOML text uses, "solver.droplet.radius", found line by line: values that span lines hold no "key =".
struct UsedKeys {
  std::string kind;  // empty: an excerpt that names none
  std::set<std::string> paths;
};
UsedKeys keys_in(const std::string& text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  UsedKeys used;
  std::string table;
  std::istringstream lines(text);
  for (std::string whole; std::getline(lines, whole);) {
    std::string_view line = trim(whole);
    const bool header = line.starts_with('[');
    while (line.starts_with('[')) line.remove_prefix(1);
    const std::size_t end = header ? line.find(']') : line.find_first_not_of(letters);
    if (end == 0 || end == std::string_view::npos) continue;
    const std::string name(line.substr(0, end));
    if (header) {
      if (name.find_first_not_of(std::string(letters) + '.') == std::string::npos) table = name;
      continue;
    }
    std::string_view value = trim(line.substr(end));
    if (!value.starts_with('=')) continue;
    value = trim(value.substr(1));
    if (table == "output.options" || value.starts_with('{')) continue;
    used.paths.insert(table.empty() ? name : table + "." + name);
    if (table == "solver" && name == "kind") used.kind = value.substr(1, value.find('"', 1) - 1);
  }
  return used;
}

TEST(Keys, ListsEveryKeyThatScenesAndDocumentsUse) {
  std::map<std::string, std::set<std::string>> listed;  // by kind
  for (const KeyTable& table : key_tables())
    for (const SolverKind& kind : solver_kinds()) {
      if (!table.kind.empty() && table.kind != kind.name) continue;
      std::set<std::string>& paths = listed[std::string(kind.name)];
      if (table.doc.list) paths.insert(table.doc.path);  // droplet = [{...}, {...}]
      for (const KeyDoc& doc : table.doc.keys) paths.insert(path_of(table, doc, false));
    }

  std::vector<std::pair<std::string, std::string>> texts;
  for (const char* folder : {"scenes", "tests/golden"})
    for (const auto& scene : scenes_in(folder)) texts.emplace_back(scene.string(), text_of(scene.string()));
  std::vector<std::filesystem::path> documents = {root() / "README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root() / "docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  for (const auto& document : documents) {
    const std::string text = text_of(document.string());
    for (std::size_t at = 0; (at = text.find("```toml\n", at)) != std::string::npos;) {
      const std::size_t end = text.find("```", at += 8);
      const std::string block = text.substr(at, end - at);
      const bool scene = block.find("[[panel") == std::string::npos && block.find("[[part]]") == std::string::npos;
      if (scene) texts.emplace_back(document.string(), block);
      at = end + 3;
    }
  }
  ASSERT_GT(texts.size(), 30u);
  for (const auto& [name, text] : texts) {
    const UsedKeys used = keys_in(text);
    for (std::string path : used.paths) {
      // Names of the scene's own.
      if (path.starts_with("solver.parameters.")) path = "solver.parameters.F";
      constexpr std::string_view fields = "solver.fields.";
      if (path.starts_with(fields)) path.replace(fields.size(), path.find('.', fields.size()) - fields.size(), "u");
      const bool known = used.kind.empty()
                             ? std::ranges::any_of(listed, [&](const auto& kind) { return kind.second.contains(path); })
                             : listed[used.kind].contains(path);
      EXPECT_TRUE(known) << name << " uses " << path;
    }
  }
}

class KeysCommand : public CommandTest {};

TEST_F(KeysCommand, PrintsTextAndJson) {
  const Outcome text = run("keys");
  ASSERT_EQ(text.exit, 0) << text.err;
  for (const char* words : {"[[camera.key]]", "[golden]", "[solver], kind = \"nbody\"", "seed", "max_flip",
                            "steps_per_frame", "where the camera is, world units"})
    EXPECT_TRUE(says(text.out, words));
  const std::string views = run("keys view").out;
  for (const char* words : {"[view]", "[[view.key]]", "[view.particles]"}) EXPECT_TRUE(says(views, words));
  EXPECT_EQ(views.find("[solver]"), std::string::npos);
  EXPECT_TRUE(says(run("keys veiw").err, "did you mean \"view\"?"));
  const auto json = nlohmann::json::parse(run("keys --json").out);
  std::size_t keys = 0;
  for (const auto& table : json["tables"]) keys += table["keys"].size();
  EXPECT_GT(keys, 120u);
  const auto& view = *std::ranges::find_if(json["tables"], [](const auto& table) { return table["table"] == "view"; });
  EXPECT_EQ(view["keys"][2]["key"], "colormap");
  EXPECT_EQ(view["keys"][2]["default"], "follows from the field");
  EXPECT_EQ(run("keys --json --markdown").exit, 2);
  const std::string markdown = run("keys --markdown").out;
  for (const char* line :
       {"\n#### `[solver.rain]` of `kind = \"wave\"`\n", "\n| `seed` | `1` | `1` | whole number, at least 0 | starts",
        "| `kind` | required | `\"wave\"` | `\"wave\"`, `\"lbm\"`"})
    EXPECT_TRUE(says(markdown, line));
}

}  // namespace
}  // namespace simreel::test
