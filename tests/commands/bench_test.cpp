// `simreel bench` with sweeps, as a user runs it.

#include <nlohmann/json.hpp>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

class BenchCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    write("bodies.toml", "[solver]\nkind = \"nbody\"\nbodies = 100\n");
    write("wave.toml", "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n");
  }
};

TEST_F(BenchCommand, SweepsBodiesKernelsTilesAndPrecisions) {
  const test::Outcome outcome =
      run("bench bodies.toml --backend cpu --steps 2 --runs 1 --json --bodies 33,64 --kernels serial,tiled,symmetric "
          "--tiles 8,16 --precisions exact,double");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto rows = nlohmann::json::parse(outcome.out)["kernels"];
  // For each number of bodies: serial; tiled in 2 precisions with 2 tiles; symmetric in the one precision it has.
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_EQ(rows[0]["kernel"], "serial");
  EXPECT_EQ(rows[0]["executor"], "CPU, 1 thread");
  EXPECT_EQ(rows[0]["precision"], "double");
  EXPECT_EQ(rows[1]["tile"], 8);
  EXPECT_EQ(rows[2]["tile"], 16);
  EXPECT_EQ(rows[5]["kernel"], "symmetric");
  EXPECT_FALSE(rows[5].contains("tile"));
  for (std::size_t i = 0; i < 12; ++i) {
    const double bodies = i < 6 ? 33 : 64;
    EXPECT_EQ(rows[i]["bodies"], bodies);
    const double steps = rows[i]["steps_per_second"];
    EXPECT_NEAR(rows[i]["interactions_per_second"].get<double>() / steps, bodies * bodies, 1e-6);
    EXPECT_NEAR(rows[i]["ms_per_step"].get<double>() * steps, 1000, 1e-6);
    EXPECT_LT(rows[i]["error"], rows[i]["precision"] == "double" ? 1e-13 : 1e-6);
    EXPECT_GE(rows[i]["error"], 0);
  }
}

TEST_F(BenchCommand, PrintsCsvAndATable) {
  const test::Outcome csv = run("bench bodies.toml --backend cpu --steps 2 --runs 1 --csv --kernels naive,symmetric");
  ASSERT_EQ(csv.exit, 0) << csv.err;
  EXPECT_EQ(csv.out.find("bodies,kernel,tile,precision,executor,steps,steps_per_second,ms_per_step,interactions_per_"
                         "second,error\n100,naive,,,\"CPU, "),
            0u);
  EXPECT_NE(csv.out.find("\n100,symmetric,,,"), std::string::npos);
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3);
  const test::Outcome table = run("bench bodies.toml --backend cpu --steps 2 --runs 1");
  ASSERT_EQ(table.exit, 0) << table.err;
  EXPECT_NE(table.out.find("Ginteractions/s"), std::string::npos);
  EXPECT_NE(table.out.find("      100  as the scene says"), std::string::npos);
}

TEST_F(BenchCommand, RefusesSweepsThatASolverDoesNotHave) {
  const auto error = [&](const std::string& arguments) {
    const test::Outcome outcome = run("bench " + arguments);
    EXPECT_EQ(outcome.exit, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    return outcome.err;
  };
  EXPECT_NE(error("wave.toml --bodies 8").find("--bodies: the wave solver has none"), std::string::npos);
  EXPECT_NE(error("wave.toml --kernels serial").find("auto, naive, tiled"), std::string::npos);
  EXPECT_NE(error("bodies.toml --kernels fast").find("auto, naive, tiled, symmetric, serial"), std::string::npos);
  EXPECT_NE(error("bodies.toml --tiles 8,9").find("8, 16, 32"), std::string::npos);
  EXPECT_NE(error("bodies.toml --precisions half").find("exact, fast, double"), std::string::npos);
  EXPECT_NE(error("bodies.toml --json --csv").find("--csv"), std::string::npos);
}

}  // namespace
}  // namespace simreel
