#pragma once
// The machine that results come from, for reports.

#include <cstdint>
#include <string>

#include "exec/executor.h"

namespace simreel {

// The processor as the system calls it: "AMD EPYC 7763 64-Core Processor"; empty if the system does not say.
std::string processor_name();

// "NVIDIA H200 (device 0)", or "AMD EPYC 7763 64-Core Processor, 2 threads".
std::string machine_name(const Executor&);

// The cores that the calling thread may run on: those that a launcher, Slurm or taskset bound its process to, else all
// of the machine.
int usable_cores();

// The id of this process; a fork has another one.
std::int64_t process_number();

}  // namespace simreel
