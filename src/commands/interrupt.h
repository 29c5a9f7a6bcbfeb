#pragma once
// SIGINT, SIGTERM and SIGHUP ask the run to end: it finishes its files. A second signal at least a tenth of a second
// later ends the process at once; an earlier one counts as the same request, because `timeout` and terminals may send
// two. One that the process raises is a request, but no first signal.

namespace simreel {

void watch_interrupts();  // installs the handlers; signals that the parent process ignores stay ignored
int interrupted();        // the number of the signal, or 0

}  // namespace simreel
