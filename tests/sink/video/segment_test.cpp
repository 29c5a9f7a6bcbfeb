// Videos in segments: the joins cannot be seen, the bytes do not tell how many encoders worked, and an interrupted run
// continues as if nothing had happened.

#include <fcntl.h>
#include <unistd.h>

#include "sink/video/codecs.h"
#include "sink/video/packet_reader.h"
#include "sink/video/segment_encoder.h"
#include "tests/support/decoded_video.h"
#include "tests/support/places.h"
#include "tests/support/sink_fixture.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

class SegmentTest : public SinkTest {
 protected:
  void SetUp() override {
    info_.size = {96, 64};
    info_.fps_numerator = 25;
    info_.frames = 107;
    options_.segment = 1;
  }

  struct Kind {
    std::string extension, codec;
    std::optional<std::string> pixel_format = {};
  };
  static constexpr std::int64_t frames_ = 107;
  const std::vector<Kind> exact_kinds_ = {{".mp4", "h264"}, {".mov", "h264"},      {".mkv", "h264", "yuv420p10"},
                                          {".mkv", "ffv1"}, {".mp4", "h264_fast"}, {".mkv", "ffv1", "yuv420p10"}};

  // Packets as ffprobe sees them: decoding and presentation times in seconds, and whether it is a key frame.
  struct Probed {
    double pts, dts;
    bool key;
  };
  static std::vector<Probed> probe(const std::string& file) {
    std::FILE* const pipe = ::popen(
        ("ffprobe -v error -show_entries packet=pts_time,dts_time,flags -of csv=p=0 '" + file + "'").c_str(), "r");
    std::vector<Probed> packets;
    char line[256], dts[32], flags[16];
    while (std::fgets(line, sizeof line, pipe)) {
      Probed packet{};
      EXPECT_EQ(std::sscanf(line, "%lf,%31[^,],%15s", &packet.pts, dts, flags), 3) << line;
      packet.dts = std::strtod(dts, nullptr);
      packet.key = flags[0] == 'K';
      packets.push_back(packet);
    }
    EXPECT_EQ(::pclose(pipe), 0) << file;
    return packets;
  }

  // An interrupted run: what is left is as a crash after `frames` frames leaves it, or a stop where `finished`.
  void interrupt(const std::string& target, std::int64_t frames, bool finished) {
    const auto sink = open(target);
    for (std::int64_t i = 0; i < frames; ++i) write_one(*sink, i);
    if (finished) sink->finish();
  }
  void resume(const std::string& target, std::int64_t from) {
    info_.resume = from;
    const auto sink = open(target);
    for (std::int64_t i = from; i < frames_; ++i) write_one(*sink, i);
    sink->finish();
    info_.resume = 0;
  }
};

TEST_F(SegmentTest, TimestampsRunOnAcrossTheJoins) {
  if (!test::installed("ffprobe")) GTEST_SKIP() << "ffprobe is not installed";
  for (const std::string extension : {".mp4", ".mov", ".mkv"}) {
    options_.codec = "h264";
    write_all(path("a" + extension), frames_);
    std::vector<Probed> packets = probe(path("a" + extension));
    ASSERT_EQ(packets.size(), std::size_t(frames_)) << extension;
    bool reordered = false;
    for (std::size_t i = 1; i < packets.size(); ++i) {
      if (extension != ".mkv") {  // which has no times of decoding
        EXPECT_NEAR(packets[i].dts - packets[i - 1].dts, 0.04, 1e-6) << extension << i;
      }
      reordered |= packets[i].pts < packets[i - 1].pts;
    }
    EXPECT_TRUE(reordered) << "without B-frames this test says nothing";
    for (std::size_t i = 0; i < packets.size(); i += 25) EXPECT_TRUE(packets[i].key) << extension << i;
    std::ranges::sort(packets, {}, &Probed::pts);
    for (std::size_t i = 0; i < packets.size(); ++i) EXPECT_NEAR(packets[i].pts, double(i) / 25, 6e-4) << extension;
  }
}

TEST_F(SegmentTest, BytesDoNotDependOnTheNumberOfEncoders) {
  for (const Kind& kind : exact_kinds_) {
    options_.codec = kind.codec;
    options_.pixel_format = kind.pixel_format;
    info_.overwrite = true;
    std::string one;
    for (const int encoders : {1, 2, 3, 7}) {
      info_.encoders = encoders;
      const std::string name = path(std::to_string(encoders) + kind.codec + kind.extension);
      write_all(name, frames_);
      if (encoders == 1) one = contents(name);
      EXPECT_EQ(contents(name), one) << kind.codec << kind.extension << " with " << encoders;
    }
    EXPECT_GT(one.size(), 1000u);
  }
}

TEST_F(SegmentTest, LargeVideoOfAStoppedRunStaysInFragments) {
  const auto is_in_fragments = [&](const std::string& name) {
    return contents(path(name)).find("moof") != std::string::npos;
  };
  bool stop = false;
  std::string told;
  info_.stop_asked = [&] { return stop; };
  info_.log = [&](LogLevel, std::string_view message) { told += message; };
  info_.overwrite = true;
  for (const std::string name : {"a.mp4", "a.mov"}) {
    info_.copied_on_stop = 1000;
    write_all(path(name), frames_);
    const std::string whole = contents(path(name));
    EXPECT_FALSE(is_in_fragments(name)) << "nobody asked to stop";
    EXPECT_EQ(told, "");
    ASSERT_GT(whole.size(), 1000u);

    stop = true;
    interrupt(path(name), 93, true);
    stop = false;
    EXPECT_TRUE(is_in_fragments(name));
    EXPECT_TRUE(test::says(told, name + ": is large and stays fragmented"));
    told.clear();
    EXPECT_EQ(files(), std::vector<std::string>{name});
    const DecodedVideo video = decode(path(name));
    ASSERT_EQ(video.frames.size(), 93u);
    // Fragments hold no edit list: the first picture comes as late as B pictures delay it, by two frames.
    for (std::size_t i = 0; i < 93; ++i) EXPECT_NEAR(video.times[i], double(i + 2) / 25, 1e-6);

    resume(path(name), 75);
    EXPECT_EQ(contents(path(name)), whole);
    EXPECT_EQ(files(), std::vector<std::string>{name});

    info_.copied_on_stop = 1 << 20;
    stop = true;
    interrupt(path(name), 93, true);
    stop = false;
    EXPECT_FALSE(is_in_fragments(name)) << "small";
    std::filesystem::remove(path(name));
  }
}

TEST_F(SegmentTest, ResumingFromWhatDoesNotFitIsRefusedAndHarmsNothing) {
  const auto refused = [&](const std::string& name, std::int64_t from, const std::string& words) {
    const auto before = files();
    const std::string left = contents(path(name + ".part"));
    info_.resume = from;
    const std::string message = usage_error({path(name)});
    info_.resume = 0;
    EXPECT_TRUE(test::says(message, words));
    EXPECT_EQ(files(), before);
    EXPECT_EQ(contents(path(name + ".part")), left);
  };
  interrupt(path("a.mp4"), 60, false);
  refused("a.mp4", 75, "a.mp4.part: holds 60 frames, and 75 are needed");
  refused("b.mp4", 25, "b.mp4");
  info_.scene_text += "# changed\n";
  refused("a.mp4", 25, "its scene differs");
  info_.scene_text = "";
  info_.size = {64, 64};
  refused("a.mp4", 25, "its codec or size differs");
  put(path("a.mp4.part"), "not a video at all");
  refused("a.mp4", 25, "a.mp4.part: avformat_open_input");
}

// A run that is killed while it takes over a finished video leaves that and the beginning of a longer one.
TEST_F(SegmentTest, TheFinishedVideoIsUsedWhereTheGrowingOneHasTooLittle) {
  write_all(path("whole.mp4"), frames_);
  interrupt(path("a.mp4"), 100, true);
  info_.overwrite = true;
  interrupt(path("a.mp4"), 25, false);
  ASSERT_TRUE(std::filesystem::exists(path("a.mp4.part")));
  resume(path("a.mp4"), 75);
  EXPECT_TRUE(contents(path("a.mp4")) == contents(path("whole.mp4")));
}

TEST_F(SegmentTest, ALinkToItselfIsNoVideoToResume) {
  std::filesystem::create_symlink("a.mkv", path("a.mkv"));
  info_.resume = 25;
  EXPECT_TRUE(test::says(usage_error({path("a.mkv")}), "a.mkv: is a link that leads to itself"));
}

TEST_F(SegmentTest, AVideoThatCannotBeReadAgainAfterAFailureStays) {
  if (test::sanitized()) GTEST_SKIP() << "a sanitizer opens files of its own";  // to look at what is thrown
  const auto sink = open(path("a.mp4"));
  std::int64_t frame = 0;
  for (; sink->safe_frames() < 25; ++frame) write_one(*sink, frame);
  const std::int64_t safe = sink->safe_frames();
  const std::size_t whole = std::filesystem::file_size(path("a.mp4.part"));
  std::string error;
  {
    const FileSizeLimit full_disk(whole + 100);
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    const rlimit none{0, files.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    error = test::thrown<RuntimeError>([&] {
      for (; frame < frames_; ++frame) write_one(*sink, frame);
      sink->finish();
    });
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  EXPECT_TRUE(test::says(error, "a.mp4.part was left as it is, its end may be torn: "));
  put(path("cut.mp4"), contents(path("a.mp4.part")).substr(0, whole));
  EXPECT_GE(static_cast<std::int64_t>(decode(path("cut.mp4")).frames.size()), safe);
}

TEST_F(SegmentTest, AnErrorOfTheDiskIsNotTheEndOfAVideo) {
  options_.codec = "ffv1";
  write_all(path("a.mkv"), frames_);
  const auto codec = std::ranges::find(codecs(), "ffv1", &Codec::name);
  const EncoderPlan plan(*codec, codec->pixel_formats.front(), options_, info_);
  PacketReader reader(path("a.mkv"), path("a.mkv"), plan);
  ASSERT_NE(reader.next(), nullptr);
  const int folder = ::open("/", O_RDONLY);  // cannot be read as a file is
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) == path("a.mkv"))
      ::dup2(folder, std::stoi(entry.path().filename().string()));
  }
  ::close(folder);
  const std::string error = test::thrown<RuntimeError>([&] {
    while (reader.next()) {
    }
  });
  EXPECT_EQ(error, path("a.mkv") + ": av_read_frame: Is a directory");
}

TEST_F(SegmentTest, SafeFramesAreWholeSegmentsInTheFile) {
  info_.encoders = 2;  // with more, the whole video may wait in them
  for (const std::string name : {"a.mp4", "a.mkv"}) {
    const auto sink = open(path(name));
    EXPECT_EQ(sink->safe_frames(), 0);
    std::int64_t safe = 0;
    for (std::int64_t i = 0; i < frames_; ++i) {
      write_one(*sink, i);
      EXPECT_GE(sink->safe_frames(), safe);
      safe = sink->safe_frames();
      EXPECT_LE(safe, i + 1);
      EXPECT_EQ(safe % sink->traits().stride, 0);
      if (safe == 0) continue;
      std::filesystem::copy_file(path(name + ".part"), path("copy"), std::filesystem::copy_options::overwrite_existing);
      EXPECT_EQ(decode(path("copy")).frames.size(), std::size_t(safe)) << name;
    }
    EXPECT_GE(safe, 25);
    sink->finish();
    EXPECT_EQ(sink->safe_frames(), frames_);
  }
}

TEST_F(SegmentTest, ThreadsOfAnEncoderFollowThePictureAndNotTheMachine) {
  const Codec& h264 = *std::ranges::find(codecs(), "h264", &Codec::name);
  const auto plan = [&](Size size, std::int64_t frames) {
    info_.size = size;
    info_.frames = frames;
    info_.fps_numerator = 60;
    return EncoderPlan(h264, h264.pixel_formats.front(), {}, info_);
  };
  for (const auto& [size, threads] : {std::pair{Size{1280, 720}, 4},
                                      {Size{1919, 1080}, 4},
                                      {Size{1920, 1080}, 8},
                                      {Size{1080, 1920}, 8},
                                      {Size{3840, 2160}, 12}}) {
    const EncoderPlan longer = plan(size, 36000), shorter = plan(size, 30);
    EXPECT_EQ(longer.open()->thread_count, threads) << size.width;
    EXPECT_EQ(shorter.open()->thread_count, threads) << "a run can be extended";
    EXPECT_EQ(longer.segment_frames(), 120);
    EXPECT_EQ(shorter.segment_frames(), 120);
  }
  // All frames of a short video may wait, so that its segments begin at once; of a long one half of each segment.
  constexpr std::size_t frame = 1920 * 1080 * 3 / 2, plenty = std::size_t{1} << 40;
  const auto bytes = [&](std::int64_t frames) { return SegmentEncoder::memory_bytes(plan({1920, 1080}, frames), 10); };
  EXPECT_EQ(bytes(720) - bytes(480), 240 * frame);
  EXPECT_EQ(bytes(120), bytes(480)) << "what staggered segments need in any case";
  EXPECT_EQ(bytes(960), bytes(96000));
  EXPECT_GT(plan({1920, 1080}, 30).memory_bytes(), plan({1920, 1080}, 8).memory_bytes() + 8 * frame)
      << "an encoder holds no more frames than there are";
  EXPECT_EQ(SegmentEncoder::fitting_encoders(plan({1280, 720}, 600), 16, plenty), 9);
  EXPECT_EQ(SegmentEncoder::fitting_encoders(plan({1920, 1080}, 600), 16, plenty), 5);
  EXPECT_EQ(SegmentEncoder::fitting_encoders(plan({1920, 1080}, 600), 1, plenty), 2);
}

TEST_F(SegmentTest, BytesOfLargePicturesDoNotDependOnTheNumberOfEncoders) {
  info_.size = {1920, 1080};
  std::string one;
  for (const int encoders : {1, 3}) {
    info_.encoders = encoders;
    write_all(path("a.mp4"), 40);
    if (encoders == 1) one = contents(path("a.mp4"));
    EXPECT_TRUE(contents(path("a.mp4")) == one);
    info_.overwrite = true;
  }
}

TEST_F(SegmentTest, LengthOfASegmentFollowsTheRate) {
  const auto stride = [&](const std::string& name, int fps, std::optional<double> seconds) {
    info_.fps_numerator = fps;
    options_.segment = seconds;
    return open(path(name))->traits().stride;
  };
  EXPECT_EQ(stride("a.mp4", 60, std::nullopt), 120);
  EXPECT_EQ(stride("a.mp4", 1, std::nullopt), 12);
  EXPECT_EQ(stride("a.mp4", 30, 0.5), 15);
  EXPECT_EQ(stride("a.mp4", 1, 0.5), 2);
  // A GIF writes nothing of a segment before its end.
  EXPECT_EQ(stride("a.gif", 50, 10), 100);
  EXPECT_EQ(stride("a.gif", 50, 1), 50);
  EXPECT_EQ(stride("a.gif", 1, std::nullopt), 2);
  EXPECT_EQ(stride("a.gif", 3, 60), 6);
  EXPECT_EQ(stride("a.mkv", 60, std::nullopt), 15);
  EXPECT_EQ(stride("a.mkv", 1, std::nullopt), 1);
}

}  // namespace
}  // namespace simreel
