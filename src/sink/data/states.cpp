#include "sink/data/states.h"

namespace simreel {

States::States(const std::string& target, const StreamInfo& info, Opening opening, std::string_view what,
               std::size_t file_bytes)
    : Sink({.state = true, .memory_bytes = file_bytes}) {
  if (const FilePattern pattern(target); pattern.numbered())
    sequence_.emplace(target, info, opening, what);
  else
    file_ = std::make_unique<PartFile>(pattern.name(0), info.overwrite || info.resume > 0, opening);
  if (!sequence_) traits_.memory_bytes += info.state_bytes;  // of the frame that may be the last
}

void States::write(const Frame& frame) {
  if (!sequence_) {
    last_ = frame.state;
    values_.assign(frame.state.values, frame.state.values + frame.state.layout.bytes());
    last_.values = values_.data();
    return;
  }
  sequence_->count_on_error([&] {
    const std::unique_ptr<PartFile> file = sequence_->open(frame.index);
    write_file(frame.state, *file);
    sequence_->commit(frame.index, *file);
  });
}

void States::finish() {
  if (sequence_) return sequence_->count_on_error([&] { sequence_->finish(); });
  if (values_.empty()) return;
  write_file(last_, *file_);
  file_->commit();
}

}  // namespace simreel
