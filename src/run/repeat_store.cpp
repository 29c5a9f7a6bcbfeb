#include "run/repeat_store.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace simreel {
namespace {

constexpr std::string_view store_note = "it holds pictures of a loop, which nothing needs after the run";

std::size_t picture_bytes(Size size) { return frame_bytes(size, PixelLayout::rgba); }

}  // namespace

std::filesystem::path LoopStore::file_of(const std::vector<std::string>& outputs) {
  const auto file =
      std::ranges::find_if(outputs, [](const std::string& output) { return output != "-" && output != "null:"; });
  return file == outputs.end() ? "" : *file + ".loop";
}

// Two pictures on the host, one on the executor.
std::size_t LoopStore::memory_bytes(Size size) { return 3 * picture_bytes(size); }

std::uintmax_t LoopStore::file_bytes(const StreamInfo& info) {
  return static_cast<std::uintmax_t>(info.kept) * picture_bytes(info.size);
}

LoopStore::LoopStore(const std::filesystem::path& path, const StreamInfo& info, Opening opening)
    : name_(path.string()),
      bytes_(picture_bytes(info.size)),
      size_(info.resume),
      checksums_(kept_checksums(info, name_, 1)) {
  const std::uintmax_t there = static_cast<std::uintmax_t>(size_) * bytes_;
  refuse_without_room(path, file_bytes(info) - there,
                      "a loop keeps its pictures there until it ends: choose another place, fewer frames or a smaller "
                      "picture");
  const auto length = [there](std::istream& in) -> std::optional<std::uintmax_t> {
    in.seekg(0, std::ios::end);
    if (static_cast<std::uintmax_t>(in.tellg()) < there) return std::nullopt;
    return there;
  };
  file_ = open_part(name_, info, length, opening, 1, store_note);
}

void LoopStore::add(const std::vector<Color>& picture) {
  file_->add(picture.data(), bytes_, size_);
  checksums_.set(static_cast<std::size_t>(size_++), file_->take_checksum());
}

void LoopStore::read(std::int64_t index, std::vector<Color>& picture) {
  picture.resize(bytes_ / sizeof(Color));
  if (!in_.is_open()) in_.open(file_->file().handle(), std::ios::binary);
  in_.seekg(static_cast<std::streamoff>(static_cast<std::uintmax_t>(index) * bytes_));
  if (!in_.read(reinterpret_cast<char*>(picture.data()), static_cast<std::streamsize>(bytes_)))
    throw RuntimeError("{}: cannot be read", file_->file().path().string());
}

std::vector<Checksum> LoopStore::checksums() const { return checksums_.first(static_cast<std::size_t>(size_)); }

void blend(std::vector<Color>& picture, const std::vector<Color>& other, int share) {
  const auto whole = static_cast<std::uint64_t>(AnimationOptions::fade_whole);
  const auto front = static_cast<std::uint64_t>(share);
  for (std::size_t i = 0; i < picture.size(); ++i) {
    Color& to = picture[i];
    const Color from = other[i];
    const std::uint64_t before = to.a * (whole - front), after = from.a * front, sum = before + after;
    const auto mixed = [&](std::uint8_t a, std::uint8_t b) {
      return static_cast<std::uint8_t>(sum == 0 ? a : (a * before + b * after + sum / 2) / sum);
    };
    to = {mixed(to.r, from.r), mixed(to.g, from.g), mixed(to.b, from.b),
          static_cast<std::uint8_t>((sum + whole / 2) / whole)};
  }
}

}  // namespace simreel
