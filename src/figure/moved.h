#pragma once
// Marks and pages at another place.

#include "figure/page.h"

namespace simreel {

// By whole pixels. The size of a page stays.
void move(Mark&, int x, int y);
void move(Page&, int x, int y);

}  // namespace simreel
