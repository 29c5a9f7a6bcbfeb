#include "raster/curve.h"

namespace simreel {

Curve curve_of(Scale scale) {
  switch (scale) {
    case Scale::linear: return Curve::linear;
    case Scale::log: return Curve::log;
    case Scale::symlog: return Curve::symlog;
    case Scale::sqrt: return Curve::sqrt;
    case Scale::asinh: return Curve::asinh;
  }
  return Curve::linear;
}

}  // namespace simreel
