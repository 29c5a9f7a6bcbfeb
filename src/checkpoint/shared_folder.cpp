#include "checkpoint/shared_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <system_error>

#include "base/error.h"
#include "checkpoint/block_file.h"
#include "files/own_file.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view prefix = "shared-";

// The name is random, too: hosts may remember for a while that a name was not there.
struct Probe {
  std::uint64_t name = 0;
  std::array<std::uint64_t, 2> contents{};
};

Probe random_probe() {
  std::random_device device;
  const auto number = [&] { return std::uint64_t{device()} << 32 | device(); };
  return {number(), {number(), number()}};
}

// The file of the probe, of which nobody reads what could not be written.
OwnFile make(const fs::path& file, const Probe& probe) {
  OwnFile own = OwnFile::make(file);
  if (!own) return own;
  try {
    own.write(&probe.contents, sizeof probe.contents);
    own.sync();
  } catch (const RuntimeError&) {
  }
  return own;
}

bool reads(const fs::path& file, const Probe& probe) {
  std::array<std::uint64_t, 2> found{};
  std::ifstream in(file, std::ios::binary);
  return in && fill(in, std::as_writable_bytes(std::span(found))) && found == probe.contents;
}

bool may_make(const fs::path& file) {
  OwnFile own = OwnFile::make(file);
  own.remove();
  return static_cast<bool>(own);
}

}  // namespace

std::optional<fs::path> shared_folder(const Communicator& ranks, const fs::path& folder) {
  std::error_code unknown;
  std::string name = ranks.rank() == 0 ? fs::absolute(folder, unknown).lexically_normal().string() : "";
  ranks.broadcast(name);
  Probe probe = ranks.rank() == 0 ? random_probe() : Probe{};
  ranks.broadcast(&probe, sizeof probe);

  const fs::path file = fs::path(name) / fmt::format("{}{:016x}", prefix, probe.name);
  OwnFile own = ranks.rank() == 0 ? make(file, probe) : OwnFile();
  ranks.meet();
  const bool sees = reads(file, probe) && may_make(file.string() + fmt::format(".{}", ranks.rank()));
  const char answer = sees ? 1 : 0;
  const std::vector<char> answers = ranks.gather(std::span(&answer, 1));
  own.remove();
  if (std::ranges::count(answers, 0) > 0) return std::nullopt;
  return name;
}

bool is_probe(std::string_view file_name) {
  return file_name.starts_with(prefix) && file_name.size() >= prefix.size() + 16 &&
         file_name.find_first_not_of("0123456789abcdef.", prefix.size()) == std::string_view::npos;
}

}  // namespace simreel
