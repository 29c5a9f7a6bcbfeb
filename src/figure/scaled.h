#pragma once
// Pictures at another size.

#include <vector>

#include "base/pixels.h"

namespace simreel {

// Each pixel is the mean of the area that it covers, colours weighed by their alpha; integers only. Rows from the top.
std::vector<Color> scaled(const std::vector<Color>& pixels, Size from, Size to);

}  // namespace simreel
