// A driver that is too old for the program, as a user meets it. A small library plays the driver
// (support/fake_driver.cpp).

#include <nlohmann/json.hpp>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;

class OldDriver : public test::CommandTest {
 protected:
  void SetUp() override {
    const std::filesystem::path drivers = test::program().parent_path().parent_path() / "fake_driver";
    if (!std::filesystem::exists(drivers / "libcuda.so.1"))
      GTEST_SKIP() << "this build has no CUDA, or one for which 12.4 is not too old";
    write("small.toml",
          "[solver]\nkind = \"wave\"\ngrid = [32, 18]\n[[solver.droplet]]\n[view]\nsize = [32, 18]\n"
          "[animation]\nframes = 2\n");
    const std::string others = before_ ? ":" + *before_ : "";
    ::setenv("LD_LIBRARY_PATH", (drivers.string() + others).c_str(), 1);
  }
  void TearDown() override {
    before_ ? ::setenv("LD_LIBRARY_PATH", before_->c_str(), 1) : ::unsetenv("LD_LIBRARY_PATH");
  }

  static std::optional<std::string> folders() {
    const char* const value = std::getenv("LD_LIBRARY_PATH");
    return value ? std::optional<std::string>(value) : std::nullopt;
  }
  const std::optional<std::string> before_ = folders();
  // What the build needs is that of its CUDA release; the words for 13.0 are in tests/exec/driver_test.cpp.
  const std::string text_ = "the NVIDIA driver supports CUDA 12.4, this build needs ";
};

TEST_F(OldDriver, IsAWarningWhereTheCpuWillDo) {
  const Outcome outcome = run("render small.toml -o a.hashes --progress none");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(test::says(outcome.err, "warning: " + text_));
  EXPECT_TRUE(test::says(outcome.err, ": computing on the CPU\n"));
  EXPECT_TRUE(exists("a.hashes"));
  const Outcome cpu = run("render small.toml -o b.hashes --progress none --backend cpu");
  EXPECT_EQ(cpu.exit, 0);
  EXPECT_EQ(cpu.err.find("driver"), std::string::npos) << cpu.err;
}

TEST_F(OldDriver, IsAnErrorWhereAGpuWasAskedFor) {
  for (const char* choice : {"--backend cuda", "--device 0"}) {
    const Outcome outcome = run(fmt::format("render small.toml -o a.hashes {}", choice));
    EXPECT_EQ(outcome.exit, 2) << choice;
    EXPECT_EQ(outcome.err.find(text_), 0u) << outcome.err;
    EXPECT_TRUE(test::says(outcome.err, "; install a newer driver, or use --backend cpu"));
    EXPECT_FALSE(exists("a.hashes"));
  }
}

TEST_F(OldDriver, IsToldByInfo) {
  EXPECT_TRUE(test::says(run("info").out, "gpu      none can be used: " + text_));
  const auto json = nlohmann::json::parse(run("info --json").out);
  EXPECT_EQ(json["gpu_problem"].get<std::string>().find(text_), 0u) << json;
  EXPECT_EQ(json["gpus"].size(), 0u);
}

}  // namespace
}  // namespace simreel
