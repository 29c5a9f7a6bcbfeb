#include "sink/hashes.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "sink/part_file.h"

namespace simreel {
namespace {

class Hashes : public Sink {
 public:
  Hashes(const std::string& target, const StreamInfo& info, Opening opening)
      : file_(target, info.overwrite, opening), bytes_(frame_bytes(info.size, PixelLayout::rgb)) {}

  std::optional<PixelLayout> layout() const override { return PixelLayout::rgb; }

  void write(const Frame& frame) override {
    file_.write(fmt::format("{} {:016x}\n", frame.index, XXH3_64bits(frame.pixels, bytes_)));
    file_.keep();
    written_ = true;
  }

  void finish() override {
    if (written_) file_.commit();
  }

 private:
  PartFile file_;
  std::size_t bytes_;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<Sink> open_hashes(const std::string& target, const OutputOptions&, const StreamInfo& info,
                                  Opening opening) {
  return std::make_unique<Hashes>(target, info, opening);
}

}  // namespace simreel
