// Frames as pages of vectors: the last one, written by `finish` ("x.pdf", "x.svg"), or a file of each ("x/%06d.pdf").

#include <algorithm>

#include "files/pattern.h"
#include "sink/open.h"
#include "sink/page/page_file.h"
#include "sink/picture/png_encode.h"
#include "sink/sequence.h"
#include "sink/workers.h"

namespace simreel {
namespace {

double dpi_of(const StreamInfo& info) { return info.dpi > 0 ? info.dpi : FigureOptions::usual_dpi; }

class LastPage : public Sink {
 public:
  LastPage(const std::string& target, const StreamInfo& info, Opening opening)
      // Memory: pages that wait in the ring, the one that is kept, and the file with its picture before it is
      // compressed.
      : Sink({.pages = true, .memory_bytes = 9 * frame_bytes(info.size, PixelLayout::rgba)}),
        file_(target, info.overwrite || info.resume > 0, opening),
        facts_{dpi_of(info), origin_tags(info, Origin::single)} {}

  // Only at the end is it known which frame is the last: a run may be stopped.
  void write(const Frame& frame) override { page_ = frame.page; }

  void finish() override {
    if (!page_) return;
    file_.write(*page_, facts_);
    file_.commit();
  }
  void sync() const override { file_.sync(); }

 private:
  PageFile file_;
  PageFacts facts_;
  std::shared_ptr<const Page> page_;
};

// One page per frame. A page is complete in itself, so threads write them in any order.
class PageSequence : public Sink {
 public:
  PageSequence(const std::string& target, GroupDocument document, const StreamInfo& info, Opening opening)
      // Memory: pages that wait in the ring; of each thread the one that is queued, and as of LastPage the one at work.
      : Sink({.pages = true, .memory_bytes = (4 + 6 * Workers::count()) * frame_bytes(info.size, PixelLayout::rgba)}),
        document_(document),
        facts_{dpi_of(info), origin_tags(info)},
        sequence_(target, info, opening, "page"),
        workers_(opening == Opening::real ? Workers::count() : 0) {
    traits_.cores = static_cast<double>(Workers::count());
  }

  std::int64_t safe_frames() const override { return sequence_.safe_frames(); }
  void sync() const override { sequence_.sync(); }
  std::vector<Checksum> checksums(std::int64_t frames) const override { return sequence_.checksums(frames); }

  void write(const Frame& frame) override {
    Workers::Job job = [this, index = frame.index, page = frame.page] {
      const std::string bytes = document_(*page, facts_);
      const auto file = sequence_.open(index);
      file->write(bytes);
      sequence_.commit(index, *file);
    };
    sequence_.count_on_error([&] { workers_.add(std::move(job)); });
  }

  void finish() override {
    sequence_.count_on_error([&] {
      workers_.finish();
      sequence_.finish();
    });
  }

 private:
  GroupDocument document_;
  PageFacts facts_;
  Sequence sequence_;
  Workers workers_;  // the last member, because its threads use the others
};

std::unique_ptr<Sink> open_page(const std::string& target, GroupDocument document, const StreamInfo& info,
                                Opening opening) {
  const FilePattern pattern(target);
  if (pattern.numbered()) return std::make_unique<PageSequence>(target, document, info, opening);
  return std::make_unique<LastPage>(pattern.name(0), info, opening);
}

}  // namespace

Marks PageGroup::marks() const {
  Marks all;
  for (const Page& page : parts) all.insert(all.end(), page.marks.begin(), page.marks.end());
  return all;
}

GroupDocument group_document(const std::string& extension) {
  if (extension == ".pdf") return &pdf_of;
  if (extension == ".svg") return &svg_of;
  if (extension == ".eps") return &eps_of;
  return extension == ".png" ? &png_of : nullptr;
}

std::string tag_of(const Tags& tags, const std::string& key) {
  const auto found = std::ranges::find(tags, key, &Tags::value_type::first);
  return found == tags.end() ? "" : found->second;
}

std::unique_ptr<Sink> open_pdf(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return open_page(target, &pdf_of, info, opening);
}

std::unique_ptr<Sink> open_eps(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return open_page(target, &eps_of, info, opening);
}

std::unique_ptr<Sink> open_tex(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  refuse_large_png(info.size, PixelLayout::rgba, target);
  return std::make_unique<LastPage>(FilePattern(target).name(0), info, opening);
}

// Throws UsageError in a build without PNG, which its pictures are.
std::unique_ptr<Sink> open_svg(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  refuse_large_png(info.size, PixelLayout::rgba, target);
  return open_page(target, &svg_of, info, opening);
}

}  // namespace simreel
