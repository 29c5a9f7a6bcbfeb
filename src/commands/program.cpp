#include "commands/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "base/error.h"
#include "base/processor.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/ranks.h"

namespace simreel {
namespace {

int run(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const UsageError& error) {
    say(error.what(), LogLevel::error);
    return static_cast<int>(ExitCode::usage);
  } catch (const std::bad_alloc&) {
    say("out of memory", LogLevel::error);
  } catch (const std::exception& error) {
    say(error.what(), LogLevel::error);
  }
  return static_cast<int>(ExitCode::failed);
}

}  // namespace
}  // namespace simreel

int simreel_main(int argc, char** argv) {
  using simreel::ExitCode;
  using simreel::LogLevel;
  using simreel::say;
  // Before anything else runs.
  if (const std::string problem = simreel::processor_problem(); !problem.empty()) {
    say(problem, LogLevel::error);
    return static_cast<int>(ExitCode::failed);
  }
  // Without its standard streams a process reuses their numbers for the files it opens, and messages would end up in
  // the output. What a command writes to a closed standard output is lost, so it is opened such that writing fails;
  // lost messages are acceptable.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int mode = stream == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", mode) < 0) return static_cast<int>(ExitCode::failed);
  }
  simreel::heed_signals_as_first_process();
  // A reader that closes its end of a pipe causes a failed write with a message, not a silent exit.
  std::signal(SIGPIPE, SIG_IGN);
  // And a file beyond `ulimit -f` is a failed write.
  std::signal(SIGXFSZ, SIG_IGN);

  const int code = simreel::run_on_ranks(argc, argv, [&] { return simreel::run(argc, argv); });
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    say("the standard output could not be written: the disk is full, or the reader has gone", LogLevel::error);
    return code == 0 ? static_cast<int>(ExitCode::failed) : code;
  }
  return code;
}
