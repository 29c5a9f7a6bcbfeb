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
  EXPECT_EQ(csv.out.find("grid,bodies,kernel,tile,precision,executor,steps,runs,steps_per_second,spread,ms_per_step,"
                         "interactions_per_second,error\n,100,naive,,,\"CPU, "),
            0u);
  EXPECT_NE(csv.out.find("\n,100,symmetric,,,"), std::string::npos);
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3);
  write("speed.csv", csv.out);
  EXPECT_EQ(run("plot speed.csv -x ms_per_step -y interactions_per_second -o speed.svg").exit, 0);
  const test::Outcome table = run("bench bodies.toml --backend cpu --steps 2 --runs 1");
  ASSERT_EQ(table.exit, 0) << table.err;
  EXPECT_NE(table.out.find("Ginteractions/s"), std::string::npos);
  EXPECT_NE(table.out.find("      100  as the scene says"), std::string::npos);
}

TEST_F(BenchCommand, SweepsMethodsAndAccuracies) {
  const std::string sweep =
      "bench bodies.toml --backend cpu --steps 2 --runs 1 --bodies 800 --methods direct,tree --accuracies coarse,fine";
  const test::Outcome json = run(sweep + " --json");
  ASSERT_EQ(json.exit, 0) << json.err;
  const auto rows = nlohmann::json::parse(json.out)["kernels"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["method"], "direct");
  EXPECT_FALSE(rows[0].contains("stages"));
  EXPECT_EQ(rows[1]["accuracy"], "coarse");
  EXPECT_EQ(rows[2]["accuracy"], "fine");
  for (const auto& row : rows) {
    EXPECT_EQ(row["bodies"], 800);
    EXPECT_NEAR(row["bodies_per_second"].get<double>() / row["steps_per_second"].get<double>(), 800, 1e-9);
  }
  for (const char* error : {"error", "error_rms", "error_p99"}) {
    EXPECT_LT(rows[0][error], 1e-5) << error;
    EXPECT_GT(rows[2][error], rows[0][error]) << error;
    EXPECT_GT(rows[1][error], rows[2][error]) << error;
  }
  EXPECT_GT(rows[1]["stages"]["walk"], 0);
  const test::Outcome csv = run(sweep + " --csv");
  EXPECT_EQ(csv.out.find("grid,bodies,kernel,tile,precision,executor,steps,runs,steps_per_second,spread,ms_per_step,"
                         "bodies_per_second,error,error_rms,error_p99,method,accuracy\n,800,,,,\"CPU, "),
            0u)
      << csv.out;
  EXPECT_NE(csv.out.find(",tree,coarse\n"), std::string::npos) << csv.out;
  const test::Outcome table = run(sweep);
  EXPECT_NE(table.out.find("      800  tree, coarse "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("Stages of 800 bodies, tree, fine: keys "), std::string::npos) << table.out;
}

TEST_F(BenchCommand, SweepsGridsAndTellsTheSpreadOfItsRuns) {
  const std::string sweep = "bench wave.toml --backend cpu --steps 3 --runs 4 --kernels naive --grids 16,32x24";
  const test::Outcome json = run(sweep + " --json");
  ASSERT_EQ(json.exit, 0) << json.err;
  const auto rows = nlohmann::json::parse(json.out)["kernels"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["grid"], nlohmann::json({16, 16}));
  EXPECT_EQ(rows[1]["grid"], nlohmann::json({32, 24}));
  for (const auto& row : rows) {
    EXPECT_EQ(row["runs"], 4);
    EXPECT_GE(row["spread"], 0);
    const double cells = row["grid"][0].get<double>() * row["grid"][1].get<double>();
    EXPECT_NEAR(row["cells_per_second"].get<double>() / row["steps_per_second"].get<double>(), cells, 1e-6);
  }
  const test::Outcome csv = run(sweep + " --csv");
  EXPECT_EQ(csv.out.find("grid,bodies,kernel,"), 0u) << csv.out;
  EXPECT_NE(csv.out.find("\n16x16,,naive,,,\"CPU, "), std::string::npos) << csv.out;
  EXPECT_NE(csv.out.find("\n32x24,,naive,,,\"CPU, "), std::string::npos) << csv.out;
  const test::Outcome table = run(sweep);
  EXPECT_NE(table.out.find("      16x16  naive "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("Medians of 4 runs; the spread is"), std::string::npos) << table.out;
  // One run has no spread; without --grids the scene's grid is named.
  const test::Outcome one = run("bench wave.toml --backend cpu --steps 3 --runs 1 --json");
  EXPECT_TRUE(nlohmann::json::parse(one.out)["kernels"][0]["spread"].is_null());
  EXPECT_EQ(nlohmann::json::parse(one.out)["kernels"][0]["grid"], nlohmann::json({64, 36}));
  const test::Outcome one_table = run("bench wave.toml --backend cpu --steps 3 --runs 1");
  EXPECT_NE(one_table.out.find("\nOne run of each, so no spread. GB/s counts"), std::string::npos) << one_table.out;
}

}  // namespace
}  // namespace simreel
