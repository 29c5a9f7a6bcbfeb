#include "sink/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"

namespace simreel {
namespace fs = std::filesystem;

Sequence::Sequence(const std::string& target, const StreamInfo& info, Opening opening, std::string_view what)
    : pattern_(target),
      start_(info.first),
      checksums_(kept_checksums(info, target, 1)),
      overwrite_(info.overwrite || info.resume > 0),
      safe_(info.resume),
      first_index_(info.resume) {
  look_for_others(info, opening, what);
  if (opening == Opening::trial) compare_files(kept_checksums(info, target, 1));
  const std::string first = name(first_index_);
  PartFile(first, overwrite_, Opening::trial);  // report errors of the folder for this file, not for the lock
  refuse_long_name(name(std::max<std::int64_t>(info.frames, 1) - 1));  // which may have more digits
  lock_.emplace(pattern_.placed(), opening);
  if (opening == Opening::real) first_ = std::make_unique<PartFile>(first, overwrite_);
}

Sequence::~Sequence() = default;

std::unique_ptr<PartFile> Sequence::open(std::int64_t index) {
  if (index == first_index_) {
    const std::lock_guard lock(mutex_);
    return std::move(first_);
  }
  try {
    return std::make_unique<PartFile>(name(index), overwrite_);
  } catch (const UsageError& error) {
    throw RuntimeError(error.what());  // it could be opened before the run, so this is not a mistake by the user
  }
}

void Sequence::commit(std::int64_t index, PartFile& file) {
  file.commit(PartFile::Folder::unsynced);
  checksums_.set(static_cast<std::size_t>(index), file.take_checksum());
  const std::lock_guard lock(mutex_);
  if (!last_.empty() && last_.parent_path() != file.target().parent_path()) sync_folder(last_);
  last_ = file.target();
  ahead_.insert(index);
  while (ahead_.erase(safe_) > 0) ++safe_;
}

void Sequence::count_on_error(const std::function<void()>& work) const {
  try {
    work();
  } catch (const RuntimeError& error) {
    const std::int64_t frames = safe_;
    throw RuntimeError("{}; the sequence holds {} whole frame{}", error.what(), frames, frames == 1 ? "" : "s");
  }
}

void Sequence::sync() const {
  const std::lock_guard lock(mutex_);
  if (!last_.empty()) sync_folder(last_);
}

void Sequence::finish() {
  first_.reset();
  sync();
  lock_.reset();
}

// Lists the folder once instead of testing each planned frame.
void Sequence::look_for_others(const StreamInfo& info, Opening opening, std::string_view what) const {
  const FilePattern component = pattern_.component();
  std::set<std::int64_t> done, planned, left;
  std::error_code error, unknown;
  for (fs::directory_iterator entry(pattern_.folder(), error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    const bool part = name.ends_with(".part");
    const auto number = component.index_of(part ? name.substr(0, name.size() - 5) : name);
    if (!number) continue;
    const std::int64_t index = *number - start_;
    const bool shown = index >= 0 && index < info.frames;
    if (!part && index < info.resume && fs::is_regular_file(pattern_.name(*number), unknown)) done.insert(index);
    if (shown) planned.insert(index);
    if (!shown && fs::exists(pattern_.name(*number), unknown)) left.insert(*number);
  }
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw UsageError("{}: its files cannot be listed: {}", pattern_.folder(), error.message());
  for (std::int64_t index = 0; index < info.resume; ++index) {
    if (done.contains(index)) continue;
    throw MissingFrames("{}: is not there, though the interrupted run wrote it", this->name(index));
  }
  for (const std::int64_t index : planned) refuse_existing(this->name(index), overwrite_);
  if (!info.overwrite || info.resume > 0 || left.empty() || opening == Opening::trial) return;
  tell(
      info.log, LogLevel::warning,
      fmt::format("{}: {} {}{} of an earlier run {} behind, because this one makes {} to {}; delete them before a film "
                  "is made of all",
                  pattern_.name(*left.begin()), left.size(), what, left.size() == 1 ? "" : "s",
                  left.size() == 1 ? "stays" : "stay", this->name(0), this->name(info.frames - 1)));
}

void Sequence::compare_files(const std::vector<Checksum>& kept) const {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::string name = this->name(static_cast<std::int64_t>(i));
    std::error_code error;
    const bool same =
        kept[i].bytes == 0 || (fs::file_size(name, error) == kept[i].bytes && !error && checksum_of(name) == kept[i]);
    if (!same) throw MissingFrames("{}: is not the file that the interrupted run wrote (the checksum differs)", name);
  }
}

}  // namespace simreel
