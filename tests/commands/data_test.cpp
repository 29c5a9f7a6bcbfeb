// Series of files that are still written, and runs of them that are interrupted. tests/messages/data*.txt has the rest.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tests/support/npy.h"
#include "tests/support/restart_fixture.h"

namespace simreel::test {
namespace {

class Data : public RestartTest {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_ / "d"); }

  void npy(const std::string& name, const std::vector<int>& shape, const std::vector<float>& values) {
    write(name, test::npy(shape, values));
  }
  // Steps of 3 by 4 values, step + cell / 12.
  void steps(int first, int last) {
    for (int i = first; i <= last; ++i) {
      std::vector<float> values(12);
      for (std::size_t k = 0; k < 12; ++k) values[k] = static_cast<float>(i) + static_cast<float>(k) / 12;
      npy(fmt::format("d/{:03}.npy", i), {3, 4}, values);
    }
  }
  void scene(const std::string& solver, const std::string& rest = "") {
    write("a.toml", "[solver]\nkind = \"data\"\n" + solver + "\n[view]\nsize = [64, 48]\nrange = [0, 10]\n" + rest);
  }
  std::size_t lines(const std::string& name) const {
    const std::string text = text_of(folder_ / name);
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
};

TEST_F(Data, AnInterruptedRunIsResumed) {
  steps(0, 400);
  scene("files = \"d/%03d.npy\"");
  ASSERT_EQ(run("render a.toml -o whole.hashes").exit, 0);
  const std::string expected = text_of(folder_ / "whole.hashes");
  // It stops for good at a step that cannot be read.
  std::filesystem::rename(folder_ / "d/030.npy", folder_ / "kept.npy");
  std::filesystem::create_symlink(folder_ / "later.npy", folder_ / "d/030.npy");
  EXPECT_EQ(run("render a.toml -o a.hashes --checkpoint-every 1frames").exit, 1);
  EXPECT_EQ(lines("a.hashes"), 30u);
  std::filesystem::remove(folder_ / "d/030.npy");
  std::filesystem::rename(folder_ / "kept.npy", folder_ / "d/030.npy");
  const Outcome changed = run("render a.toml -o a.hashes --checkpoint-every 1frames --resume");
  EXPECT_EQ(changed.exit, 2);
  EXPECT_NE(changed.err.find("the file d/030.npy has changed"), std::string::npos) << changed.err;
  ASSERT_EQ(
      interrupt_at("render a.toml -o a.hashes --checkpoint-every 1frames --overwrite", SIGTERM, "a.hashes.part", 200),
      128 + SIGTERM)
      << text_of(folder_ / "err.txt");
  ASSERT_EQ(run("render a.toml -o a.hashes --checkpoint-every 1frames --resume").exit, 0)
      << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "a.hashes"), expected);
}

TEST_F(Data, ASeriesThatIsStillWrittenIsFollowed) {
  steps(0, 2);
  scene("files = \"d/%03d.npy\"\nfollow = true\nend = \"d/done\"");
  Child child = start("render a.toml -o a.hashes --progress none");
  ASSERT_TRUE(child.reaches([&] { return lines("a.hashes.part") >= 2; })) << text_of(folder_ / "err.txt");
  write("d/003.npy", "\x93NUMPY");  // it is being written
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  steps(3, 6);
  ASSERT_TRUE(child.reaches([&] { return lines("a.hashes.part") >= 6; })) << text_of(folder_ / "err.txt");
  write("d/done", "");
  EXPECT_EQ(child.end(), 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(lines("a.hashes"), 7u);
  ASSERT_EQ(run("render a.toml -o b.hashes --set solver.follow=false").exit, 2);
  scene("files = \"d/%03d.npy\"");
  ASSERT_EQ(run("render a.toml -o b.hashes").exit, 0);
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
}

TEST_F(Data, AFollowedSeriesWaitsForTheFileThatIsMissing) {
  scene("files = \"d/%03d.npy\"\nfollow = true\nend = \"d/done\"");
  for (const bool comes : {false, true}) {
    SCOPED_TRACE(comes);
    std::filesystem::remove_all(std::string(folder_ / "d"));
    std::filesystem::create_directory(folder_ / "d");
    steps(0, 1);
    Child child = start("render a.toml -o a.hashes --progress none --overwrite");
    ASSERT_TRUE(child.reaches([&] { return lines("a.hashes.part") >= 1; })) << text_of(folder_ / "err.txt");
    steps(3, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    if (comes) steps(2, 2);
    write("d/done", "");
    EXPECT_EQ(child.end(), comes ? 0 : 1) << text_of(folder_ / "err.txt");
    EXPECT_EQ(lines("a.hashes"), comes ? 4u : 2u) << "what was there stays";
    if (!comes) {
      EXPECT_NE(text_of(folder_ / "err.txt").find("d/002.npy is missing, and later steps are there"), std::string::npos)
          << text_of(folder_ / "err.txt");
    }
  }
}

TEST_F(Data, AListThatGrowsIsFollowed) {
  steps(0, 2);
  const auto list = [&](int files) {
    std::string text = "<VTKFile type=\"Collection\"><Collection>";
    for (int i = 0; i < files; ++i) text += fmt::format("<DataSet timestep=\"{}.5\" file=\"{:03}.npy\"/>", i, i);
    write("d/next.pvd", text + "</Collection></VTKFile>");
    std::filesystem::rename(folder_ / "d/next.pvd", folder_ / "d/run.pvd");
  };
  list(1);
  scene("files = \"d/run.pvd\"\nfollow = true\nend = \"d/done\"");
  Child child = start("render a.toml -o a.csv --progress none");
  ASSERT_TRUE(child.reaches([&] { return exists("a.csv.part"); })) << text_of(folder_ / "err.txt");
  list(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  list(3);
  write("d/done", "");
  EXPECT_EQ(child.end(), 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(times_of(folder_ / "a.csv"), "step,time\n0,0.5\n1,1.5\n2,2.5\n");
}

}  // namespace
}  // namespace simreel::test
