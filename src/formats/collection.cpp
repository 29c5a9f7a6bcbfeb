#include "formats/collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/input_file.h"
#include "base/text.h"
#include "formats/xml_tags.h"

namespace simreel {

std::vector<std::string> pieces_of(const std::string& file) {
  std::vector<std::string> pieces;
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) pieces.push_back(line);
  return pieces;
}

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 28;

// By rising times; a repeated line counts once.
void sort_steps(std::vector<CollectionStep>& steps) {
  std::ranges::stable_sort(steps, {}, &CollectionStep::time);
  const auto repeated = std::ranges::unique(
      steps, [](const CollectionStep& a, const CollectionStep& b) { return a.time == b.time && a.file == b.file; });
  steps.erase(repeated.begin(), repeated.end());
}

// False for what is no number; an empty text leaves the time as it is.
bool read_time(std::string_view text, double& time) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), time);
  return text.empty() || (result.ec == std::errc() && result.ptr == text.data() + text.size() && std::isfinite(time));
}

// The next value or sign of a text in JSON; a string begins with a quote, and its escapes stay. Empty: the text ends.
std::string_view next_token(std::string_view& text, std::size_t& line) {
  constexpr std::string_view between = " \t\r\n,", ends = "{}[]:\", \t\r\n";
  for (; !text.empty() && between.find(text[0]) != std::string_view::npos; text.remove_prefix(1))
    line += text[0] == '\n';
  const bool string = text.starts_with('"'), sign = !string && ends.find(text.substr(0, 1)) != std::string_view::npos;
  const std::size_t end = string ? text.find('"', 1) : sign ? 1 : text.find_first_of(ends);
  const std::string_view token = text.substr(0, end);
  text.remove_prefix(std::min(string && end < text.size() ? end + 1 : end, text.size()));
  return token;
}

// ParaView's list of files in JSON: {"files": [{"name": "a_0.vti", "time": 0.5}, ...]}.
std::vector<CollectionStep> read_series(const FileBytes& file, const std::string& path) {
  if (file.size() > max_bytes)
    throw RuntimeError("{}: it has {} bytes; a list has at most {}", path, file.size(), max_bytes);
  std::string_view text = file.view(0, file.size()), key, name, time, last;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<CollectionStep> steps;
  std::size_t line = 1;
  int open = 0;  // brackets
  for (std::string_view token; !(token = next_token(text, line)).empty(); last = token) {
    open += (token == "{" || token == "[") - (token == "}" || token == "]");
    if (last == ":" && key == "\"name") name = token;
    if (last == ":" && key == "\"time") time = token;
    if (token == ":") key = last;
    if (token != "}" || name.size() < 2) continue;
    CollectionStep step{(folder / name.substr(1)).string(), static_cast<double>(steps.size()), line};
    if (!read_time(time, step.time))
      throw RuntimeError("{}:{}: the time of {} is {}, which is no number", path, line, name.substr(1),
                         quote(shorten(time, 40)));
    steps.push_back(std::move(step));
    name = time = {};
  }
  if (last != "}" || open != 0 || steps.empty())
    throw RuntimeError(
        "{}: it is no list of files as ParaView writes it: {{\"files\": [{{\"name\": \"a_0.vti\", \"time\": 0.5}}]}}",
        path);
  sort_steps(steps);
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (steps[i].time == steps[i - 1].time)
      throw RuntimeError("{}:{}: it names several files for the time {}, {} and {}", path, steps[i].line, steps[i].time,
                         steps[i - 1].file, steps[i].file);
  return steps;
}

}  // namespace

bool is_collection(std::string_view path) {
  const std::string name = lower_case(path);
  return name.ends_with(".pvd") || name.ends_with(".series");
}

std::vector<CollectionStep> read_collection(const std::string& path) {
  if (const std::string why = refusal_to_read(path); !why.empty()) throw RuntimeError("{}: {}", path, why);
  const FileBytes file(path);
  if (lower_case(path).ends_with(".series")) return read_series(file, path);
  XmlTags tags(file, path, ".pvd");
  if (file.size() > max_bytes)
    tags.fail(fmt::format("it has {} bytes; a .pvd file has at most {}", file.size(), max_bytes));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<CollectionStep> steps;
  bool is_list = false;
  while (tags.next()) {
    if (tags.name() == "VTKFile") {
      const std::string type = tags.attribute("type");
      if (type != "Collection")
        tags.fail(fmt::format("it holds {}, and a .pvd file holds a Collection", quote(shorten(type, 40))));
      is_list = true;
    }
    if (tags.name() != "DataSet") continue;
    const std::string name = tags.attribute("file"), when = tags.attribute("timestep");
    if (name.empty()) tags.fail(fmt::format("its DataSet {}, from 0, names no file", steps.size()));
    CollectionStep step{(folder / name).string(), static_cast<double>(steps.size()), tags.line()};
    if (!read_time(when, step.time))
      tags.fail(fmt::format("the timestep of {} is {}, which is no number", name, quote(shorten(when, 40))));
    steps.push_back(std::move(step));
  }
  if (!is_list) tags.damaged();
  if (steps.empty()) tags.fail("it lists no files yet");
  sort_steps(steps);
  std::vector<CollectionStep> joined;
  for (CollectionStep& step : steps)
    if (joined.empty() || joined.back().time != step.time) {
      joined.push_back(std::move(step));
    } else if (joined.back().file.ends_with(".vti") && step.file.ends_with(".vti")) {
      joined.back().file += '\n' + step.file;
    } else {
      tags.fail(
          fmt::format("it names several files for the time {}, {} and {}; only pieces of images, .vti, are put "
                      "together",
                      step.time, joined.back().file, step.file));
    }
  return joined;
}

}  // namespace simreel
