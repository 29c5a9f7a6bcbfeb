#pragma once
// A video whose frames a caller pushes: the render loop runs on a thread of its own, and takes each frame when the one
// before is drawn.

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "exec/executor.h"
#include "kernels/base/view.h"
#include "scene/scene.h"

namespace simreel {

// A frame in host memory. Exactly one of `field` and `position` has values.
struct PushedFrame {
  int nx = 0, ny = 0;
  bool in_float = true;  // all values are those of a float
  std::vector<double> field;
  std::vector<Vec4<double>> position, velocity;
  double time = 0;
};

class PushedVideo {
 public:
  // Throws UsageError for mistakes in the text of the view and in the names of outputs.
  PushedVideo(std::vector<std::string> outputs, const std::string& view, Executor executor, bool overwrite);
  // Without `close`: what the outputs have stays as NAME.part.
  ~PushedVideo();
  PushedVideo(const PushedVideo&) = delete;
  PushedVideo& operator=(const PushedVideo&) = delete;

  // Blocks while the frame before waits to be drawn. The first one opens the outputs and decides the shape. Throws
  // UsageError for a frame of another shape, and what the loop threw.
  void write(PushedFrame);
  // Completes the outputs. Throws what the loop threw.
  void close();

  std::int64_t frames() const { return frames_; }

 private:
  template <class Real>
  friend class PushedSource;
  struct Abandoned {};

  void start(const PushedFrame& first);
  void run(const PushedFrame& shape);
  // The next frame, waiting a moment for it; nullopt: none yet, or `over` has become true. Throws Abandoned.
  std::optional<PushedFrame> take(bool& over);
  void throw_failure();

  Scene scene_;
  std::vector<std::string> outputs_;
  Executor executor_;
  bool overwrite_;
  std::int64_t frames_ = 0;
  PushedFrame shape_;  // of the first frame, without values

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<PushedFrame> waiting_;
  bool closed_ = false, abandoned_ = false, ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace simreel
