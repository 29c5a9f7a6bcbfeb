#include "kernels/lbm/fused.cuh"

namespace simreel {

SIMREEL_INSTANTIATE_FUSED(float, float)

}  // namespace simreel
