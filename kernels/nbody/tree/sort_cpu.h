#pragma once
// A stable radix sort of keys with numbers on a CPU: digits of 11 bits, the lowest first. Each task has a piece of the
// array; the result does not depend on how many pieces there are.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/nbody/tasks.h"

namespace simreel {

struct KeysAndNumbers {
  std::uint64_t* key;
  std::uint32_t* number;
};

// Sorts `count` keys below 2^63 with their numbers; the result is in `from` or in `to`, whichever is returned.
inline KeysAndNumbers sort_on_cpu(const Executor& executor, std::size_t count, KeysAndNumbers from, KeysAndNumbers to) {
  constexpr int bits = 11, key_bits = 63;
  constexpr std::size_t digits = std::size_t{1} << bits;
  const std::size_t pieces =
      std::clamp<std::size_t>(count / 32768, 1, 4 * static_cast<std::size_t>(executor.threads()));
  const auto start = [=](std::size_t piece) { return count * piece / pieces; };
  std::vector<std::size_t> place(pieces * digits);
  for (int shift = 0; shift < key_bits; shift += bits) {
    const auto digit = [=](std::uint64_t key) { return static_cast<std::size_t>(key >> shift) & (digits - 1); };
    each_on_cpu(executor, pieces, 1, [&](std::size_t piece) {
      std::size_t* const own = place.data() + piece * digits;
      std::fill(own, own + digits, 0);
      for (std::size_t i = start(piece); i < start(piece + 1); ++i) ++own[digit(from.key[i])];
    });
    // Counts become the places of the first key of each digit and piece.
    std::size_t before = 0;
    bool same = false;  // whether all keys have one digit
    for (std::size_t d = 0; d < digits; ++d) {
      const std::size_t first = before;
      for (std::size_t piece = 0; piece < pieces; ++piece) before += std::exchange(place[piece * digits + d], before);
      same = same || before - first == count;
    }
    if (same) continue;
    each_on_cpu(executor, pieces, 1, [&](std::size_t piece) {
      std::size_t* const own = place.data() + piece * digits;
      for (std::size_t i = start(piece); i < start(piece + 1); ++i) {
        const std::size_t at = own[digit(from.key[i])]++;
        to.key[at] = from.key[i];
        to.number[at] = from.number[i];
      }
    });
    std::swap(from, to);
  }
  return from;
}

}  // namespace simreel
