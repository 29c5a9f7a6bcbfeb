#pragma once
// A source whose state lies in several processes, and may be saved without any of them holding the whole: each keeps
// its own pieces of the state and writes them to a file of its own (checkpoint/piece_files.h).

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/communicator.h"

namespace simreel {

// How the writing of all pieces ended.
struct PiecesWritten {
  std::vector<PieceRef> refs;  // of each rank's file
  std::string failure;         // why one could not be written, with its rank; empty: all are on the disk
};

// All of these are collective, and throw the errors of ranks that have failed.
class SavedPieces {
 public:
  virtual ~SavedPieces() = default;

  // Whether all processes see this folder, so that piece files may be written there. To be called first, once for a
  // folder. After that Source::save keeps pieces where the checkpoint says so (Checkpoint::keep_pieces).
  virtual bool shares(const std::filesystem::path& folder) = 0;

  // Begins to write what Source::save kept last to the piece files of the checkpoint of that number, in the background.
  // `own`: the checkpoint that it was given, which must not change until the writing has ended.
  virtual void write_pieces(const Checkpoint& own, std::int64_t number) = 0;

  // Nullopt while a rank is still writing.
  virtual std::optional<PiecesWritten> written() = 0;
};

// What each process does for a checkpoint in pieces: it writes its own to a file, on a thread that speaks to no rank.
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
