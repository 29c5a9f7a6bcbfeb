#pragma once
// SIGINT, SIGTERM and SIGHUP as a wish to end: the run finishes its files. Another signal, a tenth of a second later or
// more, ends the process at once; earlier ones count as the same wish, because `timeout` and terminals may send two.

namespace simreel {

void watch_interrupts();  // from now on; signals that the parent process chose to ignore stay ignored
int interrupted();        // the signal's number, or 0

}  // namespace simreel
