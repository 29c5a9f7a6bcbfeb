#include "run/checkpoint_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/input_file.h"
#include "base/numbers.h"
#include "checkpoint/block_file.h"
#include "checkpoint/piece_files.h"
#include "files/part_file.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kept = 2;
constexpr std::string_view extension = ".state";

// The number in "000042.state".
std::optional<std::int64_t> number_of(const fs::path& file) {
  if (file.extension() != extension) return std::nullopt;
  return parse_number<std::int64_t>(file.stem().string());
}

// The number in "000042.rank3".
std::optional<std::int64_t> number_of_pieces(const fs::path& file) {
  const std::string rank = file.extension().string();
  if (!rank.starts_with(".rank") || !parse_number<std::int64_t>(std::string_view(rank).substr(5))) return std::nullopt;
  return parse_number<std::int64_t>(file.stem().string());
}

// Whether the file is one of a write that did not end.
bool is_unfinished(const fs::path& file) {
  if (is_probe(file.filename().string())) return true;
  return file.extension() == ".part" && (number_of(file.stem()) || number_of_pieces(file.stem()));
}

[[noreturn]] void refuse_second_run(const fs::path& path) {
  throw UsageError("{}: another run is writing these outputs; choose other names or wait for its end", path.string());
}

}  // namespace

CheckpointFolder CheckpointFolder::make(const fs::path& path, bool overwrite) {
  CheckpointFolder folder(path);
  folder.made_folders_ = make_folders(path);
  if (!folder.lock()) refuse_second_run(path);
  const std::vector<fs::path> files = folder.files();
  if (!overwrite && !files.empty() && *number_of(files.front()) > 1)
    throw UsageError("{}: holds checkpoints of an earlier run; resume it with --resume, or restart it with --overwrite",
                     path.string());
  for (const fs::path& file : files) ::unlink(file.c_str());
  folder.clear();
  return folder;
}

CheckpointFolder CheckpointFolder::open(const fs::path& path) {
  CheckpointFolder folder(path);
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw UsageError(
        "{}: does not exist, so there is nothing to resume (a completed run leaves no checkpoint); start a run without "
        "--resume, with --overwrite if outputs exist",
        path.string());
  }
  if (!folder.lock()) refuse_second_run(path);
  return folder;
}

bool CheckpointFolder::lock() {
  if (!lies_below(path_, folder_of(path_)))
    throw UsageError("{}: is a link that leads out of its folder, where checkpoints must lie; remove it",
                     path_.string());
  const fs::path file = path_ / "lock";
  lock_ = OwnFile::make_or_take(file);
  if (lock_) return true;
  if (errno == EWOULDBLOCK) return false;
  throw UsageError("{}: cannot be written: {}", file.string(), std::generic_category().message(errno));
}

std::vector<fs::path> CheckpointFolder::files() const {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error))
    if (number_of(entry->path())) files.push_back(entry->path());
  std::ranges::sort(files, std::greater(), [](const fs::path& file) { return *number_of(file); });
  return files;
}

std::int64_t CheckpointFolder::prepare() const {
  clear();
  const std::vector<fs::path> before = files();
  return before.empty() ? 1 : *number_of(before.front()) + 1;
}

void CheckpointFolder::write(const Checkpoint& checkpoint, std::int64_t number) {
  const std::vector<fs::path> before = files();
  const fs::path name = checkpoint_file(path_, number);
  try {
    std::string damage;
    if (checkpoint.has_pieces() && !PieceFiles::open(name, checkpoint.refs(), damage)) throw RuntimeError(damage);
    Checkpoint::Block head;
    write_complete(name, checkpoint.serialize(head));
  } catch (...) {
    clear();
    throw;
  }
  for (std::size_t i = kept - 1; i < before.size(); ++i) ::unlink(before[i].c_str());
  clear();  // the piece files of those, too
}

void CheckpointFolder::write_only(const Checkpoint& checkpoint) {
  write(checkpoint);
  const std::vector<fs::path> all = files();
  for (std::size_t i = 1; i < all.size(); ++i) ::unlink(all[i].c_str());
  clear();
}

void CheckpointFolder::clear() const {
  const auto is_left = [&](const fs::path& file) {
    const std::optional<std::int64_t> number = number_of_pieces(file);
    std::error_code unknown;
    return number && fs::status(checkpoint_file(path_, *number), unknown).type() == fs::file_type::not_found;
  };
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error))
    if (is_unfinished(entry->path()) || is_left(entry->path())) ::unlink(entry->path().c_str());
}

void CheckpointFolder::remove() noexcept {
  if (!lock_) return;
  for (const fs::path& file : files()) ::unlink(file.c_str());
  clear();
  lock_.remove();
  lock_.close();
  ::rmdir(path_.c_str());
  remove_folders(made_folders_);  // those that are empty
}

}  // namespace simreel
