#include "base/processor.h"

namespace simreel {

std::string processor_problem() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return "simreel needs a CPU with AVX2 and FMA (x86-64-v3: Intel Haswell, AMD Excavator or newer); take a newer "
           "processor, or let the virtual machine show the host's CPU";
#endif
  return "";
}

}  // namespace simreel
