// The memory of `check`; what it says: tests/messages.

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

class Check : public test::CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n[view]\nsize = [64, 36]\n"
          "[animation]\nframes = 5\n");
    write("bodies.toml",
          "[solver]\nkind = \"nbody\"\nbodies = 9\n[view]\nsize = [64, 36]\nsplat = \"gaussian\"\n"
          "[animation]\nframes = 5\n[camera]\nposition = [0, 0, 5]\n");
  }
};

// A canvas and the light of the bodies would take 1.6 GB.
TEST_F(Check, TouchesNoMemoryOfAPictureThatItDoesNotDraw) {
  for (const char* scene : {"bodies.toml", "wave.toml"})
    for (const char* figure : {"", "figure.title=x"}) {
      std::vector<std::string> arguments = {"check", scene,   "--backend", "cpu",
                                            "-o",    "null:", "--set",     "view.size=[16384, 5000]"};
      if (*figure != 0) arguments.insert(arguments.end(), {"--set", figure});
      test::Child child(folder_ / ".", arguments);
      EXPECT_EQ(child.end(), 0) << scene << test::text_of(folder_ / "err.txt");
      EXPECT_GT(child.peak_kib(), 0);
      EXPECT_LT(child.peak_kib(), 1 << 20) << scene << " " << figure;
    }
}

}  // namespace
}  // namespace simreel
