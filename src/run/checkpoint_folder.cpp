#include "run/checkpoint_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <functional>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "files/part_file.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kept = 2;
constexpr std::string_view extension = ".state";

// The number in "000042.state".
std::optional<std::int64_t> number_of(const fs::path& file) {
  const std::string name = file.stem().string();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || file.extension() != extension) return std::nullopt;
  return number;
}

[[noreturn]] void refuse_second_run(const fs::path& path) {
  throw UsageError(
      fmt::format("{}: another run is writing these outputs; choose other names or wait for its end", path.string()));
}

}  // namespace

CheckpointFolder CheckpointFolder::make(const fs::path& path, bool overwrite) {
  CheckpointFolder folder(path);
  folder.made_folders_ = make_folders(path);
  if (!folder.lock()) refuse_second_run(path);
  const std::vector<fs::path> files = folder.files();
  if (!overwrite && !files.empty() && *number_of(files.front()) > 1)
    throw UsageError(
        fmt::format("{}: holds checkpoints of an earlier run; resume it with --resume, or restart it with --overwrite",
                    path.string()));
  for (const fs::path& file : files) ::unlink(file.c_str());
  return folder;
}

CheckpointFolder CheckpointFolder::open(const fs::path& path) {
  CheckpointFolder folder(path);
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw UsageError(
        fmt::format("{}: does not exist, so there is nothing to resume (a completed run leaves no checkpoint); leave "
                    "--resume out to start a run",
                    path.string()));
  }
  if (!folder.lock()) refuse_second_run(path);
  return folder;
}

bool CheckpointFolder::lock() {
  const fs::path file = path_ / "lock";
  lock_ = OwnFile::make_or_take(file);
  if (lock_) return true;
  if (errno == EWOULDBLOCK) return false;
  throw UsageError(fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(errno)));
}

std::vector<fs::path> CheckpointFolder::files() const {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error))
    if (number_of(entry->path())) files.push_back(entry->path());
  std::ranges::sort(files, std::greater(), [](const fs::path& file) { return *number_of(file); });
  return files;
}

void CheckpointFolder::write(const Checkpoint& checkpoint) {
  const std::vector<fs::path> before = files();
  const std::int64_t number = before.empty() ? 1 : *number_of(before.front()) + 1;
  const fs::path name = path_ / fmt::format("{:06}{}", number, extension);
  const fs::path part = name.string() + ".part";
  ::unlink(part.c_str());
  OwnFile file = OwnFile::make(part);
  if (!file) throw RuntimeError(fmt::format("{}: open: {}", part.string(), std::generic_category().message(errno)));
  try {
    Checkpoint::Block head;
    for (const auto& piece : checkpoint.serialize(head)) file.write(piece.data(), piece.size());
    file.sync();
    file.rename(name, true);
  } catch (const RuntimeError&) {
    file.remove();
    throw;
  }
  sync_folder(name);
  for (std::size_t i = kept - 1; i < before.size(); ++i) ::unlink(before[i].c_str());
}

void CheckpointFolder::remove() noexcept {
  if (!lock_) return;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path name = entry->path().filename();
    if (number_of(name) || (name.extension() == ".part" && number_of(name.stem()))) ::unlink(entry->path().c_str());
  }
  lock_.remove();
  lock_.close();
  ::rmdir(path_.c_str());
  remove_folders(made_folders_);  // those that are empty
}

}  // namespace simreel
