#include "golden/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "error.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

// Gathers what is wrong with a scene; the verdict is the worst of it.
class Findings {
 public:
  void different(std::string text) { differences_.push_back(std::move(text)); }
  void missing(const fs::path& file) { missing_.push_back(file.filename().string()); }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  Verdict verdict() const {
    if (!differences_.empty()) return Verdict::different;
    return missing_.empty() ? Verdict::same : Verdict::missing;
  }
  std::string text() const {
    std::vector<std::string> parts = differences_;
    if (!missing_.empty()) {
      parts.push_back(fmt::format("{} {} not there", fmt::join(missing_, ", "), missing_.size() == 1 ? "is" : "are"));
    }
    parts.insert(parts.end(), notes_.begin(), notes_.end());
    return fmt::format("{}", fmt::join(parts, "; "));
  }

 private:
  std::vector<std::string> differences_, missing_, notes_;
};

Tolerance tolerance_of(const GoldenOptions& golden) {
  return {golden.max_diff, golden.max_pixels, golden.min_psnr, golden.min_ssim, golden.max_flip};
}

std::string where(const Metrics& metrics) {
  return fmt::format("{:.2g} % of its pixels, first at {}, {}", 100 * metrics.differing_share, metrics.first_x,
                     metrics.first_y);
}

// Why a still does not pass; empty where it does.
std::string problem_of(const Metrics& metrics, const GoldenOptions& golden) {
  if (metrics.identical) return {};
  if (golden.exact()) return fmt::format("differs by up to {} in {}", metrics.max_diff, where(metrics));
  const std::string excess = exceeds(metrics, tolerance_of(golden));
  return excess.empty() ? "" : fmt::format("{} (differs in {})", excess, where(metrics));
}

std::vector<std::int64_t> differing_frames(const std::vector<FrameHash>& accepted,
                                           const std::vector<FrameHash>& rendered) {
  std::vector<std::int64_t> frames;
  for (std::size_t i = 0; i < std::min(accepted.size(), rendered.size()); ++i)
    if (accepted[i] != rendered[i]) frames.push_back(std::int64_t(i));
  return frames;
}

void check_hashes(const fs::path& file, bool exact, const Capture& capture, SceneCheck& check, Findings& findings) {
  if (!fs::exists(file)) return findings.missing(file);
  std::vector<FrameHash> accepted;
  try {
    accepted = read_hashes(file);
  } catch (const UsageError& error) {
    return findings.different(error.what());
  }
  if (accepted.size() != capture.hashes.size()) {
    findings.different(fmt::format("{} frames were accepted, {} are rendered", accepted.size(), capture.hashes.size()));
  }
  check.hashes_known = true;
  check.differing = differing_frames(accepted, capture.hashes);
  if (check.differing.empty()) return;
  const std::string text = check.differing.size() == 1
                               ? fmt::format("frame {} of 0 to {} differs", check.differing[0], accepted.size() - 1)
                               : fmt::format("frame {} is the first of {} (of {}) that differ", check.differing[0],
                                             check.differing.size(), accepted.size());
  exact ? findings.different(text) : findings.note(text + " in their bits");
}

StillCheck check_still(const fs::path& file, std::int64_t frame, const GoldenOptions& golden, Capture& capture,
                       bool perceptual, Findings& findings) {
  StillCheck still;
  still.frame = frame;
  if (const auto actual = capture.stills.find(frame); actual != capture.stills.end()) {
    still.actual = std::move(actual->second);
  }
  if (!fs::exists(file)) {
    still.problem = fmt::format("{} is not there", file.filename().string());
    findings.missing(file);
    return still;
  }
  try {
    still.expected = read_picture(file);
    if (!still.actual) {
      still.problem = "was not rendered";
    } else {
      still.metrics = compare_pictures(*still.expected, *still.actual, false);
      if (!still.metrics->identical && (perceptual || tolerance_of(golden).perceptual())) {
        still.metrics = compare_pictures(*still.expected, *still.actual, true);
      }
      still.problem = problem_of(*still.metrics, golden);
    }
    if (!still.problem.empty()) findings.different(fmt::format("the still of frame {} {}", frame, still.problem));
  } catch (const UsageError& error) {
    still.problem = error.what();
    findings.different(still.problem);
  }
  return still;
}

}  // namespace

SceneCheck check_capture(const GoldenFolder& folder, const std::string& name, const Scene& scene, Capture capture,
                         bool perceptual) {
  SceneCheck check;
  check.name = name;
  check.title = scene.title;
  check.text = scene.text;
  check.frames = std::int64_t(capture.hashes.size());
  Findings findings;
  if (capture.result.diverged) {
    findings.different(fmt::format("the simulation diverged at step {}, before frame {} of 0 to {}",
                                   capture.result.steps, capture.result.frames, scene.animation.frames - 1));
  }
  check_hashes(folder.hashes(name), scene.golden.exact(), capture, check, findings);
  for (const std::int64_t frame : scene.golden.frames) {
    const fs::path file = folder.still(name, frame);
    check.stills.push_back(check_still(file, frame, scene.golden, capture, perceptual, findings));
  }
  for (const auto& [frame, file] : folder.stills(name)) {
    if (!std::ranges::binary_search(scene.golden.frames, frame)) {
      findings.note(fmt::format("{} is stale: [golden] does not name frame {}", file.filename().string(), frame));
    }
  }
  check.verdict = findings.verdict();
  check.message = findings.text();
  return check;
}

std::string runs_text(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t most_runs = 8;
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < numbers.size();) {
    if (runs.size() == most_runs) {
      runs.emplace_back("...");
      break;
    }
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back(end - i == 1 ? fmt::format("{}", numbers[i])
                                : fmt::format("{} to {}", numbers[i], numbers[end - 1]));
    i = end;
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

}  // namespace simreel
