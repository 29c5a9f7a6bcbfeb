#include "encode/stillness.h"

#include <xxhash.h>

namespace simreel {

void Stillness::look(const std::byte* pixels, std::size_t bytes) {
  ++frames_;
  if (ended_) return;
  const std::uint64_t hash = XXH3_64bits(pixels, bytes);
  if (!first_) first_ = hash;
  ended_ = hash != *first_;
}

}  // namespace simreel
