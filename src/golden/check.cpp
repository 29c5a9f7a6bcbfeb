#include "golden/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>

#include "base/error.h"
#include "base/input_file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "compare/comparison.h"
#include "files/part_file.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

// Collects the problems of a scene; the verdict is the worst of them.
class Findings {
 public:
  void different(std::string text) { differences_.push_back(std::move(text)); }
  void missing(const fs::path& file) { missing_.push_back(file.filename().string()); }
  // Whether an accepted file is missing, or must not be read: that is no difference that the scene made.
  bool lacks(const fs::path& file) {
    std::error_code unknown;
    if (const std::string why = refusal_to_read(file); !why.empty()) {
      refused_ = true;
      different(fmt::format("{}: {}", file.string(), why));
      return true;
    }
    if (fs::status(file, unknown).type() != fs::file_type::not_found) return false;
    missing(file);
    return true;
  }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  bool refused() const { return refused_; }
  Verdict verdict() const {
    if (!differences_.empty()) return Verdict::different;
    return missing_.empty() ? Verdict::same : Verdict::missing;
  }
  std::string text() const {
    std::vector<std::string> parts = differences_;
    if (!missing_.empty())
      parts.push_back(fmt::format("{} {} not there", fmt::join(missing_, ", "), missing_.size() == 1 ? "is" : "are"));
    parts.insert(parts.end(), notes_.begin(), notes_.end());
    return fmt::format("{}", fmt::join(parts, "; "));
  }

 private:
  std::vector<std::string> differences_, missing_, notes_;
  bool refused_ = false;
};

Tolerance tolerance_of(const GoldenOptions& golden) {
  return {golden.max_diff, golden.max_pixels, golden.min_psnr, golden.min_ssim, golden.max_flip};
}

std::string where(const Metrics& metrics) {
  return fmt::format("{} of its pixels, first at {}, {}", percent(metrics.differing_share), metrics.first_x,
                     metrics.first_y);
}

// The frames without counterpart; empty if all have one.
std::string gaps_text(const HashDifferences& hashes) {
  std::string text;
  if (!hashes.missing.empty()) text += "; not rendered: " + runs_text(hashes.missing);
  if (!hashes.extra.empty()) text += "; not accepted: " + runs_text(hashes.extra);
  return text;
}

void check_hashes(const fs::path& file, bool exact, const Capture& capture, SceneCheck& check, Findings& findings) {
  if (findings.lacks(file)) return;
  std::vector<FrameHash> accepted;
  try {
    accepted = read_hashes(file);
  } catch (const UsageError& error) {
    return findings.different(error.what());
  }
  const HashDifferences hashes = compare_hash_lists(accepted, capture.hashes);
  check.accepted = static_cast<std::int64_t>(accepted.size());
  check.differing = hashes.differing;
  std::ranges::merge(hashes.missing, hashes.extra, std::back_inserter(check.unmatched));
  if (!check.unmatched.empty())
    findings.different(fmt::format("{} frames were accepted, {} are rendered{}", accepted.size(), capture.hashes.size(),
                                   gaps_text(hashes)));
  if (check.differing.empty()) return;
  const std::string text = check.differing.size() == 1
                               ? fmt::format("frame {} of 0 to {} differs", check.differing[0], accepted.back().frame)
                               : fmt::format("frame {} is the first of {} (of {}) that differ", check.differing[0],
                                             check.differing.size(), accepted.size());
  exact ? findings.different(text) : findings.note(text + " in their bits");
}

void check_texts(const GoldenFolder& folder, const std::string& set, const Scene& scene, const Capture& capture,
                 SceneCheck& check, Findings& findings) {
  std::error_code unknown;
  const fs::path numbers = folder.numbers(set), page = folder.page(set);
  if (scene.golden.csv.empty() && fs::exists(numbers, unknown))
    findings.different(fmt::format("{} is stale: [golden] names no csv", numbers.filename().string()));
  for (const auto& [column, tolerance] : scene.golden.csv)
    if (tolerance == 1) findings.note(fmt::format("its tolerance of {} is 1, so that 0 passes for any value", column));
  if (!scene.golden.csv.empty() && !findings.lacks(numbers)) {
    std::vector<std::string> problems;
    try {
      problems = differing_numbers(numbers, scene.golden, capture.numbers);
    } catch (const UsageError& error) {
      problems.emplace_back(error.what());
    }
    if (!problems.empty()) check.texts.emplace_back(".golden.csv", numbers_text(capture.numbers));
    for (std::string& problem : problems) findings.different(std::move(problem));
  }
  if (capture.page.empty() || findings.lacks(page)) return;
  try {
    const std::string accepted = read_golden_text(page);
    if (accepted == capture.page) return;
    const auto [number, before, now] = differing_line(accepted, capture.page);
    findings.different(
        fmt::format("{}: line {} is {}, and {} was accepted", page.filename().string(), number, now, before));
  } catch (const UsageError& error) {
    findings.different(error.what());
  }
  check.texts.emplace_back(".svg", capture.page);
}

// Why a still does not pass; empty where it does. Sets the metrics where the two can be compared.
std::string compare_still(StillCheck& still, const GoldenOptions& golden, bool for_report) {
  if (!still.actual) return "was not rendered";
  const Size accepted = still.expected->size, rendered = still.actual->size;
  if (accepted != rendered)
    return fmt::format("accepted {}x{}, rendered {}x{} pixels", accepted.width, accepted.height, rendered.width,
                       rendered.height);
  const PerceptualMetrics wanted = for_report ? PerceptualMetrics::all() : tolerance_of(golden).perceptual();
  still.metrics = compare_pictures(*still.expected, judged(still), wanted);
  const Metrics& metrics = *still.metrics;
  if (metrics.identical) return "";
  if (golden.exact()) return fmt::format("differs by up to {} in {}", metrics.max_diff, where(metrics));
  const std::string excess = exceeds(metrics, tolerance_of(golden));
  return excess.empty() ? "" : fmt::format("{} (differs in {})", excess, where(metrics));
}

// Whether the still passes with values as far from the accepted ones as can be.
bool passes_with_anything(const StillCheck& still, const GoldenOptions& golden) {
  if (golden.exact() || !still.expected) return false;
  StillCheck farthest = still;
  farthest.actual = still.expected;
  for (Color& c : farthest.actual->pixels)
    for (std::uint8_t* const level : {&c.r, &c.g, &c.b}) *level = *level < 128 ? 255 : 0;
  return compare_still(farthest, golden, false).empty();
}

StillCheck check_still(const fs::path& file, std::int64_t frame, const GoldenOptions& golden, Capture& capture,
                       bool for_report, Findings& findings) {
  StillCheck still;
  still.frame = frame;
  still.ignored = golden.ignore;
  if (const auto actual = capture.stills.find(frame); actual != capture.stills.end())
    still.actual = std::move(actual->second);
  if (findings.lacks(file)) {
    still.problem = fmt::format("{} is not there, or must not be read", file.filename().string());
    return still;
  }
  try {
    still.expected = read_picture(file);
    still.problem = compare_still(still, golden, for_report);
  } catch (const UsageError& error) {
    still.problem = error.what();
  }
  if (!still.problem.empty()) findings.different(fmt::format("the still of frame {}: {}", frame, still.problem));
  return still;
}

constexpr std::array<std::string_view, 7> keys = {"max_diff", "max_pixels", "min_psnr", "min_ssim",
                                                  "max_flip", "ignore",     "csv"};

// By how much of the picture the scene ignores, boxes that overlap counted twice.
double ignored_share(const Scene& scene) {
  double pixels = 0;
  for (const auto& [x0, y0, x1, y1] : scene.golden.ignore)
    pixels += static_cast<double>(x1 - x0) * static_cast<double>(y1 - y0);
  return pixels / (static_cast<double>(scene.view.size.width) * static_cast<double>(scene.view.size.height));
}

}  // namespace

Picture judged(const StillCheck& still) {
  Picture picture = *still.actual;
  for (const auto& [x0, y0, x1, y1] : still.ignored)
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) picture.at(x, y) = still.expected->at(x, y);
  return picture;
}

SceneCheck check_capture(const GoldenFolder& folder, const std::string& set, const Scene& scene, Capture capture,
                         bool for_report) {
  SceneCheck check;
  check.name = set;
  check.title = scene.title;
  check.text = scene.text;
  check.tolerance = in_words(tolerance_of(scene.golden));
  if (!scene.golden.ignore.empty()) check.tolerance += "; some boxes are ignored";
  for (const auto& [column, tolerance] : scene.golden.csv)
    if (tolerance > 0) check.tolerance += fmt::format("; {} {:g}", column, tolerance);
  check.memory = capture.memory;
  check.frames = static_cast<std::int64_t>(capture.hashes.size());
  Findings findings;
  if (capture.result.diverged)
    findings.different(fmt::format("the simulation diverged at step {}, before frame {} of 0 to {}",
                                   capture.result.steps, capture.result.frames, scene.animation.frames - 1));
  check_hashes(folder.hashes(set), scene.golden.exact(), capture, check, findings);
  check_texts(folder, set, scene, capture, check, findings);
  for (const std::int64_t frame : scene.golden.frames) {
    const fs::path file = folder.still(set, frame);
    check.stills.push_back(check_still(file, frame, scene.golden, capture, for_report, findings));
  }
  if (passes_with_anything(check.stills.front(), scene.golden))
    findings.note(fmt::format("its tolerance ({}) lets every picture pass", check.tolerance));
  for (const auto& [frame, file] : folder.stills(set))
    if (!std::ranges::binary_search(scene.golden.frames, frame))
      findings.different(fmt::format("{} is stale: [golden] does not name frame {}", file.filename().string(), frame));
  check.verdict = findings.verdict();
  check.acceptable = differs(check.verdict) && !capture.result.diverged && !findings.refused();
  check.message = findings.text();
  return check;
}

bool differs(Verdict verdict) { return verdict == Verdict::different || verdict == Verdict::missing; }

std::vector<Run> runs_of(const std::vector<std::int64_t>& numbers) {
  std::vector<Run> runs;
  for (const std::int64_t number : numbers) {
    if (runs.empty() || number != runs.back().last + 1) runs.push_back({number, number});
    runs.back().last = number;
  }
  return runs;
}

std::string runs_text(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t max_runs = 8;
  const std::vector<Run> runs = runs_of(numbers);
  std::vector<std::string> parts;
  for (const Run& run : runs | std::views::take(max_runs))
    parts.push_back(run.first == run.last ? fmt::format("{}", run.first)
                                          : fmt::format("{} to {}", run.first, run.last));
  if (runs.size() > max_runs) parts.emplace_back("...");
  return fmt::format("{}", fmt::join(parts, ", "));
}

void write_artifacts(const std::filesystem::path& folder, const SceneCheck& check) {
  for (const StillCheck& still : check.stills) {
    if (still.problem.empty() || !still.actual) continue;
    const std::string name = fmt::format("{}.{:06}", check.name, still.frame);
    write_below(folder, name + ".actual.png", png_bytes(*still.actual));
    if (still.metrics)
      write_below(folder, name + ".difference.png", png_bytes(difference_picture(*still.expected, judged(still))));
  }
  for (const auto& [ending, text] : check.texts) write_below(folder, check.name + ".actual" + ending, text);
}

Ceilings::Ceilings(const std::vector<std::string>& given) {
  for (const std::string& text : given) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string key = text.substr(0, equals);
    const std::optional<double> value =
        parse_number<double>(std::string_view(text).substr(std::min(equals + 1, text.size())));
    if (!value || !std::ranges::count(keys, key))
      throw UsageError(
          "--max-tolerance {}: write KEY=NUMBER with max_diff, max_pixels (a share), min_psnr, min_ssim, "
          "max_flip, ignore (a share of the picture) or csv",
          text);
    given_[key] = *value;
  }
}

std::string Ceilings::excess(const Scene& scene) const {
  if (given_.empty()) return "";
  std::string why;
  const auto judge = [&](std::string_view key, double value, bool low = false) {
    if (!why.empty()) return;
    const auto ceiling = given_.find(key);
    if (ceiling == given_.end())
      why = fmt::format("{} is a tolerance that --max-tolerance does not name", key);
    else if (low ? value < ceiling->second : value > ceiling->second)
      why = fmt::format("{} = {} is beyond what --max-tolerance allows, {}", key, value, ceiling->second);
  };
  const GoldenOptions& golden = scene.golden;
  if (golden.max_diff > 0) judge("max_diff", golden.max_diff);
  if (golden.max_pixels > 0) judge("max_pixels", golden.max_pixels);
  if (golden.min_psnr) judge("min_psnr", *golden.min_psnr, true);
  if (golden.min_ssim) judge("min_ssim", *golden.min_ssim, true);
  if (golden.max_flip) judge("max_flip", *golden.max_flip);
  if (!golden.ignore.empty()) judge("ignore", ignored_share(scene));
  for (const auto& [column, tolerance] : golden.csv)
    if (tolerance > 0) judge("csv", tolerance);
  return why;
}

}  // namespace simreel
