#include "kernels/lbm/fused.cuh"

namespace simreel {

SIMREEL_INSTANTIATE_FUSED(double, double)

}  // namespace simreel
