#include "sink/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "error.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

std::string system_words(int error) { return std::generic_category().message(error); }

[[noreturn]] void throw_system(const fs::path& path, const char* call) {
  throw RuntimeError(fmt::format("{}: {}: {}", path.string(), call, system_words(errno)));
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

// A link that points nowhere is there, too: a rename would replace it.
bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

void remove_folders(std::vector<fs::path>& folders) {
  for (; !folders.empty(); folders.pop_back()) ::rmdir(folders.back().c_str());  // refuses a folder that is in use
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
      throw UsageError(fmt::format("{}: this folder cannot be made: {}", path.string(), system_words(error)));
    }
  }
  return made;
}

}  // namespace

void refuse_existing(const fs::path& target, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) throw UsageError(fmt::format("{}: is a folder; name a file in it", target.string()));
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw UsageError(fmt::format("{}: is not a regular file; raw video for a pipe goes to -o -", target.string()));
  }
  if (overwrite) return;
  if (is_there(target)) {
    throw UsageError(fmt::format("{}: exists already; choose another name or pass --overwrite", target.string()));
  }
  const std::string part = target.string() + ".part";
  if (is_there(part)) {
    throw UsageError(
        fmt::format("{}: an earlier run did not finish this file (a video plays as it is); move it away or pass "
                    "--overwrite",
                    part));
  }
}

PartFile::PartFile(const fs::path& target, bool overwrite)
    : target_(target), part_(target.string() + ".part"), overwrite_(overwrite) {
  refuse_existing(target, overwrite);
  made_folders_ = make_folders(folder_of(target));
  // A fresh file instead of a truncated one: what had the name may be a link, or open in a run that is still going.
  if (overwrite) ::unlink(part_.c_str());
  fd_ = ::open(part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    const int error = errno;
    remove_folders(made_folders_);
    throw UsageError(fmt::format("{}: cannot be written: {}", part_.string(), system_words(error)));
  }
}

PartFile::~PartFile() {
  if (fd_ >= 0) ::close(fd_);
  if (keep_) return;
  ::unlink(part_.c_str());
  remove_folders(made_folders_);
}

void PartFile::write(const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(fd_, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system(part_, "write");
    next += written;
    count -= std::size_t(written);
  }
}

void PartFile::commit(Folder folder) {
  keep_ = true;
  if (::fsync(fd_) != 0) throw_system(part_, "fsync");
  rename_to_target(part_);
  if (folder == Folder::synced) sync_folder(target_);
}

void PartFile::commit_instead(const fs::path& complete) {
  keep_ = true;
  sync(complete);
  rename_to_target(complete);
  sync_folder(target_);
  if (::unlink(part_.c_str()) != 0) throw_system(part_, "unlink");
}

void PartFile::sync(const fs::path& path) const {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
  if (!synced) throw_system(path, "fsync");
}

void PartFile::rename_to_target(const fs::path& from) const {
  if (!overwrite_) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) {
      throw RuntimeError(fmt::format("{}: appeared while the run was going and is left alone; the result is in {}",
                                     target_.string(), from.string()));
    }
    if (errno != EINVAL && errno != ENOSYS)
      throw_system(target_, "rename");  // those two: a file system without the flag
  }
  if (::rename(from.c_str(), target_.c_str()) != 0) throw_system(target_, "rename");
}

void sync_folder(const fs::path& file) {
  const fs::path folder = folder_of(file);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw_system(folder, "open");
  const bool synced = ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  // Some network file systems refuse to sync a folder; the file itself is safe there.
  if (!synced && error != EINVAL && error != EROFS) throw_system(folder, "fsync");
}

}  // namespace simreel
