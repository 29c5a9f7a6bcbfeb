#include "ranks/saved_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <span>

#include "checkpoint/piece_files.h"

namespace simreel {
namespace {

struct Progress {
  enum class State { writing, written, failed } state = State::writing;
  PieceRef ref;
};

}  // namespace

bool PieceKeeper::shares(const std::filesystem::path& folder) {
  const std::optional<std::filesystem::path> shared = shared_folder(ranks_, folder);
  if (shared) folder_ = *shared;
  return shared.has_value();
}

void PieceKeeper::write(const Checkpoint& own, std::int64_t number) {
  failure_.reset();
  writing_ = std::async(std::launch::async, [&own, file = piece_file(checkpoint_file(folder_, number), ranks_.rank())] {
    return own.write_pieces(file);
  });
}

bool PieceKeeper::ended() {
  if (!writing_.valid()) return true;
  if (writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  try {
    tie_ = writing_.get();
  } catch (const std::exception& error) {
    failure_ = ranks_.rank() == 0 ? error.what()
                                  : fmt::format("{}: {}", Communicator::name_of(ranks_.rank(), host_), error.what());
  }
  return true;
}

std::optional<PiecesWritten> PieceKeeper::written() {
  using State = Progress::State;
  const State state = !ended() ? State::writing : failure_ ? State::failed : State::written;
  const Progress own{state, tie_};
  const std::vector<Progress> all = ranks_.gather(std::span(&own, 1));
  const auto any = [&](State sought) { return std::ranges::find(all, sought, &Progress::state) != all.end(); };
  if (any(State::writing)) return std::nullopt;
  PiecesWritten written;
  for (const Progress& progress : all) written.refs.push_back(progress.ref);
  if (!any(State::failed)) return written;
  // The words of the first that failed: each with an end.
  const std::string words = failure_ ? *failure_ + '\0' : "";
  const std::vector<char> texts = ranks_.gather(std::span<const char>(words));
  written.failure.assign(texts.begin(), std::ranges::find(texts, '\0'));
  return written;
}

}  // namespace simreel
