// Every row of the codec table, as far as the FFmpeg of this machine has its encoder: what goes in comes out, in every
// container and pixel format that the row names.

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "sink/outputs.h"
#include "sink/video/codecs.h"
#include "tests/support/decoded_video.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class CodecTest : public SinkTest {
 protected:
  void SetUp() override {
    info_.size = {192, 128};
    info_.fps_numerator = 25;
    info_.overwrite = true;
    options_.segment = 0.8;
  }

  static constexpr std::int64_t frames_ = 50;  // two segments and a half

  // tests/sink/animated looks at animated pictures.
  static bool is_wanted(const Codec& codec) {
    if (kind_by_extension("x" + std::string(codec.containers.front()))->container.animated || !codec.fallback.empty())
      return false;
    const bool is_there = codec.is_own() || avcodec_find_encoder_by_name(std::string(codec.encoder).c_str());
    if (!is_there) std::printf("this FFmpeg has no %s\n", std::string(codec.encoder).c_str());
    return is_there;
  }

  void expect_small_pictures(const std::string& extension, std::initializer_list<Size> sizes) {
    for (const Size size : sizes) {
      info_.size = size;
      const std::string file = path("a" + extension);
      write_all(file, frames_);
      const DecodedVideo video = decode(file);
      EXPECT_EQ(video.frames.size(), std::size_t(frames_)) << size.width << "x" << size.height;
      EXPECT_EQ(video.width, padded(size, PixelLayout::yuv420p).width);
      EXPECT_EQ(video.height, padded(size, PixelLayout::yuv420p).height);
    }
  }

  void expect_pictures(const std::string& file, const PixelFormat& pixels, double min) const {
    const DecodedVideo video = decode(file);
    ASSERT_EQ(video.frames.size(), std::size_t(frames_)) << file;
    EXPECT_NEAR(video.fps, 25, 0.01) << file;
    EXPECT_EQ(video.width, 192);
    const std::size_t luma = 192 * 128;
    const auto bits = [](int format) { return av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format))->comp[0].depth; };
    const int given = bits(pixels.av), got = bits(video.format);  // ProRes 4444 comes back in 12 bits
    for (std::int64_t i = 0; i < frames_; ++i) {
      const auto expected = picture(info_.size, pixels.layout, i);
      const auto& decoded = video.frames[i];
      ASSERT_EQ(decoded.size(), expected.size()) << file;
      EXPECT_NEAR(video.times[i], double(i) / 25, 6e-4) << file;
      double sum = 0;
      for (std::size_t k = 0; k < luma; ++k) {
        const auto sample = [&](const std::vector<std::byte>& bytes, int depth) {
          if (depth == 8) return double(std::to_integer<int>(bytes[k]));
          const int both = std::to_integer<int>(bytes[2 * k]) | std::to_integer<int>(bytes[2 * k + 1]) << 8;
          return double(both) / (1 << (depth - 8));
        };
        sum += std::pow(sample(decoded, got) - sample(expected, given), 2);
      }
      EXPECT_LE(sum, 255.0 * 255.0 * double(luma) * std::pow(10.0, -min / 10)) << file << ", frame " << i;
    }
  }
};

TEST_F(CodecTest, EveryContainerAndPixelFormatKeepsThePictures) {
  for (const Codec& codec : codecs()) {
    if (!is_wanted(codec)) continue;
    options_.codec = codec.name;
    const double min = codec.name == "ffv1" ? 300 : 33;
    for (const std::string_view extension : codec.containers) {
      const std::string file = path("a" + std::string(extension));
      options_.pixel_format.reset();
      write_all(file, frames_);
      expect_pictures(file, codec.pixel_formats.front(), min);
    }
    for (const PixelFormat& pixels : codec.pixel_formats) {
      if (pixels.layout == PixelLayout::rgba) continue;  // tests/commands/view_colors_test.cpp
      options_.pixel_format = pixels.name;
      const std::string file = path("b" + std::string(codec.containers.front()));
      write_all(file, frames_);
      expect_pictures(file, pixels, min);
    }
  }
}

// Containers leave out start codes and headers of packets, which must not look like damage.
TEST_F(CodecTest, EveryContainerIsResumedAndATurnedBitFound) {
  info_.encoders = 2;
  for (const Codec& codec : codecs()) {
    if (!is_wanted(codec)) continue;
    options_.codec = codec.name;
    for (const std::string_view extension : codec.containers) {
      const std::string file = path("s" + std::string(extension));
      info_.resume = 0;
      info_.checksums.clear();
      {
        const auto sink = open(file);
        for (std::int64_t i = 0; i < 45; ++i) write_one(*sink, i);
        sink->finish();
        info_.checksums[file] = sink->checksums(45);
      }
      EXPECT_EQ(info_.checksums[file].size(), 3u);
      info_.resume = 40;
      EXPECT_NO_THROW(check_sinks({file}, options_, info_)) << codec.name << extension;  // the finished file
      {
        const auto sink = open(file);
        EXPECT_EQ(sink->checksums(40), std::vector(info_.checksums[file].begin(), info_.checksums[file].begin() + 2));
        for (std::int64_t i = 40; i < 46; ++i) write_one(*sink, i);
      }
      EXPECT_NO_THROW(check_sinks({file}, options_, info_)) << codec.name << extension;  // and the growing one
      info_.checksums[file][1].hash ^= 1;
      EXPECT_TRUE(test::says(usage_error({file}), "frames 20 to 39 are not what")) << codec.name << extension;
      info_.checksums.clear();
      const auto sink = open(file);
      for (std::int64_t i = 40; i < frames_; ++i) write_one(*sink, i);
      sink->finish();
      expect_pictures(file, codec.pixel_formats.front(), codec.name == "ffv1" ? 300 : 33);
    }
  }
}

// Browsers look into this box of an MP4 (AV1 in ISOBMFF, 2.3) before they play anything.
TEST_F(CodecTest, Av1SaysInTheHeaderWhatItIs) {
  if (!avcodec_find_encoder_by_name("libaom-av1")) GTEST_SKIP() << "this FFmpeg has no libaom";
  options_.codec = "av1";
  write_all(path("a.mp4"), 3);
  { write_one(*open(path("b.mp4")), 0); }
  for (const char* name : {"a.mp4", "b.mp4.part"}) {
    const std::string file = contents(path(name));
    const std::size_t box = file.find("av1C");
    ASSERT_NE(box, std::string::npos) << name;
    EXPECT_GT(static_cast<unsigned char>(file[box - 1]), 12) << name;  // its length
    EXPECT_EQ(file[box + 4], '\x81') << name;                          // marker and version
  }
}

TEST_F(CodecTest, H265TakesSmallPictures) {
  if (!avcodec_find_encoder_by_name("libx265")) GTEST_SKIP() << "this FFmpeg has no libx265";
  options_.codec = "h265";
  for (const char* format : {"yuv420p", "yuv420p10"}) {
    options_.pixel_format = format;
    expect_small_pictures(".mp4", {{33, 31}, {34, 32}, {48, 40}, {200, 32}});
  }
}

TEST_F(CodecTest, Av1TakesPicturesOfOneTile) {
  if (!avcodec_find_encoder_by_name("libaom-av1")) GTEST_SKIP() << "this FFmpeg has no libaom";
  options_.codec = "av1";
  for (const char* extension : {".webm", ".mp4"})
    expect_small_pictures(extension, {{16, 16}, {33, 31}, {64, 64}, {65, 64}});
}

TEST_F(CodecTest, MissingHardwareFallsBackWithOneWarning) {
  options_.codec = "h264";
  write_all(path("a.mp4"), frames_);
  options_.codec = "h264_nvenc";
  options_.preset = "p5";
  options_.options = {{"rc-lookahead", "8"}};
  try {
    write_all(path("b.mp4"), frames_);
  } catch (const UsageError&) {
    FAIL() << "the fallback was refused";
  }
  ASSERT_EQ(decode(path("b.mp4")).frames.size(), std::size_t(frames_));
  const bool is_x264 = contents(path("b.mp4")).find("x264 - core") != std::string::npos;
  if (!is_x264) GTEST_SKIP() << "this machine has NVENC";
  EXPECT_EQ(contents(path("a.mp4")), contents(path("b.mp4")));
}

TEST_F(CodecTest, AlphaHasAQualityOfItsOwn) {
  options_.codec = "vp9";
  options_.quality = 99;
  for (const auto& [format, usual] : {std::pair("yuv420p", "; 31 is the default"), {"rgba", "; 15 is the default"}}) {
    options_.pixel_format = format;
    EXPECT_TRUE(test::says(usage_error({path("a.webm")}), usual));
  }
}

}  // namespace
}  // namespace simreel
