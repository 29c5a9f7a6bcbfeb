#include "sink/csv.h"

#include <fmt/format.h>

#include "sink/part_file.h"

namespace simreel {
namespace {

class Csv : public Sink {
 public:
  Csv(const std::string& target, const StreamInfo& info, Opening opening)
      : file_(target, info.overwrite, opening), header_(fmt::format("{}\n", fmt::join(info.diagnostics, ","))) {}

  std::optional<PixelLayout> layout() const override { return std::nullopt; }
  bool wants_diagnostics() const override { return true; }

  void write(const Frame& frame) override {
    file_.write(header_ + fmt::format("{}\n", fmt::join(frame.diagnostics, ",")));
    file_.keep();
    header_.clear();
    written_ = true;
  }

  void finish() override {
    if (written_) file_.commit();
  }

 private:
  PartFile file_;
  std::string header_;  // still to be written
  bool written_ = false;
};

}  // namespace

std::unique_ptr<Sink> open_csv(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return std::make_unique<Csv>(target, info, opening);
}

}  // namespace simreel
