#include "base/input_file.h"

#include <sys/stat.h>

#include "tests/support/places.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

class InputFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "in/deep");
    std::ofstream(folder_ / "in/a.csv") << "1";
    std::ofstream(folder_ / "out.csv") << "1";
  }
  void TearDown() override { confine_to("/"); }

  bool reads(const std::string& name) const { return refusal_to_read(folder_ / name).empty(); }

  test::Folder folder_;
};

TEST_F(InputFile, OnlyPlainFilesAreRead) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "endless");
  fs::create_symlink("/proc/self/environ", folder_ / "environ");
  fs::create_symlink("in/a.csv", folder_ / "link");
  EXPECT_TRUE(reads("in/a.csv"));
  EXPECT_TRUE(reads("link"));
  EXPECT_TRUE(reads("in"));
  EXPECT_TRUE(reads("nothing"));
  EXPECT_EQ(refusal_to_read(folder_ / "pipe"), "it is a pipe, not a file");
  EXPECT_EQ(refusal_to_read(folder_ / "endless"), "it is a device, not a file");
  EXPECT_EQ(refusal_to_read(folder_ / "environ"), "it is a file of the system");
  EXPECT_EQ(refusal_to_read("/proc/self/../self/environ"), "it is a file of the system");
}

TEST_F(InputFile, PointersOfLfsAreNoFiles) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n";
  const auto reads_text = [&](const std::string& text) {
    std::ofstream(folder_ / "in/p", std::ios::trunc) << text;
    return reads("in/p");
  };
  EXPECT_FALSE(reads_text(pointer));
  EXPECT_FALSE(reads_text(pointer + std::string(1024 - pointer.size(), 'x')));
  EXPECT_TRUE(reads_text(pointer + std::string(1025 - pointer.size(), 'x')));
  EXPECT_TRUE(reads_text(pointer.substr(1)));
  EXPECT_TRUE(reads_text(pointer.substr(0, 30)));
  EXPECT_TRUE(reads_text(""));
  EXPECT_TRUE(reads_text("\n" + pointer));
}

TEST_F(InputFile, AConfinedSceneStaysBelowItsFolder) {
  fs::create_symlink("../out.csv", folder_ / "in/leaves.csv");
  fs::create_symlink("../..", folder_ / "in/deep/up");
  fs::create_symlink("deep/../a.csv", folder_ / "in/stays.csv");
  fs::create_symlink("../not_there_yet.csv", folder_ / "in/dangles.csv");
  fs::create_directory(folder_ / "in-other");
  for (const std::string root : {"in", "in/", "in/deep/.."}) {
    confine_to(folder_ / root);
    EXPECT_TRUE(reads("in/a.csv")) << root;
    EXPECT_TRUE(reads("in/deep/../a.csv")) << root;
    EXPECT_TRUE(reads("in/stays.csv")) << root;
    EXPECT_TRUE(reads("in/new/x.mp4")) << root;
    for (const std::string out : {"out.csv", "in/../out.csv", "in/leaves.csv", "in/dangles.csv", "in/deep/up/out.csv",
                                  "nothing", "in-other/x", "in/deep/up/nothing"}) {
      EXPECT_FALSE(reads(out)) << root << " " << out;
      EXPECT_FALSE(refusal_to_write(folder_ / out).empty()) << root << " " << out;
    }
  }
}

}  // namespace
}  // namespace simreel
