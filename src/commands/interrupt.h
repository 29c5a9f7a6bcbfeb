#pragma once
// SIGINT, SIGTERM and SIGHUP ask the run to end: it finishes its files. A second signal at least a tenth of a second
// later ends the process at once; an earlier one counts as the same request, because `timeout` and terminals may send
// two. One that the process raises is a request, but no first signal.

namespace simreel {

// Installs the handlers; signals that the parent process ignores stay ignored. With a deadline, in seconds, the process
// ends that long after the first signal, whatever it waits for: for commands that have nothing to finish.
void watch_interrupts(unsigned deadline = 0);
int interrupted();  // the number of the signal, or 0

}  // namespace simreel
