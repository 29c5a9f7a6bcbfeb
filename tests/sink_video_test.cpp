#include "sink/video.h"

#include <cmath>

#include "decoded_video.h"
#include "sink_fixture.h"

namespace simreel {
namespace {

class VideoTest : public SinkTest {
 protected:
  void SetUp() override { av_log_set_level(AV_LOG_QUIET); }
};

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
    EXPECT_GT(psnr(video.frames[std::size_t(i)], expected, 320 * 240), 36) << "frame " << i;
    EXPECT_NEAR(video.times[std::size_t(i)], i / 30.0, 1e-6);
  }
  // A second at most between two key frames.
  for (std::size_t i = 1; i < video.keys.size(); ++i) EXPECT_LE(video.keys[i] - video.keys[i - 1], 30);
  EXPECT_GE(video.keys.size(), 3u);
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
  EXPECT_NE(bytes.find("ftypisom"), std::string::npos);
}

TEST_F(VideoTest, SameBytesOnEveryRun) {
  for (const std::string extension : {".mp4", ".mov", ".mkv"}) {
    write_all(path("a" + extension));
    write_all(path("b" + extension));
    EXPECT_EQ(contents(path("a" + extension)), contents(path("b" + extension))) << extension;
    EXPECT_GT(contents(path("a" + extension)).size(), 1000u);
  }
}

TEST_F(VideoTest, Ffv1IsExact) {
  write_all(path("a.mkv"));
  const DecodedVideo video = decode(path("a.mkv"));
  EXPECT_EQ(video.codec, "ffv1");
  EXPECT_EQ(video.matrix, AVCOL_SPC_RGB);
  EXPECT_EQ(video.range, AVCOL_RANGE_JPEG);
  EXPECT_DOUBLE_EQ(video.fps, 30);
  ASSERT_EQ(video.frames.size(), 10u);
  EXPECT_EQ(video.keys.size(), 10u);
  for (int i = 0; i < 10; ++i) {
    std::vector<std::byte> decoded = video.frames[std::size_t(i)];
    for (std::size_t k = 3; k < decoded.size(); k += 4) decoded[k] = std::byte(0);
    EXPECT_EQ(decoded, picture(info_.size, PixelLayout::bgr0, i)) << "frame " << i;
  }
}

TEST_F(VideoTest, Ffv1OfSmallestAndOddSizesIsExact) {
  for (const Size size : {Size{16, 16}, Size{17, 19}, Size{353, 289}}) {
    info_.size = size;
    info_.overwrite = true;
    write_all(path("a.mkv"), 3);
    const DecodedVideo video = decode(path("a.mkv"));
    ASSERT_EQ(video.frames.size(), 3u);
    auto decoded = video.frames[2];
    for (std::size_t k = 3; k < decoded.size(); k += 4) decoded[k] = std::byte(0);
    EXPECT_EQ(decoded, picture(size, PixelLayout::bgr0, 2));
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
  EXPECT_NE(message.find("h264 has no pixel_format \"rgb\""), std::string::npos) << message;
  EXPECT_NE(message.find("yuv420p, yuv444p"), std::string::npos) << message;
}

TEST_F(VideoTest, OddSizesGrowByOnePixel) {
  info_.size = {63, 47};
  write_all(path("a.mp4"));
  const DecodedVideo video = decode(path("a.mp4"));
  EXPECT_EQ(video.width, 64);
  EXPECT_EQ(video.height, 48);
  EXPECT_EQ(video.frames.size(), 10u);
}

TEST_F(VideoTest, BrokenFrameRatesAndOneFrame) {
  info_.fps_numerator = 30000;
  info_.fps_denominator = 1001;
  write_all(path("a.mp4"), 40);
  const DecodedVideo video = decode(path("a.mp4"));
  EXPECT_NEAR(video.fps, 30000.0 / 1001, 1e-9);
  ASSERT_EQ(video.times.size(), 40u);
  EXPECT_NEAR(video.times[39], 39 * 1001.0 / 30000, 1e-6);
  write_all(path("b.mp4"), 1);
  EXPECT_EQ(decode(path("b.mp4")).frames.size(), 1u);
  info_.fps_numerator = 1;
  info_.fps_denominator = 2;
  write_all(path("c.mp4"), 3);
  EXPECT_EQ(decode(path("c.mp4")).times, (std::vector<double>{0, 2, 4}));
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
  EXPECT_NE(bytes.find("cabac=0"), std::string::npos);  // ultrafast, as x264 notes it in the stream
  EXPECT_NE(bytes.find("keyint=5"), std::string::npos);
  EXPECT_NE(bytes.find("threads=8"), std::string::npos);
  EXPECT_NE(contents(path("a.mp4")).find("open_gop=0"), std::string::npos);
}

TEST_F(VideoTest, WrongOptionsAreNamedWithTheirPlace) {
  options_.position = {"scenes/x.toml", 12, 1};
  const auto expect = [&](const std::string& target, const std::vector<std::string>& words) {
    const std::string message = usage_error({path("made/" + target)});
    EXPECT_TRUE(message.starts_with("scenes/x.toml:12:1: ")) << message;
    for (const auto& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(files(), std::vector<std::string>{});
  };
  options_.options = {{"x264-parms", "keyint=5"}};
  expect("a.mp4", {"libx264", "x264-parms", "did you mean \"x264-params\""});
  options_.options = {{"x264-params", "foo=1"}};
  expect("a.mp4", {"foo"});
  options_.options = {{"crf", "twenty"}};
  expect("a.mp4", {"twenty"});
  options_.options = {};
  options_.preset = "veryfats";
  expect("a.mp4", {"veryfats", "ultrafast"});
  options_.preset.reset();
  for (const double wrong : {-1.0, 52.0, std::nan("")}) {
    options_.quality = wrong;
    expect("a.mp4", {"quality", "0 (best) to 51 (worst)"});
  }
  options_.quality.reset();
  options_.codec = "ffv1";
  expect("a.mp4", {"cannot hold codec \"ffv1\"", ".mkv", "h264"});
  options_.codec = "h246";
  expect("a.mp4", {"unknown codec \"h246\"", "did you mean \"h264\"", "ffv1"});
  options_.codec = "h264";
  options_.options = {{"slicecrc", "1"}};
  expect("a.mkv", {"slicecrc"});
}

TEST_F(VideoTest, MatroskaHoldsH264) {
  options_.codec = "h264";
  write_all(path("a.mkv"), 40);
  const DecodedVideo video = decode(path("a.mkv"));
  EXPECT_EQ(video.codec, "h264");
  EXPECT_EQ(video.frames.size(), 40u);
  EXPECT_EQ(video.matrix, AVCOL_SPC_BT709);
}

TEST_F(VideoTest, CodecListNamesWhatThisFfmpegHas) {
  const auto list = video_codecs();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "h264");
  EXPECT_EQ(list[0].encoder, "libx264");
  EXPECT_EQ(list[0].containers, (std::vector<std::string>{".mp4", ".mov", ".mkv"}));
  EXPECT_TRUE(list[0].available);
  EXPECT_EQ(list[1].name, "ffv1");
  EXPECT_TRUE(list[1].available);
}

}  // namespace
}  // namespace simreel
