#pragma once
// What `simreel sweep` keeps on disk. NAME.sweep, in the folder of a run's first output, records how the run ended. A
// process that works on a run, or looks at it, holds the lock NAME.sweep.lock.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "files/own_file.h"

namespace simreel {

struct SweepRecord {
  std::string identity;  // of the scene, its settings and this version
  int exit = 0;
  double seconds = 0;
  std::string message;                // of a run that failed
  std::vector<std::uintmax_t> bytes;  // of its outputs, once it is done; 0 for what is no single file
  std::vector<std::pair<std::string, std::string>> last;  // columns of its .csv in the last row; none unless it is done

  bool anew = false;  // not done, and its files may be of an earlier run, except for its own checkpoint
  static constexpr int not_begun = -1;  // `exit`

  // False: it is tried again, because a disk may have been full.
  bool final() const {
    return exit == static_cast<int>(ExitCode::done) || exit == static_cast<int>(ExitCode::diverged);
  }
};

// Nullopt where there is no record. `write_record` throws RuntimeError.
std::optional<SweepRecord> read_record(const std::filesystem::path& file);
void write_record(const std::filesystem::path& file, const SweepRecord& record);

std::filesystem::path lock_of(const std::filesystem::path& file);

// Holds the lock of a file, and removes it at the end. The lock of a process that was killed is free.
struct Claim {
  OwnFile file;  // false where another process has the lock

  explicit Claim(const std::filesystem::path& of);  // throws RuntimeError
  ~Claim() { file.remove(); }
  Claim(const Claim&) = delete;
};

// At most so many bytes from the start; empty where the file cannot be read.
std::string text_of_file(const std::filesystem::path& file, std::size_t most);
// Names and values of the last row of a .csv file.
std::vector<std::pair<std::string, std::string>> last_row(const std::filesystem::path& file);
// Why a run failed: the first line of what it `said` that is neither information nor a warning.
std::string reason_in(const std::string& said, int exit);
// The size of an output; 0 for null: and for what is no single file.
std::uintmax_t bytes_of(const std::string& output);

}  // namespace simreel
