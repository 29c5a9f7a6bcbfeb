#include "run/checkpointer.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "exec/executor.h"
#include "files/part_file.h"

namespace simreel {
namespace {

constexpr auto never = std::numeric_limits<std::int64_t>::max();

// For whole states of processes that do not all see the folder.
void check_room(const std::filesystem::path& folder, std::size_t bytes) {
  const std::size_t available = host_memory_available();
  if (bytes <= available) return;
  throw UsageError(
      "{}: not all processes see this folder, so the first one keeps whole states for checkpoints, which takes {}, and "
      "{} of memory is available there; write where all hosts see it, or give --checkpoint-every off",
      folder.string(), format_bytes(static_cast<double>(bytes)), format_bytes(static_cast<double>(available)));
}

}  // namespace

Checkpointer::Checkpointer(CheckpointFolder folder, Checkpoint run, CheckpointInterval interval, Log log)
    : folder_(std::move(folder)), state_(std::move(run)), interval_(interval), log_(std::move(log)) {
  begun_ = state_.has(frames_block);
  if (begun_) saved_ = resumed_at_ = reached_ = state_.load_value<std::int64_t>(frames_block);
  if (state_.has(passed_block)) last_frame_ = state_.load_value<std::int64_t>(passed_block);
  if (state_.has(range_pass_block)) {
    saved_ = reached_ = last_frame_ = state_.load_value<RangePass>(range_pass_block).frames;
    resumed_at_.reset();  // the range that it finds is kept
  }
}

Checkpointer::~Checkpointer() {
  try {
    wait();
  } catch (const std::exception&) {  // of a rank, or of an output, which tells it when it ends
  }
  if (!begun_ || !saved_) {
    folder_.remove();
  } else if (!over_) {
    const std::string loss =
        *saved_ < reached_ ? fmt::format(": it resumes after {} of the {} frames so far", *saved_, reached_) : "";
    tell(log_, LogLevel::info,
         fmt::format("{} is kept: fix what stopped the run, then resume it with the same command and --resume{}",
                     folder_.path().string(), loss));
  }
}

void Checkpointer::attach(Source& source, std::size_t bytes) {
  pieces_ = source.pieces();
  if (pieces_ && !pieces_->shares(folder_.path())) {
    pieces_ = nullptr;
    check_room(folder_.path(), bytes);
  }
  state_.keep_pieces(pieces_ != nullptr);
}

void Checkpointer::release() noexcept {
  try {
    wait();
  } catch (const std::exception&) {  // of a rank; whoever releases the source has it already
  }
  number_.reset();
  pieces_ = nullptr;
  state_.keep_pieces(false);
}

void Checkpointer::watch(const std::vector<std::unique_ptr<Sink>>& sinks, std::int64_t first, const LoopStore* store) {
  first_ = first;
  store_ = store;
  for (const auto& sink : sinks) sinks_.push_back(sink.get());
  stride_ = common_stride(sinks);
}

void Checkpointer::keep_end(std::int64_t frames) { end_ = frames - frames % stride_; }

void Checkpointer::keep_range(const Rasterizer& rasterizer) {
  wait();
  state_.keep_only(run_prefix);  // the source of the first pass is over
  rasterizer.save(state_);
  keep_start();
  begun_ = true;
}

void Checkpointer::keep_start() {
  wait();
  state_.save_value(frames_block, std::int64_t{0});
  reached_ = 0;
  write(0);
  wait();
}

void Checkpointer::offer(std::int64_t frame, const Source& source, const Rasterizer& rasterizer) {
  const std::int64_t frames = published(frame);
  begun_ |= frames > 0;
  reached_ = frames;
  if (frames == end_ && taken_ != frame && last_frame_ != frame && frames > 0) {
    wait();
    wanted_ = true;
    capture(frame, source, rasterizer);
  }
  if (is_writing()) return;
  if (taken_ && wanted_) {
    if (safe(*taken_)) write(*taken_);
    return;
  }
  if (frames % stride_ != 0) return;
  wanted_ = due(frame);
  // A run that can be resumed from any frame has a valid state when a signal arrives. Otherwise it needs an earlier
  // one, which is copied as often as is cheap.
  constexpr int gap = 20;
  const bool useful = stride_ > 1 && taken_ != frame && Clock::now() - last_take_ >= gap * take_cost_;
  if (wanted_ || useful) capture(frame, source, rasterizer);
  if (wanted_ && safe(frame)) write(frame);
}

void Checkpointer::offer(const RangePass& pass, const Source& source, const Rasterizer& rasterizer) {
  reached_ = pass.frames;
  if (is_writing() || !due(pass.frames)) return;
  begun_ = true;
  capture(pass, source, rasterizer);
  write(pass.frames);
}

void Checkpointer::keep(std::int64_t frame, const Source& source, const Rasterizer& rasterizer) {
  wait();
  const std::int64_t frames = published(frame);
  begun_ |= frames > 0 || source.steps_done() > 0;
  reached_ = frames;
  if (!begun_) return;
  if (frames % stride_ == 0 && safe(frame)) capture(frame, source, rasterizer);
  write_taken();
}

void Checkpointer::write_taken() {
  wait();
  if (taken_ && safe(*taken_)) write(*taken_);
  wait();
}

void Checkpointer::close(std::int64_t frame, const Source& source, const Rasterizer& rasterizer) {
  keep(frame, source, rasterizer);
  over_ = true;
}

void Checkpointer::close() {
  write_taken();
  over_ = true;
}

void Checkpointer::close(const RangePass& pass, const Source& source, const Rasterizer& rasterizer) {
  wait();
  begun_ |= pass.frames > 0 || source.steps_done() > 0;
  if (begun_) {
    capture(pass, source, rasterizer);
    write(pass.frames);
    wait();
  }
  over_ = true;
}

void Checkpointer::complete(std::int64_t frame, std::int64_t held, const Source& source, const Rasterizer& rasterizer) {
  wait();
  begun_ = over_ = true;
  const std::int64_t frames = published(frame) + held;
  if (held == 0 && frames % stride_ == 0) capture(frame, source, rasterizer);
  state_.save_value(complete_block, frames);
  write(frame);
  wait();
}

void Checkpointer::remove() {
  wait();
  over_ = true;
  folder_.remove();
}

void Checkpointer::diverge(const Divergence& divergence) {
  wait();
  begun_ = over_ = true;
  state_.keep_only(run_prefix);
  state_.keep_pieces(false);
  state_.save_value(frames_block, divergence.frame);
  state_.save_value(step_block, divergence.steps);
  state_.save_text(diverged_block, divergence.reason);
  try {
    folder_.write_only(state_);
    saved_ = divergence.frame;
  } catch (const RuntimeError&) {  // a further attempt would find out by itself
    folder_.remove();
  }
}

std::int64_t Checkpointer::next() const { return interval_.frames > 0 ? last_frame_ + interval_.frames : never; }

bool Checkpointer::due(std::int64_t frame) const {
  if (interval_.frames > 0) return frame >= next();
  return interval_.seconds > 0 && Clock::now() - last_write_ >= std::chrono::duration<double>(interval_.seconds);
}

bool Checkpointer::safe(std::int64_t frame) const {
  return std::ranges::all_of(sinks_, [&](const Sink* sink) { return sink->safe_frames() >= published(frame); });
}

// Looks whether the last write is done.
bool Checkpointer::is_writing() {
  if (number_) look_at_pieces();
  if (!number_ && writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) wait();
  return number_ || writing_.valid();
}

void Checkpointer::capture(std::int64_t frame, const Source& source, const Rasterizer& rasterizer) {
  const auto start = Clock::now();
  source.save(state_);
  rasterizer.save(state_);
  if (source.saves_state()) state_.save_value(step_block, source.steps_done());
  state_.save_value(frames_block, published(frame));
  state_.save_value(passed_block, frame);
  taken_ = frame;
  last_take_ = Clock::now();
  take_cost_ = last_take_ - start;
}

void Checkpointer::capture(const RangePass& pass, const Source& source, const Rasterizer& rasterizer) {
  capture(0, source, rasterizer);
  state_.save_value(range_pass_block, pass);
}

void Checkpointer::save_checksums(std::int64_t frames) {
  for (std::size_t i = 0; i < sinks_.size(); ++i)
    state_.save(checksums_block(i), std::span<const Checksum>(sinks_[i]->checksums(frames)));
  if (store_) state_.save(pictures_block, std::span<const Checksum>(store_->checksums()));
}

void Checkpointer::write(std::int64_t frame) {
  const bool complete = state_.has(complete_block);
  save_checksums(state_.load_value<std::int64_t>(complete ? complete_block : frames_block));
  begun_ |= state_.has(step_block);
  last_write_ = Clock::now();
  last_frame_ = frame;
  taken_.reset();
  wanted_ = false;
  if (!pieces_ || !state_.has_pieces()) return write_checkpoint(std::nullopt);
  number_ = folder_.prepare();
  pieces_->write_pieces(state_, *number_);
}

void Checkpointer::look_at_pieces() {
  std::optional<PiecesWritten> written = pieces_->written();
  if (!written) return;
  const std::int64_t number = *std::exchange(number_, std::nullopt);
  if (!written->failure.empty()) {
    warn(written->failure);
    folder_.prepare();
    return;
  }
  state_.link(std::move(written->refs));
  write_checkpoint(number);
}

// `number`: of the piece files, if the state has some.
void Checkpointer::write_checkpoint(std::optional<std::int64_t> number) {
  writing_ = std::async(std::launch::async, [this, number] {
    if (store_) store_->sync();
    for (const Sink* sink : sinks_) sink->sync();  // after a power cut a checkpoint must not be ahead of its frames
    folder_.write(state_, number ? *number : folder_.prepare());
  });
}

void Checkpointer::warn(const std::string& reason) {
  if (std::exchange(warned_, true)) return;
  tell(log_, LogLevel::warning,
       fmt::format("{}; the run continues, but after a crash it resumes from an older checkpoint", reason));
}

void Checkpointer::wait() {
  constexpr auto pause = std::chrono::milliseconds(1);
  while (number_) {
    look_at_pieces();
    if (number_) std::this_thread::sleep_for(pause);
  }
  if (!writing_.valid()) return;
  try {
    writing_.get();
    saved_ = state_.has(range_pass_block) ? last_frame_ : published(last_frame_);
    warned_ = false;
  } catch (const FileRemoved&) {
    throw;  // nothing that the run still computes would be kept
  } catch (const std::exception& error) {
    warn(error.what());
  }
}

std::string checksums_block(std::size_t index) { return fmt::format("checksums {}", index); }

std::int64_t common_stride(const std::vector<std::unique_ptr<Sink>>& sinks) {
  std::int64_t stride = 1;
  for (const auto& sink : sinks) {
    const std::int64_t factor = sink->traits().stride / std::gcd(stride, sink->traits().stride);
    if (factor > never / stride) return never;
    stride *= factor;
  }
  return stride;
}

std::optional<CheckpointInterval> parse_interval(const std::string& text) {
  if (text == "off" || text == "0") return std::nullopt;
  const auto [number, unit] = quantity_of(text);
  const bool whole = number == std::floor(number) && number < 1e15;
  if (number > 0 && number < 1e9) {
    if (unit == "s") return CheckpointInterval{number, 0};
    if (unit == "min") return CheckpointInterval{60 * number, 0};
    if (unit == "h") return CheckpointInterval{3600 * number, 0};
    if (whole && (unit == "frames" || unit == "frame")) return CheckpointInterval{0, static_cast<std::int64_t>(number)};
    if (unit.empty())
      throw UsageError("--checkpoint-every {0}: the unit is missing: {0}s, {0}min, {0}h or {0}frames", text);
  }
  throw UsageError("--checkpoint-every {}: write a time, 60s, 5min or 1h, a number of frames, 250frames, or off", text);
}

}  // namespace simreel
