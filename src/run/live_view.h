#pragma once
// What a run shows of itself while it works, to whoever looks from another thread. The run never waits for those: it
// leaves out what they have no room for, and spends a hundredth of its time on them at most.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/pixels.h"
#include "exec/buffer.h"
#include "exec/executor.h"
#include "picture/rasterizer.h"

namespace simreel {

class LiveView {
 public:
  static constexpr int max_side = 960;          // of a picture that is shown, in pixels
  static constexpr std::size_t max_rows = 240;  // of values; beyond that only every second one stays
  static constexpr std::size_t max_bytes = std::size_t{256} << 20;  // of a frame; larger ones are not shown

  LiveView() = default;
  ~LiveView();  // before the executor of `show`
  LiveView& operator=(LiveView&&) = delete;

  // Of the run's thread.

  // Whether a page wants values of the diagnostics now.
  bool wants_values() const;
  // `cost`: seconds, where they were measured for this alone; the next ones wait until that is a hundredth.
  void add_values(double time, const std::vector<double>& values, double cost);
  // Keeps what the rasterizer shows now, if a page is open and has taken the last picture: at most ten in a second.
  // `layout`: rgb or rgb16, that of a canvas which the run has.
  void show(const Executor&, const Rasterizer&, Size, PixelLayout layout);

  // Of other threads, each by one at a time.

  // Each the time and its values. Whoever asks counts as an open page for two seconds.
  std::vector<std::vector<double>> rows();
  struct Picture {
    Size size;
    std::vector<std::byte> rgb;
  };
  // One that has come since the last call, no wider or higher than max_side. Throws RuntimeError if the device failed.
  std::optional<Picture> picture();

 protected:
  using Clock = std::chrono::steady_clock;

 private:
  using Moment = std::atomic<Clock::time_point>;
  static bool is_recent(const Moment& moment) { return Clock::now() - moment.load() < std::chrono::seconds(2); }

  Moment rows_asked_{}, picture_asked_{};

  Clock::time_point next_values_{}, next_picture_{};  // of the run's thread
  std::int64_t passed_ = 0;                           // values so far
  std::int64_t every_ = 1;                            // so many of them make a row
  std::mutex mutex_;
  std::vector<std::vector<double>> rows_;

  // The run's thread has the picture while it is not full, the other one afterwards.
  std::atomic<bool> full_ = false;
  bool shows_none_ = false;  // there is no memory
  Size size_;
  PixelLayout layout_ = PixelLayout::rgb;
  Buffer<std::byte> target_, host_;  // `host_` is empty on the CPU
  Event arrived_;
};

}  // namespace simreel
