#include "commands/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

namespace simreel {
namespace {

volatile sig_atomic_t received = 0;
timespec first;  // time of the first signal; accessed by the handler only

extern "C" void note(int signal) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (received == 0) {
    first = now;
    received = signal;
  } else if (static_cast<double>(now.tv_sec - first.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec - first.tv_nsec) >
             0.1) {
    _exit(128 + signal);
  }
}

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

int interrupted() { return received; }

}  // namespace simreel
