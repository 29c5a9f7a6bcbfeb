// Arguments -> command -> exit code. The only catch of the program is here.

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "commands/commands.h"
#include "error.h"

int main(int argc, char** argv) {
  using simreel::ExitCode;
#if defined(__x86_64__)
  // Said before anything else runs: inner loops use these instructions without asking.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::fputs("simreel needs a CPU with AVX2 and FMA (x86-64-v3: Intel Haswell, AMD Excavator or newer)\n", stderr);
    return static_cast<int>(ExitCode::failed);
  }
#endif
  // A reader that closes its end of a pipe is a failed write, with a message, not a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  spdlog::set_default_logger(spdlog::stderr_color_mt("simreel"));
  spdlog::set_pattern("%^%l%$: %v");

  try {
    return simreel::run_command(argc, argv);
  } catch (const simreel::UsageError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  return static_cast<int>(ExitCode::failed);
}
