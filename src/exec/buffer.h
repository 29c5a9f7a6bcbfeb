#pragma once
// Owns memory of an Executor: uninitialised, move-only, for trivially copyable types.

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "exec/executor.h"

namespace simreel {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  // The executor must outlive the buffer. Throws RuntimeError if the memory cannot be allocated.
  Buffer(const Executor& executor, std::size_t count, Memory where = Memory::device)
      : executor_(&executor), count_(count), where_(where) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    if (count > 0) data_ = static_cast<T*>(executor.allocate(count * sizeof(T), where));
  }
  // A copy of these values.
  Buffer(const Executor& executor, const std::vector<T>& values) : Buffer(executor, values.size()) {
    upload(values.data());
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Buffer() {
    if (data_) executor_->release(data_, where_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  void clear() {
    if (count_ > 0) executor_->clear(data_, bytes());
  }
  // Waits for all earlier work of the executor.
  std::vector<T> download() const {
    std::vector<T> values(count_);
    download_to(values.data());
    return values;
  }
  void download_to(T* values) const {
    if (count_ > 0) executor_->copy(values, data_, bytes());
  }
  // `values` holds size() elements.
  void upload(const T* values) {
    if (count_ > 0) executor_->copy(data_, values, bytes());
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(where_, other.where_);
  }

  const Executor* executor_ = nullptr;
  T* data_ = nullptr;
  std::size_t count_ = 0;
  Memory where_ = Memory::device;
};

}  // namespace simreel
