#pragma once
// SIGINT and SIGTERM as a wish to end: the run finishes its frame and its files. A second signal ends the process at
// once.

namespace simreel {

void watch_interrupts();  // from now on
int interrupted();        // the signal's number, or 0

}  // namespace simreel
