#include "kernels/encode/parameter_sets.h"

#include <algorithm>

#include "kernels/encode/bit_string.h"
#include "kernels/encode/picture.h"

namespace simreel {

int h264_level(int macroblocks_x, int macroblocks_y, int fps_numerator, int fps_denominator, int quality) {
  // Table A-1: macroblocks per second and per picture, and thousands of bits a second, of which High may have 1.25.
  struct Level {
    int idc, rate, picture, bits;
  };
  static constexpr Level levels[] = {
      {11, 3000, 396, 192},          {12, 6000, 396, 384},          {13, 11880, 396, 768},
      {20, 11880, 396, 2000},        {21, 19800, 792, 4000},        {22, 20250, 1620, 4000},
      {30, 40500, 1620, 10000},      {31, 108000, 3600, 14000},     {32, 216000, 5120, 20000},
      {40, 245760, 8192, 20000},     {41, 245760, 8192, 50000},     {42, 522240, 8704, 50000},
      {50, 589824, 22080, 135000},   {51, 983040, 36864, 240000},   {52, 2073600, 36864, 240000},
      {60, 4177920, 139264, 240000}, {61, 8355840, 139264, 480000}, {62, 16711680, 139264, 800000}};
  const std::int64_t picture = std::int64_t{macroblocks_x} * macroblocks_y;
  // 0.2 bits a pixel at QP 20 (docs/design/h264.md, "Size"), twice as many for each 6 below.
  const std::int64_t bits = std::int64_t{51} << (std::max(0, 25 - quality) / 6);  // of a macroblock
  for (const Level& level : levels) {
    const std::int64_t longest_squared = std::int64_t{8} * level.picture;
    if (picture <= level.picture && std::int64_t{macroblocks_x} * macroblocks_x <= longest_squared &&
        std::int64_t{macroblocks_y} * macroblocks_y <= longest_squared &&
        picture * fps_numerator <= std::int64_t{level.rate} * fps_denominator &&
        picture * fps_numerator * bits <= std::int64_t{1250} * level.bits * fps_denominator)
      return level.idc;
  }
  return 62;
}

std::vector<std::uint8_t> h264_parameter_sets(Size size, int fps_numerator, int fps_denominator, int quality) {
  const int width = h264::macroblocks_along(size.width), height = h264::macroblocks_along(size.height);
  BitString sps;
  sps.put(100, 8);  // profile: High
  sps.put(0, 8);    // no constraints
  sps.put(static_cast<std::uint32_t>(h264_level(width, height, fps_numerator, fps_denominator, quality)), 8);
  sps.unsigned_golomb(0);  // number of this set
  sps.unsigned_golomb(1);  // 4:2:0
  sps.unsigned_golomb(0);  // 8 bits of luma
  sps.unsigned_golomb(0);  // and of chroma
  sps.put(0, 1);           // no lossless transform bypass
  sps.put(0, 1);           // no scaling matrices
  sps.unsigned_golomb(0);  // frame_num has 4 bits
  sps.unsigned_golomb(2);  // pictures are shown in the order of decoding
  sps.unsigned_golomb(1);  // one reference picture
  sps.put(0, 1);           // no gaps in frame_num
  sps.unsigned_golomb(static_cast<std::uint32_t>(width) - 1);
  sps.unsigned_golomb(static_cast<std::uint32_t>(height) - 1);
  sps.put(1, 1);  // no fields
  sps.put(1, 1);  // direct_8x8_inference
  const int right = width * 16 - size.width, below = height * 16 - size.height;
  sps.put(right > 0 || below > 0, 1);
  if (right > 0 || below > 0) {
    sps.unsigned_golomb(0);
    sps.unsigned_golomb(static_cast<std::uint32_t>(right / 2));
    sps.unsigned_golomb(0);
    sps.unsigned_golomb(static_cast<std::uint32_t>(below / 2));
  }
  sps.put(1, 1);   // VUI
  sps.put(1, 1);   // aspect ratio:
  sps.put(1, 8);   // square pixels
  sps.put(0, 1);   // no overscan
  sps.put(1, 1);   // video signal:
  sps.put(5, 3);   // unspecified format
  sps.put(0, 1);   // limited range
  sps.put(1, 1);   // colours:
  sps.put(1, 8);   // primaries of BT.709
  sps.put(13, 8);  // transfer of sRGB
  sps.put(1, 8);   // matrix of BT.709
  sps.put(0, 1);   // chroma at its usual place, left
  sps.put(1, 1);   // timing, in fields:
  sps.put(static_cast<std::uint32_t>(fps_denominator), 32);
  sps.put(2 * static_cast<std::uint32_t>(fps_numerator), 32);
  sps.put(1, 1);           // fixed
  sps.put(0, 1);           // no buffer model of NAL units
  sps.put(0, 1);           // nor of slices
  sps.put(0, 1);           // no timing in pictures
  sps.put(1, 1);           // restrictions:
  sps.put(1, 1);           // vectors may point outside
  sps.unsigned_golomb(0);  // any number of bytes a picture
  sps.unsigned_golomb(0);  // and bits a macroblock
  sps.unsigned_golomb(9);  // vectors have 9 bits and a sign, in quarter pixels
  sps.unsigned_golomb(9);
  sps.unsigned_golomb(0);  // no reordering
  sps.unsigned_golomb(1);  // one picture is held
  sps.end();

  BitString pps;
  pps.unsigned_golomb(0);  // number of this set
  pps.unsigned_golomb(0);  // sequence parameter set
  pps.put(1, 1);           // CABAC
  pps.put(0, 1);           // no fields
  pps.unsigned_golomb(0);  // one slice group
  pps.unsigned_golomb(0);  // one reference
  pps.unsigned_golomb(0);
  pps.put(0, 1);         // no weighted prediction
  pps.put(0, 2);         // of either kind
  pps.signed_golomb(0);  // QP 26
  pps.signed_golomb(0);
  pps.signed_golomb(h264::chroma_qp_offset);
  pps.put(1, 1);                              // slices say how they are deblocked
  pps.put(0, 1);                              // intra prediction from all
  pps.put(0, 1);                              // no redundant pictures
  pps.put(1, 1);                              // transforms of 8 x 8
  pps.put(0, 1);                              // no scaling matrices
  pps.signed_golomb(h264::chroma_qp_offset);  // of Cr
  pps.end();

  std::vector<std::uint8_t> bytes;
  append_nal_unit(bytes, 0x67, sps.bytes().data(), sps.bytes().size());
  append_nal_unit(bytes, 0x68, pps.bytes().data(), pps.bytes().size());
  return bytes;
}

}  // namespace simreel
