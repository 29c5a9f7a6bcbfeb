#pragma once
// When a run takes checkpoints, and when they are good: a checkpoint belongs to a number of frames that were drawn and
// handed over, and may be resumed from once every output has those frames safe.

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "raster/rasterizer.h"
#include "run/checkpoint_folder.h"
#include "sink/sink.h"
#include "source/source.h"

namespace simreel {

// How often a state goes to disk: every so many frames, or by the clock where those are 0.
struct CheckpointInterval {
  double seconds = 60;
  std::int64_t frames = 0;
};

// The block that says how many frames were handed to the outputs (std::int64_t).
inline constexpr std::string_view frames_block = "frames";

class Checkpointer {
 public:
  // `run`: the blocks that identify the run, which every checkpoint has, or the checkpoint that it resumes from.
  Checkpointer(CheckpointFolder, Checkpoint run, CheckpointInterval, Log = {});
  // Takes the folder away if no frame was drawn, and else says that the run can be resumed, if nobody has: it failed.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  const Checkpoint& state() const { return state_; }  // the one given, and later the one taken last

  // The outputs that are to have the frames. Called once, before `offer`, until whose last call they live.
  void watch(const std::vector<std::unique_ptr<Sink>>& sinks);

  // Brings a checkpoint of a run to disk that has drawn nothing yet; with the range of the colours where a first pass
  // has found it.
  void keep_start();
  void keep_range(const Rasterizer&);

  // `frames` frames were handed to the sinks, and the source is at some point of its way to the next. To be called
  // often: takes a copy of the state where one is due, and brings it to disk beside the run once every sink has the
  // frames.
  void offer(std::int64_t frames, const Source&, const Rasterizer&);

  // A signal ended the run after so many frames, and the sinks are finished: brings the newest state to disk that can
  // be resumed from.
  void close(std::int64_t frames, const Source&, const Rasterizer&);

  // The run is over, and nothing is left to resume.
  void remove();

 private:
  using Clock = std::chrono::steady_clock;

  bool due(std::int64_t frames) const;
  bool safe(std::int64_t frames) const;
  void take(std::int64_t frames, const Source&, const Rasterizer&);
  void write();  // what was taken, beside the run
  void wait();   // for that

  CheckpointFolder folder_;
  Checkpoint state_;  // the run's own blocks, and the state that was taken
  CheckpointInterval interval_;
  Log log_;
  std::vector<const Sink*> sinks_;
  std::int64_t stride_ = 1;

  std::optional<std::int64_t> taken_;  // the frames of the state in state_, as long as it is not on disk
  bool wanted_ = false;                // that state is due on disk, so no newer one may take its place
  std::future<void> writing_;          // reads state_
  Clock::time_point last_write_ = Clock::now(), last_take_{};
  Clock::duration take_cost_{};
  std::int64_t last_frames_ = 0;
  bool begun_ = false;  // there is something to resume
  bool over_ = false;   // the run came to an end by itself or by a signal
};

// The least number of frames that is a multiple of every sink's stride; the largest number where one cannot be resumed.
std::int64_t common_stride(const std::vector<std::unique_ptr<Sink>>&);

// "60s", "5min", "1h", "250" or "250frames"; nothing for "off" and "0". Throws UsageError for any other text.
std::optional<CheckpointInterval> parse_interval(const std::string& text);

}  // namespace simreel
