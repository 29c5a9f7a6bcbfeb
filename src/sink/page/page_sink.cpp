#include "sink/page/page_sink.h"

#include <algorithm>

#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/page/document.h"
#include "sink/picture/png.h"

namespace simreel {
namespace {

using Document = std::string (*)(const Page&, const PageFacts&);

class LastPage : public Sink {
 public:
  LastPage(const std::string& target, Document document, const StreamInfo& info, Opening opening)
      : file_(target, info.overwrite || info.resume > 0, opening),
        document_(document),
        size_(info.size),
        facts_{info.dpi > 0 ? info.dpi : FigureOptions::usual_dpi, origin_tags(info, Origin::single)} {}

  std::optional<PixelLayout> layout() const override { return std::nullopt; }
  bool wants_pages() const override { return true; }
  // Pages that wait in the ring, the one that is kept, and the file with its picture before it is compressed.
  std::size_t memory_bytes() const override { return 9 * frame_bytes(size_, PixelLayout::rgba); }

  // Only at the end is it known which frame is the last: a run may be stopped.
  void write(const Frame& frame) override { page_ = frame.page; }

  void finish() override {
    if (!page_) return;
    file_.write(document_(*page_, facts_));
    file_.commit();
  }

 private:
  PartFile file_;
  Document document_;
  Size size_;
  PageFacts facts_;
  std::shared_ptr<const Page> page_;
};

}  // namespace

Marks PageGroup::marks() const {
  Marks all;
  for (const Page& page : parts) all.insert(all.end(), page.marks.begin(), page.marks.end());
  return all;
}

std::string pdf_of(const Page& page, const PageFacts& facts) {
  return pdf_of(PageGroup{page.size, page.background, {page}}, facts);
}
std::string svg_of(const Page& page, const PageFacts& facts) {
  return svg_of(PageGroup{page.size, page.background, {page}}, facts);
}

GroupDocument group_document(const std::string& extension) {
  if (extension == ".pdf") return &pdf_of;
  if (extension == ".svg") return &svg_of;
  return extension == ".png" ? &png_of : nullptr;
}

std::string tag_of(const Tags& tags, const std::string& key) {
  const auto found = std::ranges::find(tags, key, &Tags::value_type::first);
  return found == tags.end() ? "" : found->second;
}

std::unique_ptr<Sink> open_pdf(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return std::make_unique<LastPage>(target, Document{&pdf_of}, info, opening);
}

std::unique_ptr<Sink> open_svg(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  refuse_large_png(info.size, PixelLayout::rgba, target);
  return std::make_unique<LastPage>(target, Document{&svg_of}, info, opening);
}

}  // namespace simreel
