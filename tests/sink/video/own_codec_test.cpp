// The codec h264_fast: packets of the encoder that works where pictures are drawn, in the containers of all videos.

#include "tests/support/browser.h"
#include "tests/support/decoded_video.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class OwnCodecTest : public SinkTest {
 protected:
  void SetUp() override {
    info_.size = {96, 64};
    info_.fps_numerator = 25;
    info_.overwrite = true;
    options_.codec = "h264_fast";
    options_.segment = 0.8;
  }

  static constexpr std::int64_t frames_ = 50;  // two segments and a half

  static std::string lines_of(const std::string& command) {
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::string text;
    char line[512];
    while (std::fgets(line, sizeof line, pipe)) text += line;
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return text;
  }
};

TEST_F(OwnCodecTest, DecodersShowWhatTheEncoderReconstructed) {
  for (const Size size : {Size{96, 64}, Size{33, 17}, Size{2, 2}, Size{250, 36}}) {
    info_.size = size;
    for (const std::string extension : {".mp4", ".mov", ".mkv"}) {
      SCOPED_TRACE(extension + std::to_string(size.width));
      std::vector<std::vector<std::uint8_t>> shown;
      {
        const auto sink = open(path("a" + extension));
        EXPECT_FALSE(sink->traits().layout);
        EXPECT_EQ(sink->traits().packets, (PacketStream{32, 20}));
        for (std::int64_t i = 0; i < frames_; ++i) {
          write_one(*sink, i);
          shown.push_back(packets_.reconstruction());
        }
        sink->finish();
      }
      const DecodedVideo video = decode(path("a" + extension));
      const Size whole = padded(size, PixelLayout::yuv420p);
      EXPECT_EQ(video.width, whole.width);
      EXPECT_EQ(video.height, whole.height);
      ASSERT_EQ(video.frames.size(), std::size_t(frames_));
      for (std::size_t i = 0; i < shown.size(); ++i) {
        ASSERT_EQ(video.frames[i].size(), shown[i].size());
        EXPECT_EQ(std::memcmp(video.frames[i].data(), shown[i].data(), shown[i].size()), 0) << "frame " << i;
        EXPECT_NEAR(video.times[i], double(i) / 25, 6e-4);
      }
      for (const int key : {0, 20, 40}) EXPECT_NE(std::ranges::find(video.keys, key), video.keys.end()) << key;
    }
  }
}

// What ffprobe tells of the file, but for what differs between encoders: the profile, the bytes, the reordering.
TEST_F(OwnCodecTest, TagsAreThoseOfX264) {
  if (!test::installed("ffprobe")) GTEST_SKIP() << "ffprobe is not installed";
  for (const std::string extension : {".mp4", ".mov", ".mkv"}) {
    std::string first;
    for (const std::string codec : {"h264", "h264_fast"}) {
      options_.codec = codec;
      write_all(path("a" + extension), frames_);
      std::istringstream all(
          lines_of("cd '" + path("") + "' && ffprobe -v error -show_streams -show_format -of flat a" + extension));
      std::string kept;
      for (std::string line; std::getline(all, line);) {
        bool differs = false;
        for (const char* key : {".has_b_frames", ".bit_rate", ".profile", ".level", ".refs", ".extradata_size", ".size",
                                ".start_", ".chroma_location"})
          differs |= line.find(key) != std::string::npos && line.find("chroma_location=\"left\"") == std::string::npos;
        if (!differs) kept += line + "\n";
      }
      if (codec == "h264")
        first = kept;
      else
        EXPECT_EQ(kept, first) << extension;
    }
    EXPECT_TRUE(test::says(first, "color_transfer=\"iec61966-2-1\""));
  }
}

TEST_F(OwnCodecTest, QualityIsTheQuantizer) {
  options_.quality = 40;
  EXPECT_EQ(open(path("a.mp4"))->traits().packets->quality, 40);
}

TEST_F(OwnCodecTest, NeedsPacketsAndNoPixels) {
  const SinkNeeds alone = check_sinks({path("a.mp4"), path("b.mkv")}, options_, info_);
  EXPECT_TRUE(alone.drawn());
  EXPECT_TRUE(alone.layouts.empty());
  EXPECT_EQ(alone.converted(), std::vector<PixelLayout>{PixelLayout::yuv420p});
  EXPECT_EQ(alone.packets, (PacketStream{32, 20}));
  EXPECT_GT(alone.memory_bytes, 0u);
  const SinkNeeds both = check_sinks({path("a.mp4"), path("b.y4m"), path("c.hashes")}, options_, info_);
  EXPECT_EQ(both.layouts, (std::vector<PixelLayout>{PixelLayout::yuv420p, PixelLayout::rgb}));
  EXPECT_EQ(both.converted(), both.layouts);
}

TEST_F(OwnCodecTest, OnlyX264WithItsUsualSettingsCanBeReplaced) {
  const auto replaceable = [&](const std::string& target) {
    return std::string(open(path(target))->traits().replaceable_codec);
  };
  EXPECT_EQ(replaceable("a.mp4"), "");
  options_.codec.reset();
  EXPECT_EQ(replaceable("a.mp4"), "h264");
  EXPECT_EQ(replaceable("a.mkv"), "");
  EXPECT_EQ(replaceable("a.gif"), "");
  EXPECT_EQ(replaceable("a.hashes"), "");
  options_.preset = "ultrafast";
  EXPECT_EQ(replaceable("a.mp4"), "");
  options_.preset.reset();
  options_.pixel_format = "yuv444p";
  EXPECT_EQ(replaceable("a.mp4"), "");
}

TEST_F(OwnCodecTest, BrowserPlaysAndSeeks) {
  if (!test::Browser::installed()) GTEST_SKIP() << "chromium is not installed";
  info_.size = {192, 128};
  write_all(path("a.mp4"), frames_);
  put(path("a.html"), "<video id=v src=a.mp4 muted style='width:192px;height:128px'></video>");
  test::Browser browser;
  browser.open_page("file://" + path("a.html"));
  const auto seek = [&](double seconds) {
    return browser.evaluate(
        "new Promise((done, fail) => { const v = document.getElementById('v');"
        "v.onerror = () => fail(v.error.message); v.onseeked = () => done(v.currentTime);"
        "v.currentTime = " +
        std::to_string(seconds) + "; })");
  };
  EXPECT_NEAR(browser
                  .evaluate("(async () => { const v = document.getElementById('v'); if (v.readyState < 1) await new "
                            "Promise((done, fail) => { v.onloadedmetadata = done; v.onerror = () => "
                            "fail(v.error.message); }); return v.duration; })()")
                  .get<double>(),
              2, 0.01);
  std::vector<std::string> pictures;
  for (const double seconds : {1.5, 0.02, 1.02}) {  // back and forth, into three segments
    EXPECT_NEAR(seek(seconds).get<double>(), seconds, 0.01);
    pictures.push_back(browser.screenshot("#v"));
  }
  EXPECT_NE(pictures[0], pictures[1]);
  EXPECT_NE(pictures[1], pictures[2]);
  EXPECT_NEAR(browser
                  .evaluate("new Promise((done, fail) => { const v = document.getElementById('v'); v.onended = () => "
                            "done(v.currentTime); v.onerror = () => fail(v.error.message); v.play(); })")
                  .get<double>(),
              2, 0.05);
}

}  // namespace
}  // namespace simreel
