#pragma once
// A page as the bytes of a file. The same page, size and tags give the same bytes; those of pictures depend on
// libdeflate as well.

#include <string>
#include <vector>

#include "figure/page.h"
#include "sink/sink.h"

namespace simreel {

// What a file says in addition to the page.
struct PageFacts {
  double pixels_per_inch = 0;  // > 0: of the page's unit
  Tags tags;                   // origin_tags
};

// One page, or several pages on one: each lies at its own places, and its size and background do not count.
struct PageGroup {
  PageGroup() = default;
  PageGroup(const Page& page) : size(page.size), background(page.background), parts{page} {}

  Size size;
  Color background;
  std::vector<Page> parts;

  Marks marks() const;  // of all
};
std::string pdf_of(const PageGroup&, const PageFacts&);
std::string svg_of(const PageGroup&, const PageFacts&);
std::string eps_of(const PageGroup&, const PageFacts&);
std::string png_of(const PageGroup&, const PageFacts&);  // over the background

// For LaTeX: the text, and the PNG named `picture` that it shows; empty where there is no image.
struct TexPage {
  std::string text, picture;
};
TexPage tex_of(const PageGroup&, const PageFacts&, const std::string& picture);

// The writer for the extension .pdf, .svg, .eps or .png; null for other names.
using GroupDocument = std::string (*)(const PageGroup&, const PageFacts&);
GroupDocument group_document(const std::string& extension);

// The text of a tag; empty if it is not there.
std::string tag_of(const Tags&, const std::string& key);

}  // namespace simreel
