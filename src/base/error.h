#pragma once
// The errors that reach a user, and the exit codes they end the program with. `main` holds the only catch.

#include <stdexcept>
#include <string>

namespace simreel {

// What the process returns; 128 + n when signal n ended the run (its files are finished all the same).
enum class ExitCode : int {
  done = 0,
  failed = 1,     // input/output, device or encoder failure
  usage = 2,      // the command line or the scene is wrong
  diverged = 3,   // the simulation reached NaN or infinity
  different = 4,  // a comparison found a difference
};

// The user's to mend: a scene, an option, an output name. The text starts with its place where there is one
// ("scenes/x.toml:12:5: ...") and says a way out.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The machine's: a write, the device, a library. Carries the failing call and the library's own words.
class RuntimeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace simreel
