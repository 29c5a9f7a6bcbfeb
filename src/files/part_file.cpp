#include "files/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "base/input_file.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

std::string system_words(int error) { return std::generic_category().message(error); }

fs::path part_of(const fs::path& target) { return target.string() + ".part"; }

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// "new/../x.csv" is x.csv whether or not the folder `new` exists.
fs::path without_dots(const fs::path& target) {
  if (std::ranges::none_of(target, [](const fs::path& part) { return part == ".."; })) return target;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(folder_of(target), error), error);
  return error ? target : folder / target.filename();
}

fs::path real_target(const fs::path& target) { return without_dots(behind_links(without_dots(target))); }

fs::path nearest_existing_folder(const fs::path& target) {
  fs::path folder = folder_of(target);
  while (!is_there(folder) && folder.has_relative_path()) folder = folder_of(folder);
  return folder;
}

// Of a file that would be replaced. A rename needs no right to write it, and root has all rights.
void refuse_read_only(const fs::path& target) {
  struct stat found {};
  if (::stat(target.c_str(), &found) != 0) return;
  if ((found.st_mode & 0222) != 0 && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) == 0) return;
  throw UsageError("{}: is read-only, so it is not replaced; choose another name or allow it with chmod u+w",
                   target.string());
}

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

[[noreturn]] void refuse_second_run(const fs::path& part, std::string_view what = "file") {
  throw UsageError("{}: another run is writing this {}; choose another name or wait for its end", part.string(), what);
}

bool another_run_writes(const fs::path& part) {
  const int fd = ::open(part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

[[noreturn]] void refuse_unfinished(const fs::path& part, std::string_view note) {
  throw UsageError(fmt::format("{}: an earlier run did not finish this file{}; ", part.string(),
                               note.empty() ? "" : fmt::format(" ({})", note)),
                   Hint::resume_or_overwrite);
}

void refuse_leftover(const fs::path& target, bool overwrite, std::string_view note) {
  const fs::path part = part_of(target);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(part, error);
  if (!fs::exists(status)) return;
  if (!fs::is_regular_file(status))
    throw UsageError("{}: is not a regular file, and the run would write there; move it", part.string());
  if (another_run_writes(part)) refuse_second_run(part);
  if (!overwrite && fs::file_size(part, error) != 0) refuse_unfinished(part, note);
}

// A number may be written with another width, or have digits in front: "p%d.png" and "p%04d.png" both have p1000.png.
void refuse_meeting_run(const FilePattern& pattern) {
  std::error_code error;
  for (fs::directory_iterator entry(pattern.folder(), error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& lock = entry->path();
    const auto other = FilePattern::from_lock_name(lock.string());
    if (!other || lock == pattern.lock_name() || !pattern.may_meet(*other) || !another_run_writes(lock)) continue;
    throw UsageError(
        "{}: another run is writing this sequence, and {} may have files of the same names; choose another "
        "name or wait for its end",
        lock.string(), pattern.lock_name().substr(0, pattern.lock_name().size() - 5));
  }
}

}  // namespace

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

void refuse_unwritable(const fs::path& target) {
  const fs::path folder = nearest_existing_folder(target);
  std::error_code unknown;
  int error = 0;
  struct stat found {};
  if (!fs::is_directory(folder, unknown)) {
    error = ENOTDIR;
  } else if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0 ||
             (::lstat(part_of(target).c_str(), &found) != 0 && errno != ENOENT)) {
    error = errno;
  }
  if (error == 0) return;
  throw UsageError("{}: cannot be written in {}: {}", target.string(), folder.string(), system_words(error));
}

void remove_folders(std::vector<fs::path>& folders) {
  for (; !folders.empty(); folders.pop_back()) ::rmdir(folders.back().c_str());  // fails for a folder that is not empty
}

std::vector<fs::path> make_folders(const fs::path& folder) {
  std::vector<fs::path> missing;
  for (fs::path path = folder; !path.empty() && !is_there(path); path = path.parent_path()) missing.push_back(path);
  std::vector<fs::path> made;
  for (; !missing.empty(); missing.pop_back()) {
    const fs::path& path = missing.back();
    if (::mkdir(path.c_str(), 0777) == 0) {
      made.push_back(path);
    } else if (errno != EEXIST) {
      const int error = errno;
      remove_folders(made);
      throw UsageError("{}: this folder cannot be created: {}", path.string(), system_words(error));
    }
  }
  return made;
}

void refuse_existing(const fs::path& target, bool overwrite, std::string_view note) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) throw UsageError("{}: is a folder; name a file in it", target.string());
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw UsageError("{}: is not a regular file; raw video for a pipe goes to -o -", target.string());
  if (fs::exists(status) && !overwrite)
    throw UsageError(fmt::format("{}: exists already; choose another name or ", target.string()), Hint::overwrite);
  refuse_read_only(target);
  if (error == std::errc::too_many_symbolic_link_levels)
    throw UsageError("{}: is a link that leads to itself; remove it or choose another name", target.string());
  refuse_leftover(real_target(target), overwrite, note);
}

void refuse_without_room(const fs::path& target, std::uintmax_t bytes, std::string_view way_out) {
  std::error_code error;
  const fs::space_info space = fs::space(nearest_existing_folder(without_dots(target)), error);
  if (error || space.capacity == 0 || space.available >= bytes) return;
  throw UsageError("{}: takes {} and the file system has {} left; {}", target.string(),
                   bytes == 1 ? "some bytes" : fmt::format("{} bytes", bytes), space.available, way_out);
}

void refuse_long_name(const fs::path& target, std::string_view end) {
  const fs::path longest = target.string() + std::string(end);
  const auto refuse = [&](const std::string& limit) {
    throw UsageError("{}: {}{}", target.string(), system_words(ENAMETOOLONG), limit);
  };
  // The system does not look at names in folders that are not there yet.
  const long most = ::pathconf(nearest_existing_folder(target).c_str(), _PC_NAME_MAX);
  for (const fs::path& part : longest)
    if (most > 0 && std::ssize(part.native()) > most)
      refuse(fmt::format(": it may have {} bytes{}", most - std::ssize(end),
                         end.empty() ? "" : ", so that its temporary files have room for their endings"));
  struct stat found {};
  if (::lstat(longest.c_str(), &found) != 0 && errno == ENAMETOOLONG) refuse("");
}

PartFile::PartFile(const fs::path& target, bool overwrite, Opening opening, std::string_view note, Links links)
    : target_(links == Links::followed ? real_target(target) : without_dots(target)),
      part_(part_of(target_)),
      overwrite_(overwrite) {
  refuse_long_name(target_);
  if (links == Links::replaced && is_link(target_))
    refuse_leftover(target_, overwrite, note);
  else
    refuse_existing(without_dots(target), overwrite, note);
  refuse_unwritable(target_);
  if (opening == Opening::trial) return;
  made_folders_ = make_folders(folder_of(target_));
  try {
    acquire(note);
  } catch (...) {
    remove_folders(made_folders_);
    throw;
  }
}

PartFile::PartFile(const fs::path& target, std::int64_t frames, const Length& length, Opening opening)
    : target_(real_target(target)), part_(part_of(target_)), overwrite_(true), keep_(true) {
  refuse_read_only(target_);
  std::error_code error;
  const bool finished = !fs::is_regular_file(fs::symlink_status(part_, error)) || fs::file_size(part_, error) == 0;
  const fs::path& left = finished ? target_ : part_;
  if (another_run_writes(left)) refuse_second_run(left);
  std::ifstream in = open_plain(left);
  const std::optional<std::uintmax_t> bytes = in ? length(in) : std::nullopt;
  if (!bytes)
    throw MissingFrames("{}: does not hold the first {} frames of the interrupted run", left.string(), frames);
  if (opening == Opening::trial) return;
  file_ = OwnFile::take(left);
  if (!file_ && errno == EWOULDBLOCK) refuse_second_run(left);
  if (!file_) throw UsageError("{}: cannot be written: {}", left.string(), system_words(errno));
  if (finished) file_.rename(part_, true);
  file_.cut(*bytes);
}

void PartFile::acquire(std::string_view note) {
  OwnFile file = OwnFile::make_or_take(part_);
  if (!file && errno == EWOULDBLOCK) refuse_second_run(part_);
  if (!file) throw UsageError("{}: cannot be written: {}", part_.string(), system_words(errno));
  if (file.size() == 0) {
    file.take_mode_of(target_);
    file_ = std::move(file);
    return;
  }
  if (!overwrite_) refuse_unfinished(part_, note);
  replaced_ = std::move(file);
  // The lock of the .part file covers this name too, and no output can have it.
  const fs::path fresh = target_.string() + ".new.part";
  ::unlink(fresh.c_str());
  file_ = OwnFile::make(fresh);
  if (!file_) throw UsageError("{}: cannot be written: {}", fresh.string(), system_words(errno));
  file_.take_mode_of(target_);
}

PartFile::~PartFile() {
  if (keep_ || !file_) return;
  file_.remove();
  remove_folders(made_folders_);
}

void PartFile::keep(bool worth) {
  keep_ = worth;
  if (!worth || !replaced_) return;
  replaced_.expect_its_name();
  file_.rename(part_, true);
  replaced_.close();
}

void PartFile::add(const void* bytes, std::size_t count, std::int64_t frames) {
  try {
    write(bytes, count);
    keep();
  } catch (const RuntimeError& error) {
    throw RuntimeError("{}; it holds {} whole frame{}", error.what(), frames, frames == 1 ? "" : "s");
  }
}

void PartFile::sync() const {
  const std::lock_guard lock(sync_mutex_);
  // The system reports a failure once, but the data stays lost.
  if (sync_error_ == 0) sync_error_ = file_.sync_error();
  if (file_.removed())
    throw FileRemoved("{}: another program removed or replaced this file during the run", part_.string());
  if (sync_error_ != 0) throw RuntimeError("{}: fsync: {}", part_.string(), system_words(sync_error_));
}

void PartFile::commit(Folder folder) {
  keep();
  sync();
  file_.rename(target_, overwrite_);
  if (folder == Folder::synced) sync_folder(target_);
}

OwnFile PartFile::make_complete() const {
  const fs::path path = target_.string() + std::string(complete_end);
  ::unlink(path.c_str());
  OwnFile file = OwnFile::make(path);
  if (!file) throw RuntimeError("{}: open: {}", path.string(), system_words(errno));
  file.take_mode_of(target_);
  return file;
}

void PartFile::commit_instead(OwnFile& complete) {
  keep();
  file_.expect_its_name();
  complete.sync();
  complete.rename(target_, overwrite_);
  sync_folder(target_);
  file_.remove();
}

RunLock::RunLock(const FilePattern& pattern, Opening opening) {
  const fs::path path = pattern.lock_name();
  refuse_long_name(path, "");
  if (opening == Opening::trial) {
    if (another_run_writes(path)) refuse_second_run(path, "sequence");
    refuse_meeting_run(pattern);
    return;
  }
  made_folders_ = make_folders(folder_of(path));
  file_ = OwnFile::make_or_take(path);
  const int error = errno;
  try {
    if (!file_ && error == EWOULDBLOCK) refuse_second_run(path, "sequence");
    if (!file_)
      throw UsageError("{}: cannot be locked: {}; remove it or choose another place", path.string(),
                       system_words(error));
    refuse_meeting_run(pattern);  // only now: of two runs that start together, at least one sees the other's lock
  } catch (...) {
    release();
    throw;
  }
}

RunLock::~RunLock() { release(); }

void RunLock::release() {
  file_.remove();
  file_.close();
  remove_folders(made_folders_);
}

void write_below(const fs::path& folder, const fs::path& name, std::string_view bytes) {
  const fs::path file = folder / name;
  if (!lies_below(folder_of(file), folder))
    throw UsageError("{}: a link leads out of {}", file.string(), folder.string());
  PartFile part(file, true, Opening::real, "", Links::replaced);
  part.write(bytes);
  part.commit();
}

void sync_folder(const fs::path& file) {
  const fs::path folder = folder_of(file);
  const auto fail = [&](const char* call, int error) {
    throw RuntimeError("{}: {}: {}", folder.string(), call, system_words(error));
  };
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("open", errno);
  const bool synced = ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  // Some network file systems refuse to sync a folder; the file itself is safe there.
  if (!synced && error != EINVAL && error != EROFS) fail("fsync", error);
}

}  // namespace simreel
