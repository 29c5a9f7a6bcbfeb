// Animated pictures: what goes in comes out, for as long as it should be shown, and the promises of all videos hold.

#include <expat.h>
#include <fmt/format.h>

#include "tests/support/animated_fixture.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class AnimatedTest : public SinkTest {
 protected:
  void SetUp() override {
    info_.size = {53, 37};
    info_.fps_numerator = 25;
    info_.frames = frames_;
    options_.segment = 0.4;
  }

  static constexpr std::int64_t frames_ = 35, segment_ = 10;  // three segments and a half
  const std::vector<std::string> extensions_ = {".gif", ".webp", ".apng"};

  void write_some(Sink& sink, std::int64_t from, std::int64_t to) const {
    for (std::int64_t i = from; i < to; ++i) write_one(sink, i);
  }

  void expect_pictures(const std::string& file, std::int64_t count) const {
    const DecodedAnimation animation = decode_animation(file);
    ASSERT_EQ(std::int64_t(animation.frames.size()), count) << file;
    EXPECT_EQ(animation.width, info_.size.width) << file;
    EXPECT_EQ(animation.height, info_.size.height) << file;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto expected = opaque(picture(info_.size, PixelLayout::rgba, i));
      const auto& shown = animation.frames[i];
      ASSERT_EQ(shown.size(), expected.size());
      EXPECT_GE(psnr(shown, expected, expected.size()), min_psnr(file)) << file << ", frame " << i;
    }
  }
  // Lossy WebP halves the resolution of colours, of which these pictures are made.
  static double min_psnr(const std::string& file) {
    if (file.find(".apng") != std::string::npos) return 99;
    return file.find(".webp") != std::string::npos ? 25 : 33;
  }
  static std::vector<std::byte> opaque(std::vector<std::byte> rgba) {
    for (std::size_t i = 3; i < rgba.size(); i += 4) rgba[i] = std::byte(255);
    return rgba;
  }
};

TEST_F(AnimatedTest, PicturesComeBackInOrder) {
  for (const std::string& extension : extensions_) {
    write_all(path("a" + extension), frames_);
    expect_pictures(path("a" + extension), frames_);
    EXPECT_EQ(files(), std::vector<std::string>{"a" + extension});
    std::filesystem::remove(path("a" + extension));
  }
}

TEST_F(AnimatedTest, BytesDoNotDependOnTheNumberOfEncoders) {
  for (const std::string& extension : extensions_) {
    std::string one;
    for (const int encoders : {1, 2, 3}) {
      info_.encoders = encoders;
      const std::string name = path(std::to_string(encoders) + extension);
      write_all(name, frames_);
      if (encoders == 1) one = contents(name);
      EXPECT_TRUE(contents(name) == one) << extension << " with " << encoders;
    }
  }
}

TEST_F(AnimatedTest, ResumedRunWithNothingLeftToDoIsFinished) {
  for (const std::string& extension : extensions_) {
    const std::string whole = path("whole" + extension), name = path("a" + extension);
    write_all(whole, 2 * segment_);
    {
      const auto sink = open(name);
      write_some(*sink, 0, 2 * segment_);
    }
    info_.resume = 2 * segment_;
    open(name)->finish();
    info_.resume = 0;
    EXPECT_TRUE(contents(name) == contents(whole)) << extension;
  }
}

TEST_F(AnimatedTest, ResumingFromWhatDoesNotFitIsRefusedAndHarmsNothing) {
  for (const std::string& extension : extensions_) {
    const std::string name = path("a" + extension);
    info_.resume = 0;
    {
      const auto sink = open(name);
      write_some(*sink, 0, 2 * segment_);
    }
    const std::string left = contents(name + ".part");
    const auto refused = [&](std::int64_t from) {
      info_.resume = from;
      EXPECT_TRUE(test::says(usage_error({name}), "does not hold the first " + std::to_string(from) + " frames"));
      EXPECT_TRUE(contents(name + ".part") == left);
    };
    refused(3 * segment_);
    info_.size.width += 2;
    refused(segment_);
    info_.size.width -= 2;
    for (const std::size_t bytes : {left.size() / 3, std::size_t(5)}) {
      put(name + ".part", left.substr(0, bytes));
      info_.resume = 2 * segment_;
      EXPECT_TRUE(test::says(usage_error({name}), "does not hold")) << extension << bytes;
    }
  }
}

TEST_F(AnimatedTest, WhatIsSafeIsInTheGrowingFile) {
  info_.encoders = 2;
  for (const std::string& extension : extensions_) {
    const std::string name = path("a" + extension);
    const auto sink = open(name);
    EXPECT_EQ(sink->traits().stride, segment_);
    EXPECT_EQ(sink->safe_frames(), 0);
    for (std::int64_t i = 0, seen = 0; i < frames_; ++i) {
      write_one(*sink, i);
      const std::int64_t safe = sink->safe_frames();
      if (safe == seen) continue;
      seen = safe;
      EXPECT_EQ(safe % segment_, 0);
      std::filesystem::copy_file(name + ".part", path("copy" + extension),
                                 std::filesystem::copy_options::overwrite_existing);
      expect_pictures(path("copy" + extension), safe);
    }
    EXPECT_GE(sink->safe_frames(), segment_);
    sink->finish();
    EXPECT_EQ(sink->safe_frames(), frames_);
  }
}

TEST_F(AnimatedTest, UnfinishedFileStaysAsPartWithAllItsFrames) {
  for (const std::string& extension : extensions_) {
    const std::string name = path("a" + extension);
    {
      const auto sink = open(name);
      write_some(*sink, 0, 13);
    }
    EXPECT_FALSE(std::filesystem::exists(name));
    expect_pictures(name + ".part", 13);
    EXPECT_TRUE(test::says(usage_error({name}), "(it plays as it is)"));
    open(path("none" + extension))->finish();
    EXPECT_FALSE(std::filesystem::exists(path("none" + extension)));
    EXPECT_FALSE(std::filesystem::exists(path("none" + extension + ".part")));
  }
}

TEST_F(AnimatedTest, EveryRateKeepsItsTime) {
  constexpr std::int64_t count = 20;
  options_.segment = 60;
  const std::vector<std::pair<int, int>> rates = {{30, 1}, {30000, 1001}, {1, 3}, {100000, 3336}};
  for (const std::string& extension : extensions_)
    for (const auto& [numerator, denominator] : rates) {
      info_.fps_numerator = numerator;
      info_.fps_denominator = denominator;
      const std::string name = path(std::to_string(numerator) + extension);
      {
        const auto sink = open(name);
        EXPECT_TRUE(sink->traits().remarks.empty());
        write_some(*sink, 0, count);
        sink->finish();
      }
      const DecodedAnimation animation = decode_animation(name);
      ASSERT_EQ(animation.milliseconds.size(), std::size_t(count));
      double time = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        time += animation.milliseconds[i];
        EXPECT_NEAR(time, 1000.0 * double(i + 1) * denominator / numerator, 6) << name << ", frame " << i;
      }
    }
}

// Frames are left out rather than shown too long.
TEST_F(AnimatedTest, OfAFasterVideoOneFrameOfSeveralIsWritten) {
  struct Case {
    std::string extension;
    int fps, every;
  };
  for (const auto& [extension, fps, every] : {Case{".gif", 180, 4}, Case{".gif", 60, 2}, Case{".gif", 50, 1},
                                              Case{".webp", 120, 2}, Case{".apng", 180, 2}, Case{".apng", 90, 1}}) {
    SCOPED_TRACE(fmt::format("{} at {}", extension, fps));
    info_.fps_numerator = fps;
    const std::string file = path("a" + extension);
    const SinkNeeds needs = check_sinks({file}, options_, info_);
    EXPECT_EQ(needs.remarks.size(), every > 1 ? 1u : 0u);
    if (every > 1) {
      EXPECT_TRUE(needs.remarks[0].ends_with(
          fmt::format("so it holds one frame of {}: {:.4g} a second", every, double(fps) / every)))
          << needs.remarks[0];
    }
    write_all(file, frames_);
    const DecodedAnimation animation = decode_animation(file);
    const int written = (int(frames_) + every - 1) / every;
    ASSERT_EQ(animation.frames.size(), std::size_t(written));
    double time = 0;
    for (int i = 0; i < written; ++i) {
      time += animation.milliseconds[i];
      const auto expected = opaque(picture(info_.size, PixelLayout::rgba, std::int64_t{i} * every));
      EXPECT_GE(psnr(animation.frames[i], expected, expected.size()), min_psnr(file)) << i;
    }
    EXPECT_NEAR(time, 1000.0 * written * every / fps, 10);
    EXPECT_EQ(find_incomplete_output({file}, options_, info_), "");
    ++info_.frames;
    EXPECT_EQ(find_incomplete_output({file}, options_, info_).empty(), int(frames_) % every != 0)
        << "a frame that is left out";
    --info_.frames;
    std::filesystem::remove(file);
  }
}

TEST_F(AnimatedTest, AFasterVideoIsResumedWhereItsSegmentsEnd) {
  info_.fps_numerator = 60;
  write_all(path("whole.gif"), frames_);
  const std::int64_t stride = open(path("a.gif"))->traits().stride;
  EXPECT_EQ(stride, 24) << "0.4 s of every second frame";
  {
    const auto sink = open(path("a.gif"));
    write_some(*sink, 0, stride + 3);
  }
  info_.resume = stride;
  const auto sink = open(path("a.gif"));
  write_some(*sink, stride, frames_);
  sink->finish();
  EXPECT_TRUE(contents(path("a.gif")) == contents(path("whole.gif")));
  EXPECT_EQ(sink->safe_frames() / 2, (frames_ + 1) / 2);
}

TEST_F(AnimatedTest, WhatIsSeenThroughStaysSo) {
  info_.alpha = true;
  options_.options = {{"lossless", "1"}};
  for (const std::string extension : {".webp", ".apng"}) {
    write_all(path("a" + extension), 12);
    const DecodedAnimation animation = decode_animation(path("a" + extension));
    ASSERT_EQ(animation.frames.size(), 12u);
    for (std::int64_t i = 0; i < 12; ++i)
      EXPECT_TRUE(animation.frames[i] == picture(info_.size, PixelLayout::rgba, i)) << extension << i;
    options_.options.clear();
  }
  EXPECT_EQ(open(path("b.gif"))->traits().layout, PixelLayout::rgb);
  options_.pixel_format = "rgb";
  EXPECT_EQ(open(path("b.webp"))->traits().layout, PixelLayout::rgb);
}

TEST_F(AnimatedTest, QualityOfWebpRunsFromHundredToZero) {
  const auto size = [&](double quality) {
    options_.quality = quality;
    write_all(path("a.webp"), 3);
    const std::size_t bytes = contents(path("a.webp")).size();
    std::filesystem::remove(path("a.webp"));
    return bytes;
  };
  EXPECT_LT(size(20), size(95));
  options_.quality = 101;
  EXPECT_TRUE(test::says(usage_error({path("a.webp")}), "webp takes 100 (best) to 0 (worst)"));
}

TEST_F(AnimatedTest, WebpWiderThanItMayBeIsRefused) {
  info_.size = {16384, 16};
  EXPECT_TRUE(test::says(usage_error({path("a.webp")}), "at most 16383 pixels per side"));
  info_.size = {16383, 16};
  EXPECT_EQ(usage_error({path("a.webp")}), "");
}

TEST_F(AnimatedTest, MemoryGrowsWithEncodersAndSegments) {
  info_.frames = 10000;
  for (const std::string& extension : extensions_) {
    const auto bytes = [&](int encoders, double segment) {
      info_.encoders = encoders;
      options_.segment = segment;
      return check_sinks({path("a" + extension)}, options_, info_).memory_bytes;
    };
    EXPECT_GT(bytes(3, 1), bytes(2, 1));
    const int longest = extension == ".gif" ? 2 : 10;  // seconds
    EXPECT_GT(bytes(2, longest),
              bytes(2, 1) + std::size_t(longest - 1) * 25 * frame_bytes(info_.size, PixelLayout::rgb));
  }
}

// Everything between the first byte and the first picture.
TEST_F(AnimatedTest, GifSaysWhereItComesFromAndGoesOnForever) {
  write_all(path("a.gif"), 3);
  const std::string bytes = contents(path("a.gif"));
  EXPECT_TRUE(test::says(bytes, std::string("NETSCAPE2.0\x03\x01\x00\x00", 15)));
  EXPECT_TRUE(test::says(bytes, "title: " + info_.title));
  EXPECT_TRUE(test::says(bytes, "version: simreel "));
  EXPECT_EQ(bytes.back(), '\x3b');
}

TEST_F(AnimatedTest, WebpAndApngSayWhereTheyComeFrom) {
  info_.scene_text = "a < b & c > d";
  write_all(path("a.webp"), 3);
  write_all(path("a.apng"), 3);
  EXPECT_TRUE(test::says(contents(path("a.webp")), "<simreel:scene>a &lt; b &amp; c &gt; d</simreel:scene>"));
  EXPECT_TRUE(test::says(contents(path("a.apng")), std::string("scene\0\0\0\0\0", 10) + info_.scene_text));
}

// The text of each element of the XMP packet in a WebP, as a program that reads XML finds it.
std::map<std::string, std::string> xmp_of(const std::string& webp) {
  struct Reader {
    std::map<std::string, std::string> texts;
    std::string element;
  } reader;
  const std::string end = "</x:xmpmeta>";
  const std::size_t from = webp.find("<x:xmpmeta"), to = webp.find(end);
  if (from == std::string::npos || to == std::string::npos) return {};
  XML_Parser parser = XML_ParserCreate("UTF-8");
  XML_SetUserData(parser, &reader);
  XML_SetElementHandler(
      parser, [](void* user, const char* name, const char**) { static_cast<Reader*>(user)->element = name; },
      [](void*, const char*) {});
  XML_SetCharacterDataHandler(parser, [](void* user, const char* text, int length) {
    auto& [texts, element] = *static_cast<Reader*>(user);
    texts[element].append(text, std::size_t(length));
  });
  EXPECT_NE(XML_Parse(parser, &webp[from], int(to + end.size() - from), 1), XML_STATUS_ERROR)
      << XML_ErrorString(XML_GetErrorCode(parser));
  XML_ParserFree(parser);
  return reader.texts;
}

TEST_F(AnimatedTest, XmpOfAWebpIsXmlWhateverTheTitle) {
  info_.title = "a\x01<b> & 'c' \"d\" \xff \xc3\xa9";
  info_.scene_text = "line\r\n]]> &amp;";
  write_all(path("a.webp"), 1);
  std::map<std::string, std::string> found = xmp_of(contents(path("a.webp")));
  EXPECT_EQ(found["simreel:title"], "a\xef\xbf\xbd<b> & 'c' \"d\" \xef\xbf\xbd \xc3\xa9");
  EXPECT_EQ(found["simreel:scene"], info_.scene_text);
}

// What stands still costs next to nothing: the second picture of a segment stores what changed.
TEST_F(AnimatedTest, StillPicturesOfAGifAreSmall) {
  const auto size = [&](std::int64_t frames) {
    const auto sink = open(path("a.gif"));
    const auto pixels = picture(info_.size, *sink->traits().layout, 0);
    for (std::int64_t i = 0; i < frames; ++i) sink->write({i, pixels.data(), {}});
    sink->finish();
    const std::size_t bytes = contents(path("a.gif")).size();
    std::filesystem::remove(path("a.gif"));
    return bytes;
  };
  EXPECT_LT(size(10), size(1) + 9 * 40);
}

// The colours of one stretch are not those of the next.
TEST_F(AnimatedTest, EachSegmentOfAGifHasItsOwnColors) {
  const auto sink = open(path("a.gif"));
  std::vector<std::byte> pixels(frame_bytes(info_.size, PixelLayout::rgb));
  const auto fill = [&](std::int64_t frame) {
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = std::byte((int(i) * 7 % 200 + (frame < segment_ ? 0 : 55)) & 255);
  };
  for (std::int64_t i = 0; i < 2 * segment_; ++i) {
    fill(i);
    sink->write({i, pixels.data(), {}});
  }
  sink->finish();
  const DecodedAnimation animation = decode_animation(path("a.gif"));
  ASSERT_EQ(std::int64_t(animation.frames.size()), 2 * segment_);
  for (const std::int64_t frame : {std::int64_t(0), segment_ - 1, segment_, 2 * segment_ - 1}) {
    fill(frame);
    const auto& shown = animation.frames[frame];
    for (std::size_t i = 0; i < pixels.size(); ++i)
      ASSERT_EQ(shown[i / 3 * 4 + i % 3], pixels[i]) << "frame " << frame << ", sample " << i;
  }
}

}  // namespace
}  // namespace simreel
