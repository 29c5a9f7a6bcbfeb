#pragma once
// Where one frame is drawn, before any layout: with 8 bits a channel, with 16, or with both.

#include "base/pixels.h"

namespace simreel {

// Executor memory, rows from the top, without padding. Null: not wanted.
struct Canvases {
  Color* shallow = nullptr;
  DeepColor* deep = nullptr;
};

}  // namespace simreel
