#include "source/grid_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "exec/executor.h"
#include "exec/processes.h"

namespace simreel {

void check_grid_memory(const Table& keys, std::size_t state, std::size_t made, std::string_view what) {
  const auto check = [&](std::size_t bytes, std::size_t available, std::string_view needy, std::string_view where) {
    const auto text = [](std::size_t amount) {
      return fmt::format("{:.1f} GiB", static_cast<double>(amount) / (1 << 30));
    };
    if (bytes > available)
      keys.fail("grid", "{} needs {} of memory at least, and {} has {} available; make grid smaller", needy,
                text(bytes), where, text(available));
  };
  const std::size_t host = host_memory_available();
  check(made, host, what, "the host");
  if (state <= host || processes().size > processes().local_size) return;  // other hosts are asked later
  std::size_t devices = 0;
  for (const DeviceInfo& device : cuda_devices()) devices += device.memory_bytes;
  check(state, std::max(host, devices), "the run", "this machine");
}

}  // namespace simreel
