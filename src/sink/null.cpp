#include "sink/null.h"

namespace simreel {
namespace {

class Null : public Sink {
 public:
  std::optional<PixelLayout> layout() const override { return std::nullopt; }
  void write(const Frame&) override {}
  void finish() override {}
};

}  // namespace

std::unique_ptr<Sink> open_null(const std::string&, const OutputOptions&, const StreamInfo&, Opening) {
  return std::make_unique<Null>();
}

}  // namespace simreel
