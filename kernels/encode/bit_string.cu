#include "kernels/encode/bit_string.h"

namespace simreel {

void append_nal_unit(std::vector<std::uint8_t>& to, std::uint8_t header, const std::uint8_t* payload,
                     std::size_t size) {
  to.reserve(to.size() + size + size / 64 + 8);
  to.insert(to.end(), {0, 0, 0, 1, header});
  std::size_t copied = 0;
  for (std::size_t i = 0; i + 2 < size;) {
    if (payload[i + 1] != 0) {
      i += 2;  // no two zeros begin here or at the next byte
    } else if (payload[i] != 0 || payload[i + 2] > 3) {
      ++i;
    } else {
      i += 2;
      to.insert(to.end(), payload + copied, payload + i);
      to.push_back(3);
      copied = i;
    }
  }
  to.insert(to.end(), payload + copied, payload + size);
}

}  // namespace simreel
