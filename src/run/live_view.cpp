#include "run/live_view.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"

namespace simreel {
namespace {

using Clock = std::chrono::steady_clock;

// When what took from `start` until now may be done again.
Clock::time_point after(Clock::duration cost, Clock::duration least) {
  return Clock::now() + std::max(100 * cost, least);
}

// Means of squares of pixels, so that neither side is longer than max_side.
LiveView::Picture shrunk(const std::byte* pixels, Size size, PixelLayout layout) {
  const int part = (std::max(size.width, size.height) + LiveView::max_side - 1) / LiveView::max_side;
  const Size small{std::max(size.width / part, 1), std::max(size.height / part, 1)};
  const std::size_t step = is_deep(layout) ? 2 : 1;  // the high byte comes first
  const auto width = static_cast<std::size_t>(small.width), across = static_cast<std::size_t>(part);
  const std::size_t rows = std::min(across, static_cast<std::size_t>(size.height));
  const std::size_t columns = std::min(across, static_cast<std::size_t>(size.width));
  LiveView::Picture picture{small, {}};
  picture.rgb.reserve(3 * pixel_count(small));
  std::vector<unsigned> sums(3 * width);
  for (std::size_t y = 0; y < static_cast<std::size_t>(small.height); ++y) {
    std::ranges::fill(sums, 0U);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::byte* from = pixels + (y * across + row) * static_cast<std::size_t>(size.width) * 3 * step;
      for (std::size_t x = 0; x < width; ++x)
        for (std::size_t i = 0; i < columns; ++i)
          for (std::size_t c = 0; c < 3; ++c, from += step) sums[3 * x + c] += std::to_integer<unsigned>(*from);
    }
    const auto count = static_cast<unsigned>(rows * columns);
    for (const unsigned sum : sums) picture.rgb.push_back(static_cast<std::byte>((sum + count / 2) / count));
  }
  return picture;
}

}  // namespace

LiveView::~LiveView() {
  try {
    arrived_.wait();  // a copy may still be under way
  } catch (const std::exception&) {
  }
}

bool LiveView::wants_values() const { return is_recent(rows_asked_) && Clock::now() >= next_values_; }

void LiveView::add_values(double time, const std::vector<double>& values, double cost) {
  next_values_ =
      after(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(cost)), std::chrono::seconds(1));
  if (values.empty() || passed_++ % every_ != 0) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  rows_.push_back({time});
  rows_.back().insert(rows_.back().end(), values.begin(), values.end());
  if (rows_.size() < max_rows) return;
  for (std::size_t i = 0; 2 * i < rows_.size(); ++i) std::swap(rows_[i], rows_[2 * i]);
  rows_.resize((rows_.size() + 1) / 2);
  every_ *= 2;
}

void LiveView::show(const Executor& executor, const Rasterizer& rasterizer, Size size, PixelLayout layout) {
  const auto start = Clock::now();
  if (shows_none_ || !is_recent(picture_asked_) || start < next_picture_ || full_) return;
  if (target_.size() == 0) {
    const std::size_t bytes = frame_bytes(size, layout);
    shows_none_ = bytes > max_bytes;
    if (shows_none_) return;
    try {
      target_ = Buffer<std::byte>(executor, bytes);
      if (executor.backend() == Backend::cuda) host_ = Buffer<std::byte>(executor, bytes, Memory::pinned);
    } catch (const RuntimeError&) {
      shows_none_ = true;
      return;
    }
    size_ = size;
    layout_ = layout;
  }
  rasterizer.convert(layout, target_.data());
  if (host_.size() > 0) executor.download(host_.data(), target_.data(), target_.bytes(), arrived_);
  full_ = true;
  next_picture_ = after(Clock::now() - start, std::chrono::milliseconds(100));
}

std::vector<std::vector<double>> LiveView::rows() {
  rows_asked_ = Clock::now();
  const std::lock_guard lock(mutex_);
  return rows_;
}

std::optional<LiveView::Picture> LiveView::picture() {
  picture_asked_ = Clock::now();
  if (!full_) return {};
  arrived_.wait();
  Picture picture = shrunk(host_.size() > 0 ? host_.data() : target_.data(), size_, layout_);
  full_ = false;
  return picture;
}

}  // namespace simreel
