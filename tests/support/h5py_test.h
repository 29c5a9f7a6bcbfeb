#pragma once
// Tests of files that h5py writes.

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/support/command_fixture.h"

namespace simreel::test {

class H5pyTest : public CommandTest {
 protected:
  // Runs a program with `h5py` and `np` in the folder; false where Python has no h5py.
  bool python(const std::string& program) {
    write("make.py", "import h5py, numpy as np\n" + program);
    constexpr const char* interpreter = "/usr/bin/python3";  // the one that Debian's modules belong to
    if (std::system(fmt::format("{} -c 'import h5py' 2>/dev/null", interpreter).c_str()) != 0) return false;
    const std::string command = fmt::format("cd '{}' && {} make.py >made.txt 2>&1", folder_.path(), interpreter);
    EXPECT_EQ(std::system(command.c_str()), 0) << text_of(folder_ / "made.txt");
    return true;
  }
};

}  // namespace simreel::test
