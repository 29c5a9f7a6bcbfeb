#include "kernels/lbm/fused.cuh"

namespace simreel {

SIMREEL_INSTANTIATE_FUSED(float, Half)

}  // namespace simreel
