// Limits of control groups, from made-up trees.

#include "exec/machine.h"

#include "tests/support/places.h"

namespace simreel {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

// `files`: "NAME=TEXT", one a line.
struct Group {
  const char* what;
  std::string groups, files;
  std::optional<double> memory, available;  // GiB
  std::optional<int> cores;
};

const std::string v1 = "5:memory:/a/b\n3:cpu,cpuacct:/a/b\n2:name=systemd:/a/b\n";
const Group groups[] = {
    {"no file", "", "", {}, {}, {}},
    {"no limits", "0::/\n", "memory.max=max\ncpu.max=max 100000", {}, {}, {}},
    {"a container that sees its own group", "0::/\n",
     "memory.max=1073741824\nmemory.current=268435456\ncpu.max=100000 100000", 1, 0.75, 1},
    {"the file cache counts as free",
     "0::/\n",
     "memory.max=2147483648\nmemory.current=2147483648\nmemory.stat=anon 536870912;file 1610612736;inactive_file "
     "1073741824;active_file 268435456;slab_reclaimable 268435456;",
     2,
     1.5,
     {}},
    {"groups within groups, of which an outer one is the tightest", "0::/user.slice/job/step\n",
     "user.slice/memory.max=max\nuser.slice/job/memory.max=3221225472\nuser.slice/job/memory.current=2147483648\n"
     "user.slice/job/step/memory.max=4294967296\nuser.slice/job/cpu.max=250000 100000\n"
     "user.slice/job/step/cpu.max=max 100000",
     3, 1, 3},
    {"memory.high throttles a process as soon", "0::/\n", "memory.max=2147483648\nmemory.high=1073741824", 1, 1, {}},
    {"more is used than allowed", "0::/\n", "memory.high=1073741824\nmemory.current=3221225472", 1, 0, {}},
    {"a part of a core is one", "0::/\n", "cpu.max=10000 100000", {}, {}, 1},
    {"one and a bit are two", "0::/\n", "cpu.max=100001 100000", {}, {}, 2},
    {"a path that the container does not see", "0::/docker/0123/x\n", "memory.max=1073741824", 1, 1, {}},
    {"a path out of what it sees", "0::/../../x\n", "memory.max=1073741824\ncpu.max=100000 50000", 1, 1, 2},
    {"version 1", v1,
     "memory/memory.limit_in_bytes=9223372036854771712\nmemory/a/memory.limit_in_bytes=2147483648\n"
     "memory/a/memory.usage_in_bytes=1610612736\nmemory/a/memory.stat=inactive_file 0;active_file "
     "0;total_inactive_file 536870912;total_active_file 0;\n"
     "memory/a/b/memory.limit_in_bytes=9223372036854771712\ncpu,cpuacct/a/cpu.cfs_quota_us=-1\n"
     "cpu,cpuacct/a/cpu.cfs_period_us=100000\ncpu,cpuacct/a/b/cpu.cfs_quota_us=150000\n"
     "cpu,cpuacct/a/b/cpu.cfs_period_us=100000",
     2, 1, 2},
    {"version 1 with both, of which the second has no limits", "4:memory:/\n1:cpu:/\n0::/\n",
     "memory/memory.limit_in_bytes=1073741824\ncpu/cpu.cfs_quota_us=200000\ncpu/cpu.cfs_period_us=100000\n"
     "unified/cgroup.procs=1",
     1, 1, 2},
    {"nonsense", "what\n:::\n0:\n0::/\n", "memory.max=-5\ncpu.max=0 0", {}, {}, {}},
};

TEST(ControlGroups, OfEachVersionLimitMemoryAndCores) {
  for (const Group& row : groups) {
    const test::Folder folder;
    const std::filesystem::path root(folder / "");
    std::filesystem::create_directories(root / "proc/self");
    std::ofstream(root / "proc/self/cgroup") << row.groups;
    std::istringstream lines(row.files);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t equals = line.find('=');
      std::ranges::replace(line, ';', '\n');
      const std::filesystem::path file = root / "sys/fs/cgroup" / line.substr(0, equals);
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << line.substr(equals + 1) << "\n";
    }
    const GroupLimits limits = group_limits(root);
    const auto bytes = [](std::optional<double> gibs) {
      return gibs ? std::optional(static_cast<std::size_t>(*gibs * gib)) : std::nullopt;
    };
    EXPECT_EQ(limits.memory, bytes(row.memory)) << row.what;
    EXPECT_EQ(limits.available, bytes(row.available)) << row.what;
    EXPECT_EQ(limits.cores, row.cores) << row.what;
  }
  EXPECT_LE(usable_cores(), bound_cores());
}

}  // namespace
}  // namespace simreel
