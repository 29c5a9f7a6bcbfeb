#pragma once
// The errors that reach a user, and the exit codes they end the program with. `main` holds the only catch.

#include <fmt/core.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace simreel {

// The exit status of the process; 128 + n if signal n ended the run (its files are finished all the same).
enum class ExitCode : int {
  done = 0,
  failed = 1,     // input/output, device or encoder failure
  usage = 2,      // the command line or the scene is wrong
  diverged = 3,   // the simulation reached NaN or infinity
  different = 4,  // a comparison found a difference
};

// The text of an error is given as it is, or as to fmt::format.
class FormattedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class First, class... Rest>
  explicit FormattedError(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
      : std::runtime_error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

// How the options that messages propose are written: on the command line, or by a caller of the library.
struct OptionNames {
  std::string_view overwrite = "--overwrite", cpu = "--backend cpu";
  std::string_view resume = "resume that run with --resume, ";  // empty where nothing resumes
};
// The end of a message that proposes one.
enum class Hint { none, cpu, overwrite, resume_or_overwrite };

// A mistake by the user: in a scene, an option or the name of an output. The text starts with its place if there is one
// ("scenes/x.toml:12:5: ...") and offers a way out.
class UsageError : public FormattedError {
 public:
  using FormattedError::FormattedError;
  // `what` ends in the words of the command line, `text` in those of another caller.
  UsageError(const std::string& text, Hint);
  std::string text(const OptionNames&) const;

 private:
  Hint way_out_ = Hint::none;
  std::size_t end_ = 0;  // of the message, where that begins
};

// A failure of the machine: a write, the device, a library. Names the failing call and quotes the library's message.
class RuntimeError : public FormattedError {
 public:
  using FormattedError::FormattedError;
};

}  // namespace simreel
