#include "kernels/encode/h264.h"

#include "kernels/encode/bit_string.h"
#include "kernels/encode/parameter_sets.h"
#include "kernels/encode/slice.h"
#include "tests/support/backends.h"
#include "tests/support/clips.h"

namespace simreel {
namespace {

using test::Clip, test::ClipEncoder;
using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> encode(const Executor& executor, Clip clip, Size size, int quality, int frames, bool graphs = true) {
  ClipEncoder encoder(executor, size, quality, graphs);
  std::vector<Bytes> packets;
  for (int i = 0; i < frames; ++i)
    packets.push_back(encoder.packet(test::picture_of(clip, padded(size, PixelLayout::yuv420p), i, 5)));
  return packets;
}

std::uint64_t hash_of(const std::vector<Bytes>& packets) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const Bytes& packet : packets)
    for (const std::uint8_t byte : packet) hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

TEST(H264Encoder, BytesDependOnNeitherThreadsNorBackend) {
  const auto executors = test::executors();
  for (const Clip clip : test::all_clips)
    for (const int quality : {0, 16, 22, 40}) {  // at 16 some pictures are deblocked and some are not
      const auto expected = encode(executors[0], clip, {150, 118}, quality, 6);
      for (std::size_t i = 1; i < executors.size(); ++i)
        for (const bool graphs : {true, false})
          EXPECT_EQ(encode(executors[i], clip, {150, 118}, quality, 6, graphs), expected)
              << executors[i].name() << ", clip " << static_cast<int>(clip) << ", quality " << quality;
    }
}

// Players and archives may keep what an encoder made: a change of these bytes is a change of the product.
TEST(H264Encoder, BytesArePinned) {
  const auto executor = Executor::cpu(2);
  EXPECT_EQ(hash_of(encode(executor, Clip::gradient, {200, 120}, 26, 8)), 12074190802219248185u);
  EXPECT_EQ(hash_of(encode(executor, Clip::particles, {200, 120}, 20, 8)), 7500373993807558993u);
  EXPECT_EQ(hash_of(encode(executor, Clip::extremes, {64, 48}, 0, 3)), 13620092132599212748u);
}

TEST(H264Encoder, ResetForgetsAllPictures) {
  const auto executor = Executor::cpu(2);
  const Size size{96, 80};
  const auto fresh = encode(executor, Clip::gradient, size, 26, 4);
  ClipEncoder encoder(executor, size, 26);
  for (int i = 0; i < 7; ++i) encoder.packet(test::picture_of(Clip::noise, size, i, 1));
  encoder.encoder.reset();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(encoder.packet(test::picture_of(Clip::gradient, size, i, 5)), fresh[i]) << i;
    EXPECT_EQ(encoder.is_key(), i == 0);
  }
}

TEST(H264Encoder, KeyPicturesInSequenceHaveDifferentNumbers) {
  const auto executor = Executor::cpu(1);
  const Size size{32, 32};
  ClipEncoder encoder(executor, size, 26);
  const auto planes = test::picture_of(Clip::gradient, size, 0, 1);
  const Bytes first = encoder.packet(planes), second = encoder.packet(planes, true),
              third = encoder.packet(planes, true);
  EXPECT_TRUE(encoder.is_key());
  EXPECT_NE(first, second);
  EXPECT_EQ(first, third);
}

TEST(H264Encoder, SlicesStayInsideTheirSlots) {
  const auto executor = Executor::cpu(1);
  const Size size{64, 64};
  constexpr std::size_t guard = 64;
  for (const auto& [clip, quality] : {std::pair{Clip::noise, 0}, {Clip::extremes, 0}, {Clip::noise, 14}}) {
    H264Encoder encoder(executor, {.size = size, .quality = quality});
    Buffer<std::byte> input(executor, frame_bytes(size, PixelLayout::yuv420p));
    std::vector<std::byte> slot(H264Encoder::slot_bytes(size) + guard, std::byte{77});
    for (int i = 0; i < 3; ++i) {
      Event done;
      input.upload(reinterpret_cast<const std::byte*>(test::picture_of(clip, size, i, 1).data()));
      encoder.encode(input.data(), false, slot.data(), done);
      done.wait();
      EXPECT_GT(code_slice(slot.data()).bytes.size(), 5000u);
      for (std::size_t k = 0; k < guard; ++k) ASSERT_EQ(slot[slot.size() - 1 - k], std::byte{77});
    }
  }
}

// A decoder's work is bounded by the bytes of a picture (7.4.2.10): with more bins it is filled up.
TEST(H264Encoder, ManyBinsAskForMoreBytes) {
  EXPECT_EQ(cabac_zero_words(300, 96 * 10 + 3200, 10), 0);
  EXPECT_EQ(cabac_zero_words(300, 96 * 10 + 3201, 10), 1);
  EXPECT_EQ(cabac_zero_words(300, 96 * 10 + 3232, 10), 1);
  EXPECT_EQ(cabac_zero_words(303, 96 * 10 + 3232, 10), 0);
  EXPECT_EQ(cabac_zero_words(300, 96 * 10 + 3233, 10), 2);
}

// The tests of decoded pictures show nothing about what no clip uses.
TEST(H264Encoder, ClipsUseBothTransforms) {
  const auto executor = Executor::cpu(2);
  const Size size{200, 120};
  int count[2][2] = {};  // [quarters][by_eight]
  for (const Clip clip : {Clip::gradient, Clip::particles}) {
    ClipEncoder encoder(executor, size, 22);
    for (int i = 0; i < 6; ++i) {
      encoder.packet(test::picture_of(clip, size, i, 5));
      for (const h264::Mode mode : encoder.modes())
        if ((mode.kind == h264::Mode::inter || mode.kind == h264::Mode::quarters) && (mode.coded & 15) != 0)
          ++count[mode.kind == h264::Mode::quarters][mode.by_eight()];
    }
  }
  for (const auto& of_kind : count)
    for (const int n : of_kind) EXPECT_GT(n, 5);
}

// One coefficient of a block of 8 x 8 is many of blocks of 4 x 4, and the other way round.
TEST(H264Encoder, TakesTheTransformThatSuitsTheDifference) {
  const auto executor = Executor::cpu(2);
  const Size size{160, 96};
  const auto inter_with_levels = [&](bool by_eight, const auto& difference) {
    ClipEncoder encoder(executor, size, 26);
    test::Planes planes(frame_bytes(size, PixelLayout::yuv420p), 128);
    encoder.packet(planes);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        planes[y * size.width + x] = static_cast<std::uint8_t>(128 + difference(x, y));
    encoder.packet(planes);
    int count = 0;
    for (const h264::Mode mode : encoder.modes())
      if (!mode.is_intra() && (mode.coded & 15) != 0) count += mode.by_eight() == by_eight ? 1 : -1000;
    return count;
  };
  constexpr int wave[8] = {22, 19, 13, 4, -4, -13, -19, -22};
  EXPECT_GT(inter_with_levels(true, [&](int x, int y) { return wave[x & 7] * wave[y & 7] / 22; }), 30);
  EXPECT_GT(inter_with_levels(false, [](int x, int y) { return (x / 4 * 5 + y / 4 * 3) % 7 < 3 ? 12 : -12; }), 10);
}

// A still picture costs next to nothing once it is there.
TEST(H264Encoder, StillPicturesAreSkipped) {
  const auto executor = Executor::cpu(2);
  const Size size{640, 480};
  ClipEncoder encoder(executor, size, 26);
  const auto planes = test::picture_of(Clip::gradient, size, 0, 1);
  for (int i = 0; i < 3; ++i) encoder.packet(planes);
  EXPECT_LT(encoder.packet(planes).size(), 100u);
}

// After a cut all macroblocks may be intra: the picture takes little more than as a key picture.
TEST(H264Encoder, CutsCostNoMoreThanKeyPictures) {
  const auto executor = Executor::cpu(2);
  const Size size{320, 240};
  const auto before = test::picture_of(Clip::text, size, 0, 1), after = test::picture_of(Clip::gradient, size, 0, 9);
  ClipEncoder encoder(executor, size, 26),
      fresh(executor, size, 33);  // key pictures have 6 less, the second one 1 more
  encoder.packet(before);
  const std::size_t cut = encoder.packet(after).size(), key = fresh.packet(after).size();
  EXPECT_FALSE(encoder.is_key());
  EXPECT_LT(static_cast<double>(cut), 1.15 * static_cast<double>(key));
}

TEST(H264Encoder, AcceptsWhatALevelAllows) {
  EXPECT_TRUE(H264Encoder::accepts({1, 1}));
  EXPECT_TRUE(H264Encoder::accepts({8192, 4320}));
  EXPECT_TRUE(H264Encoder::accepts({4320, 8192}));
  EXPECT_FALSE(H264Encoder::accepts({8192, 4368}));
  EXPECT_FALSE(H264Encoder::accepts({8194, 16}));
  EXPECT_FALSE(H264Encoder::accepts({0, 16}));
  const auto executor = Executor::cpu(1);
  EXPECT_THROW(H264Encoder(executor, {.size = {16, 16}, .quality = 52}), std::invalid_argument);
  EXPECT_THROW(H264Encoder(executor, {.size = {16, 16}, .fps_denominator = 0}), std::invalid_argument);
  EXPECT_THROW(H264Encoder(executor, {.size = {9000, 16}}), std::invalid_argument);
}

TEST(H264Level, FollowsFromSizeRateAndQuality) {
  const auto level = [](int width, int height, int fps, int quality = 26) {
    return h264_level((width + 15) / 16, (height + 15) / 16, fps, 1, quality);
  };
  EXPECT_EQ(level(176, 144, 15), 11);
  EXPECT_EQ(level(640, 480, 30), 30);
  EXPECT_EQ(level(1280, 720, 30), 31);
  EXPECT_EQ(level(1280, 720, 60), 32);
  EXPECT_EQ(level(1920, 1080, 30), 40);
  EXPECT_EQ(level(1920, 1080, 60), 42);
  EXPECT_EQ(level(3840, 2160, 30), 51);
  EXPECT_EQ(level(3840, 2160, 60), 52);
  EXPECT_EQ(level(7680, 4320, 30), 60);
  EXPECT_EQ(level(8192, 4320, 120), 62);
  EXPECT_EQ(level(8192, 16, 30), 51);  // 512 macroblocks in a row
  EXPECT_EQ(level(16, 16, 1000000), 52);
  EXPECT_EQ(level(352, 288, 30), 13);
  EXPECT_EQ(level(352, 288, 30, 14), 20);
  EXPECT_EQ(level(1920, 1080, 30, 20), 40);
  EXPECT_EQ(level(1920, 1080, 30, 8), 41);
  EXPECT_EQ(level(1920, 1080, 60, 14), 42);
  EXPECT_EQ(level(1920, 1080, 60, 8), 50);
  EXPECT_EQ(level(1920, 1080, 60, 0), 61);
}

TEST(AppendNalUnit, BreaksWhatLooksLikeAStartCode) {
  const auto wrapped = [](const Bytes& payload) {
    Bytes to;
    append_nal_unit(to, 0x65, payload.data(), payload.size());
    return Bytes(to.begin() + 5, to.end());
  };
  EXPECT_EQ(wrapped({0, 0, 1}), (Bytes{0, 0, 3, 1}));
  EXPECT_EQ(wrapped({7, 0, 0, 0, 0, 0, 1, 8}), (Bytes{7, 0, 0, 3, 0, 0, 3, 0, 1, 8}));
  EXPECT_EQ(wrapped({0, 0, 3}), (Bytes{0, 0, 3, 3}));
  EXPECT_EQ(wrapped({0, 0, 4, 0, 1, 0}), (Bytes{0, 0, 4, 0, 1, 0}));
  EXPECT_EQ(wrapped({}), (Bytes{}));
  // Against the definition, byte by byte.
  std::mt19937 random(3);
  for (int k = 0; k < 500; ++k) {
    Bytes payload(random() % 40), expected;
    for (auto& byte : payload) byte = static_cast<std::uint8_t>(random() % 5);
    int zeros = 0;
    for (const std::uint8_t byte : payload) {
      if (zeros == 2 && byte <= 3) expected.push_back(3), zeros = 0;
      expected.push_back(byte);
      zeros = byte == 0 ? zeros + 1 : 0;
    }
    EXPECT_EQ(wrapped(payload), expected);
  }
}

}  // namespace
}  // namespace simreel
