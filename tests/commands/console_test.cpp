#include "commands/console.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/command_fixture.h"

namespace simreel::test {
namespace {

class Console : public testing::Test {
 protected:
  // What `work` writes to stderr. In a process of its own, because the form of messages cannot be taken back.
  template <class Work>
  std::string printed(const Work& work) {
    const std::string file = folder_ / "err.txt";
    const pid_t child = ::fork();
    if (child == 0) {
      if (::dup2(::creat(file.c_str(), 0666), STDERR_FILENO) < 0) ::_exit(98);
      work();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return text_of(file);
  }

  Folder folder_;
};

TEST_F(Console, MessageClearsTheRedrawnLine) {
  EXPECT_EQ(printed([] {
              redraw_line("frame 1 of 9");
              redraw_line("frame 2 of 9");
              say_message(LogLevel::warning, "the disk is slow");
              redraw_line("frame 3 of 9");
              say("a line of text");
              redraw_line("frame 9 of 9");
              end_redrawn_line();
              say_message(LogLevel::info, "done");
            }),
            "\r\x1b[Kframe 1 of 9\r\x1b[Kframe 2 of 9\r\x1b[Kwarning: the disk is slow\n"
            "\r\x1b[Kframe 3 of 9\r\x1b[Ka line of text\n"
            "\r\x1b[Kframe 9 of 9\ninfo: done\n");
}

TEST_F(Console, JsonIsOneObjectPerLine) {
  EXPECT_EQ(printed([] {
              say_in_json();
              say_message(LogLevel::error, "\"a\xff\"\nand b");
              say("stage\nrow\n");
              say_line(R"({"frame":1})");
            }),
            "{\"level\":\"error\",\"message\":\"\\\"a\\ufffd\\\"\\nand b\"}\n"
            "{\"level\":\"info\",\"message\":\"stage\\nrow\"}\n"
            "{\"frame\":1}\n");
}

TEST_F(Console, LinesOfThreadsDoNotMix) {
  const std::string text = printed([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 200; ++i) say_message(LogLevel::info, std::string(100, 'x'));
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_EQ(line, "info: " + std::string(100, 'x'));
  EXPECT_EQ(count, 800);
}

}  // namespace
}  // namespace simreel::test
