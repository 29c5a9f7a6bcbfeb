#pragma once
// A page as a file, in the format that its extension names.

#include <optional>
#include <string>

#include "files/part_file.h"
#include "sink/page/document.h"

namespace simreel {

// ".pdf", ".svg", ".eps", ".tex" and ".png".
bool is_page_extension(const std::string& extension);
inline constexpr std::string_view page_names = "x.pdf, x.svg, x.eps, x.tex or x.png";

class PageFile {
 public:
  // The extension is one of the above. "x.tex" has its images in "x-picture.png". Throws as PartFile does, for both,
  // and UsageError where LaTeX would not read that name as one.
  PageFile(const std::string& target, bool overwrite, Opening = Opening::real);

  void write(const PageGroup&, const PageFacts&);
  void commit();  // after `write`
  void sync() const { file_.sync(); }

 private:
  PartFile file_;
  std::optional<PartFile> picture_;
  bool has_picture_ = false;
};

}  // namespace simreel
