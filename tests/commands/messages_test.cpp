// Runs of scenes from pipes, and what the program quotes.

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

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
