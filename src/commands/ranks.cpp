#include "commands/ranks.h"

#include "base/error.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "exec/processes.h"
#include "source/ranked.h"

namespace simreel {

int run_on_ranks(const std::function<int()>& command) {
  try {
    if (join_processes(interrupted, say_message).rank > 0) {
      watch_interrupts();  // rank 0 hears of signals, and decides
      serve_processes();
      leave_processes(0);
      return 0;
    }
  } catch (const UsageError& error) {
    if (launched_rank() == 0) say(error.what(), LogLevel::error);
    return static_cast<int>(ExitCode::usage);
  }
  const int code = command();
  if (processes().size > 1) dismiss_processes();
  leave_processes(code);
  return code;
}

}  // namespace simreel
