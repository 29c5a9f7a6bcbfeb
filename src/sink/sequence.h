#pragma once
// The files of a sequence, one a frame ("x/%06d.png"): each appears when it is complete.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/sink.h"

namespace simreel {

class Sequence {
 public:
  // Throws UsageError where a file of the planned frames is there (unless it may be replaced), where the first one
  // cannot be written and where another run writes the same pattern, MissingFrames where a run that is resumed lacks
  // one of those before. `what`: "picture", for messages.
  Sequence(FilePattern, const StreamInfo&, Opening, std::string_view what);
  ~Sequence();

  // One frame's file. These may be called from several threads for different frames, in any order.
  std::unique_ptr<PartFile> open(std::int64_t index);
  void commit(std::int64_t index, PartFile&);

  // Does a part of the writing, all that goes on at once; an error of it then says how many frames are whole.
  void count_on_error(const std::function<void()>& work) const;

  // How many of the first frames are there without a gap.
  std::int64_t safe_frames() const { return safe_; }
  void sync() const;  // makes their names survive a power cut; any thread may call it
  void finish();      // once all are committed

 private:
  void look_for_others(const StreamInfo&, Opening, std::string_view what) const;

  FilePattern pattern_;
  bool overwrite_;
  std::atomic<std::int64_t> safe_;

  std::optional<RunLock> lock_;
  mutable std::mutex mutex_;  // guards what follows
  std::int64_t first_index_;
  std::unique_ptr<PartFile> first_;  // opened before the run, to see that it can be
  std::set<std::int64_t> ahead_;     // committed before one of the frames before them
  std::filesystem::path last_;
};

}  // namespace simreel
