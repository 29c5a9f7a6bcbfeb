#pragma once
// The canvases of one frame, before conversion to layouts: 8 bits per channel, 16 bits, or both.

#include "base/pixels.h"

namespace simreel {

// Executor memory, rows from the top, without padding. Null: not needed.
struct Canvases {
  Color* shallow = nullptr;
  DeepColor* deep = nullptr;
};

}  // namespace simreel
