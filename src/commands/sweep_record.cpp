#include "commands/sweep_record.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

#include "base/error.h"
#include "base/text.h"
#include "commands/json.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "plot/read_csv.h"

namespace simreel {
namespace fs = std::filesystem;

std::string text_of_file(const fs::path& file, std::size_t most) {
  std::ifstream in = open_plain(file);
  if (!in) return "";
  std::string text(most, '\0');
  in.read(text.data(), std::ssize(text));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

std::optional<SweepRecord> read_record(const fs::path& file) {
  const auto json = nlohmann::ordered_json::parse(text_of_file(file, 1 << 16), nullptr, false);
  try {
    SweepRecord record{json.at("identity"), json.at("exit"),  json.at("seconds"),
                       json.at("message"),  json.at("bytes"), {},
                       json.at("anew")};
    for (const auto& [name, value] : json.at("last").items()) record.last.emplace_back(name, value);
    return record;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // none, or no such file
  }
}

void write_record(const fs::path& file, const SweepRecord& record) {
  nlohmann::ordered_json last = nlohmann::ordered_json::object();
  for (const auto& [name, value] : record.last) last[name] = value;
  write_below(folder_of(file), file.filename(),
              json_text({{"identity", record.identity},
                         {"exit", record.exit},
                         {"seconds", record.seconds},
                         {"message", record.message},
                         {"bytes", record.bytes},
                         {"anew", record.anew},
                         {"last", last}},
                        1) +
                  "\n");
}

std::vector<std::pair<std::string, std::string>> last_row(const fs::path& file) {
  constexpr std::size_t most = 1 << 16;
  const std::string head = text_of_file(file, most);
  std::ifstream in = open_plain(file);
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg(), from = std::max<std::streamoff>(0, size - std::streamoff{most});
  std::string tail(static_cast<std::size_t>(std::max<std::streamoff>(0, size - from)), '\0');
  in.seekg(from);
  in.read(tail.data(), std::ssize(tail));
  const std::vector<std::string_view> lines = lines_of(tail);
  const std::vector<std::string> names = csv_cells(first_line(head), ',');
  const std::vector<std::string> cells = lines.empty() ? names : csv_cells(lines.back(), ',');
  std::vector<std::pair<std::string, std::string>> row;
  for (std::size_t i = 0; i < names.size() && cells.size() == names.size() && cells != names; ++i)
    row.emplace_back(names[i], cells[i]);
  return row;
}

std::string reason_in(const std::string& said, int exit) {
  for (std::string_view line : lines_of(said)) {
    if (line.starts_with("info: ") || line.starts_with("warning: ") || line.empty()) continue;
    if (line.starts_with("error: ")) line.remove_prefix(7);
    return shorten(line, 2000);
  }
  return exit > 128 ? fmt::format("ended by signal {}", exit - 128) : fmt::format("ended with exit code {}", exit);
}

std::uintmax_t bytes_of(const std::string& output) {
  std::error_code unknown;
  const FilePattern pattern(output);
  const std::uintmax_t bytes = output == "null:" || pattern.numbered() ? 0 : fs::file_size(pattern.name(0), unknown);
  return unknown ? 0 : bytes;
}

fs::path lock_of(const fs::path& file) { return file.string() + ".lock"; }

Claim::Claim(const fs::path& of) : file(OwnFile::make_or_take(lock_of(of))) {
  if (!file && errno != EWOULDBLOCK)
    throw RuntimeError("{}.lock: cannot be locked: {}", of.string(), std::generic_category().message(errno));
}

}  // namespace simreel
