// Limits of control groups, from made-up trees.

#include "exec/machine.h"

#include "tests/support/places.h"

namespace simreel {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

TEST(ControlGroups, OfEachVersionLimitMemoryAndCores) {
  using Files = std::vector<std::pair<const char*, const char*>>;
  const std::string v1 = "5:memory:/a/b\n3:cpu,cpuacct:/a/b\n2:name=systemd:/a/b\n";
  const struct {
    const char* what;
    std::string groups;
    Files files;
    std::optional<double> memory, available;  // GiB
    std::optional<int> cores;
  } table[] = {
      {"no file", "", {}, {}, {}, {}},
      {"no limits", "0::/\n", {{"memory.max", "max"}, {"cpu.max", "max 100000"}}, {}, {}, {}},
      {"a container that sees its own group",
       "0::/\n",
       {{"memory.max", "1073741824"}, {"memory.current", "268435456"}, {"cpu.max", "100000 100000"}},
       1,
       0.75,
       1},
      {"the file cache counts as free",
       "0::/\n",
       {{"memory.max", "2147483648"},
        {"memory.current", "2147483648"},
        {"memory.stat",
         "anon 536870912\nfile 1610612736\ninactive_file 1073741824\nactive_file 268435456\n"
         "slab_reclaimable 268435456\n"}},
       2,
       1.5,
       {}},
      {"groups within groups, of which an outer one is the tightest",
       "0::/user.slice/job/step\n",
       {{"user.slice/memory.max", "max"},
        {"user.slice/job/memory.max", "3221225472"},
        {"user.slice/job/memory.current", "2147483648"},
        {"user.slice/job/step/memory.max", "4294967296"},
        {"user.slice/job/cpu.max", "250000 100000"},
        {"user.slice/job/step/cpu.max", "max 100000"}},
       3,
       1,
       3},
      {"memory.high throttles a process as soon",
       "0::/\n",
       {{"memory.max", "2147483648"}, {"memory.high", "1073741824"}},
       1,
       1,
       {}},
      {"more is used than allowed",
       "0::/\n",
       {{"memory.high", "1073741824"}, {"memory.current", "3221225472"}},
       1,
       0,
       {}},
      {"a part of a core is one", "0::/\n", {{"cpu.max", "10000 100000"}}, {}, {}, 1},
      {"one and a bit are two", "0::/\n", {{"cpu.max", "100001 100000"}}, {}, {}, 2},
      {"a path that the container does not see", "0::/docker/0123/x\n", {{"memory.max", "1073741824"}}, 1, 1, {}},
      {"a path out of what it sees",
       "0::/../../x\n",
       {{"memory.max", "1073741824"}, {"cpu.max", "100000 50000"}},
       1,
       1,
       2},
      {"version 1",
       v1,
       {{"memory/memory.limit_in_bytes", "9223372036854771712"},
        {"memory/a/memory.limit_in_bytes", "2147483648"},
        {"memory/a/memory.usage_in_bytes", "1610612736"},
        {"memory/a/memory.stat",
         "inactive_file 0\nactive_file 0\ntotal_inactive_file 536870912\ntotal_active_file 0\n"},
        {"memory/a/b/memory.limit_in_bytes", "9223372036854771712"},
        {"cpu,cpuacct/a/cpu.cfs_quota_us", "-1"},
        {"cpu,cpuacct/a/cpu.cfs_period_us", "100000"},
        {"cpu,cpuacct/a/b/cpu.cfs_quota_us", "150000"},
        {"cpu,cpuacct/a/b/cpu.cfs_period_us", "100000"}},
       2,
       1,
       2},
      {"version 1 with both, of which the second has no limits",
       "4:memory:/\n1:cpu:/\n0::/\n",
       {{"memory/memory.limit_in_bytes", "1073741824"},
        {"cpu/cpu.cfs_quota_us", "200000"},
        {"cpu/cpu.cfs_period_us", "100000"},
        {"unified/cgroup.procs", "1"}},
       1,
       1,
       2},
      {"nonsense", "what\n:::\n0:\n0::/\n", {{"memory.max", "-5"}, {"cpu.max", "0 0"}}, {}, {}, {}},
  };
  for (const auto& row : table) {
    const test::Folder folder;
    const std::filesystem::path root(folder / "");
    std::filesystem::create_directories(root / "proc/self");
    std::ofstream(root / "proc/self/cgroup") << row.groups;
    for (const auto& [name, text] : row.files) {
      const std::filesystem::path file = root / "sys/fs/cgroup" / name;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << text << "\n";
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
