// Discards frames, to measure the simulation alone. It requests no pixels, so nothing is drawn for it; x.hashes
// measures drawing as well.

#include "sink/open.h"

namespace simreel {
namespace {

class Null : public Sink {
 public:
  Null() : Sink({}) {}
  void write(const Frame&) override {}
  void finish() override {}
};

}  // namespace

std::unique_ptr<Sink> open_null(const std::string&, const OutputOptions&, const StreamInfo&, Opening) {
  return std::make_unique<Null>();
}

}  // namespace simreel
