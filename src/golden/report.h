#pragma once
// The result of a golden check as one self-contained HTML file: pictures are data URIs, styles and scripts are inline,
// and it makes no network requests. The template is src/golden/report.html, which is compiled in.

#include <string>
#include <string_view>
#include <vector>

#include "golden/check.h"

namespace simreel {

// The section of the page about one scene, with its pictures encoded. `accept` is the command that accepts it; empty if
// there is nothing to accept.
std::string report_section(const SceneCheck&, const std::string& accept);

struct ReportEntry {
  Verdict verdict = Verdict::same;
  std::string section;  // from report_section
};

// The page, with scenes that are not the same first, otherwise in the given order. `folder` is the title, `origin`
// what the result depends on ("simreel 0.1.0, AMD EPYC, 2 threads"), `accept_all` the command for all scenes that can
// be accepted, or empty.
std::string report_page(const std::string& folder, const std::string& origin, const std::string& accept_all,
                        const std::vector<ReportEntry>&);

std::string cost_of(const SceneCheck&);  // "0.12 s, 3.1 MiB"

std::string_view verdict_word(Verdict);  // "same", "different", ...

std::string_view report_template();  // src/golden/report.html

// What a result depends on besides the scenes.
struct CheckOrigin {
  std::string version, machine;  // of simreel; where it ran
};

// JUnit XML for CI systems, a test case per scene: `suite` names the folder, `accept` is the command for each scene
// that can be accepted. Different and missing goldens are failures; scenes that cannot be read or rendered are errors.
std::string junit_xml(const std::string& suite, const CheckOrigin&, const std::vector<SceneCheck>&,
                      const std::vector<std::string>& accept);

}  // namespace simreel
