#include "sink/workers.h"

#include <system_error>
#include <utility>

#include "exec/machine.h"

namespace simreel {

std::size_t Workers::count() { return static_cast<std::size_t>(usable_cores()); }

Workers::Workers(std::size_t threads) {
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // fewer threads do the same work
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void Workers::add(Job job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ ? running_ == 0 : waiting_.size() < threads_.size(); });
  if (error_) std::rethrow_exception(error_);
  waiting_.push_back(std::move(job));
  changed_.notify_all();
}

void Workers::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && running_ == 0; });
  if (error_) std::rethrow_exception(error_);
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    changed_.notify_all();  // the queue has room
    lock.unlock();
    std::exception_ptr error;
    try {
      job();
    } catch (...) {
      error = std::current_exception();
    }
    job = nullptr;  // release its memory before the job counts as done
    lock.lock();
    --running_;
    if (error && !error_) error_ = error;
    if (error_) waiting_.clear();
    changed_.notify_all();
  }
}

}  // namespace simreel
