#pragma once
// Decides when a run takes checkpoints and when they may be written: a checkpoint belongs to a number of frames that
// were published, and is valid once every output has those frames safe.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "picture/rasterizer.h"
#include "ranks/saved_pieces.h"
#include "run/checkpoint_folder.h"
#include "run/repeat_store.h"
#include "sink/sink.h"
#include "source/source.h"

namespace simreel {

// The interval between checkpoints: a number of frames or, if that is 0, wall time.
struct CheckpointInterval {
  double seconds = 60;
  std::int64_t frames = 0;
};

// The progress of the first pass of a run whose range or camera comes from all frames.
struct RangePass {
  // What was found in the first `frames` of them.
  struct Found {
    std::int64_t frames = 0;
    Interval range{1, -1};  // of their values
    Spread spread;          // of them, for a symmetric range
    Reach reach{};          // of bodies, for the camera
    Interval own{1, -1};    // of those since the one before
  };
  std::int64_t frames = 0;  // measured
  Interval range{1, -1};
  Spread spread;
  Reach reach{};
  Interval recent{1, -1};  // since the last of `earlier`
  // The same after each of so many frames, for a run that diverges.
  static constexpr int most = 64;
  std::int64_t stride = 1;
  int count = 0;
  Found earlier[most];

  // Of a further frame; `frames` and keep follow.
  void add(Interval);
  void add(const Spread&);
  void keep();
  // The range of all but a twentieth of the frames at either end, if these take more than a fifth of it, and less than
  // all but a hundredth.
  Interval robust() const;
  // Of a run whose values grew without end: takes the range back to what was found before they did.
  void take_back();
};

// Blocks of every checkpoint besides those of the source and the rasterizer.
inline constexpr std::string_view frames_block = "frames";  // published to the outputs (std::int64_t)
inline constexpr std::string_view passed_block = "passed";  // frames of the scene, with those not shown (std::int64_t)
inline constexpr std::string_view step_block = "step";      // of the saved source (std::int64_t); absent: none is saved
inline constexpr std::string_view range_pass_block =
    "range pass";                                               // RangePass; absent: it is complete, or there is none
inline constexpr std::string_view complete_block = "complete";  // frames of the run, in its last state (std::int64_t)
// Frame of the scene, step and reason of a run that diverged, in the only checkpoint that it leaves: there is no state
// to resume from, and a further attempt would end in the same way.
struct Divergence {
  std::int64_t frame = 0, steps = 0;
  std::string reason;
};
inline constexpr std::string_view diverged_block = "diverged";  // its reason (text)
inline constexpr std::string_view run_prefix = "run ";          // names of the blocks that identify the run
inline constexpr std::string_view pictures_block = "pictures";  // LoopStore::checksums
// Sink::checksums of output `index`.
std::string checksums_block(std::size_t index);

class Checkpointer {
 public:
  // `run`: the blocks that identify the run and are part of every checkpoint, or the checkpoint that it resumes from.
  Checkpointer(CheckpointFolder, Checkpoint run, CheckpointInterval, Log = {});
  // Removes the folder if there is nothing to resume from. Otherwise, if the run failed, prints that it can be resumed,
  // and from where if that is not where it failed.
  ~Checkpointer();
  Checkpointer& operator=(Checkpointer&&) = delete;

  const Checkpoint& state() const { return state_; }  // the given one, later the one taken last

  bool begun() const { return begun_; }  // whether there is something to resume
  // The frames, drawn or measured in the first pass, of the newest checkpoint on the disk; nullopt: there is none.
  std::optional<std::int64_t> saved() const { return saved_; }
  void reach(std::int64_t frame) { reached_ = published(frame); }  // the run has drawn the frames before this one
  // Whether a run that was resumed has drawn frames and yet would be resumed where it was before.
  bool made_no_progress() const { return resumed_at_ && saved_ == resumed_at_ && reached_ > *resumed_at_; }

  // Tells of the source whose states are to come, and that it is about to end. In between it writes its state in
  // pieces, if it lies in several processes that see the folder. `bytes`: of a whole state. `release` waits for what is
  // being written, unless a rank has failed: then that is left, and the next run clears it away. `attach` throws errors
  // of ranks, and UsageError where the processes do not see the folder and a whole state does not fit here.
  void attach(Source&, std::size_t bytes);
  void release() noexcept;

  // Sets the outputs, and the first frame of the scene that they get. Called once, before `offer`; they must live until
  // the last call of `offer`. From then on a number of frames is one of the scene, those before the first too.
  // `store`: the pictures that a loop keeps; null: there is none.
  void watch(const std::vector<std::unique_ptr<Sink>>& sinks, std::int64_t first, const LoopStore* store);

  // After how many frames of the scene a checkpoint is due; a large number where time decides.
  std::int64_t next() const;

  // Called once, before `offer`: a run of so many frames keeps its last state, so that it can be extended.
  void keep_end(std::int64_t frames);
  bool keeps_end() const { return end_.has_value(); }

  // Write the checkpoint of a run that has drawn nothing yet; keep_range adds the colour range found by a first pass.
  void keep_start();
  void keep_range(const Rasterizer&);

  // To be called often, and throws FileRemoved where an output is gone, after `frame` frames of the scene and while the
  // source advances to the next one. Copies the state if a checkpoint is due, and writes it in the background
  // once every sink has the frames.
  void offer(std::int64_t frame, const Source&, const Rasterizer&);
  // The same during the first pass, which publishes nothing.
  void offer(const RangePass&, const Source&, const Rasterizer&);

  // To be called when something has failed after `frame` frames and the sinks are finished: writes the newest state
  // from which the run can be resumed, unless nothing was done yet. Throws what `save` of the source throws.
  void keep(std::int64_t frame, const Source&, const Rasterizer&);
  // The same when a signal has ended the run, while the last picture was held, where the newest state is an earlier
  // one, or during the first pass.
  void close(std::int64_t frame, const Source&, const Rasterizer&);
  void close();
  void close(const RangePass&, const Source&, const Rasterizer&);

  // To be called when the run is complete: writes its last state, or removes the checkpoints. `held`: pictures that
  // follow the last frame; then it is an earlier state, from which they can be made again.
  void complete(std::int64_t frame, std::int64_t held, const Source&, const Rasterizer&);
  void remove();
  // To be called when the run has diverged: leaves only that to know.
  void diverge(const Divergence&);

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t published(std::int64_t frames) const { return std::max<std::int64_t>(frames - first_, 0); }
  bool due(std::int64_t frame) const;
  bool safe(std::int64_t frame) const;
  bool is_writing();
  void capture(std::int64_t frame, const Source&, const Rasterizer&);
  void capture(const RangePass&, const Source&, const Rasterizer&);
  void save_checksums(std::int64_t frames);
  void write_taken();
  void write(std::int64_t frame);  // writes the state that was taken, in the background; `due` counts from `frame`
  void look_at_pieces();           // writes the checkpoint that they belong to, once all of them are on the disk
  void write_checkpoint(std::optional<std::int64_t> number);
  void warn(const std::string& reason);
  void wait();  // waits for `write`

  CheckpointFolder folder_;
  Checkpoint state_;  // the blocks that identify the run, and the state that was taken
  CheckpointInterval interval_;
  Log log_;
  std::vector<const Sink*> sinks_;
  const LoopStore* store_ = nullptr;
  std::int64_t stride_ = 1, first_ = 0;
  std::optional<std::int64_t> end_;  // the last frame from which a complete run can be resumed; empty: it keeps nothing

  std::optional<std::int64_t> taken_;   // the frames of the scene that state_ has, while it is not written
  bool wanted_ = false;                 // state_ is due to be written, so a newer state must not replace it
  SavedPieces* pieces_ = nullptr;       // of the source, if it writes its state in pieces
  std::optional<std::int64_t> number_;  // of the checkpoint whose pieces are being written, from state_ on this rank
  std::future<void> writing_;           // reads state_
  Clock::time_point last_write_ = Clock::now(), last_take_{};
  Clock::duration take_cost_{};
  std::int64_t last_frame_ = 0;  // of the scene, or measured in the first pass, when the last checkpoint was written
  std::optional<std::int64_t> saved_, resumed_at_;
  std::int64_t reached_ = 0;  // frames that were drawn, or measured in the first pass
  bool warned_ = false;       // that checkpoints cannot be written, since the last one that could
  bool begun_ = false;
  bool over_ = false;  // the run completed or was ended by a signal
};

// The least common multiple of the strides of all sinks; the largest number if one of them cannot be resumed.
std::int64_t common_stride(const std::vector<std::unique_ptr<Sink>>&);

// Parses "60s", "5min", "1h" or "250frames"; nullopt for "off" and "0". Throws UsageError for any other text.
std::optional<CheckpointInterval> parse_interval(const std::string& text);

}  // namespace simreel
