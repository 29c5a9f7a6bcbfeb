#include "sink/y4m.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>

#include "error.h"
#include "sink/part_file.h"

namespace simreel {
namespace {

constexpr std::string_view frame_mark = "FRAME\n";

class Y4m : public Sink {
 public:
  explicit Y4m(const StreamInfo& info) : bytes_(frame_bytes(info.size, PixelLayout::yuv420p)) {
    const Size size = padded(info.size, PixelLayout::yuv420p);
    header_ = fmt::format("YUV4MPEG2 W{} H{} F{}:{} Ip A1:1 C420mpeg2 XCOLORRANGE=LIMITED\n", size.width, size.height,
                          info.fps_numerator, info.fps_denominator);
  }

  std::optional<PixelLayout> layout() const override { return PixelLayout::yuv420p; }

  void write(const Frame& frame) override {
    if (frames_ == 0) put(header_.data(), header_.size());
    put(frame_mark.data(), frame_mark.size());
    put(frame.pixels, bytes_);
    ++frames_;
  }

  std::uintmax_t size_of(std::int64_t frames) const {
    return header_.size() + std::uintmax_t(frames) * (frame_mark.size() + bytes_);
  }

 protected:
  virtual void put(const void* bytes, std::size_t count) = 0;

  std::int64_t frames_ = 0;

 private:
  std::size_t bytes_;
  std::string header_;
};

class Y4mFile : public Y4m {
 public:
  Y4mFile(const std::string& target, const StreamInfo& info) : Y4m(info), file_(target, info.overwrite) {
    std::error_code error;
    const auto room = std::filesystem::space(file_.path(), error).available;
    const std::uintmax_t need = size_of(info.frames);
    if (!error && room < need) {
      throw UsageError(
          fmt::format("{}: {} frames of raw video take {} bytes and the file system has {} left; choose another "
                      "place, fewer frames, or .mp4",
                      target, info.frames, need, room));
    }
  }

  void finish() override {
    if (frames_ > 0) file_.commit();
  }

 private:
  void put(const void* bytes, std::size_t count) override {
    file_.keep();
    file_.write(bytes, count);
  }

  PartFile file_;
};

class Y4mPipe : public Y4m {
 public:
  explicit Y4mPipe(const StreamInfo& info) : Y4m(info) {
    if (::isatty(STDOUT_FILENO))
      throw UsageError("-: raw video to a terminal; pipe it (simreel ... -o - | mpv -) or name a file");
    // A reader that goes away must end in an error that says so, not in a silent death of the whole run and its other
    // outputs.
    std::signal(SIGPIPE, SIG_IGN);
  }

  void finish() override {}

 private:
  void put(const void* bytes, std::size_t count) override {
    const char* next = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t written = ::write(STDOUT_FILENO, next, count);
      if (written >= 0) {
        next += written;
        count -= std::size_t(written);
      } else if (errno == EAGAIN) {
        pollfd ready{STDOUT_FILENO, POLLOUT, 0};
        ::poll(&ready, 1, -1);
      } else if (errno == EPIPE) {
        throw RuntimeError(fmt::format("stdout: the reader closed the pipe after {} frames", frames_));
      } else if (errno != EINTR) {
        throw RuntimeError(fmt::format("stdout: write: {}", std::generic_category().message(errno)));
      }
    }
  }
};

}  // namespace

std::unique_ptr<Sink> open_y4m(const std::string& target, const OutputOptions&, const StreamInfo& info) {
  if (target == "-") return std::make_unique<Y4mPipe>(info);
  return std::make_unique<Y4mFile>(target, info);
}

}  // namespace simreel
