#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace simreel {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, note);
}

int interrupted() { return received; }

}  // namespace simreel
