#include "sink/video.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

#include "error.h"
#include "scene/suggest.h"
#include "sink/codec.h"
#include "sink/encoder.h"
#include "sink/muxer.h"
#include "sink/part_file.h"
#include "sink/pattern.h"

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

const PixelFormat& choose_pixels(const std::string& target, const Codec& codec, const OutputOptions& options) {
  if (!options.pixel_format) return codec.pixel_formats.front();
  const auto all = codec.pixel_formats;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PixelFormat& p) { return p.name == *options.pixel_format; });
  if (found == all.end()) {
    throw UsageError(fmt::format("{}: {} has no pixel_format {}{}", place_of(options, target), codec.name,
                                 quote(*options.pixel_format), choices(*options.pixel_format, all)));
  }
  return *found;
}

Muxer::Options growing_options(const Container& container) {
  if (container.mp4_family) return {{"movflags", "+frag_keyframe+empty_moov+default_base_moof+use_metadata_tags"}};
  return {{"cluster_time_limit", "1000"}};  // milliseconds: what a crash can cost
}

class Video : public Sink {
 public:
  Video(const std::string& target, const Container& container, const Codec& codec, const PixelFormat& pixels,
        const OutputOptions& options, const StreamInfo& info, Opening opening)
      : container_(container),
        pixels_(pixels),
        tags_(origin_tags(info)),
        encoder_(codec, pixels, options, info),  // before the file: a misspelt option shall touch nothing
        part_(target, info.overwrite, opening) {
    if (opening == Opening::trial) return;
    tell_what_differs(target, codec, options, info.size);
    const AVCodecContext& context = encoder_.context();
    AVCodecParameters* parameters = avcodec_parameters_alloc();
    if (!parameters) throw RuntimeError("avcodec_parameters_alloc: no memory");
    const std::unique_ptr<AVCodecParameters, void (*)(AVCodecParameters*)> owner(
        parameters, [](AVCodecParameters* p) { avcodec_parameters_free(&p); });
    if (const int result = avcodec_parameters_from_context(parameters, &context); result < 0) {
      throw RuntimeError("avcodec_parameters_from_context: " + av_words(result));
    }
    muxer_.emplace(part_.file(), std::string(container.muxer), growing_options(container),
                   Muxer::Stream{parameters, context.time_base, context.framerate}, tags_);
    header_bytes_ = part_.file().size();
  }

  // The frames of a run that fails elsewhere are in the encoder in part; the .part file shall have them all.
  ~Video() override {
    if (!muxer_ || frames_ == 0) return;
    try {
      complete_part();
    } catch (const std::exception& error) {
      spdlog::error("{}", error.what());
    }
  }

  std::optional<PixelLayout> layout() const override { return pixels_.layout; }

  std::size_t memory_bytes() const override { return encoder_.memory_bytes(); }

  void write(const Frame& frame) override {
    ++frames_;
    salvage_on_error([&] { encoder_.send(frame.pixels, [&](AVPacket& packet) { put(packet); }); });
  }

  void finish() override {
    if (frames_ == 0) return muxer_.reset();
    complete_part();
    if (!container_.mp4_family) return part_.commit();
    OwnFile complete;
    try {
      complete = part_.make_complete();
      copy_with_index_in_front(part_.file(), complete, std::string(container_.muxer), tags_);
      part_.commit_instead(complete);
    } catch (const RuntimeError& error) {
      if (complete && complete.path() != part_.target()) complete.remove();
      throw RuntimeError(fmt::format("{}; {} holds all {} frames and plays as it is", error.what(),
                                     part_.file().path().string(), frames_));
    }
  }

 private:
  void tell_what_differs(const std::string& target, const Codec& codec, const OutputOptions& options,
                         Size asked) const {
    if (const Size size = padded(asked, pixels_.layout); size != asked) {
      spdlog::info("{}: {}x{} becomes {}x{}: 4:2:0 video has even sides, so the last column or row is repeated", target,
                   asked.width, asked.height, size.width, size.height);
    }
    if (codec.quality.option.empty() && (options.quality || options.preset)) {
      spdlog::info("{}: {} is lossless; quality and preset do not apply to it", target, codec.name);
    }
  }

  void put(AVPacket& packet) {
    muxer_->write(packet);
    // A container may hold packets back; what an earlier run left is given up for frames in the file only.
    if (kept_ || part_.file().size() <= header_bytes_) return;
    part_.keep();
    kept_ = true;
  }

  void complete_part() {
    salvage_on_error([&] {
      encoder_.drain([&](AVPacket& packet) { put(packet); });
      muxer_->finish();
      part_.keep();
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
      const std::int64_t held = readable_frames(part_.file());
      part_.keep(held > 0);
      if (held == 0) throw RuntimeError(fmt::format("{}; no frame could be kept", error.what()));
      throw RuntimeError(
          fmt::format("{}; {} holds {} frames and plays as it is", error.what(), part_.file().path().string(), held));
    }
  }

  const Container& container_;
  const PixelFormat& pixels_;
  Tags tags_;
  Encoder encoder_;
  PartFile part_;
  std::optional<Muxer> muxer_;
  std::int64_t frames_ = 0;
  std::uintmax_t header_bytes_ = 0;
  bool kept_ = false;
};

}  // namespace

std::unique_ptr<Sink> open_video(const std::string& target, const OutputOptions& options, const StreamInfo& info,
                                 Opening opening) {
  const Container& container = container_of(target);
  const Codec& codec = choose_codec(target, container, options);
  const PixelFormat& pixels = choose_pixels(target, codec, options);
  return std::make_unique<Video>(target, container, codec, pixels, options, info, opening);
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
