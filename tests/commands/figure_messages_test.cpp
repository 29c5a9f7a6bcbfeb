// What `simreel plot` and `simreel figure` answer to mistakes.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/messages_fixture.h"
#include "tests/support/npy.h"

namespace simreel {
namespace {

using test::Messages;
using test::npy;
using test::Outcome;

class FigureMessages : public Messages {};

// A plot and a figure are no scenes, and have options that scenes call otherwise.
TEST_F(FigureMessages, OptionsOfPlotsAndFigures) {
  write("t.csv", "t,drag\n0,1\n1,2\n");
  write("fig.toml", "[[panel]]\nscene = \"a.toml\"\n");
  run("--version");
  const std::string plot = "plot t.csv -y drag -o p.svg ", unknown = "simreel plot: unknown option ";
  const std::vector<std::pair<std::string, std::string>> meant = {
      {"--label", "--legend"},   {"--size", "--width"},         {"--log", "--loglog"}, {"--marker", "--style"},
      {"--x-label", "--xlabel"}, {"--fontsize", "--font-size"}, {"--x", "-x"},         {"-title", "--title"}};
  for (const auto& [theirs, ours] : meant)
    refuses(plot + theirs + " a", {unknown + theirs + "; did you mean " + ours + "?"});
  refuses(plot + "--colormap a", {unknown + "--colormap; there are ", "--slope"});
  refuses(plot + "--title '$\\foo$'", {"--title $\\foo$: \\foo is not a known name of mathematics; there are "});
  refuses(plot + "--legend '$x'", {"--legend $x: "});
  refuses(plot + "--legend 'E, total'",
          {"--legend: names 2 lines, and the plot has 1: drag; a name with a comma stands in quotes"});
  EXPECT_EQ(run(plot + "--overwrite --legend '\"E, \"\"total\"\"\"'").exit, 0);
  refuses("plot t.csv -y drag -output p.svg", {unknown + "-output; did you mean --output?"});
  refuses("figure fig.toml -o p.svg --width 85mm",
          {"simreel figure: unknown option --width; width is a key of [figure] in the file"});
  refuses("compare a.png b.png --frames 3", {"simreel compare: unknown option --frames; there are "});
}

// Of a page as of a run; once for all panels of a scene, with the place of the first.
TEST_F(FigureMessages, WarningsOfScenesAreTold) {
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

TEST_F(FigureMessages, AFigureShowsItsProgress) {
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
  refuses("figure fig.toml -o p.svg --overwrite --progress bar", {"--progress: bar not in {auto,plain,json,none}"});
}

// Mistakes in the text of a figure and of its overrides stand where the figure has them.
TEST_F(FigureMessages, FiguresNamePlacesOfTheirOwn) {
  run("--version");
  write("fig.toml", "[figure]\ntitle = my figure\n[[panel]]\nscene = \"a.toml\"\n");
  refuses("figure fig.toml -o p.svg", {"fig.toml:2:9: text needs quotes: title = \"my figure\""});
  write("fig.toml", "[[panel]]\n[panel.plot]\n[[panel.plot.line]]\nfile = t.csv\n");
  refuses("figure fig.toml -o p.svg", {"fig.toml:4:8: text needs quotes: file = \"t.csv\""});
  write("fig.toml",
        "[figure]\ncolumns = 2\nset = [\"view.scale=lin\"]\n[[panel]]\nscene = \"a.toml\"\n"
        "set = [\"view.nan=red\", \"view.siez=3\"]\n[[panel]]\nscene = \"a.toml\"\n");
  refuses("figure fig.toml -o p.svg",
          {"fig.toml:3:1: panel a: \"view.scale=lin\" in \"set\": \"scale\" in [view] is \"lin\"",
           "\nfig.toml:6:1: panel a: \"view.nan=red\" in \"set\": ", "here \"#ff0000\"",
           "\nfig.toml:6:1: panel a: \"view.siez=3\" in \"set\": unknown key \"siez\""});
  write("fig.toml", "[[panel]]\n[panel.plot]\n[[panel.plot.line]]\nfile = \"no.csv\"\nx = \"t\"\ny = \"a\"\n");
  refuses("figure fig.toml -o p.svg", {"no.csv: there is no such file"});
  write("fig.toml", "[[panel]]\nimage = \"a.toml\"\n");
  refuses("figure fig.toml -o p.svg", {"fig.toml:1:1: a.toml: \"image\" is a PNG; a scene is shown with \"scene\""});
  refuses("plot a.toml -y a -o p.svg", {"a.toml: a plot draws CSV files; simreel figure a.toml and"});
}

// Of a file that is none of the kind that the figure or the scene expects.
TEST_F(FigureMessages, QuoteNoFileOfAnotherKind) {
  run("--version");
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
  refuses("check own.toml", {"text needs quotes: API_KEY = \"hunter2\""});
}

}  // namespace
}  // namespace simreel
