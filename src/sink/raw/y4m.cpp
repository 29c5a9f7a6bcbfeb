// Raw 4:2:0 video for a pipe or a file (YUV4MPEG2): a text header, then the planes of each frame after a line "FRAME".

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "sink/open.h"
#include "sink/sink.h"

namespace simreel {
namespace {

constexpr std::string_view frame_mark = "FRAME\n";

class Y4m : public Sink {
 public:
  Y4m(const std::string& target, const StreamInfo& info, std::int64_t stride)
      : Sink({.layout = PixelLayout::yuv420p, .stride = stride}),
        frames_(info.resume),
        bytes_(frame_bytes(info.size, PixelLayout::yuv420p)) {
    const std::string remark = padding_remark(target, info.size, PixelLayout::yuv420p);
    if (!remark.empty()) traits_.remarks.push_back(remark);
    if (info.alpha)
      traits_.remarks.push_back(
          fmt::format("{}: raw video has no alpha, so the background is drawn as if it were opaque", target));
    const Size size = padded(info.size, PixelLayout::yuv420p);
    header_ = fmt::format("YUV4MPEG2 W{} H{} F{}:{} Ip A1:1 C420mpeg2 XCOLORRANGE=LIMITED\n", size.width, size.height,
                          info.fps_numerator, info.fps_denominator);
  }

  void write(const Frame& frame) override {
    if (frames_ == 0) put(header_.data(), header_.size());
    put(frame_mark.data(), frame_mark.size());
    put(frame.pixels, bytes_);
    end_frame();
    ++frames_;
  }

  std::uintmax_t size_of(std::int64_t frames) const {
    return header_.size() + static_cast<std::uintmax_t>(frames) * (frame_mark.size() + bytes_);
  }

 protected:
  virtual void put(const void* bytes, std::size_t count) = 0;
  virtual void end_frame() {}  // after the last `put` of a frame

  std::atomic<std::int64_t> frames_;

 private:
  std::size_t bytes_;
  std::string header_;
};

class Y4mFile : public Y4m {
 public:
  Y4mFile(const std::string& target, const StreamInfo& info, Opening opening)
      : Y4m(target, info, 1), checksums_(kept_checksums(info, target, 1)) {
    const std::int64_t frames = info.frames == endless_frames ? info.resume + 1 : info.frames;
    refuse_without_room(target, size_of(frames) - (info.resume > 0 ? size_of(info.resume) : 0),
                        "choose another place, fewer frames, or .mp4");
    const auto length = [kept = size_of(info.resume)](std::istream& in) -> std::optional<std::uintmax_t> {
      in.seekg(0, std::ios::end);
      if (static_cast<std::uintmax_t>(in.tellg()) < kept) return std::nullopt;
      return kept;
    };
    file_ = open_part(target, info, length, opening);
  }

  void finish() override {
    if (frames_ > 0) file_->commit();
  }

  std::int64_t safe_frames() const override { return frames_; }
  void sync() const override { file_->sync(); }
  std::vector<Checksum> checksums(std::int64_t frames) const override {
    return checksums_.first(static_cast<std::size_t>(frames));
  }

 private:
  void put(const void* bytes, std::size_t count) override { file_->add(bytes, count, frames_); }

  void end_frame() override { checksums_.set(static_cast<std::size_t>(frames_), file_->take_checksum()); }

  std::unique_ptr<PartFile> file_;
  ChecksumList checksums_;
};

class Y4mPipe : public Y4m {
 public:
  Y4mPipe(const StreamInfo& info, Opening opening)
      : Y4m("-", info, std::numeric_limits<std::int64_t>::max()),  // cannot be resumed
        stop_asked_(info.stop_asked) {
    // The standard output of a trial is not that of the run.
    if (opening == Opening::real && ::isatty(STDOUT_FILENO))
      throw UsageError(
          "-: raw video to a terminal; pipe it (simreel ... -o - | mpv -) or name a file. mpirun gives its processes a "
          "terminal: mpirun -n 2 sh -c 'simreel ... -o - | cat' | mpv -");
    if (opening == Opening::real && (::fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
      throw RuntimeError("-: the standard output is closed; pipe it (simreel ... -o - | mpv -) or name a file");
    struct stat found {};
    if (::fstat(STDOUT_FILENO, &found) == 0 && S_ISREG(found.st_mode)) max_ = std::numeric_limits<ssize_t>::max();
  }

  void finish() override {}

 private:
  void put(const void* bytes, std::size_t count) override {
    const char* next = static_cast<const char*>(bytes);
    while (count > 0) {
      wait_for_reader();
      const ssize_t written = ::write(STDOUT_FILENO, next, std::min(count, max_));
      if (written >= 0) {
        next += written;
        count -= static_cast<std::size_t>(written);
      } else if (errno == EPIPE) {
        throw RuntimeError("stdout: the reader closed the pipe after {} frames", frames_.load());
      } else if (errno != EINTR && errno != EAGAIN) {
        throw RuntimeError("stdout: write: {}", std::generic_category().message(errno));
      }
    }
  }

  // A stalled reader must not prevent the user from ending the run.
  void wait_for_reader() const {
    constexpr int milliseconds = 100;
    pollfd ready{STDOUT_FILENO, POLLOUT, 0};
    const auto stands_still = [&] {
      const int count = ::poll(&ready, 1, milliseconds);
      return count == 0 || (count < 0 && errno == EINTR);
    };
    while (stands_still())
      if (stop_asked_ && stop_asked_())
        throw RuntimeError("stdout: the reader has stalled; stopped after {} frames", frames_.load());
  }

  std::function<bool()> stop_asked_;
  std::size_t max_ = PIPE_BUF;  // the number of bytes that a ready pipe accepts without blocking
};

}  // namespace

// "x.y4m", or "-" for the standard output. The exact size of a file is known in advance, so too little free space is a
// UsageError.
std::unique_ptr<Sink> open_y4m(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  if (target == "-") return std::make_unique<Y4mPipe>(info, opening);
  return std::make_unique<Y4mFile>(target, info, opening);
}

}  // namespace simreel
