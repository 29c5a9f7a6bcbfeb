#pragma once
// Tests of files that h5py writes.

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "formats/array_file.h"
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
  // Files, the times of their steps ("0 0.5 1"; empty: they are refused), and what the program says.
  struct Case {
    std::string file, times, words;
  };
  void view_all(const std::vector<Case>& cases) {
    for (const auto& [file, times, words] : cases) {
      SCOPED_TRACE(file);
      const Outcome outcome = run(fmt::format("view {} -o t.csv --overwrite", file));
      EXPECT_EQ(outcome.exit, times.empty() ? 2 : 0) << outcome.err;
      EXPECT_NE(outcome.err.find(words), std::string::npos) << words << "\n" << outcome.err;
      if (outcome.exit != 0) continue;
      EXPECT_TRUE(!words.empty() || outcome.err.find("warning: ") == std::string::npos) << outcome.err;
      std::string found;
      std::istringstream rows(times_of(folder_ / "t.csv"));
      for (std::string row; std::getline(rows, row);)
        if (!row.starts_with("step")) found += (found.empty() ? "" : " ") + row.substr(row.find(',') + 1);
      EXPECT_EQ(found, times);
    }
  }
  // The values of a step, from below and from the left, as `view` draws them.
  std::vector<double> seen(const std::string& arguments, const std::string& step = "0") {
    const Outcome outcome = run(fmt::format("view {} -o s/%d.npy --size 64x48 --overwrite", arguments));
    EXPECT_EQ(outcome.exit, 0) << arguments << outcome.err;
    if (outcome.exit != 0) return {};
    const auto file = open_array_file(folder_ / ("s/" + step + ".npy"));
    return file->values(file->arrays()[0], 1 << 20);
  }
};

}  // namespace simreel::test
