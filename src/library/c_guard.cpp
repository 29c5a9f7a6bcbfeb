#include "library/c_guard.h"

#include <exception>
#include <new>

#include "base/processor.h"
#include "simreel/simreel.hpp"

namespace simreel {
namespace {

template <class Message>
int store(simreel_error** to, int code, const Message& message) {
  if (to == nullptr) return code;
  try {
    *to = new simreel_error{code, message()};
  } catch (const std::bad_alloc&) {
    *to = nullptr;
  }
  return code;
}

}  // namespace

OptionNames words_of(const simreel_device* given) {
  OptionNames words{"simreel_device.overwrite = 1", "SIMREEL_CPU", ""};
  if (given == nullptr) return words;
  const simreel_device device = copy_of(*given, 0, "simreel_device");
  if (device.overwrite_words != nullptr) words.overwrite = device.overwrite_words;
  if (device.cpu_words != nullptr) words.cpu = device.cpu_words;
  return words;
}

int guarded(simreel_error** error, const OptionNames& words, void (*call)(const void* work), const void* work) {
  if (error != nullptr) *error = nullptr;
  try {
    if (const std::string problem = processor_problem(); !problem.empty()) throw RuntimeError(problem);
    call(work);
    return SIMREEL_DONE;
  } catch (const UsageError& failure) {
    return store(error, SIMREEL_USAGE, [&] { return failure.text(words); });
  } catch (const api::UsageError& failure) {
    return guarded(
        error, words, [](const void* of) { std::rethrow_if_nested(*static_cast<const api::UsageError*>(of)); },
        &failure);
  } catch (const std::bad_alloc&) {
    return store(error, SIMREEL_FAILED, [] { return "out of memory"; });
  } catch (const std::exception& failure) {
    return store(error, SIMREEL_FAILED, [&] { return failure.what(); });
  } catch (...) {
    return store(error, SIMREEL_FAILED, [] { return "an unknown failure"; });
  }
}

std::vector<std::string> texts_of(const char* const* list, std::size_t count, const char* what) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (list == nullptr || list[i] == nullptr) throw UsageError("{} {} is NULL", what, i);
    all.emplace_back(list[i]);
  }
  return all;
}

simreel_device device_of(const simreel_device* given) {
  const simreel_device device = given == nullptr
                                    ? simreel_device{}
                                    : copy_of(*given, offsetof(simreel_device, overwrite_words), "simreel_device");
  if (device.backend < SIMREEL_AUTOMATIC || device.backend > SIMREEL_CUDA)
    throw UsageError("simreel_device.backend is {}, which is none", device.backend);
  return device;
}

}  // namespace simreel

extern "C" {

const char* simreel_error_message(const simreel_error* error) { return error == nullptr ? "" : error->message.c_str(); }
int simreel_error_code(const simreel_error* error) { return error == nullptr ? SIMREEL_DONE : error->code; }
void simreel_error_free(simreel_error* error) { delete error; }

int64_t simreel_result_frames(const simreel_result* result) { return result == nullptr ? 0 : result->frames; }
double simreel_result_seconds(const simreel_result* result) { return result == nullptr ? 0 : result->seconds; }
int simreel_result_stopped(const simreel_result* result) { return result != nullptr && result->stopped ? 1 : 0; }
int simreel_result_range(const simreel_result* result, double* low, double* high) {
  if (result == nullptr || !result->range) return 0;
  if (low != nullptr) *low = result->range->first;
  if (high != nullptr) *high = result->range->second;
  return 1;
}
const char* simreel_result_text(const simreel_result* result, int kind, size_t number) {
  if (result == nullptr || kind < SIMREEL_OUTPUT || kind > SIMREEL_DIVERGENCE) return nullptr;
  const std::vector<std::string>& texts = result->texts[kind];
  return number < texts.size() ? texts[number].c_str() : nullptr;
}
void simreel_result_free(simreel_result* result) { delete result; }
}
