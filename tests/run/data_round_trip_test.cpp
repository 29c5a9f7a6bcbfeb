// Every scene rendered to .h5, .npy and .npz, drawn again as data, gives the frames of the direct run.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "run/prepared_run.h"
#include "run/render_loop.h"
#include "source/solver.h"
#include "tests/support/command_fixture.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

// Renders the scene; returns the text of its .hashes.
std::string hashes_of(const Scene& scene, const std::string& file, std::vector<std::string> more = {}) {
  const Executor executor = Executor::cpu(2);
  more.push_back(file);
  PreparedRun run(scene, plan_solver(scene), executor, {.outputs = more});
  run.open_outputs();
  const RenderResult result = render({.run = run});
  EXPECT_EQ(result.frames, scene.animation.frames);
  return test::text_of(file);
}

// The [[solver.obstacle]] tables of a scene.
std::string obstacles_in(const std::string& text) {
  std::string found;
  bool inside = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) inside = line.starts_with("[[solver.obstacle]]");
    // How waves reflect, how an obstacle turns, how warm it is and what it holds is not seen.
    constexpr std::string_view unseen[] = {"wall", "rotation", "period", "temperature", "hold"};
    const bool seen = std::ranges::none_of(unseen, [&](std::string_view key) { return line.starts_with(key); });
    if (inside && seen) found += line + "\n";
  }
  return found;
}

// The same look at what files hold.
Scene data_scene(const Scene& direct, const std::string& folder, const std::string& keys) {
  Scene scene = parse_scene("[solver]\nkind = \"data\"\n" + keys, folder + "/x.toml");
  scene.seed = direct.seed;
  scene.view = direct.view;
  scene.view.layers = false;
  scene.camera = direct.camera;
  scene.animation = direct.animation;
  scene.animation.start = 0;
  scene.animation.steps_per_frame = 1;
  scene.figure = direct.figure;
  return scene;
}

void expect_round_trip(const std::filesystem::path& file, std::vector<std::string> overrides) {
  SCOPED_TRACE(file.string());
  const test::Folder folder;
  for (const std::string& more : test::few_bodies(file)) overrides.push_back(more);
  Scene direct = load_complete_scene(file, overrides);
  if (direct.text.find("[[solver.particles]]") != std::string::npos) return;  // no file holds them
  direct.figure = {};  // its labels say what not every file knows
  direct.overlays = {};
  const SolverPlan plan = plan_solver(direct);
  if (plan.grid.without_layers) direct.view.layers = true;  // files hold them
  const std::string expected =
      hashes_of(direct, folder / "direct.hashes", {folder / "h/%03d.h5", folder / "n/%03d.npy", folder / "z/%03d.npz"});
  ASSERT_GT(expected.size(), 20u);
  std::string obstacles = obstacles_in(direct.text);
  for (std::size_t at = 0; (at = obstacles.find("file", at)) != std::string::npos; at += 4) {
    const std::size_t quote = obstacles.find('"', at);
    obstacles.insert(quote + 1, (std::filesystem::absolute(file).parent_path() / "").string());
  }
  const std::string pace = plan.bodies > 0 ? fmt::format("timestep = {}\n", plan.frame_interval) : "";
  const Scene from_h5 = data_scene(direct, folder.path(), "files = \"h/%03d.h5\"\n" + obstacles);
  EXPECT_EQ(hashes_of(from_h5, folder / "h5.hashes"), expected);
  const Scene from_npz = data_scene(direct, folder.path(), "files = \"z/*.npz\"\n" + pace + obstacles);
  EXPECT_EQ(hashes_of(from_npz, folder / "npz.hashes"), expected);
  if (direct.view.field == "group") return;  // .npy holds none
  Scene from_npy = data_scene(direct, folder.path(), "files = \"n/%03d.npy\"\n" + pace + obstacles);
  if (plan.bodies == 0) from_npy.view.field = "";  // a .npy has no name
  EXPECT_EQ(hashes_of(from_npy, folder / "npy.hashes"), expected);
}

TEST(DataRoundTrip, GoldenScenesGiveTheirFramesAgain) {
  for (const auto& file : test::scenes_in("tests/golden")) expect_round_trip(file, {});
}

TEST(DataRoundTrip, ShippedScenesGiveTheirFramesAgain) {
  for (const auto& file : test::scenes_in("scenes"))
    expect_round_trip(file, {"view.size=[320,180]", "animation.frames=2", "animation.steps_per_frame=3"});
}

// Axes, a bar, the time, arrows and streamlines of files that know their time and the parts of the velocity.
TEST(DataRoundTrip, FiguresOfFilesAreThoseOfTheRun) {
  const test::Folder folder;
  for (const std::string name : {"figure_wave", "figure_lbm", "streamlines"}) {
    const std::string golden = name == "figure_wave" ? name : "figure_lbm";
    std::vector<std::string> overrides = {"figure.time=t = {time:.1f}", "figure.title=states"};
    if (golden == "figure_lbm") overrides.push_back("output.fields=[\"speed\", \"ux\", \"uy\"]");
    if (name == "streamlines") overrides.insert(overrides.end(), {"figure.arrows=0", "figure.streamlines=true"});
    const Scene direct = load_complete_scene(test::root() / "tests/golden" / fmt::format("{}.toml", golden), overrides);
    const std::string files = fmt::format("{}/%d.h5", name);
    const std::string expected = hashes_of(direct, folder / fmt::format("{}.hashes", name), {folder / files});
    const Scene scene =
        data_scene(direct, folder.path(), fmt::format("files = \"{}\"\n", files) + obstacles_in(direct.text));
    EXPECT_EQ(hashes_of(scene, folder / fmt::format("{}_h5.hashes", name)), expected) << name;
  }
}

// The colours of what is not a number, and solid cells that only the files know.
TEST(DataRoundTrip, SolidCellsStandInTheFiles) {
  const test::Folder folder;
  const Scene direct = load_complete_scene(test::root() / "tests/golden/lbm_dye.toml");
  const std::string expected = hashes_of(direct, folder / "direct.hashes", {folder / "h/%d.h5", folder / "z/%d.npz"});
  for (const char* files : {"h/*.h5", "z/*.npz"})
    EXPECT_EQ(hashes_of(data_scene(direct, folder.path(), fmt::format("files = \"{}\"\n", files)),
                        folder / fmt::format("{}.hashes", files[0])),
              expected)
        << "a field that is made smaller shows its cells";
}

}  // namespace
}  // namespace simreel
