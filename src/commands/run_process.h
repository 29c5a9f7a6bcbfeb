#pragma once
// This program, started again with other arguments: its end, and what it said.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "files/own_file.h"

namespace simreel {

class RunProcess {
 public:
  // It has nothing on standard input, and what it writes to the other streams is kept. The lock on `claim` is its, too,
  // until it ends. It gets SIGTERM if this process dies; so the thread that starts it must live as long. Throws
  // RuntimeError.
  RunProcess(const std::vector<std::string>& arguments, const OwnFile& claim);
  ~RunProcess();
  RunProcess(const RunProcess&) = delete;

  void send(int signal) const;
  // As of a shell: 128 + n where signal n ended it; nullopt while it runs. Does not wait.
  std::optional<int> ended();
  double seconds() const;    // since its start
  std::string said() const;  // the end of it, at most 64 KiB

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int said_ = -1;  // a file in memory
  pid_t process_ = -1;
};

}  // namespace simreel
