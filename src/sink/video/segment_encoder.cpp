#include "sink/video/segment_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "sink/video/encoder.h"

namespace simreel {
namespace {

constexpr int row_alignment = 64;  // for the vector units of encoders

// Waiting frames in addition to those of whole segments: so few that a run that is asked to end encodes them quickly.
constexpr std::size_t slack = 8;

std::size_t aligned_bytes(const EncoderPlan& plan) {
  const Size size = plan.size();
  return static_cast<std::size_t>(av_image_get_buffer_size(plan.pixels().av, size.width, size.height, row_alignment));
}

// One segment is being drained while the others receive frames. In the long run these are staggered, so on average half
// of the frames of each are waiting. At the start all segments begin at once if their frames can wait; that is worth
// memory in a short video only.
std::size_t max_waiting(const EncoderPlan& plan, int encoders) {
  constexpr std::size_t max_at_start = std::size_t{3} << 30;  // bytes
  const auto others = static_cast<std::size_t>(std::max(0, encoders - 2));
  const std::size_t staggered = others * static_cast<std::size_t>(plan.segment_frames()) / 2;
  const std::size_t at_start = std::min({others * static_cast<std::size_t>(plan.segment_frames()),
                                         static_cast<std::size_t>(plan.frames()), max_at_start / aligned_bytes(plan)});
  return slack + std::max(staggered, at_start);
}

AVBufferPool* make_pool(std::size_t bytes) {
  AVBufferPool* const pool = av_buffer_pool_init(bytes, nullptr);
  if (!pool) throw RuntimeError("av_buffer_pool_init: no memory");
  return pool;
}

}  // namespace

SegmentEncoder::SegmentEncoder(const EncoderPlan& plan, int encoders, std::int64_t first)
    : plan_(plan),
      max_works_(static_cast<std::size_t>(encoders)),
      max_waiting_(max_waiting(plan, encoders)),
      next_(first),
      memory_(make_pool(aligned_bytes(plan)), [](AVBufferPool* pool) { av_buffer_pool_uninit(&pool); }) {}

SegmentEncoder::~SegmentEncoder() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }
  for (const auto& work : works_) work->thread.join();
}

void SegmentEncoder::send(const Frame& sent, const Take& take) {
  const bool fresh = next_ % plan_.segment_frames() == 0;
  deliver(take, [&] { return waiting_ < max_waiting_ && (!fresh || works_.size() < max_works_); });
  AvPtr<AVFrame> frame = copy(sent.pixels);
  const std::lock_guard lock(mutex_);
  if (fresh) begin();
  Work& work = *works_.back();
  ++next_;
  ++work.segment.frames;
  work.complete = work.segment.frames == plan_.segment_frames();
  if (!work.done) {  // otherwise it has failed, which is reported when its turn comes
    work.waiting.push_back(std::move(frame));
    ++waiting_;
  }
  changed_.notify_all();
}

void SegmentEncoder::begin() {
  auto work = std::make_unique<Work>();
  work->segment.first = next_;
  try {
    work->thread = std::thread([this, &work = *work] { run(work); });
  } catch (const std::system_error& error) {
    throw RuntimeError("a thread for an encoder: {}", error.code().message());
  }
  works_.push_back(std::move(work));
}

void SegmentEncoder::drain(const Take& take) {
  {
    const std::lock_guard lock(mutex_);
    if (!works_.empty()) works_.back()->complete = true;
    changed_.notify_all();
  }
  deliver(take, [&] { return works_.empty(); });
}

template <class Enough>
void SegmentEncoder::deliver(const Take& take, const Enough& enough) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!works_.empty() && works_.front()->done) {
      const std::unique_ptr<Work> work = std::move(works_.front());
      works_.pop_front();
      lock.unlock();
      work->thread.join();
      if (work->error) std::rethrow_exception(work->error);
      take(work->segment);
      lock.lock();
    } else if (enough()) {
      return;
    } else {
      changed_.wait(lock);
    }
  }
}

void SegmentEncoder::run(Work& work) {
  try {
    const std::unique_ptr<FrameEncoder> encoder = open_encoder(plan_);
    const FrameEncoder::Take keep = [&](AVPacket& packet) {
      work.segment.packets.push_back(owned(av_packet_clone(&packet)));
    };
    while (AvPtr<AVFrame> frame = next_frame(work)) encoder->send(std::move(frame), keep);
    const auto dropped = [&] {
      const std::lock_guard lock(mutex_);
      return abandoned_;
    };
    if (!dropped()) {
      encoder->drain(keep);
      number_packets(work.segment);
    }
  } catch (...) {
    work.error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  waiting_ -= work.waiting.size();
  work.waiting.clear();
  work.done = true;
  changed_.notify_all();
}

AvPtr<AVFrame> SegmentEncoder::next_frame(Work& work) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !work.waiting.empty() || work.complete || abandoned_; });
  if (work.waiting.empty() || abandoned_) return nullptr;
  AvPtr<AVFrame> frame = std::move(work.waiting.front());
  work.waiting.pop_front();
  --waiting_;
  changed_.notify_all();
  return frame;
}

AvPtr<AVFrame> SegmentEncoder::copy(const std::byte* pixels) {
  const auto format = plan_.pixels().av;
  const Size size = plan_.size();
  AvPtr<AVFrame> frame = owned(av_frame_alloc());
  frame->buf[0] = av_buffer_pool_get(memory_.get());
  if (!frame->buf[0]) throw RuntimeError("av_buffer_pool_get: no memory");
  frame->format = format;
  frame->width = size.width;
  frame->height = size.height;
  const AVCodecParameters& parameters = plan_.parameters();
  frame->color_primaries = parameters.color_primaries;
  frame->color_trc = parameters.color_trc;
  frame->colorspace = parameters.color_space;
  frame->color_range = parameters.color_range;
  frame->chroma_location = parameters.chroma_location;
  av_image_fill_arrays(frame->data, frame->linesize, frame->buf[0]->data, format, size.width, size.height,
                       row_alignment);
  const uint8_t* sources[4];
  uint8_t* planes[4];
  int strides[4];
  // Plane by plane without padding, as in a PixelLayout.
  av_image_fill_arrays(planes, strides, reinterpret_cast<const uint8_t*>(pixels), format, size.width, size.height, 1);
  std::copy(std::begin(planes), std::end(planes), sources);
  av_image_copy(frame->data, frame->linesize, sources, strides, format, size.width, size.height);
  return frame;
}

// An encoder numbers its frames from 0, so its output cannot depend on the segment. The distance between decoding and
// presentation is the same in every segment, so the timestamps of successive segments join without a gap.
void SegmentEncoder::number_packets(Segment& segment) const {
  const auto fail = [&](const std::string& words) {
    throw RuntimeError("encoder {}: {}", plan_.codec().encoder, words);
  };
  if (static_cast<std::int64_t>(segment.packets.size()) != segment.frames)
    fail(fmt::format("gave {} packets for {} frames", segment.packets.size(), segment.frames));
  std::int64_t order = segment.first - plan_.delay();
  for (const auto& packet : segment.packets) {
    packet->pts += segment.first;
    packet->dts = order++;
    packet->duration = 1;
    if (packet->pts < packet->dts) fail(fmt::format("frame {} is shown before it is decoded", packet->pts));
  }
}

int SegmentEncoder::fitting_encoders(const EncoderPlan& plan, int cores, std::size_t available) {
  const int busy = std::max(1, plan.threads() / plan.codec().threads_per_core);
  int encoders = (cores + busy - 1) / busy + 1;
  while (encoders > 1 && memory_bytes(plan, encoders) > available) --encoders;
  return encoders;
}

SinkTraits::Encoded SegmentEncoder::encoded(const EncoderPlan& plan, int encoders) {
  // Noise compresses to about its own size losslessly, and to between a quarter and a half lossily; one more segment is
  // being written to the file.
  const double frames =
      static_cast<double>(std::min<std::int64_t>(plan.segment_frames(), plan.frames())) * (encoders + 1);
  return {frames, frames * static_cast<double>(aligned_bytes(plan) / (plan.codec().lossless ? 1 : 4)),
          static_cast<double>(encoders), static_cast<double>(plan.memory_bytes())};
}

std::size_t SegmentEncoder::memory_bytes(const EncoderPlan& plan, int encoders) {
  return max_waiting(plan, encoders) * aligned_bytes(plan) + static_cast<std::size_t>(encoders) * plan.memory_bytes() +
         static_cast<std::size_t>(encoded(plan, encoders).bytes);
}

PacketSegments::PacketSegments(const EncoderPlan& plan, std::int64_t first) : plan_(plan) { segment_.first = first; }

void PacketSegments::send(const Frame& frame, const Take& take) {
  const std::vector<std::uint8_t>& bytes = frame.packet->bytes;
  AvPtr<AVPacket> packet = owned(av_packet_alloc());
  if (const int result = av_new_packet(packet.get(), static_cast<int>(bytes.size())); result < 0)
    throw RuntimeError("av_new_packet: " + av_words(result));
  std::ranges::copy(bytes, packet->data);
  packet->pts = packet->dts = segment_.first + segment_.frames;
  packet->duration = 1;
  if (frame.packet->key) packet->flags |= AV_PKT_FLAG_KEY;
  segment_.packets.push_back(std::move(packet));
  if (++segment_.frames == plan_.segment_frames()) drain(take);
}

void PacketSegments::drain(const Take& take) {
  if (segment_.frames == 0) return;
  Segment whole = std::exchange(segment_, {});
  segment_.first = whole.first + whole.frames;
  take(whole);
}

std::size_t PacketSegments::memory_bytes(const EncoderPlan& plan) {
  // Noise compresses to between a quarter and a half of its size.
  return static_cast<std::size_t>(plan.segment_frames()) * frame_bytes(plan.size(), plan.pixels().layout) / 2;
}

}  // namespace simreel
