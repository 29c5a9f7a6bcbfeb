#pragma once
// A video whose frames a caller pushes: the render loop runs on a thread of its own, and takes each frame when the one
// before is drawn.
//
// Arrays on a GPU are gathered by a queue of their own (reading_), into one of two buffers, so that a frame is read
// while the one before is drawn. `write` gathers into next_ while no frame waits: next_ then holds the frame before the
// last, and drawn_ marks the end of all work that reads it (Source::view), for which reading_ waits. Drawing and
// `write` wait for gathered_, the end of the gathering. Buffers and marks pass between the threads by waiting_, under
// mutex_.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "exec/buffer.h"
#include "exec/driver.h"
#include "exec/executor.h"
#include "exec/foreign.h"
#include "kernels/base/gather.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

// Arrays of the caller, all in host memory or all on the GPU: a field, or bodies.
struct PushedFrame {
  std::optional<StridedArray> field;          // ny x nx; row 0 of a field is below, that of a picture above
  std::optional<StridedArray> position;       // n x 3
  std::optional<StridedArray> velocity = {};  // n x 3, or n x 1 for a speed
  std::optional<StridedArray> mass = {};      // n x 1
  bool on_gpu = false;
  double time = 0;
  int channels = 0;                // 3 or 4: `field` is the first channel of a picture of 8 bits a channel
  std::int64_t channel_bytes = 0;  // to the next one
  std::string position_name = "position", velocity_name = "velocity", mass_name = "mass";  // for messages

  const StridedArray& main() const { return field ? *field : *position; }
  bool in_float() const;  // all values are those of a float
  bool is_picture() const { return channels > 0; }
};

struct PushedOptions {
  Wanted wanted = Wanted::automatic;
  int device = -1, threads = 0;  // as for open_executor
  bool overwrite = false;
  std::string view_name = "view";  // of the text, before places in messages; empty: they name none
};

class PushedVideo {
 public:
  // Throws UsageError for mistakes in the text of the view and in the names of outputs, and what open_executor throws.
  PushedVideo(std::vector<std::string> outputs, const std::string& view, const PushedOptions&);
  // Without `close`: the frames so far stay in NAME.part.
  ~PushedVideo();
  PushedVideo& operator=(PushedVideo&&) = delete;

  // Whether this process opened the video. A fork has none of its threads: nothing but this may be called there, and
  // the video must not be destroyed.
  bool belongs_here() const;

  // Returns when the arrays may be overwritten; blocks while the frame before waits to be drawn. The first frame opens
  // the outputs and decides the shape. Throws UsageError for a frame of another shape and while
  // another thread is here, and what the loop threw.
  void write(const PushedFrame&);
  // Waits until `write` would not block for the frame before, at most so long; false: it still would.
  bool ready(std::chrono::duration<double> patience);
  // Completes the outputs. Throws what the loop threw.
  void close();

  std::int64_t frames() const { return frames_; }

  // Arrays on the GPU are read when the work that this stream holds at `write` is done. Null: CUDA's default stream.
  void set_stream(CUstream_st* stream) { foreign_ = stream; }
  // Draws them; lives as long as the video, also when the loop has ended.
  const Executor& executor() const { return *drawing_; }
  CUstream_st* stream() const { return reading_->stream(); }  // reads arrays on the GPU; null on the CPU

  // After `close`.
  const std::vector<std::string>& outputs() const { return outputs_; }
  std::vector<std::string> remarks() const { return remarks_; }
  const std::optional<Interval>& range() const { return range_; }
  double seconds() const { return seconds_; }

 private:
  template <class Real>
  friend class PushedSource;
  friend class PushedPictures;
  friend class PushedFrames;

  void enqueue(const PushedFrame&);
  void expect_shape(const PushedFrame&) const;
  void expect_readable(const PushedFrame&) const;
  std::size_t value_bytes() const;  // of the values of a frame, or of the pixels of a picture
  void gather_values(const Executor&, const PushedFrame&, std::byte* to) const;
  void stage(const PushedFrame&);        // in host memory, to spare_
  void gather_next(const PushedFrame&);  // on the GPU, to next_
  void finish_reading() noexcept;        // waits for what is being gathered, which may have failed
  void allocate();                       // shown_; on a GPU next_, too, with the first frame
  void show_next(const PushedFrame&);    // its values, in next_ or pending_, are those of shown_ from now on
  void fit_to_picture(const PushedFrame&);
  void loop(const PushedOptions&);
  void run(const Executor&);
  // The next frame, waiting a moment for it; null: none yet, or `over` has become true. Throws RunAbandoned.
  const PushedFrame* begin_frame(bool& over);
  void end_frame();  // its arrays are read
  void throw_failure();
  void remark(std::string_view);

  Scene scene_;
  std::vector<std::string> outputs_;
  bool overwrite_;
  Executor host_;  // gathers arrays in host memory
  const std::int64_t process_;
  std::atomic<bool> writing_ = false;
  std::int64_t frames_ = 0;
  PushedFrame shape_;                       // the first frame; its data may be gone
  std::vector<std::byte> spare_, pending_;  // values of frames in host memory: being gathered, and handed over
  CUstream_st* foreign_ = nullptr;
  std::optional<Executor> drawing_, reading_;  // of the loop, which makes them before the constructor returns
  int device_ = 0;
  Buffer<std::byte> next_, shown_;  // values on a GPU: of the next frame, and of the one that is drawn
  StreamFence gathered_;
  Event drawn_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<PushedFrame> waiting_;
  bool ready_ = false, closed_ = false, abandoned_ = false, ended_ = false;
  std::exception_ptr failure_;
  std::vector<std::string> remarks_;
  std::optional<Interval> range_;
  double seconds_ = 0;
  std::thread thread_;
};

}  // namespace simreel
