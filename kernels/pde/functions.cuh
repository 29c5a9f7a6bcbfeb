// The functions that kernels of typed equations call, which nvcc compiles to PTX when the program is built
// (cmake/pde_functions.cmake). Each is cut out by its name where it is needed.

#include "kernels/pde/cell.h"

#define SIMREEL_ONE(name) \
  extern "C" __device__ __noinline__ double pde_##name(double a) { return simreel::exact::name(a); }
#define SIMREEL_TWO(name) \
  extern "C" __device__ __noinline__ double pde_##name(double a, double b) { return simreel::exact::name(a, b); }

SIMREEL_ONE(sin)
SIMREEL_ONE(cos)
SIMREEL_ONE(tan)
SIMREEL_ONE(asin)
SIMREEL_ONE(acos)
SIMREEL_ONE(atan)
SIMREEL_ONE(exp)
SIMREEL_ONE(log)
SIMREEL_ONE(tanh)
SIMREEL_ONE(round)
SIMREEL_TWO(pow)
SIMREEL_TWO(mod)
SIMREEL_TWO(hypot)
SIMREEL_TWO(atan2)

extern "C" __device__ __noinline__ double pde_noise(double a, double b, std::uint64_t seed) {
  return simreel::exact::noise(a, b, seed);
}
extern "C" __device__ __noinline__ double pde_normal(std::uint64_t seed, std::uint64_t number, int stream, int x,
                                                     int y) {
  return simreel::pde_normal(seed, number, stream, x, y);
}
