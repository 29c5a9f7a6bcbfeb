#include "golden/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"

namespace simreel {
namespace {

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
