#pragma once
// What the functions of include/simreel/simreel.h share: errors, structs of older and newer headers, lists of texts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "simreel/simreel.h"

struct simreel_error {
  int code;
  std::string message;
};

struct simreel_result {
  std::int64_t frames = 0;
  double seconds = 0;
  bool stopped = false;
  std::optional<std::pair<double, double>> range;
  std::vector<std::string> texts[4];  // by simreel_text
};

namespace simreel {

// The words of the caller, which must outlive them; the defaults for NULL.
OptionNames words_of(const simreel_device*);

// Calls `work()` and returns the code of what it throws, with an error if the caller wants one, in its words. Of what
// happens without memory only the code comes back.
int guarded(simreel_error** error, const OptionNames&, void (*call)(const void* work), const void* work);
template <class Work>
int guarded(simreel_error** error, const OptionNames& words, const Work& work) {
  // No std::function: making one takes memory, and what that throws would leave the C interface.
  return guarded(
      error, words, [](const void* w) { (*static_cast<const Work*>(w))(); }, &work);
}

// Throws UsageError for a NULL in the list; `what` names an entry.
std::vector<std::string> texts_of(const char* const* list, std::size_t count, const char* what);

// The caller's struct may be that of an older or a newer header: what it lacks stays at its default. `min`: the size
// of the first version.
template <class Struct>
Struct copy_of(const Struct& given, std::size_t min, const char* name) {
  if (given.struct_size < min)
    throw UsageError("{}.struct_size is {}; set it to sizeof({})", name, given.struct_size, name);
  Struct copy{};
  std::memcpy(&copy, &given, std::min(given.struct_size, sizeof copy));
  return copy;
}

// The defaults for NULL. Throws UsageError for a backend that is none.
simreel_device device_of(const simreel_device* given);

}  // namespace simreel
