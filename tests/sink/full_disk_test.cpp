// What each kind of output leaves on a disk that fills up at any point: an error that names the file, nothing
// incomplete under a final name, and a .part file that contains what the message says and can be resumed.

#include <sys/mount.h>

#include <bit>

#include "figure/page.h"
#include "tests/support/animated_fixture.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

// A file system of its own, mounted over a new folder.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    std::filesystem::create_directory(folder);
    mounted_ = mount(0);
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  explicit operator bool() const { return mounted_; }
  bool resize(std::size_t bytes) { return mount(MS_REMOUNT, bytes); }

 private:
  bool mount(unsigned long flags, std::size_t bytes = 1 << 20) const {
    const std::string size = "size=" + std::to_string(bytes);
    return ::mount("simreel-test", folder_.c_str(), "tmpfs", flags, size.c_str()) == 0;
  }

  std::string folder_;
  bool mounted_;
};

struct Output {
  std::string name;
  int frames;
  enum class Part { none, start, video } part;  // what a failed run leaves as such
};

std::ostream& operator<<(std::ostream& out, const Output& output) { return out << output.name; }

class FullDiskTest : public SinkTest, public testing::WithParamInterface<Output> {
 protected:
  using Files = std::map<std::string, std::string>;

  void SetUp() override {
    info_.size = {96, 64};
    info_.fps_numerator = 3;
    info_.fields = {"height"};
    info_.overwrite = true;
    info_.encoders = 2;
    options_.segment = 1;
    if (GetParam().name == "a.webm") options_.codec = "vp9";  // in less time than AV1
    if (GetParam().name.starts_with("fast")) options_.codec = "h264_fast";
  }

  struct Outcome {
    std::string error;
    std::int64_t safe = 0;  // the frame at which it could be resumed
  };
  // All frames from this one on.
  Outcome write_from(std::int64_t first) {
    const auto& [name, frames, part] = GetParam();
    info_.resume = first;
    // Raw video looks before the run whether all of it finds room; here another program is to take that.
    info_.frames = name == "a.y4m" ? first : frames;
    std::unique_ptr<Sink> sink;
    Outcome outcome;
    outcome.error = test::thrown<RuntimeError>([&, &name = name, &frames = frames] {
      sink = open(path("disk/" + name));
      for (std::int64_t i = first; i < frames; ++i) write_noise(*sink, i);
      sink->finish();
    });
    if (sink)
      outcome.safe =
          std::min<std::int64_t>(sink->safe_frames(), frames - 1) / sink->traits().stride * sink->traits().stride;
    return outcome;
  }

  void write_noise(Sink& sink, std::int64_t index) const {
    std::mt19937 random{unsigned(index)};
    std::vector<std::uint32_t> noise(frame_bytes(info_.size, PixelLayout::rgba) / 4);
    std::ranges::generate(noise, random);
    for (std::uint32_t& word : noise) word &= 0x80c0c0c0;  // few colours for a GIF; as numbers, all finite
    const auto* const bytes = reinterpret_cast<const std::byte*>(noise.data());
    const double diagnostics[] = {double(index), 0.1 * double(index), double(noise[0])};
    const StateLayout layout{StateLayout::Kind::field, false, info_.size.width, info_.size.height, 0, false};
    Frame frame{index, bytes, diagnostics, {layout, bytes, index, double(index)}};
    const std::vector<std::byte> planes(bytes, bytes + frame_bytes(info_.size, PixelLayout::yuv420p));
    if (const auto stream = sink.traits().packets) frame.packet = packets_.encode(sink, *stream, info_, planes, index);
    Page page;
    page.size = info_.size;
    page.field = {0, 0, info_.size.width, info_.size.height};
    for (const std::uint32_t w : noise) page.pixels.push_back(std::bit_cast<Color>(w));
    if (sink.traits().pages) frame.page = std::make_shared<const Page>(std::move(page));
    sink.write(frame);
  }

  // What a run with room enough makes, also beside the disk.
  Files write_complete() {
    EXPECT_EQ(write_from(0).error, "");
    const Files complete = files_on_disk();
    for (const auto& [name, bytes] : complete) put(path(name), bytes);
    return complete;
  }
  Files files_on_disk() const {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(path("disk")))
      files[entry.path().filename().string()] = contents(entry.path().string());
    return files;
  }
  void clear_disk() const {
    for (const auto& [name, bytes] : files_on_disk()) std::filesystem::remove(path("disk/" + name));
  }

  // The files that a failed run left, and that it can be resumed when there is room again.
  void expect_usable(const Outcome& failed, const std::string& words, const Files& complete) {
    EXPECT_TRUE(test::says(failed.error, path("disk/")));
    EXPECT_TRUE(test::says(failed.error, words));
    Files left = files_on_disk();
    const auto part = left.extract(GetParam().name + ".part");
    for (const auto& [name, bytes] : left)
      EXPECT_TRUE(complete.contains(name) && bytes == complete.at(name)) << name << " should not be there like this";
    const std::optional<std::size_t> held = frames_said(failed.error);
    if (const std::string name = GetParam().name; name.starts_with("%d")) {
      std::size_t whole = 0;
      while (left.contains(std::to_string(whole) + name.substr(2))) ++whole;
      EXPECT_EQ(held, whole) << failed.error;
      EXPECT_EQ(failed.error.find(" holds "), failed.error.rfind(" holds ")) << failed.error;
    } else {
      EXPECT_EQ(part.empty(), !held) << failed.error;
    }
    if (!part.empty() && GetParam().part == Output::Part::start) {
      EXPECT_TRUE(complete.at(GetParam().name).starts_with(part.mapped()));
    } else if (!part.empty()) {
      const auto shown = decode_any(path("disk/" + part.key())), all = decode_any(path(GetParam().name));
      EXPECT_EQ(shown.size(), held) << failed.error;
      EXPECT_TRUE(shown.size() <= all.size() && std::equal(shown.begin(), shown.end(), all.begin())) << failed.error;
      if (part.key().ends_with(".mp4.part")) expect_whole_boxes(part.mapped());
    }
    EXPECT_EQ(write_from(failed.safe).error, "");
    EXPECT_TRUE(files_on_disk() == complete) << "resumed after " << failed.error;
  }

  // "...; it holds 3 whole frames", "...; a.mp4.part holds all 8 frames", "...; the sequence holds 3 whole frames"
  static std::optional<std::size_t> frames_said(const std::string& error) {
    const std::size_t holds = error.find(" holds ");
    if (holds == std::string::npos) return std::nullopt;
    return std::stoul(error.substr(error.find_first_of("0123456789", holds)));
  }

  // An MP4 is a row of boxes, each with its size in front; some players refuse a file that ends within one.
  static void expect_whole_boxes(const std::string& bytes) {
    std::size_t at = 0;
    while (at + 8 <= bytes.size()) {
      std::size_t size = 0;
      for (std::size_t i = at; i < at + 4; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
      ASSERT_GE(size, 8u);
      at += size;
    }
    EXPECT_EQ(at, bytes.size());
  }

  static std::vector<std::vector<std::byte>> decode_any(const std::string& file) {
    const auto is = [&](const char* extension) { return file.find(extension) != std::string::npos; };
    const bool animated = is(".gif") || is(".webp") || is(".apng");
    return animated ? decode_animation(file).frames : decode(file).frames;
  }
};

TEST_P(FullDiskTest, AnySizeLeavesWhatIsOfUse) {
  SmallDisk disk(path("disk"));
  if (!disk) GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  const Files complete = write_complete();
  constexpr std::size_t page = 4096, max = 100;  // of memory, by which tmpfs grows
  std::size_t pages = 1;
  for (;; ++pages) {
    ASSERT_LT(pages, max);
    SCOPED_TRACE(pages);
    clear_disk();
    ASSERT_TRUE(disk.resize(pages * page));
    const Outcome outcome = write_from(0);
    if (outcome.error.empty()) break;
    ASSERT_TRUE(disk.resize(max * page));
    expect_usable(outcome, "No space left on device", complete);
  }
  EXPECT_TRUE(files_on_disk() == complete);
  EXPECT_GT(pages, 1u);
}

TEST_P(FullDiskTest, TheLastBytesCount) {
  std::filesystem::create_directory(path("disk"));
  const Files complete = write_complete();
  for (const std::size_t missing : {1, 2, 10, 100, 700}) {
    SCOPED_TRACE(missing);
    clear_disk();
    Outcome outcome;
    {
      const FileSizeLimit limit(complete.rbegin()->second.size() - missing);
      outcome = write_from(0);
    }
    expect_usable(outcome, "File too large", complete);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Outputs, FullDiskTest,
    testing::Values(Output{"a.mp4", 8, Output::Part::video}, Output{"a.mov", 8, Output::Part::video},
                    Output{"a.mkv", 4, Output::Part::video}, Output{"a.webm", 8, Output::Part::video},
                    Output{"fast.mp4", 8, Output::Part::video}, Output{"fast.mkv", 8, Output::Part::video},
                    Output{"a.gif", 8, Output::Part::video}, Output{"a.webp", 8, Output::Part::video},
                    Output{"a.apng", 8, Output::Part::video}, Output{"%d.png", 4, Output::Part::none},
                    Output{"a.png", 4, Output::Part::none}, Output{"a.pdf", 4, Output::Part::none},
                    Output{"%d.pdf", 4, Output::Part::none}, Output{"a.svg", 4, Output::Part::none},
                    Output{"a.eps", 4, Output::Part::none}, Output{"%d.h5", 4, Output::Part::none},
                    Output{"%d.npy", 4, Output::Part::none}, Output{"%d.npz", 4, Output::Part::none},
                    Output{"a.h5", 4, Output::Part::none}, Output{"a.npy", 4, Output::Part::none},
                    Output{"a.npz", 4, Output::Part::none}, Output{"a.y4m", 4, Output::Part::start},
                    Output{"a.csv", 500, Output::Part::start}, Output{"a.hashes", 500, Output::Part::start}),
    [](const auto& output) {
      std::string name = output.param.name;
      std::erase_if(name, [](char c) { return !std::isalnum(c); });
      return name;
    });

}  // namespace
}  // namespace simreel
