#include "files/checksum.h"

#include <xxhash.h>

#include <algorithm>
#include <fstream>

namespace simreel {

RunningChecksum::RunningChecksum() : state_(XXH3_createState()) { XXH3_64bits_reset(state_.get()); }

void RunningChecksum::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

void RunningChecksum::add(const void* bytes, std::size_t count) {
  XXH3_64bits_update(state_.get(), bytes, count);
  bytes_ += count;
}

Checksum RunningChecksum::take() {
  const Checksum taken{bytes_, XXH3_64bits_digest(state_.get())};
  XXH3_64bits_reset(state_.get());
  bytes_ = 0;
  return taken;
}

std::optional<Checksum> checksum_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  RunningChecksum running;
  std::vector<char> block(1 << 20);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)
    running.add(block.data(), static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return std::nullopt;
  return running.take();
}

std::optional<std::size_t> first_damaged(std::istream& in, std::span<const Checksum> pieces) {
  RunningChecksum running;
  std::vector<char> block(1 << 20);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::uint64_t left = pieces[i].bytes; left > 0;) {
      const std::uint64_t count = std::min<std::uint64_t>(left, block.size());
      if (!in.read(block.data(), static_cast<std::streamsize>(count))) return i;
      running.add(block.data(), static_cast<std::size_t>(count));
      left -= count;
    }
    if (running.take() != pieces[i]) return i;
  }
  return std::nullopt;
}

void ChecksumList::set(std::size_t index, Checksum checksum) {
  const std::lock_guard lock(mutex_);
  if (list_.size() <= index) list_.resize(index + 1);
  list_[index] = checksum;
}

std::vector<Checksum> ChecksumList::first(std::size_t count) const {
  const std::lock_guard lock(mutex_);
  std::vector<Checksum> pieces(list_.begin(),
                               list_.begin() + static_cast<std::ptrdiff_t>(std::min(count, list_.size())));
  pieces.resize(count);
  return pieces;
}

}  // namespace simreel
