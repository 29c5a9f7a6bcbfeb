// What must have reached the disk before a file gets its final name: seen in the calls that the program makes.

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>

#include "checkpoint/folder.h"
#include "sink_fixture.h"

namespace simreel {
namespace {

struct Call {
  enum class Kind { sync, rename } kind;
  ino_t file = 0;
  off_t size = 0;  // of the file at that moment
  std::string to;  // rename
};
std::mutex mutex;
std::vector<Call> calls;  // guarded by it

void note(Call::Kind kind, const struct stat& file, const char* to = "") {
  const std::lock_guard lock(mutex);
  calls.push_back({kind, file.st_ino, file.st_size, to});
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void note_rename(const char* from, const char* to) {
  struct stat file {};
  if (::lstat(from, &file) == 0) note(Call::Kind::rename, file, to);
}

}  // namespace
}  // namespace simreel

// These stand before the C library's for everything that is linked into this program.
extern "C" {
int fsync(int file) {
  struct stat found {};
  const int result = simreel::next<int(int)>("fsync")(file);
  if (result == 0 && ::fstat(file, &found) == 0) simreel::note(simreel::Call::Kind::sync, found);
  return result;
}
int rename(const char* from, const char* to) noexcept {
  simreel::note_rename(from, to);
  return simreel::next<int(const char*, const char*)>("rename")(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  simreel::note_rename(from, to);
  return simreel::next<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to,
                                                                                       flags);
}
}

namespace simreel {
namespace {

class DurabilityTest : public SinkTest {
 protected:
  static void begin() {
    const std::lock_guard lock(mutex);
    calls.clear();
  }
  static ino_t inode(const std::string& file) {
    struct stat found {};
    return ::stat(file.c_str(), &found) == 0 ? found.st_ino : 0;
  }

  // Every final name was given to a file that was synced at its whole length, and the folder was synced after the last.
  void expect_durable(const std::string& folder, std::size_t names) const {
    const std::lock_guard lock(mutex);
    std::size_t renamed = 0, last = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Call& call = calls[i];
      if (call.kind != Call::Kind::rename || call.to.ends_with(".part")) continue;
      ++renamed;
      last = i;
      const bool synced = std::any_of(calls.begin(), calls.begin() + std::ptrdiff_t(i), [&](const Call& before) {
        return before.kind == Call::Kind::sync && before.file == call.file && before.size == call.size;
      });
      EXPECT_TRUE(synced) << call.to << " got its name before its bytes were on the disk";
    }
    EXPECT_EQ(renamed, names);
    EXPECT_TRUE(
        std::any_of(calls.begin() + std::ptrdiff_t(last), calls.end(),
                    [&](const Call& call) { return call.kind == Call::Kind::sync && call.file == inode(folder); }))
        << folder << " was not synced";
  }
};

TEST_F(DurabilityTest, BytesAreOnTheDiskBeforeAFileHasItsName) {
  const std::vector<float> values(12, 0.5f);
  info_.field = "height";
  for (const std::string name :
       {"a.mp4", "a.mov", "a.mkv", "%d.png", "a.png", "a.y4m", "a.csv", "a.hashes", "%d.h5", "%d.npy"}) {
    for (const bool overwrite : {false, true}) {
      info_.overwrite = overwrite;
      begin();
      const auto sink = open(path("x/" + name));
      for (int i = 0; i < 3; ++i) {
        const auto pixels = sink->layout() ? picture(info_.size, *sink->layout(), i) : std::vector<std::byte>();
        const auto* const state = reinterpret_cast<const std::byte*>(values.data());
        sink->write({i, pixels.data(), {}, {{StateLayout::Kind::field, false, 4, 3, 0, false}, state, i, double(i)}});
      }
      sink->finish();
      SCOPED_TRACE(name);
      expect_durable(path("x"), name.starts_with('%') ? 3 : 1);
    }
  }
}

TEST_F(DurabilityTest, ACheckpointIsOnTheDiskBeforeAnOlderOneGoes) {
  CheckpointFolder folder = CheckpointFolder::make(path("x"), false);
  for (int i = 0; i < 3; ++i) {
    begin();
    Checkpoint checkpoint;
    checkpoint.save_value("number", i);
    folder.write(checkpoint);
    expect_durable(path("x"), 1);
  }
}

}  // namespace
}  // namespace simreel
