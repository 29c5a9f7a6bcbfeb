#include "exec/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

// The first number of a file; nullopt where there is none, as for "max".
std::optional<double> number_in(const fs::path& file) {
  double number = 0;
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

// Bytes of a group that the system takes back from files when others want them: lists of its memory.stat.
double file_cache(const fs::path& group) {
  std::ifstream stat(group / "memory.stat");
  std::map<std::string, double> bytes;
  std::string name;
  for (double value = 0; stat >> name >> value;) bytes[name] = value;
  // Version 1 counts the groups within in other lines.
  const std::string all = bytes.contains("total_inactive_file") ? "total_" : "";
  return bytes[all + "inactive_file"] + bytes[all + "active_file"] + bytes["slab_reclaimable"];
}

void add_group(const fs::path& group, GroupLimits& limits) {
  const auto limit = [](auto& known, auto value) { known = std::min(known.value_or(value), value); };
  constexpr double none = 0x1p62;  // version 1 writes about so many bytes for no limit
  for (const auto& [most, used] : {std::pair{"memory.max", "memory.current"},
                                   {"memory.high", "memory.current"},
                                   {"memory.limit_in_bytes", "memory.usage_in_bytes"}}) {
    const std::optional<double> bytes = number_in(group / most);
    if (!bytes || !(*bytes >= 0 && *bytes < none)) continue;
    const double taken = std::max(0.0, number_in(group / used).value_or(0) - file_cache(group));
    limit(limits.memory, static_cast<std::size_t>(*bytes));
    limit(limits.available, static_cast<std::size_t>(std::max(0.0, *bytes - taken)));
  }
  double quota = 0, period = 0;
  std::ifstream both(group / "cpu.max");
  if (!(both >> quota >> period)) {
    quota = number_in(group / "cpu.cfs_quota_us").value_or(0);  // -1: none
    period = number_in(group / "cpu.cfs_period_us").value_or(0);
  }
  constexpr double most_cores = 1 << 20;
  if (quota > 0 && period > 0)
    limit(limits.cores, static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, most_cores)));
}

// A group and those that it is in, up to the highest that is mounted at `top`. A container whose own group is the
// highest one that it sees has no folder for its path.
void add_groups(const fs::path& top, const fs::path& path, GroupLimits& limits) {
  fs::path group = top;
  add_group(group, limits);
  for (const fs::path& part : path) {
    if (part == "..") return;
    add_group(group /= part, limits);
  }
}

}  // namespace

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

GroupLimits group_limits(const fs::path& root) {
  GroupLimits limits;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/a/b"; of version 2 "0::/a/b"
    const std::size_t first = line.find(':'), second = line.find(":/", first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const fs::path path = line.substr(second + 2), top = root / "sys/fs/cgroup";
    if (controllers == ",,")
      for (const char* mounted : {"", "unified"}) add_groups(top / mounted, path, limits);
    for (const char* controller : {"memory", "cpu"})
      if (controllers.find(fmt::format(",{},", controller)) != std::string::npos)
        for (const std::string& mounted : {std::string(controller), line.substr(first + 1, second - first - 1)})
          add_groups(top / mounted, path, limits);
  }
  return limits;
}

std::size_t host_memory_available() {
  std::size_t available = 0;
  std::ifstream info("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kilobytes = 0; available == 0 && info >> key >> kilobytes; std::getline(info, unit))
    if (key == "MemAvailable:") available = kilobytes * 1024;
  if (struct sysinfo machine = {}; available == 0) {
    // Without /proc: the free memory, as if no cache could be given back.
    if (sysinfo(&machine) != 0) throw RuntimeError("sysinfo: {}", std::generic_category().message(errno));
    available = (machine.freeram + machine.bufferram) * machine.mem_unit;
  }
  return std::min(available, group_limits().available.value_or(available));
}

int bound_cores() {
  cpu_set_t bound;
  if (sched_getaffinity(0, sizeof bound, &bound) == 0) return CPU_COUNT(&bound);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int usable_cores() {
  static const GroupLimits limits = group_limits();
  return std::min(bound_cores(), limits.cores.value_or(bound_cores()));
}

std::int64_t process_number() { return ::getpid(); }

}  // namespace simreel
