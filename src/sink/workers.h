#pragma once
// A thread pool, for sinks whose frames can be encoded in parallel.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace simreel {

class Workers {
 public:
  using Job = std::function<void()>;

  // How many threads a sink may keep busy: one a core.
  static std::size_t count();

  explicit Workers(std::size_t threads = count());
  ~Workers();  // after the jobs that were added; their errors are lost
  Workers& operator=(Workers&&) = delete;

  // Blocks while as many jobs wait as there are threads. Jobs start in the order they come. This and `finish` rethrow
  // the first error of a job when no other is at work any more; those that wait then are dropped.
  void add(Job);
  // Returns when all jobs are done.
  void finish();

 private:
  void run();

  std::vector<std::thread> threads_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::size_t running_ = 0;
  bool ending_ = false;
  std::exception_ptr error_;
};

}  // namespace simreel
