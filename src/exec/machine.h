#pragma once
// The machine that results come from, and what of it this process may use.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "exec/executor.h"

namespace simreel {

// The processor as the system calls it: "AMD EPYC 7763 64-Core Processor"; empty if the system does not say.
std::string processor_name();

// "NVIDIA H200 (device 0)", or "AMD EPYC 7763 64-Core Processor, 2 threads".
std::string machine_name(const Executor&);

// What the control groups of this process (of both versions, each with the groups that it is in) leave it.
struct GroupLimits {
  std::optional<std::size_t> memory;     // bytes that they may have; unset: no limit
  std::optional<std::size_t> available;  // the part of them that is free; the file cache counts as free
  std::optional<int> cores;              // rounded up
};
// `root` has proc and sys in it. Groups that cannot be read limit nothing.
GroupLimits group_limits(const std::filesystem::path& root = "/");

// The cores that the calling thread may run on: those that a launcher, Slurm, taskset or a control group bound its
// process to, else all of the machine.
int bound_cores();
// Of them as many as the control group has the time of.
int usable_cores();

// The id of this process; a fork has another one.
std::int64_t process_number();

}  // namespace simreel
