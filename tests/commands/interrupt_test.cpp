#include "commands/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

namespace simreel::test {
namespace {

// A process that watches for signals, says through a pipe which one it has seen, and never ends by itself.
class Interrupt : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(pipe_), 0);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ > 0) return;
    for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);  // a shell's & ignores some
    ::dup2(pipe_[1], STDERR_FILENO);
    watch_interrupts(deadline_, "!");
    allow_forced_exit(may_end_);
    tell(0);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
    for (int seen = 0;;) {
      if (interrupted() != seen) tell(seen = interrupted());
      if (!may_end_ && std::chrono::steady_clock::now() > end) {
        tell(42);
        allow_forced_exit(may_end_ = true);
      }
      ::usleep(1000);
    }
  }
  void TearDown() override {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    for (const int end : pipe_) ::close(end);
  }

  void tell(int signal) const {
    const auto byte = static_cast<unsigned char>(signal);
    if (::write(pipe_[1], &byte, 1) != 1) ::_exit(99);
  }
  int told() const {
    unsigned char byte = 0;
    return ::read(pipe_[0], &byte, 1) == 1 ? byte : -1;
  }

  int pipe_[2] = {-1, -1};
  pid_t child_ = -1;
  unsigned deadline_ = 0;
  bool may_end_ = true;
};

TEST_F(Interrupt, FirstSignalIsAWishAndTheSecondAnEnd) {
  ASSERT_EQ(told(), 0);
  ::kill(child_, SIGINT);
  ASSERT_EQ(told(), SIGINT);  // a tenth of a second counts from before this
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  ::kill(child_, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child_, &status, 0), child_);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

class InterruptWithDeadline : public Interrupt {
 protected:
  void SetUp() override {}
  // The exit code of a process that was asked to end.
  int end(bool may_end) {
    deadline_ = 1;
    may_end_ = may_end;
    Interrupt::SetUp();
    EXPECT_EQ(told(), 0);
    ::kill(child_, SIGTERM);
    int status = 0;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
};

TEST_F(InterruptWithDeadline, EndsAProcessThatDoesNotStop) {
  EXPECT_EQ(end(true), 128 + SIGTERM);
  EXPECT_EQ(told(), SIGTERM);
  EXPECT_EQ(told(), '!');
}

// And looks again where it works on afterwards.
TEST_F(InterruptWithDeadline, LeavesAProcessAloneThatFinishesItsFiles) {
  EXPECT_EQ(end(false), 128 + SIGTERM);
  for (const int said : {SIGTERM, 42, int{'!'}}) EXPECT_EQ(told(), said);
}

}  // namespace
}  // namespace simreel::test
