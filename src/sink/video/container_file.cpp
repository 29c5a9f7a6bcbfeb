#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "sink/sink.h"
#include "sink/video/file.h"
#include "sink/video/packet_reader.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

// Writes one libav container file with one video stream.
class Muxer {
 public:
  // A growing file can be played up to the last end_segment whenever the process dies. A complete file has its index in
  // front if the container allows that, and cannot be played before finish().
  enum class Form { growing, complete };

  // Truncates `file`, which must outlive this, and writes the header. All members throw RuntimeError with the path, the
  // call and libav's message.
  Muxer(const OwnFile& file, const Container&, Form, const EncoderPlan&, const Tags&);
  ~Muxer();  // closes the file as it is
  Muxer& operator=(Muxer&&) = delete;

  void write(AVPacket&);  // timestamps in frames, see Segment; changes them
  void end_segment();     // flushes the packets to the file as an independent fragment or cluster
  void finish();          // flushes and writes the trailer

 private:
  int close();

  const OwnFile& file_;
  AVFormatContext* context_ = nullptr;
  AVRational frame_time_;
};

[[noreturn]] void fail(const OwnFile& file, const AvLog& log, const char* call, int error) {
  throw RuntimeError("{}: {}", file.path().string(), log.words(call, error));
}

// Without the protocol, libav would interpret a colon in a name as one.
std::string url(const OwnFile& file) { return "file:" + file.handle().string(); }

Muxer::Muxer(const OwnFile& file, const Container& container, Form form, const EncoderPlan& plan, const Tags& tags)
    : file_(file), frame_time_(av_inv_q(plan.frame_rate())) {
  const AvLog log;
  const auto check = [&](const char* call, int result) {
    if (result >= 0) return;
    close();
    fail(file, log, call, result);
  };
  check("avformat_alloc_output_context2",
        avformat_alloc_output_context2(&context_, nullptr, std::string(container.muxer).c_str(), url(file).c_str()));
  context_->flags |= AVFMT_FLAG_BITEXACT;
  AVStream* out = avformat_new_stream(context_, nullptr);
  check("avformat_new_stream", out ? 0 : AVERROR(ENOMEM));
  check("avcodec_parameters_copy", avcodec_parameters_copy(out->codecpar, &plan.parameters()));
  // QuickTime plays H.265 only under this one of its two tags.
  const bool is_hevc = out->codecpar->codec_id == AV_CODEC_ID_HEVC;
  if (container.mp4_family && is_hevc) out->codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
  out->time_base = frame_time_;
  out->avg_frame_rate = out->r_frame_rate = plan.frame_rate();
  out->sample_aspect_ratio = plan.parameters().sample_aspect_ratio;
  for (const auto& [key, text] : tags)
    check("av_dict_set", av_dict_set(&context_->metadata, key.c_str(), text.c_str(), 0));
  check("avio_open", avio_open(&context_->pb, url(file).c_str(), AVIO_FLAG_WRITE));
  AvOptions dictionary;
  if (container.mp4_family)
    dictionary.set("movflags", form == Form::complete ? "+faststart+use_metadata_tags"
                                                      : "+frag_custom+empty_moov+default_base_moof+use_metadata_tags");
  check("avformat_write_header", avformat_write_header(context_, dictionary.address()));
  check("avformat_write_header", dictionary.keys().empty() ? 0 : AVERROR_OPTION_NOT_FOUND);
}

Muxer::~Muxer() { close(); }

void Muxer::write(AVPacket& packet) {
  const AvLog log;
  av_packet_rescale_ts(&packet, frame_time_, context_->streams[0]->time_base);
  packet.stream_index = 0;
  packet.pos = -1;
  if (const int result = av_write_frame(context_, &packet); result < 0) fail(file_, log, "av_write_frame", result);
}

void Muxer::end_segment() {
  const AvLog log;
  if (const int result = av_write_frame(context_, nullptr); result < 0) fail(file_, log, "av_write_frame", result);
  avio_flush(context_->pb);
  if (context_->pb->error < 0) fail(file_, log, "avio_flush", context_->pb->error);
}

void Muxer::finish() {
  const AvLog log;
  if (const int result = av_write_trailer(context_); result < 0) fail(file_, log, "av_write_trailer", result);
  if (const int result = close(); result < 0) fail(file_, log, "avio_close", result);
}

int Muxer::close() {
  if (!context_) return 0;
  const int result = avio_closep(&context_->pb);
  avformat_free_context(context_);
  context_ = nullptr;
  return result;
}

// A growing or finished file, and the name under which it is read.
struct Left {
  fs::path name, handle;
};

// Copies the first `frames` frames, in segments. Returns the number of copied frames.
std::int64_t copy_frames(const Left& left, const EncoderPlan& plan, std::int64_t frames, Muxer& to) {
  PacketReader from(left.name, left.handle, plan);
  std::int64_t copied = 0;
  while (copied < frames) {
    AVPacket* const packet = from.next();
    if (!packet) break;
    to.write(*packet);
    if (++copied % plan.segment_frames() == 0) to.end_segment();
  }
  return copied;
}

// Truncates the incomplete fragment that a failed write left at the end of an MP4 or MOV. Throws RuntimeError.
void cut_torn_fragment(const OwnFile& file) {
  std::ifstream in(file.handle(), std::ios::binary);
  const bool opened = in.is_open();
  const std::uintmax_t end = file.size();
  std::uintmax_t position = 0, whole = 0;
  std::array<unsigned char, 16> head{};
  const auto number = [&](int from, int to) {
    std::uintmax_t value = 0;
    for (int i = from; i < to; ++i) value = value << 8 | head[static_cast<std::size_t>(i)];
    return value;
  };
  // ISO/IEC 14496-12, 4.2: a box starts with its size and its name; size 1 means that a 64-bit size follows.
  while (in.seekg(static_cast<std::streamoff>(position)) && in.read(reinterpret_cast<char*>(head.data()), 8)) {
    std::uintmax_t size = number(0, 4);
    if (size == 1 && in.read(reinterpret_cast<char*>(head.data()) + 8, 8)) size = number(8, 16);
    if (size < 8 || size > end - position) break;
    position += size;
    const std::string name(reinterpret_cast<char*>(head.data()) + 4, 4);
    if (name == "moov" || name == "mdat") whole = position;
  }
  if (!opened || in.bad()) throw RuntimeError("{}: cannot be read", file.path().string());
  if (whole < end) file.cut(whole);
}

class ContainerFile : public VideoFile {
 public:
  ContainerFile(const std::string& target, std::unique_ptr<PartFile> part, const Container& container,
                const EncoderPlan& plan, const StreamInfo& info, Opening opening)
      : VideoFile(std::move(part), kept_checksums(info, target, plan.segment_frames())),
        container_(container),
        tags_(origin_tags(info)),
        plan_(plan),
        log_(info.log),
        stop_asked_(info.stop_asked),
        copied_on_stop_(info.copied_on_stop) {
    const Left left = info.resume > 0 ? find_left(target, info, opening) : Left();
    if (opening == Opening::trial) return;
    muxer_.emplace(part_->file(), container, Muxer::Form::growing, plan_, tags_);
    if (info.resume == 0) return;
    // Copies the packets instead of truncating the file in place. So in any container the file is that of an
    // uninterrupted run at this point, and the earlier file stays intact until the new one is complete.
    if (const std::int64_t held = copy_frames(left, plan_, info.resume, *muxer_); held < info.resume)
      throw_too_few(left.name, held, info.resume);
    accept(info.resume);
  }

  void end() override {
    muxer_->finish();
    muxer_.reset();
  }

  void commit() override {
    if (!container_.mp4_family) return part_->commit();
    // A fragmented file plays too, and a resumed run ends with the index in front.
    if (stop_asked_ && stop_asked_() && part_->file().size() > copied_on_stop_) {
      part_->commit();
      tell(log_, LogLevel::info,
           fmt::format("{}: is large and stays fragmented, so that the run stops at once; it plays, and a resumed run "
                       "ends with the index in front",
                       part_->target().string()));
      return;
    }
    OwnFile complete;
    try {
      complete = part_->make_complete();
      Muxer index_in_front(complete, container_, Muxer::Form::complete, plan_, tags_);
      copy_frames({part_->file().path(), part_->file().handle()}, plan_, frames_, index_in_front);
      index_in_front.finish();
      part_->commit_instead(complete);
    } catch (...) {
      if (complete && complete.path() != part_->target()) complete.remove();
      throw;
    }
  }

 private:
  // The first of the files of an earlier run that holds the frames to keep: NAME.part, or else the finished file. A run
  // that was killed while it took over a finished file has left both.
  Left find_left(const std::string& target, const StreamInfo& info, Opening opening) const {
    std::vector<Left> found;
    const fs::path finished = part_->target(), growing = finished.string() + ".part";
    std::error_code error;
    if (const OwnFile& earlier = part_->earlier())
      found.push_back({earlier.path(), earlier.handle()});
    else if (opening == Opening::trial && fs::exists(growing, error) && fs::file_size(growing, error) > 0)
      found.push_back({growing, growing});
    if (fs::exists(finished, error)) found.push_back({finished, finished});
    if (found.empty()) throw MissingFrames("{}: is not there", finished.string());
    try {
      expect_frames(found.front(), target, info);
      return found.front();
    } catch (const MissingFrames&) {
      if (found.size() == 1 || !has_frames(found.back(), target, info)) throw;
      return found.back();
    }
  }

  bool has_frames(const Left& left, const std::string& target, const StreamInfo& info) const {
    try {
      expect_frames(left, target, info);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }

  void expect_frames(const Left& left, const std::string& target, const StreamInfo& info) const {
    PacketReader reader = open_left(left);
    expect_same_origin(left.name, reader);
    const std::int64_t stride = plan_.segment_frames();
    const std::vector<Checksum> kept = kept_checksums(info, target, stride);
    RunningChecksum segment;
    for (std::int64_t frame = 0; frame < info.resume;) {
      const AVPacket* const packet = reader.next();
      if (!packet) throw_too_few(left.name, frame, info.resume);
      add_packet(segment, *packet, plan_.parameters().codec_id);
      ++frame;
      if (frame % stride != 0 && frame < info.resume) continue;
      const auto index = static_cast<std::size_t>((frame - 1) / stride);
      const Checksum sum = segment.take();
      if (index < kept.size() && kept[index].bytes > 0 && sum != kept[index])
        throw_damaged(target, info, stride, index);
    }
  }

  PacketReader open_left(const Left& left) const {
    try {
      return PacketReader(left.name, left.handle, plan_);
    } catch (const RuntimeError& error) {
      throw MissingFrames(error.what());
    }
  }

  [[noreturn]] static void throw_too_few(const fs::path& name, std::int64_t held, std::int64_t frames) {
    throw MissingFrames("{}: holds {} frames, and {} are needed to resume", name.string(), held, frames);
  }

  void expect_same_origin(const fs::path& name, const PacketReader& left) const {
    const AVCodecParameters &here = left.parameters(), &ours = plan_.parameters();
    std::string other =
        here.codec_id != ours.codec_id || here.width != ours.width || here.height != ours.height ? "codec or size" : "";
    for (const auto& [key, text] : tags_)
      if (other.empty() && left.tag(key) != text) other = key;
    if (other.empty()) return;
    throw UsageError("{}: comes from another run (its {} differs), so it cannot be resumed; run without --resume",
                     name.string(), other);
  }

  void append(Segment& segment) override {
    RunningChecksum sum;
    for (const auto& packet : segment.packets) add_packet(sum, *packet, plan_.parameters().codec_id);
    checksums_.set(static_cast<std::size_t>(segment.first / plan_.segment_frames()), sum.take());
    for (const auto& packet : segment.packets) muxer_->write(*packet);
    muxer_->end_segment();
  }

  std::int64_t cut_to_what_plays() override {
    muxer_.reset();
    try {
      if (container_.mp4_family) cut_torn_fragment(part_->file());
      PacketReader reader(part_->file().path(), part_->file().handle(), plan_);
      std::int64_t frames = 0;
      while (reader.next()) ++frames;
      return frames;
    } catch (const RuntimeError&) {
      if (frames_ > 0) throw;
      return 0;  // it is no video yet
    }
  }

  const Container& container_;
  Tags tags_;
  const EncoderPlan& plan_;
  Log log_;
  std::function<bool()> stop_asked_;
  std::uintmax_t copied_on_stop_;
  std::optional<Muxer> muxer_;
};

}  // namespace

std::unique_ptr<VideoFile> open_container(const std::string& target, const Container& container,
                                          const EncoderPlan& plan, const StreamInfo& info, Opening opening) {
  auto part = std::make_unique<PartFile>(target, info.overwrite || info.resume > 0, opening, VideoFile::leftover_note);
  return std::make_unique<ContainerFile>(target, std::move(part), container, plan, info, opening);
}

}  // namespace simreel
