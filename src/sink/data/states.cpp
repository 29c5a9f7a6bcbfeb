#include "sink/data/states.h"

#include <memory>

namespace simreel {

States::States(const std::string& target, const StreamInfo& info, Opening opening, std::string_view what)
    : sequence_(target, info, opening, what) {}

void States::write(const Frame& frame) {
  sequence_.count_on_error([&] {
    const std::unique_ptr<PartFile> file = sequence_.open(frame.index);
    write_file(frame.state, *file);
    sequence_.commit(frame.index, *file);
  });
}

void States::finish() {
  sequence_.count_on_error([&] { sequence_.finish(); });
}

}  // namespace simreel
