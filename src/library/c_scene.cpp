// include/simreel/simreel.h: scenes rendered and checked, pictures compared.

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/version.h"
#include "compare/comparison.h"
#include "compare/hash_list.h"
#include "library/c_guard.h"
#include "simreel/simreel.h"
#include "simreel/simreel.hpp"

namespace simreel {
namespace {

api::RenderOptions options_of(const char* const* set, std::size_t sets, const char* const* outputs, std::size_t count,
                              const simreel_device* given) {
  const simreel_device device = device_of(given);
  const api::Device devices[] = {api::Device::automatic, api::Device::cpu, api::Device::cuda};
  api::RenderOptions options;
  options.outputs = texts_of(outputs, count, "output");
  options.overrides = texts_of(set, sets, "override");
  options.device = devices[device.backend];
  options.cuda_device = device.index;
  options.threads = device.threads;
  options.overwrite = device.overwrite != 0;
  return options;
}

// Only numbers above 0 are limits.
Tolerance tolerance_of(const simreel_tolerance* given) {
  Tolerance tolerance;
  if (given == nullptr) return tolerance;
  const simreel_tolerance t = copy_of(*given, sizeof(simreel_tolerance), "simreel_tolerance");
  const auto expect = [](double value, double high, const char* name) {
    if (!(value >= 0 && value <= high))
      throw UsageError(fmt::format("{} is {}; a number from 0 to {} is expected", name, value, high));
  };
  expect(t.max_diff, 255, "max_diff");
  expect(t.max_pixels, 1, "max_pixels");
  expect(t.min_psnr, 1000, "min_psnr");
  expect(t.min_ssim, 1, "min_ssim");
  expect(t.max_flip, 1, "max_flip");
  tolerance.max_diff = t.max_diff;
  tolerance.max_pixels = t.max_pixels;
  if (t.min_psnr > 0) tolerance.min_psnr = t.min_psnr;
  if (t.min_ssim > 0) tolerance.min_ssim = t.min_ssim;
  if (t.max_flip > 0) tolerance.max_flip = t.max_flip;
  return tolerance;
}

void put_first(simreel_comparison& to, const std::string& text) { text.copy(to.first, sizeof to.first - 1); }

simreel_comparison compared_hashes(const std::string& expected, const std::string& actual,
                                   const simreel_tolerance* tolerance) {
  if (tolerance != nullptr && tolerance_of(tolerance).max_diff + tolerance->max_pixels + tolerance->min_psnr +
                                      tolerance->min_ssim + tolerance->max_flip >
                                  0)
    throw UsageError(fmt::format("{}: hashes are equal or not; limits need pictures or videos", expected));
  const std::vector<FrameHash> one = read_hashes(expected), other = read_hashes(actual);
  const HashDifferences found = compare_hash_lists(one, other);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  simreel_comparison result{};
  result.missing = static_cast<std::int64_t>(found.missing.size());
  result.extra = static_cast<std::int64_t>(found.extra.size());
  result.different = static_cast<std::int64_t>(found.differing.size());
  result.pairs = static_cast<std::int64_t>(one.size()) - result.missing;
  result.identical = result.pairs - result.different;
  result.mean_diff = result.psnr = result.ssim = result.flip = unknown;
  if (!found.differing.empty()) put_first(result, fmt::format("frame {}: the hashes differ", found.differing[0]));
  return result;
}

simreel_comparison compared(const std::string& expected, const std::string& actual, const simreel_tolerance* given) {
  if (compared_kind(expected) == ComparedKind::hashes && compared_kind(actual) == ComparedKind::hashes)
    return compared_hashes(expected, actual, given);
  const Comparison found = compare_pairs(*open_pairs(expected, actual), tolerance_of(given), false);
  const Metrics worst = found.worst.metrics.value_or(Metrics{});
  simreel_comparison result{};
  result.pairs = found.pairs;
  result.identical = found.identical;
  result.different = found.differing;
  result.missing = static_cast<std::int64_t>(found.left_over.missing.size());
  result.extra = static_cast<std::int64_t>(found.left_over.extra.size());
  result.mean_diff = worst.mean_diff;
  result.psnr = worst.psnr;
  result.ssim = worst.ssim;
  result.flip = worst.flip;
  result.max_diff = worst.max_diff;
  if (found.differing > 0) put_first(result, fmt::format("{}: {}", found.first.name, found.first.exceeded));
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
  if (result != nullptr) *result = nullptr;
  bool diverged = false;
  const int code = guarded(error, [&] {
    if (scene == nullptr) throw UsageError("scene is NULL");
    api::RenderOptions options = options_of(set, sets, outputs, count, device);
    const simreel_run run = given == nullptr ? simreel_run{} : copy_of(*given, sizeof(simreel_run), "simreel_run");
    if (run.progress != nullptr)
      options.progress = [&run](std::int64_t done, std::int64_t total) { run.progress(run.user, done, total); };
    if (run.stop != nullptr) options.stop = [&run] { return *run.stop != 0; };
    auto left = std::make_unique<simreel_result>();
    std::mutex mutex;
    options.log = [&](api::Level, std::string_view text) {
      const std::lock_guard lock(mutex);
      left->texts[SIMREEL_REMARK].emplace_back(text);
    };
    const api::RenderResult done = api::render(scene, options);
    left->frames = done.frames;
    left->seconds = done.seconds;
    left->stopped = done.stopped;
    left->range = done.range;
    left->texts[SIMREEL_OUTPUT] = done.outputs;
    left->texts[SIMREEL_FINDING] = done.findings;
    diverged = !done.divergence.empty();
    if (diverged) left->texts[SIMREEL_DIVERGENCE] = {done.divergence};
    if (result != nullptr) *result = left.release();
    if (diverged) throw RuntimeError("the simulation diverged: " + done.divergence);
  });
  if (!diverged) return code;
  if (error != nullptr && *error != nullptr) (*error)->code = SIMREEL_DIVERGED;
  return SIMREEL_DIVERGED;
}

int simreel_check(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                  const simreel_device* device, simreel_result** result, simreel_error** error) {
  if (result != nullptr) *result = nullptr;
  return guarded(error, [&] {
    if (scene == nullptr) throw UsageError("scene is NULL");
    std::vector<std::string> remarks = api::check(scene, options_of(set, sets, outputs, count, device));
    if (result == nullptr) return;
    *result = new simreel_result;
    (*result)->texts[SIMREEL_REMARK] = std::move(remarks);
  });
}

int simreel_compare(const char* expected, const char* actual, const simreel_tolerance* tolerance,
                    simreel_comparison* comparison, simreel_error** error) {
  return guarded(error, [&] {
    if (expected == nullptr || actual == nullptr || comparison == nullptr)
      throw UsageError("expected, actual or comparison is NULL");
    const std::size_t size = copy_of(*comparison, sizeof(simreel_comparison), "simreel_comparison").struct_size;
    simreel_comparison found = compared(expected, actual, tolerance);
    found.struct_size = size;
    found.same = found.different == 0 && found.missing == 0 && found.extra == 0 ? 1 : 0;
    std::memcpy(comparison, &found, std::min(size, sizeof found));
  });
}
}
