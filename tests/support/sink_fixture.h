#pragma once
// What the tests of the sinks share: a folder of their own, moving pictures in every layout, and a video file taken
// apart again.

#include <sys/resource.h>

#include "base/error.h"
#include "sink/sink.h"
#include "sink/video/video.h"
#include "tests/support/packet_maker.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {

// No file grows beyond this while one lives: what a full disk does, for those who may not mount a small one.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

class SinkTest : public testing::Test {
 protected:
  SinkTest() {
    silence_ffmpeg();
    info_.size = {64, 48};
    info_.fps_numerator = 30;
    info_.frames = 10;
    info_.diagnostics.assign(names_.begin(), names_.end());
    info_.title = "Tank with \"quotes\" and a snowman \xe2\x98\x83";
    info_.scene_text = "title = \"Tank\"\n[solver]\nkind = \"wave\"\n";
    info_.overrides = {"solver.speed=2", "view.colormap=magma"};
  }

  std::string path(const std::string& name) const { return folder_ / name; }

  std::unique_ptr<Sink> open(const std::string& target) {
    auto sinks = open_sinks({target}, options_, info_);
    return std::move(sinks.at(0));
  }

  // Opens, writes `frames` moving pictures, finishes.
  void write_all(const std::string& target, std::int64_t frames = 10) {
    const auto sink = open(target);
    for (std::int64_t i = 0; i < frames; ++i) write_one(*sink, i);
    sink->finish();
  }
  void write_one(Sink& sink, std::int64_t index) const {
    const auto pixels =
        sink.traits().layout ? picture(info_.size, *sink.traits().layout, index) : std::vector<std::byte>();
    Frame frame{index, pixels.empty() ? nullptr : pixels.data(), {}};
    if (const auto stream = sink.traits().packets)
      frame.packet = packets_.encode(sink, *stream, info_, picture(info_.size, PixelLayout::yuv420p, index), index);
    sink.write(frame);
  }

  // What opening throws; empty where it throws nothing or another kind of error.
  std::string usage_error(const std::vector<std::string>& targets) {
    return test::thrown([&] { open_sinks(targets, options_, info_); });
  }

  // A smooth picture that moves with `index` and whose channels differ; made of integers, so every layout is exact.
  static std::vector<std::byte> picture(Size size, PixelLayout layout, std::int64_t index);

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      names.push_back(std::filesystem::relative(entry.path(), folder_.path()).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  static std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static void put(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

  static constexpr std::array<std::string_view, 3> names_ = {"step", "time", "energy"};
  test::Folder folder_;
  mutable test::PacketMaker packets_;
  StreamInfo info_;
  OutputOptions options_;
};

inline std::vector<std::byte> SinkTest::picture(Size size, PixelLayout layout, std::int64_t index) {
  std::vector<std::byte> bytes;
  const Size whole = padded(size, layout);
  const auto shade = [&](int x, int y, int channel) { return 40 + (x * (channel + 1) + y * 2 + int(index) * 3) % 160; };
  const auto put = [&](int value) { bytes.push_back(std::byte(value)); };
  // Planes, chroma at every `across`th column of every `down`th row; four times the value in 10 bits.
  const auto planes = [&](int across, int down, bool ten_bits) {
    for (int channel = 0; channel < 3; ++channel)
      for (int y = 0; y<whole.height; y += channel> 0 ? down : 1)
        for (int x = 0; x<whole.width; x += channel> 0 ? across : 1) {
          const int value = shade(x, y, channel) * (ten_bits ? 4 : 1);
          put(value & 255);
          if (ten_bits) put(value >> 8);
        }
  };
  switch (layout) {
    case PixelLayout::yuv420p: planes(2, 2, false); return bytes;
    case PixelLayout::yuv444p: planes(1, 1, false); return bytes;
    case PixelLayout::yuv420p10: planes(2, 2, true); return bytes;
    case PixelLayout::yuv422p10: planes(2, 1, true); return bytes;
    case PixelLayout::yuv444p10: planes(1, 1, true); return bytes;
    case PixelLayout::rgb:
    case PixelLayout::rgba:
    case PixelLayout::bgr0:
      for (int y = 0; y < whole.height; ++y)
        for (int x = 0; x < whole.width; ++x) {
          const bool reversed = layout == PixelLayout::bgr0;
          for (int c = 0; c < 3; ++c) put(shade(x, y, reversed ? 2 - c : c));
          if (layout == PixelLayout::rgba) put(shade(y, x, 3));
          if (reversed) put(0);
        }
      return bytes;
    case PixelLayout::rgb16:
    case PixelLayout::rgba16:
      for (int y = 0; y < whole.height; ++y)
        for (int x = 0; x < whole.width; ++x)
          for (int c = 0; c < (layout == PixelLayout::rgba16 ? 4 : 3); ++c) {
            put(shade(x, y, c));
            put(shade(x * y, x, c));
          }
  }
  return bytes;
}

}  // namespace simreel
