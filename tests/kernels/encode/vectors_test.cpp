// What a CPU with AVX2 does in vectors against the same pixel by pixel.

#include "kernels/encode/deblock.h"
#include "kernels/encode/window_search.h"
#include "tests/support/test.h"

#if defined(__AVX2__)

namespace simreel::h264 {
namespace {

constexpr int pitch = 96;

struct Random {
  std::mt19937 engine{7};
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
  // Pixels around one another, as far as `spread`.
  template <class Pixels>
  void fill(Pixels& pixels, int spread) {
    const int from = below(257 - spread);
    for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(from + below(spread));
  }
};

TEST(H264Vectors, SatdIsThatOfTheBlocks) {
  Random random;
  for (int round = 0; round < 3000; ++round) {
    alignas(32) std::array<std::uint8_t, 256> own;
    std::array<std::uint8_t, 20 * pitch> one, other;
    const int spread = round % 3 == 0 ? 256 : 1 + random.below(256);
    random.fill(own, spread);
    random.fill(one, spread);
    random.fill(other, spread);
    if (round % 5 == 0)  // the largest sums
      for (auto& pixel : own) pixel = random.below(2) ? 255 : 0;
    std::array<std::uint32_t, 64> words;
    std::memcpy(words.data(), own.data(), sizeof own);
    const Taps taps{one.data() + 3, random.below(2) ? other.data() + 5 : nullptr};
    const std::uint32_t all = satd_of<16>(words.data(), taps, pitch, 0, 0, 16),
                        limit = static_cast<std::uint32_t>(random.below(static_cast<int>(2 * all + 2))),
                        some = WholePixels(words.data()).satd(taps, pitch, limit);
    ASSERT_TRUE(some == all || (limit <= some && some < all)) << all << ", limit " << limit << ": " << some;
    for (const int x : {0, 8})
      for (const int y : {0, 8}) {
        const Taps quarter{taps.one + y * pitch + x, taps.other ? taps.other + y * pitch + x : nullptr};
        ASSERT_EQ(QuarterPixels(words.data(), x, y).satd(quarter, pitch),
                  satd_of<8>(words.data(), taps, pitch, x, y, 8));
      }
  }
}

TEST(H264Vectors, EightSatdsAreThoseOfEachPrediction) {
  Random random;
  for (int round = 0; round < 1000; ++round) {
    alignas(32) std::array<std::uint8_t, 256> own;
    std::array<std::uint8_t, 20 * pitch> pixels;
    const int spread = 1 + random.below(256);
    random.fill(own, spread);
    random.fill(pixels, spread);
    if (round % 4 == 0) {  // the largest sums
      for (auto& pixel : own) pixel = random.below(2) ? 255 : 0;
      for (auto& pixel : pixels) pixel = random.below(2) ? 255 : 0;
    }
    std::array<std::uint32_t, 64> words;
    std::memcpy(words.data(), own.data(), sizeof own);
    std::array<Taps, 8> taps;
    for (auto& t : taps) {
      const auto somewhere = [&] { return pixels.data() + random.below(8) * pitch + random.below(64); };
      t = {somewhere(), random.below(2) ? somewhere() : nullptr};
    }
    const QuarterPixels quarter(words.data(), 8, 0);
    alignas(16) std::uint16_t satds[8];
    _mm_store_si128(reinterpret_cast<__m128i*>(satds), quarter.eight_satds([&](int k) { return taps[k]; }, pitch));
    for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(satds[k], satd_of<8>(words.data() + 2, taps[k], pitch, 0, 0, 8)) << k;
  }
}

TEST(H264Vectors, PlanesOfHalfPixelsAreThoseOfSinglePixels) {
  Random random;
  Picture p{};
  p.width = 3, p.height = 2;
  std::vector<std::uint8_t> decoded(static_cast<std::size_t>(p.luma_size()));
  std::vector<std::uint8_t> one(static_cast<std::size_t>(4 * p.reference_plane())), many(one.size());
  p.decoded = decoded.data();
  for (int round = 0; round < 60; ++round) {
    random.fill(decoded, 1 + random.below(256));
    if (round % 2 == 0)  // large sums
      for (std::size_t k = 0; k < decoded.size(); ++k)
        decoded[k] = random.below(40) == 0 ? 128 : (k / 2 + k / 96 * (round % 3)) % 2 ? 255 : 0;
    if (round % 4 == 1)
      for (auto& pixel : decoded) pixel = random.below(2) ? 255 : 0;
    const int groups = (p.luma_height() + 2 * border) / LumaPlanes::rows;
    for (int group = 0; group < groups; ++group) {
      p.reference = one.data();
      for (int x = 0; x < p.pitch(); ++x) LumaPlanes{p}(x, group);
      p.reference = many.data();
      const int cut = random.below(p.pitch());
      LumaPlanes{p}.span(0, cut, group);
      LumaPlanes{p}.span(cut, p.pitch(), group);
    }
    ASSERT_EQ(one, many) << round;
  }
}

// The sums of rows that fit into 16 bits least: 255 under positive taps, 0 under negative ones, and the other way
// round.
TEST(H264Vectors, SumsThatDoNotFitAreFarFromPixels) {
  constexpr int max = 42 * 255, min = -10 * 255;  // of six_taps()
  for (int signs = 0; signs < 64; ++signs) {
    std::int16_t rows[6][16];
    for (int k = 0; k < 6; ++k) std::fill_n(rows[k], 16, static_cast<std::int16_t>(signs >> k & 1 ? max : min));
    std::uint8_t pixels[16];
    six_taps_of_sums(rows[0], 16, pixels);
    const int v = six_taps(rows[0][0], rows[1][0], rows[2][0], rows[3][0], rows[4][0], rows[5][0]);
    for (const std::uint8_t pixel : pixels) ASSERT_EQ(pixel, clip_pixel((v + 512) >> 10)) << signs;
  }
}

TEST(H264Vectors, EightPixelsOfChromaAreThoseOfEach) {
  Random random;
  Picture p{};
  p.width = 2, p.height = 1;
  std::vector<std::uint8_t> reference(static_cast<std::size_t>(2 * p.chroma_plane()));
  p.chroma_reference = reference.data();
  for (int round = 0; round < 1000; ++round) {
    random.fill(reference, 1 + random.below(256));
    if (round % 4 == 0)
      for (auto& pixel : reference) pixel = random.below(4) ? 255 : 0;
    const auto part = [&] { return static_cast<std::int16_t>(random.below(2 * 227 + 1) - 227); };
    const ChromaTaps taps(p, random.below(2), 8 * random.below(2), 0, {part(), part()});
    std::uint8_t eight[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(eight), taps.predict_eight(p.chroma_pitch()));
    for (int k = 0; k < 8; ++k) ASSERT_EQ(eight[k], taps.pixel(p.chroma_pitch() + k)) << round;
  }
}

TEST(H264Vectors, WindowSearchFindsTheBestPlace) {
  Random random;
  Picture p{};
  for (int round = 0; round < 1000; ++round) {
    alignas(32) std::array<std::uint8_t, 256> own;
    std::vector<std::uint8_t> window(31 * pitch + 64);
    const int spread = 1 + random.below(round % 4 == 0 ? 3 : 256);
    random.fill(window, spread);
    random.fill(own, spread);
    if (round % 3 == 0) {  // somewhere it lies in the window, but for noise
      const int x = random.below(16), y = random.below(16);
      for (int k = 0; k < 256; ++k)
        own[k] = static_cast<std::uint8_t>(std::min(255, window[(y + k / 16) * pitch + x + k % 16] + random.below(5)));
    }
    p.lambda = static_cast<std::uint32_t>(random.below(292));
    std::uint8_t bits[16];
    for (auto& b : bits) b = static_cast<std::uint8_t>(1 + 2 * random.below(7));
    std::uint32_t min = ~0u;
    for (int k = 0; k < 256; ++k) {
      std::uint32_t sum = p.worth(std::uint32_t{bits[k & 15]} + bits[k >> 4]);
      for (int j = 0; j < 256; ++j)
        sum += static_cast<std::uint32_t>(std::abs(own[j] - window[((k >> 4) + j / 16) * pitch + (k & 15) + j % 16]));
      min = std::min(min, sum << 8 | static_cast<std::uint32_t>(k));
    }
    ASSERT_EQ(WindowSearch(own.data(), window.data(), pitch).best(p, bits), min & 255) << round;
  }
}

// Both directions and planes: lines lie side by side here.
TEST(H264Vectors, EdgesAreFilteredLikeSingleLines) {
  Random random;
  for (int round = 0; round < 20000; ++round) {
    std::array<std::uint8_t, 20 * 16> pixels;
    random.fill(pixels, 1 + random.below(round % 2 == 0 ? 12 : 60));
    if (round % 7 == 0) random.fill(pixels, 256);
    const EdgeFilter filter{Thresholds(random.below(52)), Thresholds(random.below(52))};
    std::uint8_t strength[16];
    for (auto& b : strength) b = static_cast<std::uint8_t>(random.below(4));
    if (random.below(3) == 0) std::fill(strength, strength + 4, std::uint8_t{4});
    for (const bool luma : {true, false}) {
      auto expected = pixels, together = pixels;
      for (int line = 0; line < 16; ++line)
        for (int edge = 0; edge < 4; edge += luma ? 1 : 2) {
          const Thresholds& t = edge == 0 ? filter.outer : filter.inner;
          const auto at = [&](int k) -> std::uint8_t& { return expected[16 * (4 + (luma ? 4 : 2) * edge + k) + line]; };
          int v[8];
          for (int k = 0; k < 8; ++k) v[k] = at(k - 4);
          if (luma)
            filter_luma(v, t, strength[4 * edge + line / 4]);
          else
            filter_chroma(v + 2, t, strength[4 * edge + line % 8 / 2]);
          for (int k = 0; k < 8; ++k) at(k - 4) = static_cast<std::uint8_t>(v[k]);
        }
      if (luma)
        filter.filter<true>(strength, together.data() + 64, 16);
      else
        filter.filter<false>(strength, together.data() + 64, 16);
      ASSERT_EQ(together, expected) << round << (luma ? " luma" : " chroma");
    }
  }
}

TEST(H264Vectors, TransposesThereAndBack) {
  Random random;
  std::array<std::uint8_t, 16 * pitch> pixels, back{};
  random.fill(pixels, 256);
  std::uint8_t columns[8][16];
  transpose_in<false>(columns, [&](int i) { return pixels.data() + i * pitch; });
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 16; ++y) ASSERT_EQ(columns[x][y], pixels[y * pitch + x]);
  transpose_out<false>(columns, [&](int i) { return back.data() + i * pitch; });
  transpose_in<true>(columns, [&](int i) { return pixels.data() + i * pitch + 8; });
  transpose_out<true>(columns, [&](int i) { return back.data() + i * pitch + 8; });
  for (int x = 0; x < pitch; ++x)
    for (int y = 0; y < 16; ++y) {
      const auto at = static_cast<std::size_t>(y * pitch + x);
      ASSERT_EQ(back[at], x < 12 ? pixels[at] : 0);
    }
}

}  // namespace
}  // namespace simreel::h264

#endif
