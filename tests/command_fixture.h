#pragma once
// Runs the program as a user does, in a folder of the test's own.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "places.h"

namespace simreel::test {

struct Outcome {
  int exit = -1;
  std::string out, err;
};

inline std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Give it a SetUp that writes what the program reads.
class CommandTest : public testing::Test {
 protected:
  // Runs the program in this test's folder through a shell, so that `arguments` may redirect.
  Outcome run(const std::string& arguments) {
    const std::string command =
        fmt::format("cd '{}' && '{}' {} >out.txt 2>err.txt </dev/null", folder_ / ".", program().string(), arguments);
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status, text_of(folder_ / "out.txt"),
            text_of(folder_ / "err.txt")};
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_ / ".")) ++count;
    return count;
  }

  Folder folder_;
};

}  // namespace simreel::test
