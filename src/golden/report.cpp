#include "golden/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "base/escape.h"
#include "base/text.h"
#include "sink/picture/png_encode.h"

namespace simreel {
namespace {

std::string image(const Picture& picture, std::string_view what) {
  const std::string png =
      encode_png(picture.size, PixelLayout::rgba, std::as_bytes(std::span(picture.pixels)).data(), {});
  return fmt::format("<img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">", what,
                     picture.size.width, picture.size.height, base64(png));
}

std::string figure(std::string_view kind, const std::string& content) {
  return fmt::format("<figure class=\"{0}\">{1}<figcaption>{0}</figcaption></figure>\n", kind, content);
}

std::string number(double value) {
  if (std::isnan(value)) return "not computed";
  if (std::isinf(value)) return "infinite";
  return fmt::format("{:.4g}", value);
}

std::string metrics_table(const Metrics& metrics) {
  const auto row = [](std::string_view name, const std::string& value) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
  };
  if (metrics.identical) return "<dl class=\"metrics\">" + row("expected and actual", "the same pixels") + "</dl>\n";
  return "<dl class=\"metrics\">" + row("greatest difference", fmt::format("{} of 255", metrics.max_diff)) +
         row("pixels that differ", percent(metrics.differing_share)) +
         row("first at", fmt::format("{}, {}", metrics.first_x, metrics.first_y)) +
         row("mean difference", number(metrics.mean_diff)) + row("RMSE", number(metrics.rmse)) +
         row("PSNR, dB", number(metrics.psnr)) + row("SSIM", number(metrics.ssim)) + row("FLIP", number(metrics.flip)) +
         "</dl>\n";
}

std::string still_section(const StillCheck& still) {
  std::string html = fmt::format("<section class=\"still\"><h3>Frame {}</h3>\n", still.frame);
  if (!still.problem.empty()) html += fmt::format("<p class=\"problem\">{}</p>\n", escape_markup(still.problem));
  html += "<div class=\"pictures\">\n";
  const bool comparable = still.expected && still.actual && still.metrics;
  if (comparable && still.metrics->identical) {
    html += figure("identical", image(*still.expected, "expected and actual"));
  } else {
    const std::string nothing = "<p class=\"nothing\">none</p>";
    html += figure("expected", still.expected ? image(*still.expected, "expected") : nothing);
    html += figure("actual", still.actual ? image(*still.actual, "actual") : nothing);
    if (comparable)
      html += figure("difference", image(difference_picture(*still.expected, judged(still)), "difference"));
  }
  html += "</div>\n";
  if (still.metrics) html += metrics_table(*still.metrics);
  return html + "</section>\n";
}

// All frames as a bar with marks for those that differ or have no counterpart.
std::string timeline(const SceneCheck& check) {
  std::vector<std::int64_t> marked;
  std::ranges::merge(check.differing, check.unmatched, std::back_inserter(marked));
  const std::int64_t all = std::max(check.frames, marked.empty() ? 0 : marked.back() + 1);
  std::string bar;
  for (const Run& run : runs_of(marked)) {
    const auto share = [&](std::int64_t frames) {
      return 100.0 * static_cast<double>(frames) / static_cast<double>(all);
    };
    bar +=
        fmt::format("<i style=\"left:{:.3f}%;width:{:.3f}%\"></i>", share(run.first), share(run.last - run.first + 1));
  }
  std::string text = marked.empty() ? fmt::format("no frame of {} differs", all)
                                    : fmt::format("{} of {} frames differ: {}", marked.size(), all, runs_text(marked));
  if (!check.unmatched.empty()) text += fmt::format("; {} were accepted, {} rendered", check.accepted, check.frames);
  return fmt::format("<p class=\"frames\"><span class=\"bar\" aria-hidden=\"true\">{}</span> {}</p>\n", bar, text);
}

std::string command(std::string_view what, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format(
      "<p class=\"command\">{} <code>{}</code> <button type=\"button\" class=\"copy\">copy</button></p>\n", what,
      escape_markup(text));
}

std::string summary(const std::vector<ReportEntry>& entries) {
  std::string text;
  for (const Verdict verdict :
       {Verdict::failed, Verdict::unreadable, Verdict::different, Verdict::missing, Verdict::same}) {
    const auto count = std::ranges::count(entries, verdict, &ReportEntry::verdict);
    if (count == 0) continue;
    text += fmt::format("<span class=\"badge {0}\">{1} {0}</span>\n", verdict_word(verdict), count);
  }
  return text;
}

// The template with each {{name}} replaced by its value.
std::string fill(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  while (true) {
    const std::size_t start = page.find("{{");
    out += page.substr(0, start);
    if (start == std::string_view::npos) return out;
    const std::size_t end = page.find("}}", start);
    const std::string_view name = page.substr(start + 2, end - start - 2);
    out += std::ranges::find(values, name, &std::pair<std::string_view, std::string>::first)->second;
    page.remove_prefix(end + 2);
  }
}

bool is_failure(const SceneCheck& check) { return differs(check.verdict); }

bool is_error(const SceneCheck& check) {
  return check.verdict == Verdict::unreadable || check.verdict == Verdict::failed;
}

std::string details(const SceneCheck& check, const std::string& accept) {
  std::string text = check.message + "\n";
  if (!check.tolerance.empty()) text += fmt::format("tolerance: {}\n", check.tolerance);
  if (!check.differing.empty()) text += fmt::format("frames that differ: {}\n", runs_text(check.differing));
  if (!check.unmatched.empty()) text += fmt::format("frames without counterpart: {}\n", runs_text(check.unmatched));
  if (check.acceptable) text += fmt::format("to accept what it shows now: {}\n", accept);
  return escape_markup(text);
}

}  // namespace

std::string cost_of(const SceneCheck& check) {
  const std::string memory = check.memory > 0 ? ", " + format_bytes(static_cast<double>(check.memory)) : "";
  return fmt::format("{:.2f} s{}", check.seconds, memory);
}

std::string report_section(const SceneCheck& check, const std::string& accept) {
  const std::string_view word = verdict_word(check.verdict);
  const std::string name = escape_markup(check.name);
  const bool same = check.verdict == Verdict::same;
  std::string html = fmt::format(
      "<details class=\"scene\" data-name=\"{0}\" data-verdict=\"{1}\"{2}>\n<summary><span class=\"badge "
      "{1}\">{1}</span> "
      "<span class=\"name\">{0}</span> <span class=\"title\">{3}</span> <span class=\"time\">{4}</span></summary>\n",
      name, word, same ? "" : " open", escape_markup(check.title), cost_of(check));
  if (!check.message.empty())
    html += fmt::format("<p class=\"{}\">{}</p>\n", same ? "note" : "problem", escape_markup(check.message));
  if (!check.tolerance.empty())
    html += fmt::format("<p class=\"note\">Tolerance: {}</p>\n", escape_markup(check.tolerance));
  html += command("To accept what it shows now:", accept);
  if (check.accepted > 0) html += timeline(check);
  for (const StillCheck& still : check.stills) html += still_section(still);
  if (!check.text.empty())
    html += fmt::format("<details class=\"text\"><summary>Scene file</summary><pre>{}</pre></details>\n",
                        escape_markup(check.text));
  return html + "</details>\n";
}

std::string report_page(const std::string& folder, const std::string& origin, const std::string& accept_all,
                        const std::vector<ReportEntry>& entries) {
  std::string scenes;
  for (const bool same : {false, true})
    for (const ReportEntry& entry : entries)
      if ((entry.verdict == Verdict::same) == same) scenes += entry.section;
  return fill(report_template(), {{"folder", escape_markup(folder)},
                                  {"summary", summary(entries)},
                                  {"origin", escape_markup(origin)},
                                  {"accept", command("To accept all of it:", accept_all)},
                                  {"scenes", scenes}});
}

std::string_view verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::same: return "same";
    case Verdict::different: return "different";
    case Verdict::missing: return "missing";
    case Verdict::unreadable: return "unreadable";
    case Verdict::failed: return "failed";
  }
  return {};
}

std::string junit_xml(const std::string& suite, const CheckOrigin& origin, const std::vector<SceneCheck>& checks,
                      const std::vector<std::string>& accept) {
  double seconds = 0;
  for (const SceneCheck& check : checks) seconds += check.seconds;
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", checks.size(),
                  std::ranges::count_if(checks, is_failure), std::ranges::count_if(checks, is_error), seconds);
  const std::string name = escape_markup(suite);
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" {0} skipped=\"0\">\n",
      counts, name);
  xml += fmt::format(
      "    <properties>\n      <property name=\"simreel\" value=\"{}\"/>\n      <property name=\"machine\" "
      "value=\"{}\"/>\n    </properties>\n",
      escape_markup(origin.version), escape_markup(origin.machine));
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const SceneCheck& check = checks[i];
    xml += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\">\n", escape_markup(check.name), name,
                       check.seconds);
    if (check.memory > 0)
      xml += fmt::format("      <properties>\n        <property name=\"memory\" value=\"{}\"/>\n      </properties>\n",
                         check.memory);
    if (check.verdict != Verdict::same)
      xml += fmt::format("      <{0} message=\"{1}\">{2}</{0}>\n", is_failure(check) ? "failure" : "error",
                         escape_markup(first_line(check.message)), details(check, accept[i]));
    xml += "    </testcase>\n";
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace simreel
