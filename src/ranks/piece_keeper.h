#pragma once
// What each process does for a checkpoint in pieces: it writes its own to a file, on a thread that speaks to no rank.

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include "checkpoint/checkpoint.h"
#include "exec/communicator.h"
#include "ranks/saved_pieces.h"

namespace simreel {

// The functions are those of SavedPieces, called by all ranks.
class PieceKeeper {
 public:
  // `host`: of this rank, for messages. The ranks must outlive it.
  explicit PieceKeeper(const Communicator& ranks, std::string host = {}) : ranks_(ranks), host_(std::move(host)) {}

  bool shares(const std::filesystem::path& folder);  // that of rank 0

  // Not collective. The checkpoint must live and stay as it is until `ended`; destruction waits for that.
  void write(const Checkpoint& own, std::int64_t number);
  bool ended();  // of this rank

  std::optional<PiecesWritten> written();

 private:
  const Communicator& ranks_;
  std::string host_;
  std::filesystem::path folder_;
  PieceRef tie_;                        // of what was written
  std::optional<std::string> failure_;  // why it was not
  std::future<PieceRef> writing_;
};

}  // namespace simreel
