#include "commands/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace simreel {
namespace {

// A handler may touch lock-free atomics, and two threads may run it at once.
std::atomic<int> received = 0;
std::atomic<unsigned> seconds_left = 0;  // after the first signal; 0: any number
std::atomic<std::int64_t> first = 0;     // time of the first signal in nanoseconds; 0: none came
std::atomic<bool> may_end = true;        // by the deadline
std::string to_say;                      // by `end`; not changed once the handlers are there
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::int64_t second = 1'000'000'000;

extern "C" void note(int signal, siginfo_t* info, void*) {
  if (info->si_pid == getpid()) {  // raised for another rank, of a signal that this one may still get itself
    received = signal;
    return;
  }
  timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = clock.tv_sec * second + clock.tv_nsec;
  std::int64_t before = 0;
  if (first.compare_exchange_strong(before, now)) {
    received = signal;
    if (seconds_left > 0) alarm(seconds_left);
  } else if (now - before > second / 10) {
    _exit(128 + signal);
  }
}

extern "C" void end(int) {
  if (!may_end) {
    alarm(1);
    return;
  }
  if (::write(STDERR_FILENO, to_say.data(), to_say.size()) < 0) errno = 0;  // nobody reads it
  _exit(128 + received);
}

}  // namespace

void watch_interrupts(unsigned deadline, std::string last_words) {
  seconds_left = deadline;
  to_say = std::move(last_words);
  if (deadline > 0) signal(SIGALRM, end);
  struct sigaction action = {};
  action.sa_sigaction = note;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void heed_signals_as_first_process() {
  if (getpid() != 1) return;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    if (signal(number, [](int received) { _exit(128 + received); }) == SIG_IGN) signal(number, SIG_IGN);
}

int interrupted() { return received; }

bool allow_forced_exit(bool may) { return may_end.exchange(may); }

}  // namespace simreel
