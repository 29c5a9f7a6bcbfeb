// What scenes from strangers read, write and print.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/golden_fixture.h"

namespace simreel::test {
namespace {

const std::string bodies = "x,y,z,vx,vy,vz,mass\n0,0,0,0,0,0,1\n1,0,0,0,0,0,1\n";

class Confine : public CommandTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "s/in");
    write("s/in/b.csv", bodies);
    write("b.csv", bodies);
    std::filesystem::create_symlink("../b.csv", folder_ / "s/link.csv");
    std::filesystem::create_symlink("in/b.csv", folder_ / "s/inner.csv");
  }
  void scene(const std::string& file, const std::string& more = "") {
    write("s/a.toml", "[solver]\nkind = \"nbody\"\ninitial = \"file\"\nfile = \"" + file + "\"\n" + more);
  }
};

TEST_F(Confine, ReadsStayBelowTheFolder) {
  for (const std::string inside : {"in/b.csv", "inner.csv", "in/../in/b.csv"}) {
    scene(inside);
    EXPECT_EQ(run("check --confine s/a.toml").exit, 0) << inside;
  }
  for (const std::string& outside : {std::string("../b.csv"), std::string("link.csv"), folder_ / "b.csv",
                                     std::string("../nothing.csv"), std::string("in/../../b.csv")}) {
    scene(outside);
    const Outcome refused = run("check --confine s/a.toml");
    EXPECT_EQ(refused.exit, 2) << outside;
    EXPECT_TRUE(contains(refused.err, "it lies outside of ")) << outside << refused.err;
    EXPECT_TRUE(contains(refused.err, "--confine=DIR names a wider folder")) << outside << refused.err;
    if (contains(outside, "nothing")) continue;
    EXPECT_EQ(run("check s/a.toml").exit, 0) << outside;
    EXPECT_EQ(run("check --confine=. s/a.toml").exit, 0) << outside;
  }
}

TEST_F(Confine, OutputsStayBelowTheFolder) {
  scene("in/b.csv", "[output]\npath = \"../x.csv\"\n[animation]\nframes = 2\n");
  const Outcome refused = run("render --confine s/a.toml");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_TRUE(contains(refused.err, "s/a.toml:6:1: \"path\" in [output]: s/../x.csv: it lies outside of "))
      << refused.err;
  EXPECT_EQ(run("render --confine s/a.toml -o y.csv").exit, 0);
  EXPECT_FALSE(exists("x.csv"));
  const Outcome told = run("render s/a.toml");
  EXPECT_EQ(told.exit, 0) << told.err;
  EXPECT_TRUE(contains(told.err, "\"path\" in [output] leads out of the scene's folder, to s/../x.csv")) << told.err;
  EXPECT_TRUE(exists("x.csv"));
}

TEST_F(Confine, TheEnvironmentSaysItForAll) {
  scene("link.csv");
  ::setenv("SIMREEL_CONFINE", "1", 1);
  const Outcome refused = run("check s/a.toml");
  ::unsetenv("SIMREEL_CONFINE");
  EXPECT_EQ(refused.exit, 2) << refused.err;
}

TEST_F(Confine, PanelsNameNoFilesOfTheSystem) {
  for (const std::string panel : {"scene = \"/proc/self/environ\"", "image = \"/dev/zero\"",
                                  "[[panel.plot.line]]\nfile = \"/dev/zero\"\nx = \"a\"\ny = \"b\""}) {
    write("f.toml", "[[panel]]\n" + panel + "\n");
    const Outcome refused = run("figure f.toml -o x.pdf");
    EXPECT_EQ(refused.exit, 2) << panel;
    EXPECT_TRUE(contains(refused.err, "it is a ")) << panel << refused.err;
  }
}

TEST_F(Confine, TitlesDoNotSteerTheTerminal) {
  write("s/a.toml", "title = \"a\\u001b[2Jb\"\n[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n");
  const Outcome checked = run("check s/a.toml");
  EXPECT_EQ(checked.exit, 0);
  EXPECT_TRUE(contains(checked.out, "title      a\\u001B[2Jb\n")) << checked.out;
}

using ConfinedGolden = GoldenCommand;

TEST_F(ConfinedGolden, GoldensAndScenesStayInTheirFolder) {
  accept();
  ASSERT_EQ(check().exit, 0);
  std::filesystem::rename(folder_ / "g/a.hashes", folder_ / "a.hashes");
  std::filesystem::create_symlink("../a.hashes", folder_ / "g/a.hashes");
  const Outcome outcome = check();
  EXPECT_EQ(outcome.exit, 4) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "a: g/a.hashes: it lies outside of ")) << outcome.out;
  EXPECT_EQ(check("--confine=.").exit, 0);
  std::filesystem::remove(folder_ / "g/b.toml");
  std::filesystem::create_symlink("/etc/passwd", folder_ / "g/b.toml");
  const Outcome scene = check("b");
  EXPECT_EQ(scene.exit, 2);
  EXPECT_FALSE(contains(scene.out, "root")) << scene.out;
}

// What `golden check` once waited for without end.
TEST_F(ConfinedGolden, PipesAndDevicesAreNoGoldens) {
  accept();
  for (const bool pipe : {true, false}) {
    std::filesystem::remove(folder_ / "g/a.hashes");
    if (pipe)
      ASSERT_EQ(::mkfifo((folder_ / "g/a.hashes").c_str(), 0600), 0);
    else
      std::filesystem::create_symlink("/dev/zero", folder_ / "g/a.hashes");
    const Outcome outcome = check("--confine=/");
    EXPECT_EQ(outcome.exit, 4) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, pipe ? "it is a pipe" : "it is a device")) << outcome.out;
  }
}

}  // namespace
}  // namespace simreel::test
