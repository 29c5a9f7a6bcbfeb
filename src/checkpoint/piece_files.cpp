#include "checkpoint/piece_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <random>
#include <system_error>

#include "base/error.h"
#include "base/numbers.h"
#include "checkpoint/block_file.h"
#include "files/checksum.h"
#include "files/own_file.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

struct PieceName {
  std::string block;
  std::uint64_t offset = 0, whole = 0;
};

std::optional<PieceName> parse(const std::string& name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(name).substr(at + 1);
  const auto offset = take_leading<std::uint64_t>(rest);
  if (!offset || !rest.starts_with('/')) return std::nullopt;
  const auto whole = parse_number<std::uint64_t>(rest.substr(1));
  return whole ? std::optional(PieceName{name.substr(0, at), *offset, *whole}) : std::nullopt;
}

// The head of a piece file, if it is the one that the ref names; otherwise what is wrong with it.
const char* read_linked(const fs::path& file, const PieceRef& ref, BlockHead& head) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error == std::errc::no_such_file_or_directory) return "is missing";
  std::ifstream in = open_plain(file);
  if (error || !in) return "cannot be read as a plain file";
  if (size < ref.bytes) return "is cut short";
  if (const char* const damage = read_head(in, size, head)) return damage;
  if (size != ref.bytes || head.file_bytes != ref.bytes || head.checksum != ref.head)
    return "belongs to another checkpoint";
  return nullptr;
}

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

// The file of the probe; what cannot be written to it is not needed.
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

fs::path checkpoint_file(const fs::path& folder, std::int64_t number) {
  return folder / fmt::format("{:06}.state", number);
}

fs::path piece_file(const fs::path& checkpoint, int rank) {
  return fs::path(checkpoint).replace_extension(fmt::format(".rank{}", rank));
}

std::string piece_name(std::string_view block, std::uint64_t offset, std::uint64_t whole) {
  return fmt::format("{}@{}/{}", block, offset, whole);
}

std::optional<PieceFiles> PieceFiles::open(const fs::path& checkpoint, std::vector<PieceRef> refs,
                                           std::string& damage) {
  PieceFiles files;
  files.checkpoint_ = checkpoint;
  files.refs_ = std::move(refs);
  for (std::size_t i = 0; i < files.refs_.size(); ++i) {
    const int rank = static_cast<int>(i);
    const fs::path file = piece_file(checkpoint, rank);
    const auto damaged = [&](const char* reason) {
      damage = fmt::format("{}: {}", file.string(), reason);
      return std::nullopt;
    };
    BlockHead head;
    if (const char* const reason = read_linked(file, files.refs_[i], head)) return damaged(reason);
    for (const BlockEntry& entry : head.entries) {
      const std::optional<PieceName> piece = parse(entry.name);
      if (!piece) return damaged("is no file of pieces");
      Block& block = files.blocks_.try_emplace(piece->block, Block{piece->whole, {}}).first->second;
      if (block.bytes != piece->whole || piece->offset > block.bytes || entry.bytes > block.bytes - piece->offset)
        return damaged("has pieces that do not fit those of other ranks");
      if (entry.bytes > 0) block.ranges.push_back({piece->offset, entry.bytes, rank, entry.position, entry.checksum});
    }
  }
  for (auto& [name, block] : files.blocks_) {
    std::ranges::sort(block.ranges, {}, &Range::offset);
    const auto overlap = std::ranges::adjacent_find(
        block.ranges, [](const Range& a, const Range& b) { return a.offset + a.bytes > b.offset; });
    if (overlap == block.ranges.end()) continue;
    damage = fmt::format("{}: has pieces that other ranks have, too", piece_file(checkpoint, overlap->rank).string());
    return std::nullopt;
  }
  return files;
}

bool PieceFiles::intact(std::string& damage) const {
  std::vector<std::byte> buffer(std::size_t{1} << 22);
  RunningChecksum running;
  for (const auto& [name, block] : blocks_)
    for (const Range& range : block.ranges) {
      const fs::path file = piece_file(checkpoint_, range.rank);
      std::ifstream in = open_plain(file);
      in.seekg(static_cast<std::streamoff>(range.position));
      for (std::uint64_t left = range.bytes; left > 0;) {
        const auto part = std::span(buffer).first(std::min<std::uint64_t>(left, buffer.size()));
        if (!in || !fill(in, part)) {
          damage = fmt::format("{}: is cut short", file.string());
          return false;
        }
        running.add(part.data(), part.size());
        left -= part.size();
      }
      if (running.take().hash == range.checksum) continue;
      damage = fmt::format("{}: is damaged", file.string());
      return false;
    }
  return true;
}

void PieceFiles::read(std::string_view name, std::size_t offset, std::span<std::byte> bytes) const {
  const std::vector<Range>& ranges = blocks_.find(name)->second.ranges;
  const std::uint64_t end = offset + bytes.size();
  std::uint64_t at = offset;  // so far everything is there
  const auto clear_to = [&](std::uint64_t next) {
    if (next > at) std::memset(bytes.data() + (at - offset), 0, next - at);
  };
  auto range = std::ranges::partition_point(ranges, [&](const Range& r) { return r.offset + r.bytes <= offset; });
  for (; range != ranges.end() && range->offset < end; ++range) {
    const std::uint64_t first = std::max<std::uint64_t>(range->offset, offset),
                        last = std::min(range->offset + range->bytes, end);
    clear_to(first);
    const fs::path file = piece_file(checkpoint_, range->rank);
    std::ifstream in = open_plain(file);
    in.seekg(static_cast<std::streamoff>(range->position + (first - range->offset)));
    if (!in || !fill(in, bytes.subspan(first - offset, last - first)))
      throw RuntimeError("{}: cannot be read", file.string());
    at = last;
  }
  clear_to(end);
}

namespace fs = std::filesystem;

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
