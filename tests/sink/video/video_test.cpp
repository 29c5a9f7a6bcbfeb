#include "sink/video/video.h"

#include <clocale>

#include "sink/video/codecs.h"
#include "sink/video/encoder_plan.h"
#include "tests/support/decoded_video.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class VideoTest : public SinkTest {};

TEST_F(VideoTest, H264KeepsSizeRateTagsAndPictures) {
  info_.size = {320, 240};
  write_all(path("a.mp4"), 75);
  EXPECT_EQ(files(), std::vector<std::string>{"a.mp4"});
  const DecodedVideo video = decode(path("a.mp4"));
  EXPECT_EQ(video.codec, "h264");
  EXPECT_EQ(video.width, 320);
  EXPECT_EQ(video.height, 240);
  EXPECT_EQ(video.format, AV_PIX_FMT_YUV420P);
  EXPECT_DOUBLE_EQ(video.fps, 30);
  EXPECT_EQ(video.primaries, AVCOL_PRI_BT709);
  EXPECT_EQ(video.transfer, AVCOL_TRC_IEC61966_2_1);
  EXPECT_EQ(video.matrix, AVCOL_SPC_BT709);
  EXPECT_EQ(video.range, AVCOL_RANGE_MPEG);
  EXPECT_EQ(video.chroma, AVCHROMA_LOC_LEFT);
  ASSERT_EQ(video.frames.size(), 75u);
  for (int i = 0; i < 75; ++i) {
    const auto expected = picture(info_.size, PixelLayout::yuv420p, i);
    const auto& decoded = video.frames[i];
    const std::size_t luma = 320 * 240, chroma = luma / 4;
    for (const auto& [from, count] : {std::pair{std::size_t(0), luma}, {luma, chroma}, {luma + chroma, chroma}}) {
      const auto plane = [&, from = from, count = count](const std::vector<std::byte>& all) {
        return std::vector<std::byte>(all.begin() + std::ptrdiff_t(from), all.begin() + std::ptrdiff_t(from + count));
      };
      EXPECT_GT(psnr(plane(decoded), plane(expected), count), count == luma ? 36 : 33)
          << "frame " << i << ", plane at " << from;
    }
    EXPECT_NEAR(video.times[i], i / 30.0, 1e-6);
  }
  EXPECT_EQ(video.keys, (std::vector<int>{0, 60}));  // a player can start every two seconds
}

TEST_F(VideoTest, OptionsOfTheSceneReachTheEncoder) {
  options_.options = {{"flags", "+low_delay"}, {"g", "7"}, {"sc_threshold", "0"}, {"threads", "4"}};
  write_all(path("a.mp4"), 20);
  EXPECT_EQ(decode(path("a.mp4")).keys.size(), 3u);
}

TEST_F(VideoTest, PictureThatIsTooLargeForTheEncoderIsNamed) {
  options_.position = {"r.toml", 1, 1};
  info_.size = {16384, 16384};
  const std::string message = usage_error({path("a.mp4")});
  EXPECT_TRUE(message.starts_with("[view] size = [16384, 16384]: encoder libx264")) << message;
  EXPECT_TRUE(test::says(message, "another size, or pictures"));
}

TEST_F(VideoTest, EveryRateThatASceneMayAskForCanBeWritten) {
  const auto scene = [](const std::string& fps) {
    return parse_scene("[solver]\nkind = \"wave\"\n[animation]\nfps = " + fps + "\n", "x.toml");
  };
  info_.overwrite = true;
  for (const std::string fps :
       {"1000", "[30000, 1001]", "[1, 100]", "[10000, 1000000]", "[1000000, 1000]", "[999999, 1000000]"}) {
    const AnimationOptions animation = scene(fps).animation;
    info_.fps_numerator = animation.fps_numerator;
    info_.fps_denominator = animation.fps_denominator;
    for (const std::string name : {"a.mp4", "a.mkv"}) {
      write_all(path(name), 4);
      const auto times = decode(path(name)).times;
      ASSERT_EQ(times.size(), 4u);
      EXPECT_NEAR(times[3], 3 / animation.fps(), 0.0006) << fps << " " << name;
    }
  }
  for (const std::string fps : {"1001", "[1, 2147483647]", "[1, 101]", "[1000000, 999]", "[1000001, 1000000]"})
    EXPECT_THROW(scene(fps), UsageError) << fps;
}

// libsimreel prints nothing, and takes no words from other users of libav in its process.
TEST_F(VideoTest, ThreadsOfEncodersPrintNothing) {
  const auto codec = std::ranges::find(codecs(), "h264", &Codec::name);
  const EncoderPlan plan(*codec, codec->pixel_formats.front(), options_, info_);
  const AvPtr<AVCodecContext> context = plan.open();
  const int before = av_log_get_level();
  av_log_set_level(AV_LOG_TRACE);
  testing::internal::CaptureStderr();
  std::thread([&] { av_log(context.get(), AV_LOG_ERROR, "words of an encoder\n"); }).join();
  av_log(nullptr, AV_LOG_ERROR, "words of others\n");
  av_log_set_level(before);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "words of others\n");
}

TEST_F(VideoTest, TellsWhereItComesFrom) {
  info_.scene_text = std::string(57000, 'x') + "\n";
  for (const std::string name : {"a.mp4", "a.mov"}) {
    write_all(path(name));
    auto tags = decode(path(name)).tags;
    EXPECT_EQ(tags["title"], info_.title) << name;
    EXPECT_EQ(tags["scene"], info_.scene_text) << name;
    EXPECT_EQ(tags["overrides"], "solver.speed=2\nview.colormap=magma") << name;
    EXPECT_EQ(tags["version"], "simreel 0.1.0") << name;
  }
  write_all(path("a.mkv"));
  auto tags = decode(path("a.mkv")).tags;
  EXPECT_EQ(tags["title"], info_.title);
  EXPECT_EQ(tags["SCENE"], info_.scene_text);
  EXPECT_EQ(tags["OVERRIDES"], "solver.speed=2\nview.colormap=magma");
  EXPECT_EQ(tags["VERSION"], "simreel 0.1.0");
}

TEST_F(VideoTest, IndexStandsBeforeThePictures) {
  write_all(path("a.mp4"));
  const std::string bytes = contents(path("a.mp4"));
  EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));
  EXPECT_EQ(bytes.find("moof"), std::string::npos);
  EXPECT_TRUE(test::says(bytes, "ftypisom"));
}

TEST_F(VideoTest, Ffv1IsExact) {
  info_.overwrite = true;
  for (const Size size : {Size{64, 48}, Size{16, 16}, Size{17, 19}, Size{353, 289}}) {
    info_.size = size;
    write_all(path("a.mkv"));
    const DecodedVideo video = decode(path("a.mkv"));
    EXPECT_EQ(video.codec, "ffv1");
    EXPECT_EQ(video.matrix, AVCOL_SPC_RGB);
    EXPECT_EQ(video.range, AVCOL_RANGE_JPEG);
    EXPECT_DOUBLE_EQ(video.fps, 30);
    ASSERT_EQ(video.frames.size(), 10u);
    EXPECT_EQ(video.keys.size(), 10u);
    for (int i = 0; i < 10; ++i) {
      std::vector<std::byte> decoded = video.frames[i];
      for (std::size_t k = 3; k < decoded.size(); k += 4) decoded[k] = std::byte(0);
      EXPECT_EQ(decoded, picture(size, PixelLayout::bgr0, i)) << "frame " << i;
    }
  }
}

TEST_F(VideoTest, PixelFormatsThatAreAskedFor) {
  options_.pixel_format = "yuv444p";
  write_all(path("a.mp4"));
  EXPECT_EQ(decode(path("a.mp4")).format, AV_PIX_FMT_YUV444P);
  write_all(path("a.mkv"));
  const DecodedVideo lossless = decode(path("a.mkv"));
  EXPECT_EQ(lossless.format, AV_PIX_FMT_YUV444P);
  EXPECT_EQ(lossless.matrix, AVCOL_SPC_BT709);
  EXPECT_EQ(lossless.range, AVCOL_RANGE_MPEG);
  EXPECT_EQ(lossless.frames.at(3), picture(info_.size, PixelLayout::yuv444p, 3));
  options_.pixel_format = "rgb";
  const std::string message = usage_error({path("b.mp4")});
  EXPECT_TRUE(test::says(message, "h264 has no pixel_format \"rgb\""));
  EXPECT_TRUE(test::says(message, "yuv420p, yuv444p"));
}

TEST_F(VideoTest, QualityAndPresetReachTheEncoder) {
  info_.size = {320, 240};
  write_all(path("a.mp4"));
  options_.quality = 45;
  write_all(path("b.mp4"));
  EXPECT_LT(std::filesystem::file_size(path("b.mp4")) * 3 / 2, std::filesystem::file_size(path("a.mp4")));
  options_ = {};
  options_.preset = "ultrafast";
  options_.options = {{"x264-params", "keyint=5"}};
  write_all(path("c.mp4"));
  const std::string bytes = contents(path("c.mp4"));
  EXPECT_TRUE(test::says(bytes, "cabac=0"));  // ultrafast, as x264 notes it in the stream
  EXPECT_TRUE(test::says(bytes, "keyint=5"));
  EXPECT_TRUE(test::says(bytes, "threads=4"));
  EXPECT_TRUE(test::says(contents(path("a.mp4")), "open_gop=0"));
}

// A comma for a decimal point, as programs have it that call setlocale().
TEST_F(VideoTest, ALocaleChangesNoByte) {
  if (std::system(("localedef -i de_DE -f UTF-8 '" + path("de_DE.UTF-8") + "' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no sources of locales are installed";
  info_.overwrite = true;
  const auto written = [&](const char* name, const char* codec) {
    options_.codec = codec;
    write_all(path(name));
    return contents(path(name));
  };
  const auto all_written = [&] {
    options_.options = {};
    std::string bytes = written("a.mkv", "ffv1") + written("a.webm", "vp9");
    options_.options["aq-strength"] = "0.75";
    return bytes + written("a.mp4", "h264");
  };
  const std::string expected = all_written();
  ::setenv("LOCPATH", path(".").c_str(), 1);
  ASSERT_NE(std::setlocale(LC_ALL, "de_DE.UTF-8"), nullptr);
  std::string bytes;
  EXPECT_NO_THROW(bytes = all_written());
  EXPECT_STREQ(std::localeconv()->decimal_point, ",");
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  EXPECT_TRUE(bytes == expected);
}

}  // namespace
}  // namespace simreel
