#pragma once
// The conversions of kernels/base/half.h as a file has them that is compiled for CPUs with F16C (where the processor is
// one that may have it).

#include "kernels/base/half.h"

namespace simreel::test {

float f16c_half_to_float(Half);
Half f16c_float_to_half(float);
float (*f16c_conversion())(Half);  // where half_to_float lies for such files

}  // namespace simreel::test
