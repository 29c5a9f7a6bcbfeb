#pragma once
// The files of a sequence, one per frame ("x/%06d.png"); each appears under its name when it is complete.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/sink.h"

namespace simreel {

class Sequence {
 public:
  // Throws UsageError if a file of the planned frames exists (unless it may be replaced), if the first one cannot be
  // written, or if another run is writing the same pattern; MissingFrames if a file of a frame before `resume` is
  // missing or does not have its checksum. `what`: "picture", for messages.
  Sequence(const std::string& target, const StreamInfo&, Opening, std::string_view what);
  ~Sequence();

  // The file of one frame. These may be called from several threads for different frames, in any order.
  std::unique_ptr<PartFile> open(std::int64_t index);
  void commit(std::int64_t index, PartFile&);

  // Runs a part of the writing; adds the number of complete frames to the message of an error.
  void count_on_error(const std::function<void()>& work) const;

  // The number of leading frames without a gap.
  std::int64_t safe_frames() const { return safe_; }
  void sync() const;  // makes their names survive a power cut; any thread may call it
  void finish();      // after all are committed
  std::vector<Checksum> checksums(std::int64_t frames) const {
    return checksums_.first(static_cast<std::size_t>(frames));
  }

 private:
  std::string name(std::int64_t index) const { return pattern_.name(start_ + index); }
  void look_for_others(const StreamInfo&, Opening, std::string_view what) const;
  void compare_files(const std::vector<Checksum>&) const;

  FilePattern pattern_;
  std::int64_t start_;  // the number of the first frame
  ChecksumList checksums_;
  bool overwrite_;
  std::atomic<std::int64_t> safe_;

  std::optional<RunLock> lock_;
  mutable std::mutex mutex_;  // guards what follows
  std::int64_t first_index_;
  std::unique_ptr<PartFile> first_;  // opened before the run, to detect errors early
  std::set<std::int64_t> ahead_;     // frames committed before an earlier frame
  std::filesystem::path last_;
};

}  // namespace simreel
