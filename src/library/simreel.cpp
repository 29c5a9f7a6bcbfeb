// The public header: runs, figures of panels, and pictures, videos and lists of hashes compared.

#include "simreel/simreel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/version.h"
#include "compare/comparison.h"
#include "compare/hash_list.h"
#include "exec/executor.h"
#include "library/options.h"
#include "panels/write.h"
#include "run/duration.h"
#include "run/prepared_run.h"
#include "run/render_loop.h"
#include "scene/figure_file.h"
#include "scene/scene.h"
#include "scene/scene_text.h"
#include "source/solver.h"

namespace simreel::api {
namespace {

Scene load(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return load_complete_scene(file.string(), overrides);
}
Scene load(const Text& text, const std::vector<std::string>& overrides) {
  Scene scene = parse_made_scene(text.toml, text.folder / "scene", overrides, check_solver, text.name);
  complete_scene(scene);
  return scene;
}

// Gives `work` the run that the options ask for; all that can be known before its first step is in order.
template <class Work>
auto with_run(const auto& given, const RenderOptions& options, const Work& work) {
  return translated([&] {
    Scene scene = load(given, options.overrides);
    SolverPlan plan = plan_run(scene);
    const Executor executor = executor_of(options);
    PreparedRun run(std::move(scene), std::move(plan), executor,
                    {.outputs = options.outputs,
                     .overwrite = options.overwrite,
                     .stop_asked = options.stop,
                     .log = log_of(options)});
    return work(run);
  });
}

RenderResult rendered(const auto& scene, const RenderOptions& options) {
  return with_run(scene, options, [&](PreparedRun& run) {
    for (const std::string& warning : run.plan.texts.warnings) tell(run.info.log, LogLevel::warning, warning);
    for (const std::string& remark : run.plan.texts.remarks) tell(run.info.log, LogLevel::info, remark);
    run.open_outputs();
    if (const auto warning = long_run(run)) tell(run.info.log, LogLevel::warning, *warning);
    const auto report = [&](const RenderProgress& progress) {
      if (options.progress && progress.stage == RenderProgress::Stage::render)
        options.progress(progress.done, progress.total);
    };
    const auto stopped = [&] { return options.stop && options.stop() ? 1 : 0; };
    const simreel::RenderResult done = simreel::render({.run = run, .report = report, .interrupted = stopped});
    RenderResult result{done.frames, done.seconds, done.signal != 0, done.divergence, done.findings, run.outputs, {}};
    if (done.drawn) result.range = {done.range.low, done.range.high};
    return result;
  });
}

std::vector<std::string> checked(const auto& scene, const RenderOptions& options) {
  return with_run(scene, options, [&](PreparedRun& run) {
    run.check_start();
    std::vector<std::string> remarks = run.plan.texts.warnings;
    if (run.needs.drawn())
      if (const auto unseen = run.unseen_at_start()) remarks.push_back(*unseen);
    std::ranges::move(run.rasterizer().overlay_warnings(),
                      std::back_inserter(remarks));  // it finds mistakes of the view
    if (const auto warning = long_run(run)) remarks.push_back(*warning);
    remarks.insert(remarks.end(), run.plan.texts.remarks.begin(), run.plan.texts.remarks.end());
    remarks.insert(remarks.end(), run.needs.remarks.begin(), run.needs.remarks.end());
    return remarks;
  });
}

FigureFile load(const std::filesystem::path& file) { return load_figure_file(file); }
FigureFile load(const Text& text) { return parse_figure(text.toml, text.folder, text.name); }

FigureResult drawn_figure(const auto& given, const std::vector<std::string>& outputs, const FigureOptions& options) {
  return translated([&] {
    const auto start = std::chrono::steady_clock::now();
    const FigureFile described = load(given);
    PanelFigure drawn(described);
    const Executor executor = executor_of(options);
    FigureResult result;
    try {
      const FigureSummary written = write_figure(
          described, drawn, {outputs, options.overwrite}, executor, [&] { return options.stop && options.stop(); },
          [&](std::int64_t done, std::int64_t all) {
            if (options.progress) options.progress(done, all);
          });
      result.outputs = outputs;
      result.summary = text_of(written);
      for (const std::string& warning : written.warnings) tell(log_of(options), LogLevel::warning, warning);
    } catch (const Stopped&) {
      result.stopped = true;
    } catch (const Diverged& error) {
      result.divergence = error.what();
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  });
}

// Only numbers above 0 are limits.
simreel::Tolerance limits_of(const Tolerance& given) {
  const auto expect = [](double value, double high, const char* name) {
    if (!(value >= 0 && value <= high))
      throw simreel::UsageError("{} is {}; a number from 0 to {} is expected", name, value, high);
  };
  expect(given.max_diff, 255, "max_diff");
  expect(given.max_pixels, 1, "max_pixels");
  expect(given.min_psnr, 1000, "min_psnr");
  expect(given.min_ssim, 1, "min_ssim");
  expect(given.max_flip, 1, "max_flip");
  simreel::Tolerance limits;
  limits.max_diff = given.max_diff;
  limits.max_pixels = given.max_pixels;
  if (given.min_psnr > 0) limits.min_psnr = given.min_psnr;
  if (given.min_ssim > 0) limits.min_ssim = given.min_ssim;
  if (given.max_flip > 0) limits.max_flip = given.max_flip;
  return limits;
}

std::int64_t count(const auto& list) { return static_cast<std::int64_t>(list.size()); }

void refuse_limits(const std::string& expected, const Tolerance& given, const char* what) {
  const simreel::Tolerance limits = limits_of(given);
  if (limits.max_diff > 0 || limits.max_pixels > 0 || given.min_psnr + given.min_ssim + given.max_flip > 0)
    throw simreel::UsageError("{}: {} are equal or not; limits need pictures or videos", expected, what);
}

Comparison compared_pages(const std::string& expected, const std::string& actual, const Tolerance& given) {
  refuse_limits(expected, given, "pages");
  Comparison result;
  result.first = page_difference(expected, actual);
  result.pairs = 1;
  result.different = result.first.empty() ? 0 : 1;
  result.identical = 1 - result.different;
  result.mean_diff = result.psnr = result.ssim = result.flip = std::numeric_limits<double>::quiet_NaN();
  return result;
}

Comparison compared_hashes(const std::string& expected, const std::string& actual, const Tolerance& given) {
  refuse_limits(expected, given, "hashes");
  const std::vector<FrameHash> one = read_hashes(expected), other = read_hashes(actual);
  const HashDifferences found = compare_hash_lists(one, other);
  Comparison result;
  result.missing = count(found.missing);
  result.extra = count(found.extra);
  result.different = count(found.differing);
  result.pairs = count(one) - result.missing;
  result.identical = result.pairs - result.different;
  result.mean_diff = result.psnr = result.ssim = result.flip = std::numeric_limits<double>::quiet_NaN();
  if (!found.differing.empty()) result.first = fmt::format("frame {}: the hashes differ", found.differing[0]);
  return result;
}

Comparison compared_pictures(const std::string& expected, const std::string& actual, const Tolerance& given) {
  const simreel::Tolerance limits = limits_of(given);
  const simreel::Comparison found = compare_pairs(*open_pairs(expected, actual), limits, false);
  const Metrics worst = found.worst.metrics.value_or(Metrics{});
  Comparison result;
  result.pairs = found.pairs;
  result.identical = found.identical;
  result.different = found.differing;
  result.missing = count(found.left_over.missing);
  result.extra = count(found.left_over.extra);
  result.max_diff = worst.max_diff;
  result.mean_diff = worst.mean_diff;
  result.psnr = worst.psnr;
  result.ssim = worst.ssim;
  result.flip = worst.flip;
  if (found.differing > 0) result.first = fmt::format("{}: {}", found.first.name, found.first.exceeded);
  return result;
}

}  // namespace

const char* version() noexcept { return simreel::version; }

RenderResult render(const std::filesystem::path& scene, const RenderOptions& options) {
  return rendered(scene, options);
}
RenderResult render(const Text& scene, const RenderOptions& options) { return rendered(scene, options); }

std::vector<std::string> check(const std::filesystem::path& scene, const RenderOptions& options) {
  return checked(scene, options);
}
std::vector<std::string> check(const Text& scene, const RenderOptions& options) { return checked(scene, options); }

FigureResult figure(const std::filesystem::path& file, const std::vector<std::string>& outputs,
                    const FigureOptions& options) {
  return drawn_figure(file, outputs, options);
}
FigureResult figure(const Text& text, const std::vector<std::string>& outputs, const FigureOptions& options) {
  return drawn_figure(text, outputs, options);
}

Comparison compare(const std::filesystem::path& expected, const std::filesystem::path& actual,
                   const Tolerance& tolerance) {
  return translated([&] {
    const std::string one = expected.string(), other = actual.string();
    const ComparedKind kind = compared_kind(one);
    const bool alike = compared_kind(other) == kind;
    Comparison result = alike && kind == ComparedKind::hashes ? compared_hashes(one, other, tolerance)
                        : alike && kind == ComparedKind::page ? compared_pages(one, other, tolerance)
                                                              : compared_pictures(one, other, tolerance);
    result.same = result.different == 0 && result.missing == 0 && result.extra == 0;
    return result;
  });
}

}  // namespace simreel::api
