#include "formats/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.h"

namespace simreel {
namespace {

constexpr std::uint64_t usual_window = 1 << 16;

[[noreturn]] void fail(const std::string& path, int error) {
  throw RuntimeError("{}: cannot be read: {}", path, std::strerror(error));
}

constexpr std::string_view white_space = " \t\r\n";

template <class Read, class Stored>
std::vector<std::byte> parse(std::string_view& text, std::uint64_t count) {
  std::vector<std::byte> bytes(std::min<std::uint64_t>(count, text.size() / 2 + 1) * sizeof(Stored));
  std::size_t taken = 0;
  for (; taken < bytes.size(); taken += sizeof(Stored)) {
    text.remove_prefix(std::min(text.find_first_not_of(white_space), text.size()));
    if (text.starts_with('+')) text.remove_prefix(1);
    Read value{};
    auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if constexpr (std::is_same_v<Read, float>) {
      double wide = 0;  // what a float cannot hold becomes 0 or infinite, as in the program that wrote it
      if (result.ec == std::errc::result_out_of_range) {
        result = std::from_chars(text.data(), text.data() + text.size(), wide);
        value = static_cast<float>(wide);
      }
    }
    if (result.ec != std::errc()) break;
    if constexpr (!std::is_same_v<Read, Stored>)
      if (value < static_cast<Read>(std::numeric_limits<Stored>::min()) ||
          value > static_cast<Read>(std::numeric_limits<Stored>::max()))
        break;
    const Stored stored = static_cast<Stored>(value);
    std::memcpy(bytes.data() + taken, &stored, sizeof stored);
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  }
  bytes.resize(taken);
  return bytes;
}

std::vector<std::byte> take_from(std::string_view& text, const Element& e, std::uint64_t count) {
  using Kind = Element::Kind;
  if (e.kind == Kind::real) return e.bytes == 4 ? parse<float, float>(text, count) : parse<double, double>(text, count);
  const bool is_signed = e.kind == Kind::signed_integer;
  switch (e.bytes) {
    case 1:
      return is_signed ? parse<std::int64_t, std::int8_t>(text, count) : parse<std::int64_t, std::uint8_t>(text, count);
    case 2:
      return is_signed ? parse<std::int64_t, std::int16_t>(text, count)
                       : parse<std::int64_t, std::uint16_t>(text, count);
    case 4:
      return is_signed ? parse<std::int64_t, std::int32_t>(text, count)
                       : parse<std::int64_t, std::uint32_t>(text, count);
    default:
      return is_signed ? parse<std::int64_t, std::int64_t>(text, count)
                       : parse<std::uint64_t, std::uint64_t>(text, count);
  }
}

}  // namespace

FileBytes::FileBytes(std::string path) : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status = {};
  if (fd_ < 0) fail(path_, errno);
  if (::fstat(fd_, &status) != 0) {
    const int error = errno;
    ::close(fd_);
    fail(path_, error);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileBytes::~FileBytes() { ::close(fd_); }

void FileBytes::fetch(std::uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, errno);
    if (count == 0) throw RuntimeError("{}: the file became shorter while it was read", path_);
    at += static_cast<std::uint64_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

void FileBytes::read(std::uint64_t at, std::span<std::byte> to) const {
  if (to.size() >= usual_window) return fetch(at, to);
  const std::string_view found = view(at, to.size());
  if (!to.empty()) std::memcpy(to.data(), found.data(), to.size());
}

std::vector<std::byte> FileBytes::bytes(std::uint64_t at, std::uint64_t count) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  read(at, bytes);
  return bytes;
}

std::string_view FileBytes::view(std::uint64_t at, std::uint64_t count) const {
  assert(at <= size_ && count <= size_ - at);
  if (at < window_at_ || at + count > window_at_ + window_.size()) {
    window_.resize(static_cast<std::size_t>(std::min(std::max(count, usual_window), size_ - at)));
    window_at_ = at;
    try {
      fetch(at, window_);
    } catch (...) {
      window_.clear();
      throw;
    }
  }
  return {reinterpret_cast<const char*>(window_.data()) + (at - window_at_), static_cast<std::size_t>(count)};
}

std::uint64_t FileBytes::find(std::string_view text, std::uint64_t at) const {
  while (at < size_ && text.size() <= size_ - at) {
    const std::uint64_t end = window_at_ + window_.size();
    std::uint64_t there = at >= window_at_ && at < end ? end - at : 0;
    if (there < text.size()) there = std::min(usual_window, size_ - at);
    const std::string_view part = view(at, there);
    const std::size_t found = part.find(text);
    if (found != std::string_view::npos) return at + found;
    at += part.size() - (text.size() - 1);
  }
  return size_;
}

std::vector<std::byte> take_numbers(const FileBytes& file, std::uint64_t& at, const Element& e, std::uint64_t count) {
  constexpr std::uint64_t at_once = 1 << 22;
  std::vector<std::byte> numbers;
  while (numbers.size() / e.bytes < count && at < file.size()) {
    std::string_view text = file.view(at, std::min(at_once, file.size() - at));
    // A number that goes on after this part is one of the next.
    const std::size_t last = at + text.size() < file.size() ? text.find_last_of(white_space) : std::string_view::npos;
    if (last != std::string_view::npos) text = text.substr(0, last + 1);
    const std::size_t there = text.size();
    const std::vector<std::byte> taken = take_from(text, e, count - numbers.size() / e.bytes);
    numbers.insert(numbers.end(), taken.begin(), taken.end());
    at += there - text.size();
    if (!text.empty()) break;
  }
  return numbers;
}

}  // namespace simreel
