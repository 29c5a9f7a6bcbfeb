// What must have reached the disk before a file gets its final name: seen in the calls that the program makes.

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "run/checkpoint_folder.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

struct Call {
  enum class Kind { sync, rename } kind;
  ino_t file = 0;
  off_t size = 0;  // of the file at that moment
  std::string to;  // rename
};
std::mutex mutex;
std::vector<Call> calls;        // guarded by it
std::optional<int> good_syncs;  // guarded by it; the one after these fails

void note(Call::Kind kind, const struct stat& file, const char* to = "") {
  const std::lock_guard lock(mutex);
  calls.push_back({kind, file.st_ino, file.st_size, to});
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool next_sync_fails() {
  const std::lock_guard lock(mutex);
  return good_syncs && (*good_syncs)-- == 0;
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
  if (simreel::next_sync_fails()) {
    errno = ENOSPC;
    return -1;
  }
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
  void SetUp() override { info_.fields = {"height"}; }

  static void begin(std::optional<int> syncs = {}) {
    const std::lock_guard lock(mutex);
    calls.clear();
    good_syncs = syncs;
  }

  void write_three(const std::string& target) {
    const std::vector<float> values(12, 0.5f);
    const auto* const state = reinterpret_cast<const std::byte*>(values.data());
    const auto sink = open(target);
    for (int i = 0; i < 3; ++i) {
      const auto pixels =
          sink->traits().layout ? picture(info_.size, *sink->traits().layout, i) : std::vector<std::byte>();
      sink->write({i, pixels.data(), {}, {{StateLayout::Kind::field, false, 4, 3, 0, false}, state, i, double(i)}});
    }
    sink->finish();
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

constexpr std::array names = {"a.mp4", "a.mov", "a.mkv",    "a.webm", "a.gif",  "a.webp", "a.apng", "%d.png", "a.png",
                              "a.y4m", "a.csv", "a.hashes", "%d.h5",  "%d.npy", "%d.npz", "a.h5",   "a.npy",  "a.npz"};

TEST_F(DurabilityTest, BytesAreOnTheDiskBeforeAFileHasItsName) {
  for (const std::string name : names)
    for (const bool overwrite : {false, true}) {
      info_.overwrite = overwrite;
      begin();
      write_three(path("x/" + name));
      SCOPED_TRACE(name);
      expect_durable(path("x"), name.starts_with('%') ? 3 : 1);
    }
}

// Some file systems find out only then that they are full.
TEST_F(DurabilityTest, ASyncThatFailsIsAnErrorAndLeavesNothingIncomplete) {
  for (const std::string name : names) {
    write_three(path("whole/" + name));
    int failed = 0;
    for (std::string message = "?"; !message.empty(); ++failed) {
      std::filesystem::remove_all(path("x"));
      begin(failed);
      try {
        write_three(path("x/" + name));
        message.clear();
      } catch (const RuntimeError& error) {
        message = error.what();
        EXPECT_TRUE(test::says(message, "fsync: No space left on device"));
        EXPECT_TRUE(message.starts_with(path("x"))) << message;
      }
      begin();
      std::error_code nothing_left;
      for (const auto& entry : std::filesystem::directory_iterator(path("x"), nothing_left)) {
        if (entry.path().extension() == ".part") continue;
        const std::string whole = path("whole/" + entry.path().filename().string());
        EXPECT_TRUE(std::filesystem::exists(whole) && contents(entry.path().string()) == contents(whole)) << whole;
      }
    }
    EXPECT_GT(failed, 2) << name << ": its file and its folder";
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
