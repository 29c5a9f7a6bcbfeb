#include "exec/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace simreel {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::string machine_name(const Executor& executor) {
  const std::string processor = processor_name();
  if (executor.backend() == Backend::cuda || processor.empty()) return executor.name();
  return fmt::format("{}, {} thread{}", processor, executor.threads(), executor.threads() == 1 ? "" : "s");
}

int usable_cores() {
  cpu_set_t bound;
  if (sched_getaffinity(0, sizeof bound, &bound) == 0) return CPU_COUNT(&bound);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::int64_t process_number() { return ::getpid(); }

}  // namespace simreel
