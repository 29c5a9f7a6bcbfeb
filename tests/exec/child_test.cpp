#include "exec/child.h"

#include <unistd.h>

#include "base/error.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

std::string all_of(int file) {
  std::string text(100000, ' ');
  const ssize_t got = ::read(file, text.data(), text.size());
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

TEST(Child, GivesBackWhatItWasSent) {
  Child child({find_program("cat")});
  const std::string text(70000, 'x');  // more than a pipe holds
  EXPECT_TRUE(child.send(text.data(), text.size()));
  EXPECT_TRUE(child.finish());
  EXPECT_EQ(all_of(child.output()), text);
  EXPECT_EQ(child.last_words(), "");
}

TEST(Child, FailsWithItsLastWords) {
  Child child({find_program("sh"), "-c", "echo first >&2; echo 'why it failed ' >&2; exit 3"});
  const std::string text(1 << 22, 'x');
  EXPECT_FALSE(child.send(text.data(), text.size()));
  EXPECT_FALSE(child.finish());
  EXPECT_EQ(child.last_words(), "why it failed");
}

// A terminal sends its signals to every process; this one has pictures to encode yet.
TEST(Child, OutlivesSignalsThatEndARun) {
  Child child({find_program("perl"), "-e", "kill $_, $$ for qw(TERM INT HUP); print <STDIN>"});  // sh unblocks them
  EXPECT_TRUE(child.send("last", 4));
  EXPECT_TRUE(child.finish());
  EXPECT_EQ(all_of(child.output()), "last");
}

TEST(Child, IsKilledWhereItIsNotFinished) {
  { Child child({find_program("sleep"), "1000"}); }
  EXPECT_THROW(Child({"/nowhere/program"}), RuntimeError);
  EXPECT_EQ(find_program("no-such-program"), "");
}

}  // namespace
}  // namespace simreel
