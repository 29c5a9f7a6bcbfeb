// How the program speaks: help, JSON, scenes from pipes, new scenes, and what it quotes. tests/messages has its
// messages.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/command_fixture.h"
#include "tests/support/npy.h"

namespace simreel {
namespace {

using test::npy;
using test::Outcome;
using test::text_of;

class Messages : public test::CommandTest {
 protected:
  void SetUp() override {
    write("a.toml",
          "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n[view]\nsize = [64, 36]\nrange = [-1, 1]\n"
          "[animation]\nframes = 3\n");
  }
};

TEST_F(Messages, ATransparentPictureNamesOutputsThatKeepIt) {
  const std::string clear = " --set view.background=#00000000";
  for (const char* lost : {"b.mp4", "b.gif", "b.y4m"}) {
    const std::string said = run(fmt::format("check a.toml -o {}{}", lost, clear)).out;
    EXPECT_NE(said.find("as if it were opaque"), std::string::npos) << lost << said;
    EXPECT_EQ(run(fmt::format("check a.toml -o {}", lost)).out.find("as if it were opaque"), std::string::npos);
  }
  for (const char* kept : {"b.webm", "b.mov", "b.mkv", "b.webp", "b.apng", "b.png", "b/%d.png"})
    EXPECT_EQ(run(fmt::format("check a.toml -o {}{}", kept, clear)).out.find("as if it were opaque"),
              std::string::npos);
}

TEST_F(Messages, MemorySaysWhatTakesIt) {
  const std::string said = run("check a.toml -o b.mp4").out;
  EXPECT_NE(said.find("for the solver, "), std::string::npos) << said;
  EXPECT_NE(run("check a.toml --set animation.steps_per_frame=1").out.find(", 1 step a frame\n"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(run("check a.toml -o b.mp4 --json").out);
  EXPECT_GT(json["output_memory_bytes"], json["memory_bytes"].get<double>() / 2) << "x264 takes most of it";
  EXPECT_GE(json["solver_memory_bytes"], 64 * 36 * 2 * 4);
}

TEST_F(Messages, HelpIsACommandToo) {
  EXPECT_EQ(run("help").out, run("--help").out);
  for (const std::string command : {"render", "golden check", "golden"}) {
    const Outcome help = run("help " + command);
    EXPECT_EQ(help.exit, 0) << help.err;
    EXPECT_EQ(help.out, run(command + " --help").out);
  }
  EXPECT_EQ(run("-V").out, run("--version").out);
}

TEST_F(Messages, OneSolverIsShownAlone) {
  const std::string wave = run("solvers wave").out;
  EXPECT_EQ(wave.find("kind = \"wave\""), 0u) << wave;
  EXPECT_EQ(wave.find("kind = \"nbody\""), std::string::npos);
  std::string all = wave;
  for (const std::string kind : {"lbm", "nbody", "pde", "data"}) all += run("solvers " + kind).out;
  EXPECT_EQ(run("solvers").out, all);
}

TEST_F(Messages, TheLastStateIsAnOutputAsTheLastPictureIs) {
  for (const std::string kind : {"npy", "npz", "h5"}) {
    const Outcome outcome = run(fmt::format("render a.toml -o x.{0} -o s/%d.{0}", kind));
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(text_of(folder_ / ("x." + kind)), text_of(folder_ / ("s/2." + kind)));
    EXPECT_NE(run("check a.toml -o y." + kind).out.find("output     y." + kind), std::string::npos);
  }
}

TEST_F(Messages, MistakesOfOneSceneAreJsonTogether) {
  write("bad.toml", "[solver]\nkind = \"wave\"\ngrid = [64, 36]\ndampnig = 1\n[view]\nsize = \"64x36\"\n[[droplet]]\n");
  const Outcome json = run("check bad.toml --json --set seed=-1");
  EXPECT_EQ(json.exit, 2);
  const auto result = nlohmann::json::parse(json.out);
  EXPECT_EQ(result["scene"], "bad.toml");
  ASSERT_EQ(result["mistakes"].size(), 4u) << json.out;
  EXPECT_EQ(result["mistakes"][0]["place"], "bad.toml:4:1");
  EXPECT_EQ(result["mistakes"][0]["line"], 4);
  EXPECT_EQ(result["mistakes"][0]["column"], 1);
  EXPECT_EQ(result["mistakes"][0]["message"], "unknown key \"dampnig\" in [solver]; did you mean \"damping\"?");
  EXPECT_EQ(result["mistakes"][3]["place"], "--set seed=-1");
  EXPECT_TRUE(result["mistakes"][3]["line"].is_null());
}

// Whatever finds the mistake: the parser, the colormaps, the outputs.
TEST_F(Messages, EveryMistakeInASceneIsJson) {
  write("syntax.toml", "[solver]\nkind = wave\n");
  const std::string a = text_of(folder_ / "a.toml");
  write("map.toml", a + "[output]\npath = \"x.avi\"\n");
  for (const auto& [arguments, place, message] :
       {std::tuple{"syntax.toml", "syntax.toml:2:8", "text needs quotes"},
        {"map.toml", "map.toml:11:1", "the name does not say what to write"},
        {"a.toml --set view.colormap=virdis", "--set view.colormap=virdis", "did you mean \"viridis\"?"},
        {"absent.toml", "absent.toml", "cannot read the scene"},
        {"/dev/fd/3 3<syntax.toml", "<stdin>:2:8", "text needs quotes"}}) {
    const Outcome outcome = run(fmt::format("check --json {}", arguments));
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(result.contains("mistakes")) << arguments << outcome.out;
    ASSERT_EQ(result["mistakes"].size(), 1u) << outcome.out;
    EXPECT_EQ(result["mistakes"][0]["place"], place) << arguments;
    EXPECT_NE(result["mistakes"][0]["message"].get<std::string>().find(message), std::string::npos) << outcome.out;
  }
}

TEST_F(Messages, ASceneMayComeFromAPipe) {
  write("script.sh", fmt::format("'{0}' render - <a.toml || exit 1\n"
                                 "'{0}' render /dev/stdin -o b.hashes <a.toml || exit 2\n"
                                 "cat a.toml | '{0}' bench - --steps 1 --runs 1 --kernels naive,tiled || exit 3\n"
                                 "'{0}' render a.toml -o a.hashes || exit 4\n",
                                 test::program().string()));
  const int status = std::system(fmt::format("cd '{}' && sh script.sh >out.txt 2>err.txt", folder_ / ".").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0) << text_of(folder_ / "err.txt");
  EXPECT_TRUE(exists("stdin.mp4"));
  EXPECT_FALSE(std::filesystem::exists("/dev/stdin.mp4"));
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
}

TEST_F(Messages, ASceneInSharedMemoryIsAFile) {
  const std::filesystem::path folder = "/dev/shm" / std::filesystem::path(folder_.path()).filename();
  if (std::error_code none; !std::filesystem::create_directory(folder, none)) GTEST_SKIP() << "no shared memory here";
  std::ofstream(folder / "a.toml") << text_of(folder_ / "a.toml") << "[output]\npath = \"a.hashes\"\n";
  EXPECT_EQ(run("render " + (folder / "a.toml").string()).exit, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "a.hashes"));
  std::filesystem::remove_all(folder);
}

TEST_F(Messages, ARunOfAPipedSceneIsResumed) {
  write("long.toml", text_of(folder_ / "a.toml") + "steps_per_frame = 1\n");
  const std::string scene = "--set animation.frames=100000 --checkpoint-every 5frames --backend cpu";
  write("start.sh",
        fmt::format("exec '{}' render - -o x.csv {} <long.toml 2>err.txt\n", test::program().string(), scene));
  write("cut.sh",
        "sh start.sh & child=$!\n"
        "until [ -s x.csv.part ]; do kill -0 $child || exit 1; done\n"
        "kill -TERM $child; wait $child; echo $?\n");
  ASSERT_EQ(std::system(fmt::format("cd '{}' && sh cut.sh >out.txt", folder_ / ".").c_str()), 0);
  ASSERT_EQ(text_of(folder_ / "out.txt"), "143\n") << text_of(folder_ / "err.txt");
  const Outcome other = run("render /dev/fd/3 -o x.csv " + scene + " --resume --set seed=3 3<long.toml");
  EXPECT_NE(other.err.find("this run is not the interrupted one: seed"), std::string::npos) << other.err;
  write("resume.sh", fmt::format("'{}' render - -o x.csv {} --resume <long.toml 2>err.txt & child=$!\n"
                                 "until grep -q 'resuming after' err.txt; do kill -0 $child || exit 1; done\n"
                                 "kill -TERM $child; wait $child\n",
                                 test::program().string(), scene));
  EXPECT_EQ(WEXITSTATUS(std::system(fmt::format("cd '{}' && sh resume.sh", folder_ / ".").c_str())), 143)
      << text_of(folder_ / "err.txt");
}

TEST_F(Messages, GoldenResultsComeAsJson) {
  std::filesystem::create_directory(folder_ / "g");
  write("g/a.toml", text_of(folder_ / "a.toml"));
  ASSERT_EQ(run("golden update g").exit, 0);
  const auto same = nlohmann::json::parse(run("golden check g --json").out);
  EXPECT_EQ(same["passed"], true);
  EXPECT_EQ(same["scenes"][0]["name"], "a");
  EXPECT_EQ(same["scenes"][0]["verdict"], "same");
  EXPECT_TRUE(same["scenes"][0]["accept"].is_null());
  write("g/b.toml", "[solver]\nkind = wave\n");
  write("g/a.toml", text_of(folder_ / "a.toml") + "steps_per_frame = 7\n");
  const Outcome outcome = run("golden check g --json");
  EXPECT_EQ(outcome.exit, 2);
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["passed"], false);
  ASSERT_EQ(result["scenes"].size(), 2u);
  EXPECT_EQ(result["scenes"][0]["verdict"], "different");
  EXPECT_NE(result["scenes"][0]["accept"].get<std::string>().find("golden update g a"), std::string::npos);
  EXPECT_EQ(result["scenes"][1]["verdict"], "unreadable");
  EXPECT_NE(result["scenes"][1]["message"].get<std::string>().find("g/b.toml:2:8: text needs quotes"),
            std::string::npos);
}

// Each of the written scenes is complete, small in cost here, and shows something.
TEST_F(Messages, NewScenesRenderAsTheyAre) {
  for (const std::string kind : {"wave", "lbm", "nbody"}) {
    const Outcome made = run("new " + kind);
    EXPECT_EQ(made.exit, 0) << made.err;
    const std::string scene = text_of(folder_ / (kind + ".toml"));
    EXPECT_EQ(run(fmt::format("new {} -", kind)).out, scene);
    EXPECT_GT(std::ranges::count(scene, '#'), 10) << "comments";
    const Outcome again = run("new " + kind);
    EXPECT_EQ(again.exit, 2);
    EXPECT_NE(again.err.find("--overwrite"), std::string::npos) << again.err;
    EXPECT_EQ(run(fmt::format("new {} --overwrite", kind)).exit, 0);
    const Outcome check = run(fmt::format("check {}.toml", kind));
    EXPECT_EQ(check.exit, 0) << check.err;
    EXPECT_EQ(check.err, "") << "no warnings";
    const std::string small = kind == "nbody" ? " --set solver.bodies=256" : "";
    const Outcome render =
        run(fmt::format("render {0}.toml -o {0}.hashes --set view.size=[64,36] --set animation.frames=2 --set "
                        "animation.steps_per_frame=20 --set animation.start=40{1}",
                        kind, small));
    EXPECT_EQ(render.exit, 0) << render.err;
    const std::string hashes = text_of(folder_ / (kind + ".hashes"));
    EXPECT_NE(hashes.substr(2, 16), hashes.substr(hashes.find('\n') + 3, 16)) << hashes;
  }
  EXPECT_EQ(run("new pde --example cahn_hilliard").exit, 0);
  EXPECT_EQ(text_of(folder_ / "cahn_hilliard.toml"), text_of(test::root() / "scenes/cahn_hilliard.toml"));
  EXPECT_EQ(run("new pde -").out, text_of(test::root() / "scenes/gray_scott.toml"));
  EXPECT_EQ(run("new pde --example turing_map").exit, 0);
  EXPECT_EQ(text_of(folder_ / "portrait.png"), text_of(test::root() / "scenes/portrait.png"));
}

// Of a page as of a run; once for all panels of a scene, with the place of the first.
TEST_F(Messages, WarningsOfScenesAreTold) {
  write("x.npy", npy({2, 2}, std::vector<float>(4, std::nanf(""))));
  write("fig.toml", "[figure]\ncolumns = 2\n[[panel]]\ndata = \"x.npy\"\n[[panel]]\ndata = \"x.npy\"\n");
  const Outcome page = run("figure fig.toml --backend cpu -o w.svg");
  EXPECT_EQ(page.exit, 0) << page.err;
  const std::string said = "the first step has no finite value";
  const std::size_t first = page.err.find(said);
  ASSERT_NE(first, std::string::npos) << page.err;
  EXPECT_EQ(page.err.find(said, first + 1), std::string::npos) << page.err;
  EXPECT_NE(page.err.find("warning: fig.toml:3:1: "), std::string::npos) << page.err;
}

TEST_F(Messages, AFigureShowsItsProgress) {
  write("fig.toml", "[[panel]]\nscene = \"a.toml\"\n");
  const Outcome json = run("figure fig.toml --backend cpu -o p.svg --overwrite --progress json");
  EXPECT_EQ(json.exit, 0) << json.err;
  std::istringstream lines(json.err);
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  const auto counts = [](const nlohmann::json& line) { return line.value("stage", "") == "render"; };
  EXPECT_TRUE(std::ranges::any_of(all, counts)) << json.err;
  EXPECT_NE(run("figure fig.toml --backend cpu -o p.svg --overwrite --progress plain").err.find("frame "),
            std::string::npos);
  EXPECT_EQ(run("figure fig.toml --backend cpu -o p.svg --overwrite --progress none").err.find("frame "),
            std::string::npos);
}

// Of a file that is none of the kind that the figure or the scene expects.
TEST_F(Messages, QuoteNoFileOfAnotherKind) {
  const std::vector<std::string> secrets = {
      "root:x:0:0:hunter2:/root:/bin/bash\ndaemon:x:1:1:hunter2:/usr/sbin:/bin/false\n",
      "API_KEY=hunter2\nPIN=1234\n",
      "-----BEGIN PRIVATE KEY-----\nhunter2AAAAB\n-----END PRIVATE KEY-----\n",
      "[default]\ntoken = \"hunter2\"\nhunter2 = 3\n",
      "hunter2 = 1\n[solvers]\nx = hunter2\n",
      "{\"hunter2\": \"hunter2\", \"n\": 3}\n",
      "machine example.org login me password hunter2\n",
      "UUID=hunter2 / ext4 defaults 0 1\nUUID=hunter2 /b ext4 defaults 0 2\n"};
  const std::string wave = "[solver]\nkind = \"wave\"\ngrid = [16, 16]\n";
  const std::vector<std::tuple<std::string, std::string, std::string>> uses = {
      {"f.toml", "[[panel]]\nscene = \"@\"\n", "figure f.toml -o x.svg"},
      {"f.toml", "[[panel]]\ndata = \"@\"\n", "figure f.toml -o x.svg"},
      {"f.toml", "[[panel]]\nimage = \"@.png\"\n", "figure f.toml -o x.svg"},
      {"f.toml", "[[panel]]\n[panel.plot]\n[[panel.plot.line]]\nfile = \"@.csv\"\nx = \"t\"\ny = \"v\"\n",
       "figure f.toml -o x.svg"},
      {"f.toml", wave + "[view]\ncolormap = \"@.csv\"\n", "check f.toml"},
      {"f.toml", wave + "[[overlay]]\nimage = \"@\"\n", "check f.toml"},
      {"f.toml", wave + "[[solver.obstacle]]\nshape = \"image\"\nfile = \"@\"\n", "check f.toml"},
      {"f.toml", "[solver]\nkind = \"nbody\"\ninitial = \"file\"\nfile = \"@.csv\"\n", "check f.toml"},
      {"g/a.toml", "", "golden check g"}};
  std::filesystem::create_directory(folder_ / "g");
  for (const auto& [name, text, command] : uses)
    for (const std::string& secret : secrets) {
      if (command == "check f.toml" && &secret - secrets.data() >= 2) break;  // readers that quote little
      for (const char* ending : {"s", "s.csv", "s.png"}) write(ending, secret);
      std::string own = text;
      if (const std::size_t at = own.find('@'); at != std::string::npos) own.replace(at, 1, "s");
      write(name, text.empty() ? secret : own);
      const Outcome outcome = run(command + " --backend cpu");
      EXPECT_NE(outcome.exit, 0) << own;
      EXPECT_EQ((outcome.out + outcome.err).find("hunter2"), std::string::npos) << own << outcome.out << outcome.err;
    }
  write("own.toml", secrets[1]);
  EXPECT_NE(run("check own.toml").err.find("text needs quotes: API_KEY = \"hunter2\""), std::string::npos);
}

}  // namespace
}  // namespace simreel
