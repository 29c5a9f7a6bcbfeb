#pragma once
// What every user of the HDF5 library shares: owned handles, errors with the library's own words, and the lock without
// which no call may be made, because the library is not thread-safe.

#include <fmt/format.h>
#include <hdf5.h>

#include <mutex>
#include <string>

#include "base/error.h"

namespace simreel::hdf5 {

// Holds the library for its lifetime and keeps it from printing.
class Lock {
 public:
  Lock() : lock_(mutex()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex mutex;
    return mutex;
  }
  std::lock_guard<std::recursive_mutex> lock_;
};

// The library's messages about its last error, innermost cause first.
inline std::string words() {
  std::string text;
  const auto add = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    auto& list = *static_cast<std::string*>(out);
    try {
      if (error->desc && list.size() < 300) list += fmt::format("{}{}", list.empty() ? "" : "; ", error->desc);
    } catch (...) {  // must not cross the library's frames, which are C
      return -1;
    }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add, &text);
  return text;
}

template <class Result>
Result check(const char* call, Result result) {
  if (result < 0) throw RuntimeError("{}: {}", call, words());
  return result;
}

// Owns an object of the library, of any kind.
class Handle {
 public:
  Handle(const char* call, hid_t id) : id_(check(call, id)) {}
  ~Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  Handle(Handle&& other) noexcept : id_(other.id_) { other.id_ = -1; }
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

}  // namespace simreel::hdf5
