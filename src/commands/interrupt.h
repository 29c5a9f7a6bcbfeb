#pragma once
// SIGINT, SIGTERM and SIGHUP ask the run to end: it finishes its files. A second signal at least a tenth of a second
// later ends the process at once; an earlier one counts as the same request, because `timeout` and terminals may send
// two. One that the process raises is a request, but no first signal.

#include <string>

namespace simreel {

// Installs the handlers; signals that the parent process ignores stay ignored. With a deadline, in seconds, the process
// ends that long after the first signal, whatever it waits for, and writes `last_words` to stderr.
void watch_interrupts(unsigned deadline = 0, std::string last_words = {});
// For the first process of a container, which a signal ends only where there is a handler: installs one, that ends it
// at once.
void heed_signals_as_first_process();
int interrupted();  // the number of the signal, or 0

// Whether the deadline may end the process: not while it has files to finish. At first it may. Where it may not when it
// comes, it looks again every second. Returns the value before.
bool allow_forced_exit(bool);

}  // namespace simreel
