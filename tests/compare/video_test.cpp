#include "compare/video.h"

#include "compare/comparison.h"
#include "tests/support/compare_fixture.h"
#include "tests/support/sink_fixture.h"

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/display.h>
}

namespace simreel {
namespace {

// The same packets in a file that asks to be shown turned by 90 degrees.
void copy_turned(const std::string& from, const std::string& to) {
  AVFormatContext *in = nullptr, *out = nullptr;
  ASSERT_EQ(avformat_open_input(&in, from.c_str(), nullptr, nullptr), 0);
  ASSERT_GE(avformat_find_stream_info(in, nullptr), 0);
  ASSERT_GE(avformat_alloc_output_context2(&out, nullptr, nullptr, to.c_str()), 0);
  AVStream* const stream = avformat_new_stream(out, nullptr);
  ASSERT_GE(avcodec_parameters_copy(stream->codecpar, in->streams[0]->codecpar), 0);
  stream->codecpar->codec_tag = 0;
  stream->avg_frame_rate = in->streams[0]->avg_frame_rate;
  std::uint8_t* const matrix = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(std::int32_t));
  av_display_rotation_set(reinterpret_cast<std::int32_t*>(matrix), 90);
  ASSERT_GE(avio_open(&out->pb, to.c_str(), AVIO_FLAG_WRITE), 0);
  ASSERT_GE(avformat_write_header(out, nullptr), 0);
  AVPacket* packet = av_packet_alloc();
  while (av_read_frame(in, packet) >= 0) {
    av_packet_rescale_ts(packet, in->streams[0]->time_base, stream->time_base);
    ASSERT_GE(av_interleaved_write_frame(out, packet), 0);
  }
  av_packet_free(&packet);
  ASSERT_GE(av_write_trailer(out), 0);
  avio_closep(&out->pb);
  avformat_free_context(out);
  avformat_close_input(&in);
}

class CompareVideo : public SinkTest {
 protected:
  // Ten frames of SinkTest::picture, as they were drawn.
  Picture drawn(std::int64_t index) const {
    const std::vector<std::byte> bytes = picture(info_.size, PixelLayout::rgb, index);
    return test::draw(info_.size.width, info_.size.height, [&](int x, int y) {
      const std::size_t at = 3 * (std::size_t(y) * std::size_t(info_.size.width) + std::size_t(x));
      return Color{std::uint8_t(bytes[at]), std::uint8_t(bytes[at + 1]), std::uint8_t(bytes[at + 2]), 255};
    });
  }
  Comparison compare(const std::string& expected, const std::string& actual, const Tolerance& tolerance = {}) {
    return compare_pairs(*open_pairs(path(expected), path(actual)), tolerance, true);
  }
  std::string error(const std::string& expected, const std::string& actual) {
    return test::usage_error([&] { compare(expected, actual); });
  }
};

TEST_F(CompareVideo, LosslessRgbIsExactlyWhatWasDrawn) {
  options_.pixel_format = "rgb";
  write_all(path("a.mkv"));
  VideoReader video(path("a.mkv"));
  for (std::int64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(video.next());
    EXPECT_EQ(video.index(), i);
    EXPECT_EQ(video.size(), info_.size);
    EXPECT_EQ(video.picture().pixels, drawn(i).pixels) << i;
  }
  EXPECT_FALSE(video.next());
  EXPECT_FALSE(video.next());
}

TEST_F(CompareVideo, ConvertsLimitedRangeOfBt709) {
  // The colours of BT.709 in limited range, 4:4:4: white, black, mid gray, and red as 63, 102, 240.
  struct Case {
    std::array<std::uint8_t, 3> yuv;
    Color color;
  };
  info_.size = {32, 32};
  options_.codec = "ffv1", options_.pixel_format = "yuv444p";
  for (const Case& c : {Case{{235, 128, 128}, {255, 255, 255}}, Case{{16, 128, 128}, {0, 0, 0}},
                        Case{{126, 128, 128}, {128, 128, 128}}, Case{{63, 102, 240}, {255, 1, 0}}}) {
    const auto sink = open(path("c.mkv"));
    std::vector<std::byte> planes;
    for (const std::uint8_t value : c.yuv) planes.insert(planes.end(), 32 * 32, std::byte(value));
    sink->write({0, planes.data(), {}});
    sink->finish();
    VideoReader video(path("c.mkv"));
    ASSERT_TRUE(video.next());
    const Color color = video.picture().at(16, 16);
    EXPECT_NEAR(color.r, c.color.r, 1);
    EXPECT_NEAR(color.g, c.color.g, 1);
    EXPECT_NEAR(color.b, c.color.b, 1);
    EXPECT_EQ(color.a, 255);
    std::filesystem::remove(path("c.mkv"));
  }
}

TEST_F(CompareVideo, EqualVideosAreKnownToBeEqual) {
  for (const std::string name : {"a.mkv", "b.mkv", "a.mp4", "b.mp4", "a.y4m", "b.y4m"}) write_all(path(name));
  for (const std::string extension : {".mkv", ".mp4", ".y4m"}) {
    const auto pairs = open_pairs(path("a" + extension), path("b" + extension));
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(pairs->next());
      EXPECT_TRUE(pairs->known_equal());
      EXPECT_TRUE(compare_rows(*pairs->rows()).identical);
      const auto [expected, actual] = pairs->pictures();
      EXPECT_EQ(expected.pixels, actual.pixels);
    }
    EXPECT_FALSE(pairs->next());
    EXPECT_EQ(pairs->left_over().text, "");
  }
}

TEST_F(CompareVideo, OneChangedPixelOfOneFrameIsFound) {
  options_.pixel_format = "rgb";
  write_all(path("a.mkv"));
  const auto sink = open(path("b.mkv"));
  for (std::int64_t i = 0; i < 10; ++i) {
    std::vector<std::byte> bytes = picture(info_.size, *sink->traits().layout, i);
    const std::size_t pixel = sink->traits().layout == PixelLayout::rgb ? 3 : 4;
    if (i == 7) bytes[pixel * (20 * 64 + 33) + 1] ^= std::byte(1);
    sink->write({i, bytes.data(), {}});
  }
  sink->finish();
  const Comparison result = compare("a.mkv", "b.mkv");
  EXPECT_EQ(result.pairs, 10);
  EXPECT_EQ(result.identical, 9);
  EXPECT_EQ(result.differing, 1);
  EXPECT_EQ(result.first.name, "frame 7");
  EXPECT_EQ(result.worst.name, "frame 7");
  EXPECT_EQ(result.worst.metrics->first_x, 33);
  EXPECT_EQ(result.worst.metrics->first_y, 20);
  EXPECT_EQ(result.worst.metrics->max_diff, 1);
  EXPECT_EQ(result.worst_expected.pixels, drawn(7).pixels);
}

TEST_F(CompareVideo, H264IsCloseToLossless) {
  // Smooth pictures, so that 4:2:0 and the codec lose little; both files hold 4:2:0.
  const auto write = [&](const std::string& name) {
    const auto sink = open(path(name));
    for (std::int64_t i = 0; i < 10; ++i) {
      std::vector<std::byte> planes;
      for (int y = 0; y < 48; ++y)
        for (int x = 0; x < 64; ++x) planes.push_back(std::byte(60 + x + y + int(i)));
      planes.insert(planes.end(), 64 * 48 / 2, std::byte(120));
      sink->write({i, planes.data(), {}});
    }
    sink->finish();
  };
  write("a.mp4");
  options_.pixel_format = "yuv420p";
  write("a.mkv");
  const Comparison result = compare("a.mkv", "a.mp4", {.min_psnr = 40.0});
  EXPECT_EQ(result.pairs, 10);
  EXPECT_GT(result.worst.metrics->psnr, 40);
  EXPECT_LT(result.worst.metrics->psnr, 100);
  EXPECT_EQ(result.differing, 0);
  for (const DifferingPair& pair : result.kept) {
    EXPECT_GT(pair.metrics->ssim, 0.95) << pair.name;
    EXPECT_LT(pair.metrics->flip, 0.1) << pair.name;
  }
  EXPECT_GT(compare("a.mkv", "a.mp4", {.min_psnr = 99.0}).differing, 0);
}

TEST_F(CompareVideo, DifferentLengthsAreCounted) {
  write_all(path("a.mkv"), 10);
  write_all(path("b.mkv"), 7);
  const Comparison shorter = compare("a.mkv", "b.mkv"), longer = compare("b.mkv", "a.mkv");
  EXPECT_EQ(shorter.pairs, 7);
  EXPECT_EQ(shorter.left_over.text, path("a.mkv") + " has 10 frames and " + path("b.mkv") + " has 7");
  EXPECT_EQ(longer.left_over.text, path("b.mkv") + " has 7 frames and " + path("a.mkv") + " has 10");
  const std::vector<std::string> three = {"frame 7", "frame 8", "frame 9"};
  EXPECT_EQ(shorter.left_over.missing, three);
  EXPECT_EQ(shorter.left_over.extra, std::vector<std::string>());
  EXPECT_EQ(longer.left_over.extra, three);
}

TEST_F(CompareVideo, WhatCannotBeComparedIsNamed) {
  write_all(path("a.mkv"));
  write_all(path("a.png"));
  info_.size = {32, 48};
  write_all(path("small.mkv"));
  put(path("text.mp4"), "not a video\n");
  put(path("empty.mkv"), "");
  std::filesystem::copy(path("a.png"), path("picture.mkv"));
  const Comparison sizes = compare("a.mkv", "small.mkv");
  EXPECT_EQ(sizes.differing, 10);
  EXPECT_EQ(sizes.first.name, "frame 0");
  EXPECT_EQ(sizes.first.exceeded, "the sizes differ: 64x48 and 32x48 pixels");
  EXPECT_TRUE(test::says(error("a.mkv", "text.mp4"), "text.mp4"));
  EXPECT_TRUE(test::says(error("empty.mkv", "a.mkv"), "empty.mkv"));
  EXPECT_TRUE(test::says(error("a.mkv", "none.mkv"), "none.mkv: no such file"));
  const std::string kinds = error("a.mkv", "a.png");
  EXPECT_TRUE(test::says(kinds, "a.mkv is a video and"));
  EXPECT_TRUE(test::says(kinds, "a.png is a picture"));
}

TEST_F(CompareVideo, DamageIsNeverTakenForEquality) {
  write_all(path("a.mkv"));
  const std::string whole = contents(path("a.mkv"));
  for (std::size_t part = 4; part < 10; ++part) {
    put(path("cut.mkv"), whole.substr(0, whole.size() * part / 10));
    const std::string words = error("a.mkv", "cut.mkv");
    if (words.empty()) {
      const Comparison result = compare("a.mkv", "cut.mkv");
      EXPECT_LT(result.pairs, 10) << part;
      EXPECT_TRUE(result.left_over.any()) << part;
    } else {
      EXPECT_TRUE(test::says(words, "cut.mkv: "));
    }
    std::string damaged = whole;
    for (std::size_t i = 0; i < 40; ++i) damaged[whole.size() * part / 10 + i] ^= 0x55;
    put(path("damaged.mkv"), damaged);
    const std::string damage = error("a.mkv", "damaged.mkv");
    if (damage.empty()) {
      const Comparison result = compare("a.mkv", "damaged.mkv");
      EXPECT_TRUE(result.different()) << part;
    } else {
      EXPECT_TRUE(test::says(damage, "damaged.mkv"));
    }
  }
}

TEST_F(CompareVideo, OneChangedByteOfAPlaneIsFoundInItsRows) {
  options_.codec = "ffv1", options_.pixel_format = "yuv420p";
  info_.size = {64, 144};  // more than one band of rows
  write_all(path("a.mkv"));
  const auto sink = open(path("b.mkv"));
  for (std::int64_t i = 0; i < 10; ++i) {
    std::vector<std::byte> bytes = picture(info_.size, *sink->traits().layout, i);
    if (i == 4) bytes[100 * 64 + 33] ^= std::byte(8);
    sink->write({i, bytes.data(), {}});
  }
  sink->finish();
  const Comparison result = compare("a.mkv", "b.mkv");
  EXPECT_EQ(result.identical, 9);
  EXPECT_EQ(result.worst.name, "frame 4");
  EXPECT_EQ(result.worst.metrics->differing, (Box{33, 100, 1, 1}));
  EXPECT_NEAR(result.worst.metrics->max_diff, 8 * 255.0 / 219, 1);
  // What the rows say is what the whole pictures say.
  const Metrics whole = compare_pictures(result.worst_expected, result.worst_actual, PerceptualMetrics::all());
  EXPECT_EQ(whole.pixels_by_diff, result.worst.metrics->pixels_by_diff);
  EXPECT_EQ(whole.rmse, result.worst.metrics->rmse);
  EXPECT_EQ(whole.ssim, result.worst.metrics->ssim);
}

TEST_F(CompareVideo, AListOfVideosOpensNone) {
  write_all(path("a.mkv"));
  for (const std::string text : {"ffconcat version 1.0\nfile a.mkv\n", "#EXTM3U\n#EXTINF:1,\na.mkv\n",
                                 "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n"}) {
    for (const char* name : {"list.mp4", "list.m3u8", "list.sdp"}) {
      put(path(name), text);
      EXPECT_TRUE(test::says(error("a.mkv", name), "not a video")) << name << error("a.mkv", name);
    }
  }
}

TEST_F(CompareVideo, TheContentSaysWhatIsAVideo) {
  write_all(path("a.mkv"));
  for (const char* name : {"a.webm", "a.m4v", "a.unknown", "a"}) {
    std::filesystem::copy(path("a.mkv"), path(name));
    EXPECT_EQ(compare("a.mkv", name).identical, 10) << name;
  }
}

TEST_F(CompareVideo, ARotationIsNoted) {
  write_all(path("a.mp4"));
  copy_turned(path("a.mp4"), path("turned.mp4"));
  const Comparison turned = compare("a.mp4", "turned.mp4");
  EXPECT_EQ(turned.identical, 10);
  EXPECT_EQ(turned.notes,
            std::vector<std::string>{path("turned.mp4") + " is to be shown rotated, which is not looked at"});
}

TEST_F(CompareVideo, OtherFrameRatesAndUnnamedMatricesAreNoted) {
  options_.codec = "ffv1", options_.pixel_format = "yuv420p";
  write_all(path("a.mkv"));
  info_.fps_numerator = 15;
  write_all(path("slow.mkv"));
  write_all(path("b.y4m"));  // its format has no word for the matrix
  EXPECT_TRUE(compare("a.mkv", "a.mkv").notes.empty());
  const Comparison slow = compare("a.mkv", "slow.mkv");
  EXPECT_EQ(slow.identical, 10);
  EXPECT_EQ(slow.notes,
            std::vector<std::string>{"the frame rates differ: 30 and 15 a second; frames are compared one by one"});
  const Comparison unnamed = compare("slow.mkv", "b.y4m");
  EXPECT_EQ(unnamed.identical, 10);
  EXPECT_EQ(unnamed.notes, std::vector<std::string>{path("b.y4m") + " names no colour matrix; BT.709 is assumed"});
}

}  // namespace
}  // namespace simreel
