#pragma once
// A picture as it crosses the bus, in a slot: what the entropy coder needs (slice.h), and nothing that it can know
// otherwise.
//
//   SlotHead, the Mode of each macroblock, then one record a macroblock that is not skipped, in order. A record:
//     I_PCM                    384 pixels
//     inter                    the difference of the vector from its prediction
//     quarters                 four of them
//     intra 4 x 4              16 half bytes, the lower one first: 8 if the mode of the block is the expected one, else
//                              rem_intra4x4_pred_mode
//     if levels may follow     a word with a bit for each block that has some, then those blocks
//   A block of levels: two bytes with a bit for each level that is not zero, the lowest for the first; then these
//   levels, the last one first: a byte, or `escape` and two bytes.
// Blocks have the order of the stream here: the DC of luma, 16 of luma, the DC of Cb and Cr, 8 of chroma. Words and
// numbers of two bytes have their lowest byte first. Records are filled up to words.

#include <cstdint>

#include "kernels/encode/picture.h"

namespace simreel::h264 {

struct SlotHead {
  std::uint32_t words;  // of all records
  std::uint32_t width, height, qp;
  std::uint32_t intra;
  std::uint32_t header_bits, header[2];  // of the slice, the higher half first
};

inline constexpr int pcm_bytes = 384, max_record_bytes = 512;
inline constexpr int escape = -128, max_short = 127;
inline constexpr std::uint8_t expected_block_mode = 8;

// The place of a block of the stream among Picture::level, and back to where it counts.
HD inline int level_block(int k) { return k == 0 ? 24 : k < 17 ? k - 1 : k < 19 ? k + 8 : k - 3; }
inline constexpr int first_luma = 1, first_chroma_dc = 17, first_chroma = 19;

HD inline bool is_long(int level) { return magnitude(level) > max_short; }

// Whether levels may follow.
HD inline bool has_levels(Mode mode) {
  return mode.kind == Mode::intra16 || (mode.kind != Mode::pcm && mode.kind != Mode::skip && mode.coded != 0);
}

// Bytes of a record before the word that tells which blocks have levels.
HD inline int motion_bytes(std::uint8_t kind) {
  switch (kind) {
    case Mode::inter: return 4;
    case Mode::quarters: return 16;
    case Mode::intra4: return 8;
    default: return 0;
  }
}

}  // namespace simreel::h264
