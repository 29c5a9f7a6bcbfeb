#include "tests/support/half_f16c.h"

namespace simreel::test {

float f16c_half_to_float(Half half) { return half_to_float(half); }
Half f16c_float_to_half(float value) { return float_to_half(value); }
float (*f16c_conversion())(Half) { return &half_to_float; }

}  // namespace simreel::test
