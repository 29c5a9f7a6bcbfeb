// include/simreel/simreel.h: scenes rendered and checked, figures drawn, pictures compared.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/version.h"
#include "library/c_guard.h"
#include "simreel/simreel.h"
#include "simreel/simreel.hpp"

namespace simreel {
namespace {

// Options of the C++ interface as `given` says.
template <class Options>
void choose_device(Options& options, const simreel_device* given) {
  const simreel_device device = device_of(given);
  const api::Device devices[] = {api::Device::automatic, api::Device::cpu, api::Device::cuda};
  options.device = devices[device.backend];
  options.cuda_device = device.index;
  options.threads = device.threads;
  options.overwrite = device.overwrite != 0;
}

api::RenderOptions options_of(const char* const* set, std::size_t sets, const char* const* outputs, std::size_t count,
                              const simreel_device* device) {
  api::RenderOptions options;
  options.outputs = texts_of(outputs, count, "output");
  options.overrides = texts_of(set, sets, "override");
  choose_device(options, device);
  return options;
}

// The result of a run that goes on, and its caller's functions.
class Watched {
 public:
  template <class Options>
  Watched(const simreel_run* given, Options& options)
      : run_(given == nullptr ? simreel_run{} : copy_of(*given, sizeof(simreel_run), "simreel_run")) {
    if (run_.progress != nullptr)
      options.progress = [this](std::int64_t done, std::int64_t total) { run_.progress(run_.user, done, total); };
    if (run_.stop != nullptr) options.stop = [this] { return __atomic_load_n(run_.stop, __ATOMIC_ACQUIRE) != 0; };
    options.log = [this](api::Level, std::string_view text) {
      const std::lock_guard lock(mutex_);
      result->texts[SIMREEL_REMARK].emplace_back(text);
    };
  }

  std::unique_ptr<simreel_result> result = std::make_unique<simreel_result>();

 private:
  simreel_run run_;
  std::mutex mutex_;
};

// Calls `call` with the file, or with the text that it is by `given`; `what` is "scene" or "figure".
template <class Call>
auto with_source(const char* source, const simreel_device* given, const char* what, const Call& call) {
  if (source == nullptr) throw UsageError("{} is NULL", what);
  const simreel_device device = device_of(given);
  if (device.text_folder == nullptr) return call(std::filesystem::path(source));
  return call(api::Text(source, device.text_folder, device.view_name == nullptr ? what : device.view_name));
}

// Calls `work`, which returns what a run left and puts the reason into its argument if the state diverged. `before`
// begins the message of that error.
template <class Work>
int run_guarded(simreel_result** result, simreel_error** error, const simreel_device* device, const char* before,
                const Work& work) {
  if (result != nullptr) *result = nullptr;
  bool diverged = false;
  const int code = guarded(error, words_of(device), [&] {
    std::string divergence;
    std::unique_ptr<simreel_result> left = work(divergence);
    diverged = !divergence.empty();
    if (diverged) left->texts[SIMREEL_DIVERGENCE] = {divergence};
    if (result != nullptr) *result = left.release();
    if (diverged) throw RuntimeError(before + divergence);
  });
  if (!diverged) return code;
  if (error != nullptr && *error != nullptr) (*error)->code = SIMREEL_DIVERGED;
  return SIMREEL_DIVERGED;
}

api::Tolerance tolerance_of(const simreel_tolerance* given) {
  if (given == nullptr) return {};
  const simreel_tolerance t = copy_of(*given, sizeof(simreel_tolerance), "simreel_tolerance");
  return {t.max_diff, t.max_pixels, t.min_psnr, t.min_ssim, t.max_flip};
}

simreel_comparison in_c(const api::Comparison& found, std::size_t struct_size) {
  simreel_comparison result{};
  result.struct_size = struct_size;
  result.pairs = found.pairs;
  result.identical = found.identical;
  result.different = found.different;
  result.missing = found.missing;
  result.extra = found.extra;
  result.mean_diff = found.mean_diff;
  result.psnr = found.psnr;
  result.ssim = found.ssim;
  result.flip = found.flip;
  result.max_diff = found.max_diff;
  result.same = found.same ? 1 : 0;
  found.first.copy(result.first, sizeof result.first - 1);
  return result;
}

}  // namespace
}  // namespace simreel

using namespace simreel;

extern "C" {

const char* simreel_version(void) { return simreel::version; }

int simreel_render(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                   const simreel_device* device, const simreel_run* given, simreel_result** result,
                   simreel_error** error) {
  return run_guarded(result, error, device, "the simulation diverged: ", [&](std::string& divergence) {
    api::RenderOptions options = options_of(set, sets, outputs, count, device);
    Watched watched(given, options);
    const api::RenderResult done =
        with_source(scene, device, "scene", [&](const auto& source) { return api::render(source, options); });
    simreel_result& left = *watched.result;
    left.frames = done.frames;
    left.seconds = done.seconds;
    left.stopped = done.stopped;
    left.range = done.range;
    left.texts[SIMREEL_OUTPUT] = done.outputs;
    left.texts[SIMREEL_FINDING] = done.findings;
    divergence = done.divergence;
    return std::move(watched.result);
  });
}

int simreel_check(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                  const simreel_device* device, simreel_result** result, simreel_error** error) {
  if (result != nullptr) *result = nullptr;
  return guarded(error, words_of(device), [&] {
    api::RenderOptions options = options_of(set, sets, outputs, count, device);
    Watched watched(nullptr, options);
    std::ranges::move(
        with_source(scene, device, "scene", [&](const auto& source) { return api::check(source, options); }),
        std::back_inserter(watched.result->texts[SIMREEL_REMARK]));
    if (result != nullptr) *result = watched.result.release();
  });
}

int simreel_figure(const char* file, const char* const* outputs, size_t count, const simreel_device* device,
                   const simreel_run* given, simreel_result** result, simreel_error** error) {
  return run_guarded(result, error, device, "", [&](std::string& divergence) {
    api::FigureOptions options;
    choose_device(options, device);
    Watched watched(given, options);
    const api::FigureResult done = with_source(file, device, "figure", [&](const auto& source) {
      return api::figure(source, texts_of(outputs, count, "output"), options);
    });
    simreel_result& left = *watched.result;
    left.frames = done.outputs.empty() ? 0 : 1;
    left.seconds = done.seconds;
    left.stopped = done.stopped;
    left.texts[SIMREEL_OUTPUT] = done.outputs;
    if (!done.summary.empty()) left.texts[SIMREEL_FINDING] = {done.summary};
    divergence = done.divergence;
    return std::move(watched.result);
  });
}

int simreel_compare(const char* expected, const char* actual, const simreel_tolerance* tolerance,
                    simreel_comparison* comparison, simreel_error** error) {
  return guarded(error, words_of(nullptr), [&] {
    if (expected == nullptr || actual == nullptr || comparison == nullptr)
      throw UsageError("expected, actual or comparison is NULL");
    const std::size_t size = copy_of(*comparison, sizeof(simreel_comparison), "simreel_comparison").struct_size;
    const simreel_comparison found = in_c(api::compare(expected, actual, tolerance_of(tolerance)), size);
    std::memcpy(comparison, &found, std::min(size, sizeof found));
  });
}
}
