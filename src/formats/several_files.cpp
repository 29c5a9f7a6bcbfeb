#include "formats/several_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/input_file.h"
#include "base/numbers.h"
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

// False for what is not a number; an empty text leaves the time as it is.
bool read_time(std::string_view text, double& time) {
  const std::optional<double> number = text.empty() ? time : parse_number<double>(text);
  return number && std::isfinite(time = *number);
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
      throw RuntimeError("{}:{}: the time of {} is {}, which is not a number", path, line, name.substr(1),
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

constexpr double max_files = 4096;
constexpr std::string_view counts = "/Header/NumPart_ThisFile";

std::uint64_t product(const Extents& extents) {
  std::uint64_t values = 1;
  for (const std::uint64_t extent : extents) values = saturated_product(values, extent);
  return values;
}

// Intervals between points, of which an axis of one point counts as one.
std::uint64_t intervals(Extents extents) {
  for (std::uint64_t& extent : extents) extent = std::max<std::uint64_t>(extent, 2) - 1;
  return product(extents);
}

class Images final : public JoinedFile {
 public:
  Images(std::string path, Files files) : JoinedFile(std::move(path), std::move(files)) {
    for (std::size_t i = 0; i < files_[0]->arrays().size(); ++i) join(files_[0]->arrays()[i]);
    unread_ = files_[0]->unread();
    if (arrays_.empty()) fail("its pieces hold no DataArray{}", files_[0]->what_is_there());
  }

 private:
  void join(const ArrayInfo& first) {
    const std::size_t axes = first.extents.size();
    if (first.steps.size() != axes) return;  // no image
    ArrayInfo whole = first;
    std::vector<Part> parts;
    std::vector<std::vector<std::int64_t>> places;
    std::vector<std::int64_t> low(axes, 0);
    for (std::size_t f = 0; f < files_.size(); ++f) {
      const ArrayInfo& part = files_[f]->at(first.name);
      const auto refuse = [&](const char* why) {
        throw RuntimeError("{}: {}", place_of(files_[f]->path(), first.name), why);
      };
      if (part.element != first.element || part.dimensions != first.dimensions || part.extents.size() != axes ||
          part.steps.size() != axes)
        refuse("it is of another type or shape than in the first piece");
      std::vector<std::int64_t> place(axes, 0);
      for (std::size_t k = 0; k < axes; ++k) {
        const ArrayInfo::Steps &here = part.steps[k], &there = first.steps[k];
        if (here.step == 0 && there.step == 0) {  // components
          if (part.extents[k] != first.extents[k]) refuse("it has other components than in the first piece");
          continue;
        }
        const double at = (here.first - there.first) / there.step;
        if (here.step != there.step || !(std::abs(at) < 1e9) || std::abs(at - std::round(at)) > 1e-3)
          refuse("its points are not those of the first piece's grid");
        place[k] = static_cast<std::int64_t>(std::llround(at));
        low[k] = std::min(low[k], place[k]);
      }
      places.push_back(std::move(place));
    }
    whole.extents.assign(axes, 0);
    std::uint64_t values = 0, between = 0;
    for (std::size_t f = 0; f < files_.size(); ++f) {
      const std::span<const ArrayInfo> arrays = files_[f]->arrays();
      const ArrayInfo& part = files_[f]->at(first.name);
      Extents at;
      for (std::size_t k = 0; k < axes; ++k) {
        at.push_back(static_cast<std::uint64_t>(places[f][k] - low[k]));
        whole.extents[k] = std::max(whole.extents[k], at[k] + part.extents[k]);
      }
      values += product(part.extents);
      between += intervals(part.extents);
      parts.push_back({f, static_cast<std::size_t>(&part - arrays.data()), std::move(at)});
    }
    // Adjacent pieces share their points, but no cells.
    if (values < product(whole.extents) || (values > product(whole.extents) && between < intervals(whole.extents)))
      fail("its pieces leave gaps in {}, whose grid is {}", first.name, words_for(whole.extents));
    bool counted = true;  // as ImageAxes::describe
    for (std::size_t k = 0; k < axes; ++k) {
      ArrayInfo::Steps& steps = whole.steps[k];
      steps.first += static_cast<double>(low[k]) * steps.step;
      counted = counted && (steps.step == 0 || (steps.step == 1 && (steps.first == 0 || steps.first == 0.5)));
    }
    if (counted) whole.steps.clear();
    add(std::move(whole), std::move(parts));
  }
};

class Snapshot final : public JoinedFile {
 public:
  Snapshot(std::string path, Files files) : JoinedFile(std::move(path), std::move(files)) {
    std::set<std::string> names;
    for (const auto& file : files_)
      for (const ArrayInfo& array : file->arrays())
        if (array.name.starts_with("/PartType") && !array.extents.empty() && names.insert(array.name).second)
          join(array);
  }

  // All files are there as one, so it is the only one.
  std::optional<double> attribute(std::string_view name) const override {
    return name == "/Header/NumFilesPerSnapshot" ? 1 : JoinedFile::attribute(name);
  }
  std::vector<double> attribute_list(std::string_view name, std::size_t max) const override {
    std::vector<double> sum = JoinedFile::attribute_list(name, max);
    for (std::size_t f = 1; name == counts && f < files_.size(); ++f) {
      const std::vector<double> more = files_[f]->attribute_list(name, max);
      for (std::size_t i = 0; i < std::min(sum.size(), more.size()); ++i) sum[i] += more[i];
    }
    return sum;
  }

 private:
  void join(const ArrayInfo& first) {
    ArrayInfo whole = first;
    whole.extents[0] = 0;
    std::vector<Part> parts;
    for (std::size_t f = 0; f < files_.size(); ++f) {
      const ArrayInfo* const part = files_[f]->find(first.name);
      if (part == nullptr) continue;  // no particles of this kind there
      Extents at(part->extents.size(), 0);
      if (part->element != first.element || part->extents.size() != first.extents.size() ||
          !std::equal(part->extents.begin() + 1, part->extents.end(), first.extents.begin() + 1))
        throw RuntimeError("{}: it is {} of {}, but {} of {} in {}", place_of(files_[f]->path(), first.name),
                           words_for(part->extents), name_of(part->element), words_for(first.extents),
                           name_of(first.element), files_[0]->path());
      at[0] = whole.extents[0];
      whole.extents[0] += part->extents[0];
      parts.push_back({f, static_cast<std::size_t>(part - files_[f]->arrays().data()), std::move(at)});
    }
    add(std::move(whole), std::move(parts));
  }
};

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
      tags.fail(fmt::format("the timestep of {} is {}, which is not a number", name, quote(shorten(when, 40))));
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

void JoinedFile::add(ArrayInfo whole, std::vector<Part> parts) {
  check_claims(whole);
  arrays_.push_back(std::move(whole));
  parts_.push_back(std::move(parts));
}

void JoinedFile::read(const ArrayInfo& array, std::span<const std::uint64_t> start,
                      std::span<const std::uint64_t> count, std::byte* to) const {
  const std::size_t axes = array.extents.size(), bytes = array.element.bytes;
  for (const Part& part : parts_[static_cast<std::size_t>(&array - arrays_.data())]) {
    const ArrayFile& file = *files_[part.file];
    const ArrayInfo& own = file.arrays()[part.array];
    Extents from(axes), many(axes), target(axes);  // in the part, how many, and where they go
    bool any = true;
    for (std::size_t k = 0; k < axes; ++k) {
      const std::uint64_t low = std::max(start[k], part.at[k]);
      const std::uint64_t high = std::min(start[k] + count[k], part.at[k] + own.extents[k]);
      any = any && low < high;
      if (!any) break;
      from[k] = low - part.at[k], many[k] = high - low, target[k] = low - start[k];
    }
    if (!any) continue;
    std::vector<std::byte> values(static_cast<std::size_t>(product(many)) * bytes);
    file.read(own, from, many, values.data());
    // Runs along the last axis.
    const std::size_t run = static_cast<std::size_t>(many[axes - 1]) * bytes;
    Extents at(axes, 0);
    for (const std::byte* source = values.data(); source < values.data() + values.size(); source += run) {
      std::uint64_t place = 0;
      for (std::size_t k = 0; k < axes; ++k) place = place * count[k] + target[k] + at[k];
      std::memcpy(to + place * bytes, source, run);
      for (std::size_t k = axes - 1; k-- > 0 && ++at[k] == many[k];) at[k] = 0;
    }
  }
}

std::unique_ptr<ArrayFile> join_images(std::string path, JoinedFile::Files files) {
  return std::make_unique<Images>(std::move(path), std::move(files));
}

std::unique_ptr<ArrayFile> with_other_files(std::unique_ptr<ArrayFile> file) {
  const double count = file->attribute("/Header/NumFilesPerSnapshot").value_or(1);
  const bool particles =
      !file->attribute_list(counts, 64).empty() ||
      std::ranges::any_of(file->arrays(), [](const ArrayInfo& a) { return a.name.starts_with("/PartType"); });
  if (!(count > 1) || !particles) return file;
  const std::string path = file->path(), name = std::filesystem::path(path).filename().string();
  // "snap_000.0.hdf5", and "snap_000.0" of the binary format.
  const bool binary = name.find_first_not_of("0123456789", name.rfind('.') + 1) == std::string::npos;
  std::size_t dot = name.ends_with(".0") ? name.size() - 2 : name.rfind(".0.");
  if (dot == std::string::npos || count > max_files)
    throw RuntimeError("{}: it is one of {} files of a snapshot; name the first of them, which ends with \".0{}\"",
                       path, count, binary ? "" : std::filesystem::path(path).extension().string());
  dot += path.size() - name.size();
  JoinedFile::Files files;
  files.push_back(std::move(file));
  for (int i = 1; i < static_cast<int>(count); ++i)
    files.push_back(open_array_file_alone(fmt::format("{}.{}{}", path.substr(0, dot), i, path.substr(dot + 2))));
  return std::make_unique<Snapshot>(path, std::move(files));
}

}  // namespace simreel
