#pragma once
// A page as the bytes of a file. The same page, size and tags give the same bytes; those of pictures depend on
// libdeflate as well.

#include <string>

#include "raster/figure/page.h"
#include "sink/origin.h"

namespace simreel {

// What a file says beside the page.
struct PageFacts {
  double pixels_per_inch = 0;  // > 0: of the page's unit
  Tags tags;                   // origin_tags
};

std::string pdf_of(const Page&, const PageFacts&);
std::string svg_of(const Page&, const PageFacts&);

// The text of a tag; empty if it is not there.
std::string tag_of(const Tags&, const std::string& key);

}  // namespace simreel
