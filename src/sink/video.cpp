#include "sink/video.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "error.h"
#include "exec/executor.h"
#include "scene/suggest.h"
#include "sink/animated.h"
#include "sink/codec.h"
#include "sink/encoder_plan.h"
#include "sink/muxer.h"
#include "sink/packet_reader.h"
#include "sink/part_file.h"
#include "sink/pattern.h"
#include "sink/segment_encoder.h"

namespace simreel {
namespace {

// "; did you mean ...? There are ..."
template <class Rows>
std::string choices(const std::string& word, const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  const std::string_view near = nearest(word, names);
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near);
  return fmt::format("{}{} {}", hint, hint.empty() ? "; there are" : " There are", fmt::join(names, ", "));
}

const Container& container_of(const std::string& target) {
  const std::string extension = extension_of(target);
  const auto all = containers();
  return *std::find_if(all.begin(), all.end(), [&](const Container& c) { return c.extension == extension; });
}

const Codec& choose_codec(const std::string& target, const Container& container, const OutputOptions& options) {
  const std::string name = options.codec.value_or(std::string(container.codec));
  const auto all = codecs();
  const auto codec = std::find_if(all.begin(), all.end(), [&](const Codec& c) { return c.name == name; });
  if (codec == all.end()) {
    throw UsageError(fmt::format("{}: unknown codec {}{}", place_of(options, target), quote(name), choices(name, all)));
  }
  const auto& holders = codec->containers;
  if (std::find(holders.begin(), holders.end(), container.extension) == holders.end()) {
    throw UsageError(fmt::format("{}: {} cannot hold codec \"{}\"; name the output {}, or leave the codec out for {}",
                                 place_of(options, target), target, name, fmt::join(holders, " or "), container.codec));
  }
  return *codec;
}

const PixelFormat& choose_pixels(const std::string& target, const Codec& codec, const OutputOptions& options,
                                 bool alpha) {
  const auto all = codec.pixel_formats;
  if (!options.pixel_format) {
    const auto see_through = std::ranges::find(all, PixelLayout::rgba, &PixelFormat::layout);
    return alpha && see_through != all.end() ? *see_through : all.front();
  }
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PixelFormat& p) { return p.name == *options.pixel_format; });
  if (found == all.end()) {
    throw UsageError(fmt::format("{}: {} has no pixel_format {}{}", place_of(options, target), codec.name,
                                 quote(*options.pixel_format), choices(*options.pixel_format, all)));
  }
  return *found;
}

// Why an encoder that another one can stand in for does not open, whatever its options; empty where it does.
std::string what_is_missing(const Codec& codec, const StreamInfo& info) {
  if (codec.fallback.empty()) return "";
  try {
    EncoderPlan(codec, codec.pixel_formats.front(), {}, info);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

int encoders_of(const EncoderPlan& plan, const StreamInfo& info) {
  if (info.encoders > 0) return info.encoders;
  const int cores = int(std::thread::hardware_concurrency());
  return SegmentEncoder::fitting_encoders(plan, std::max(1, cores), host_memory_available() / 2);
}

class Video : public Sink {
 public:
  Video(const std::string& target, const Container& container, EncoderPlan plan, int encoders, const StreamInfo& info,
        Opening opening)
      : target_(target),
        container_(container),
        tags_(origin_tags(info)),
        plan_(std::move(plan)),
        encoders_(encoders),
        part_(target, info.overwrite || info.resume > 0, opening) {
    if (opening == Opening::trial) return;
    muxer_.emplace(part_.file(), container, Muxer::Form::growing, plan_, tags_);
    if (info.resume > 0) take_over(info.resume);
    frames_ = info.resume;
    encoder_.emplace(plan_, encoders_, info.resume);
  }

  // The frames of a run that fails elsewhere are in the encoders in part; the .part file shall have them all.
  ~Video() override {
    if (!muxer_ || frames_ == 0) return;
    try {
      complete_part();
    } catch (const std::exception& error) {
      spdlog::error("{}", error.what());
    }
  }

  std::optional<PixelLayout> layout() const override { return plan_.pixels().layout; }
  std::int64_t stride() const override { return plan_.segment_frames(); }
  std::int64_t safe_frames() const override { return safe_frames_; }
  std::size_t memory_bytes() const override { return SegmentEncoder::memory_bytes(plan_, encoders_); }
  std::vector<std::string> remarks() const override { return plan_.remarks(target_); }

  void write(const Frame& frame) override {
    ++frames_;
    salvage_on_error([&] { encoder_->send(frame.pixels, [&](Segment& segment) { put(segment); }); });
  }

  void finish() override {
    if (frames_ == 0) return muxer_.reset();
    complete_part();
    if (!container_.mp4_family) return part_.commit();
    OwnFile complete;
    try {
      complete = part_.make_complete();
      Muxer index_in_front(complete, container_, Muxer::Form::complete, plan_, tags_);
      copy_frames(part_.file().path(), part_.file().handle(), plan_, frames_, index_in_front);
      index_in_front.finish();
      part_.commit_instead(complete);
    } catch (const RuntimeError& error) {
      if (complete && complete.path() != part_.target()) complete.remove();
      throw RuntimeError(fmt::format("{}; {} holds all {} frames and plays as it is", error.what(),
                                     part_.file().path().string(), frames_));
    }
  }

 private:
  // The packets are written again and not cut in place: then the file is what an uninterrupted run would have at this
  // point, in any container, and what the interrupted one left is whole until the new file stands beside it.
  void take_over(std::int64_t frames) {
    const OwnFile& left = part_.earlier();
    const std::filesystem::path name = left ? left.path() : part_.target();
    if (!left && !std::filesystem::exists(name)) throw MissingFrames(fmt::format("{}: is not there", name.string()));
    const std::filesystem::path handle = left ? left.handle() : name;
    expect_same_origin(name, handle);
    const std::int64_t held = copy_frames(name, handle, plan_, frames, *muxer_);
    if (held < frames) {
      throw MissingFrames(fmt::format("{}: holds {} frames, and {} are needed to resume", name.string(), held, frames));
    }
    part_.sync();
    part_.keep();
    safe_frames_ = frames;
  }

  void expect_same_origin(const std::filesystem::path& name, const std::filesystem::path& handle) const {
    std::optional<PacketReader> left;
    try {
      left.emplace(name, handle, plan_);
    } catch (const RuntimeError& error) {
      throw UsageError(fmt::format("{}; there is nothing to resume from, so run without --resume", error.what()));
    }
    const AVCodecParameters &here = left->parameters(), &ours = plan_.parameters();
    std::string other =
        here.codec_id != ours.codec_id || here.width != ours.width || here.height != ours.height ? "codec or size" : "";
    for (const auto& [key, text] : tags_) {
      if (other.empty() && left->tag(key) != text) other = key;
    }
    if (other.empty()) return;
    throw UsageError(fmt::format("{}: comes from another run (its {} differs), so this one cannot go on with it",
                                 name.string(), other));
  }

  void put(Segment& segment) {
    for (const auto& packet : segment.packets) muxer_->write(*packet);
    muxer_->end_segment();
    part_.sync();
    part_.keep();
    safe_frames_ = segment.first + segment.frames;
  }

  void complete_part() {
    salvage_on_error([&] {
      encoder_->drain([&](Segment& segment) { put(segment); });
      muxer_->finish();
    });
    muxer_.reset();
  }

  template <class Work>
  void salvage_on_error(const Work& work) {
    try {
      work();
    } catch (const RuntimeError& error) {
      muxer_.reset();
      if (container_.mp4_family) cut_torn_fragment(part_.file());
      const std::int64_t held = readable_frames(part_.file(), plan_);
      part_.keep(held > 0);
      if (held == 0) throw RuntimeError(fmt::format("{}; no frame could be kept", error.what()));
      throw RuntimeError(
          fmt::format("{}; {} holds {} frames and plays as it is", error.what(), part_.file().path().string(), held));
    }
  }

  std::string target_;
  const Container& container_;
  Tags tags_;
  EncoderPlan plan_;
  int encoders_;
  PartFile part_;
  std::optional<Muxer> muxer_;
  std::optional<SegmentEncoder> encoder_;
  std::int64_t frames_ = 0;
  std::atomic<std::int64_t> safe_frames_ = 0;
};

}  // namespace

std::unique_ptr<Sink> open_video(const std::string& target, const OutputOptions& asked, const StreamInfo& info,
                                 Opening opening) {
  const Container& container = container_of(target);
  const Codec* codec = &choose_codec(target, container, asked);
  OutputOptions options = asked;
  if (const std::string why = what_is_missing(*codec, info); !why.empty()) {
    if (opening == Opening::real) {
      spdlog::warn("{}: {}; encoding with {} instead, without \"preset\" and \"options\"", target, why,
                   codec->fallback);
    }
    options.codec = codec->fallback;
    options.preset.reset();
    options.options.clear();
    codec = &choose_codec(target, container, options);
  }
  EncoderPlan plan(*codec, choose_pixels(target, *codec, options, info.alpha), options, info);
  const int encoders = encoders_of(plan, info);
  std::unique_ptr<Sink> sink;
  if (container.animated) {
    sink = open_animated(target, container, std::move(plan), encoders, info, opening);
  } else {
    sink = std::make_unique<Video>(target, container, std::move(plan), encoders, info, opening);
  }
  if (opening == Opening::real)
    for (const std::string& remark : sink->remarks()) spdlog::info("{}", remark);
  return sink;
}

std::vector<VideoCodec> video_codecs() {
  std::vector<VideoCodec> list;
  for (const Codec& codec : codecs()) {
    const std::string encoder(codec.encoder);
    list.push_back({std::string(codec.name),
                    encoder,
                    {codec.containers.begin(), codec.containers.end()},
                    avcodec_find_encoder_by_name(encoder.c_str()) != nullptr});
  }
  return list;
}

}  // namespace simreel
