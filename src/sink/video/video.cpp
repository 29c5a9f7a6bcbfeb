#include "sink/video/video.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "exec/executor.h"
#include "exec/machine.h"
#include "files/pattern.h"
#include "sink/outputs.h"
#include "sink/video/codecs.h"
#include "sink/video/encoder.h"
#include "sink/video/encoder_plan.h"
#include "sink/video/file.h"
#include "sink/video/segment_encoder.h"

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

// The row of the table with that name, or null.
const Codec* find_codec(std::string_view name) {
  const auto all = codecs();
  const auto codec = std::ranges::find(all, name, &Codec::name);
  return codec == all.end() ? nullptr : &*codec;
}

bool can_hold(const Codec& codec, std::string_view extension) {
  return std::ranges::find(codec.containers, extension) != codec.containers.end();
}

// What takes the place of a default codec: H.264 by simreel itself where this FFmpeg has no x264.
std::string_view in_place_of(std::string_view codec) {
  return codec == "h264" && !has_encoder(*find_codec(codec)) ? "h264_fast" : codec;
}

// What keeps an alpha; null: no format of the codec does there. MP4 has no place for the second picture of VP9.
const PixelFormat* alpha_format(const Codec& codec, std::string_view extension) {
  const auto found = std::ranges::find(codec.pixel_formats, PixelLayout::rgba, &PixelFormat::layout);
  return found == codec.pixel_formats.end() || extension == ".mp4" ? nullptr : &*found;
}

// The outputs that keep an alpha.
std::string outputs_with_alpha() {
  std::vector<std::string> outputs;
  for (const Codec& codec : codecs())
    for (const std::string_view extension : codec.containers)
      if (const std::string output = fmt::format("x{}", extension);
          alpha_format(codec, extension) && std::ranges::find(outputs, output) == outputs.end())
        outputs.push_back(output);
  return fmt::format("{} and pictures (x/%06d.png)", fmt::join(outputs, ", "));
}

// The codec of a container where the scene names none: for a transparent picture one that keeps it, unless settings are
// given, which are for the usual one.
std::string_view usual_codec(std::string_view extension, const Container& container, const OutputOptions& options,
                             bool alpha) {
  const std::string_view usual = in_place_of(container.codec);
  const bool settings =
      options.preset || !options.options.empty() || (options.pixel_format && *options.pixel_format != "rgba");
  if (!alpha || settings || alpha_format(*find_codec(usual), extension)) return usual;
  for (const Codec& codec : codecs())
    if (can_hold(codec, extension) && alpha_format(codec, extension) && has_encoder(codec)) return codec.name;
  return usual;
}

std::string way_to_alpha(const std::string& target, const Container& container) {
  const std::string_view codec = usual_codec(extension_of(target), container, {}, true);
  if (!alpha_format(*find_codec(codec), extension_of(target)))
    return fmt::format("transparent are {}", outputs_with_alpha());
  return fmt::format("leave \"codec\", \"preset\", \"pixel_format\" and \"options\" out of [output] for {} with alpha",
                     codec);
}

const Codec& choose_codec(const std::string& target, const Container& container, const OutputOptions& options,
                          bool alpha) {
  const std::string_view usual = usual_codec(extension_of(target), container, options, alpha);
  const Codec& codec = *find_codec(options.codec ? *options.codec : usual);
  if (can_hold(codec, extension_of(target))) return codec;
  throw UsageError("{}: {} cannot hold codec \"{}\"; name the output {}, or leave the codec out for {}",
                   place_of(options, "codec", target), target, codec.name, fmt::join(codec.containers, " or "), usual);
}

// A codec in the scene file is a default for what -o leaves open. If the container of an output cannot hold it, none of
// the scene's settings for that codec apply; returns a remark on that, or an empty string.
std::string give_way(OutputOptions& options, const std::string& target, const Container& container, bool alpha) {
  const bool is_default =
      options.given.contains("codec") && options.position_of("codec").line > 0 && target != options.path;
  if (!is_default || can_hold(*find_codec(*options.codec), extension_of(target))) return "";
  std::vector<std::string_view> settings;
  if (options.quality) settings.push_back("\"quality\"");
  if (options.preset) settings.push_back("\"preset\"");
  if (options.pixel_format) settings.push_back("\"pixel_format\"");
  if (!options.options.empty()) settings.push_back("\"options\"");
  OutputOptions others;
  others.segment = options.segment;
  others.position = options.position;
  std::string remark = fmt::format("{}: cannot hold {}, the codec of [output], and becomes {}", target, *options.codec,
                                   usual_codec(extension_of(target), container, others, alpha));
  if (!settings.empty()) remark += fmt::format(", without the {} there", fmt::join(settings, ", "));
  options = others;
  return remark;
}

const PixelFormat& choose_pixels(const std::string& target, const Codec& codec, const OutputOptions& options,
                                 bool alpha) {
  const auto all = codec.pixel_formats;
  if (!options.pixel_format) {
    const PixelFormat* const see_through = alpha ? alpha_format(codec, extension_of(target)) : nullptr;
    return see_through ? *see_through : all.front();
  }
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PixelFormat& p) { return p.name == *options.pixel_format; });
  const bool sees_through = *options.pixel_format == "rgba";
  if (found == all.end() || (sees_through && !alpha_format(codec, extension_of(target))))
    throw UsageError("{}: {} has no pixel_format {}{}{}", place_of(options, "pixel_format", target), codec.name,
                     quote(*options.pixel_format), choices(*options.pixel_format, all),
                     sees_through ? fmt::format("; transparent are {}", outputs_with_alpha()) : "");
  return *found;
}

// The reason why an encoder that has a fallback does not open with any options; empty if it does.
std::string why_encoder_fails(const Codec& codec, const StreamInfo& info) {
  if (codec.fallback.empty()) return "";
  try {
    EncoderPlan(codec, codec.pixel_formats.front(), {}, info);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::int64_t part_of(std::int64_t frames, std::int64_t every) { return frames / every + (frames % every > 0 ? 1 : 0); }

int encoders_of(const EncoderPlan& plan, const StreamInfo& info) {
  if (plan.codec().is_own()) return info.encoders;
  const int wanted = info.encoders > 0
                         ? info.encoders
                         : SegmentEncoder::fitting_encoders(plan, usable_cores(), host_memory_available() / 2);
  return static_cast<int>(std::clamp<std::int64_t>(part_of(plan.frames(), plan.segment_frames()), 1, wanted));
}

// Whether the run could encode this output where pictures are drawn, with its other settings.
bool is_replaceable(const std::string& target, const EncoderPlan& plan, const OutputOptions& options,
                    const StreamInfo& info) {
  const Codec& own = *std::ranges::find_if(codecs(), &Codec::is_own);
  const PixelFormat& pixels = own.pixel_formats.front();
  if (plan.codec().is_own() || plan.pixels().layout != pixels.layout || !can_hold(own, extension_of(target)))
    return false;
  try {
    EncoderPlan(own, pixels, options, info);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// The frames of the run of which one is written: as few as make a rate that players show.
std::int64_t every_of(const Container& container, const StreamInfo& info) {
  if (container.max_fps == 0) return 1;
  const std::int64_t most = std::int64_t{container.max_fps} * info.fps_denominator;
  return std::max<std::int64_t>(1, (info.fps_numerator + most - 1) / most);
}

// The stream of what is written of the frames.
StreamInfo thinned(StreamInfo info, std::int64_t every) {
  info.fps_denominator *= static_cast<int>(every);
  info.frames = part_of(info.frames, every);
  info.resume = part_of(info.resume, every);
  return info;
}

// Makes segments of frames for a VideoFile. `info`: of the frames that are written, one of `every`. `remark`: empty if
// the codec is the requested one.
class Video : public Sink {
 public:
  Video(const std::string& target, const Container& container, EncoderPlan plan, int encoders, const StreamInfo& info,
        std::int64_t every, Opening opening, const std::string& remark, bool replaceable)
      : Sink({}),
        log_(info.log),
        plan_(std::move(plan)),
        file_((container.animated ? open_animated : open_container)(target, container, plan_, info, opening)),
        frames_(info.resume) {
    traits_.every = every;
    const bool own = plan_.codec().is_own();
    traits_.packets = plan_.packets();
    if (!own) traits_.layout = plan_.pixels().layout;
    traits_.stride = plan_.segment_frames() * every;
    traits_.memory_bytes = own ? PacketSegments::memory_bytes(plan_) : SegmentEncoder::memory_bytes(plan_, encoders);
    if (!own) {
      traits_.encoded = SegmentEncoder::encoded(plan_, encoders);
      traits_.cores = encoders * std::max(1, plan_.threads() / plan_.codec().threads_per_core);
    }
    if (replaceable) traits_.replaceable_codec = plan_.codec().name;
    if (!remark.empty()) traits_.remarks.push_back(remark);
    if (info.alpha && plan_.pixels().layout != PixelLayout::rgba)
      traits_.remarks.push_back(
          fmt::format("{}: the background is not opaque, but {} has no alpha, so it is drawn as if it were opaque; {}",
                      target, plan_.codec().name, way_to_alpha(target, container)));
    std::ranges::move(plan_.remarks(target), std::back_inserter(traits_.remarks));
    if (every > 1)
      traits_.remarks.push_back(
          fmt::format("{}: players show at most {} frames a second of it, so it holds one frame of {}: {:.4g} a second",
                      target, container.max_fps, every, av_q2d(plan_.frame_rate())));
    if (opening == Opening::trial) return;
    if (own)
      segments_ = std::make_unique<PacketSegments>(plan_, info.resume);
    else
      segments_ = std::make_unique<SegmentEncoder>(plan_, encoders, info.resume);
  }

  // If the run fails elsewhere, some frames are still in the encoders; they are written to the .part file.
  ~Video() override {
    if (!segments_ || frames_ == 0) return;
    try {
      complete_part();
    } catch (const std::exception& error) {
      tell(log_, LogLevel::error, error.what());
    }
  }

  std::int64_t safe_frames() const override { return file_->frames() * traits_.every; }
  std::vector<Checksum> checksums(std::int64_t frames) const override {
    return file_->checksums(static_cast<std::size_t>((frames + traits_.stride - 1) / traits_.stride));
  }

  void write(const Frame& frame) override {
    if (frame.index % traits_.every != 0) return;
    ++frames_;
    salvage_on_error([&] { segments_->send(frame, [&](Segment& segment) { put(segment); }); });
  }

  void finish() override {
    if (frames_ == 0) return segments_.reset();
    complete_part();
    try {
      file_->commit();
    } catch (const RuntimeError& error) {
      throw RuntimeError(plays_as_it_is(error, fmt::format("all {}", frames_)));
    }
  }

  double first_bytes() const override { return first_bytes_; }

 private:
  void put(Segment& segment) {
    if (!segment.packets.empty()) first_bytes_ += segment.packets.front()->size;
    file_->put(segment);
  }

  void complete_part() {
    salvage_on_error([&] {
      segments_->drain([&](Segment& segment) { put(segment); });
      file_->end();
    });
    segments_.reset();
  }

  template <class Work>
  void salvage_on_error(const Work& work) {
    try {
      work();
    } catch (const std::exception& error) {
      segments_.reset();
      throw RuntimeError(salvaged(error));
    }
  }

  // The error with what is left after it.
  std::string salvaged(const std::exception& error) {
    try {
      const std::int64_t held = file_->salvage();
      if (held == 0) return fmt::format("{}; no frame could be kept", error.what());
      return plays_as_it_is(error, fmt::format("{}", held));
    } catch (const RuntimeError& second) {
      return fmt::format("{}; {} was left as it is, its end may be torn: {}", error.what(), file_->path(),
                         second.what());
    }
  }

  std::string plays_as_it_is(const std::exception& error, const std::string& frames) const {
    return fmt::format("{}; {} holds {} frames and plays as it is", error.what(), file_->path(), frames);
  }

  Log log_;
  EncoderPlan plan_;
  std::unique_ptr<VideoFile> file_;
  std::unique_ptr<SegmentMaker> segments_;  // null: the .part file is complete or abandoned
  std::int64_t frames_;
  double first_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Sink> open_video(const std::string& target, const OutputOptions& asked, const StreamInfo& info,
                                 Opening opening) {
  const Container& container = kind_by_extension(target)->container;
  OutputOptions options = asked;
  std::string remark = give_way(options, target, container, info.alpha);
  const Codec* codec = &choose_codec(target, container, options, info.alpha);
  if (const std::string why = why_encoder_fails(*codec, info); !why.empty()) {
    const std::string_view instead = in_place_of(codec->fallback);
    if (opening == Opening::real)
      tell(info.log, LogLevel::warning,
           fmt::format("{}: {}; encoding with {} instead, without \"preset\" and \"options\"", target, why, instead));
    options.codec = instead;
    options.preset.reset();
    options.options.clear();
    codec = &choose_codec(target, container, options, info.alpha);
  }
  const std::int64_t every = every_of(container, info);
  const StreamInfo written = thinned(info, every);
  EncoderPlan plan(*codec, choose_pixels(target, *codec, options, info.alpha), options, written);
  const int encoders = encoders_of(plan, written);
  const bool replaceable = is_replaceable(target, plan, options, written);
  return std::make_unique<Video>(target, container, std::move(plan), encoders, written, every, opening,
                                 std::move(remark), replaceable);
}

std::string_view default_codec() { return in_place_of("h264"); }

std::string default_extension(const OutputOptions& options) {
  constexpr std::string_view usual = ".mp4";
  const Codec* const codec = options.codec ? find_codec(*options.codec) : nullptr;
  return std::string(!codec || can_hold(*codec, usual) ? usual : codec->containers.front());
}

void refuse_unknown_codec(const OutputOptions& options) {
  if (!options.codec || find_codec(*options.codec)) return;
  const std::string lower = lower_case(*options.codec);
  const auto meant = std::ranges::find_if(codecs(), [&](const Codec& codec) {
    return codec.encoder == lower || codec.name == lower || is_among(lower, codec.other_names);
  });
  throw UsageError("{}: unknown codec {}{}", place_of(options, "codec", "[output]"), quote(*options.codec),
                   meant == codecs().end() ? choices(*options.codec, codecs())
                                           : fmt::format("; here it is called {}", quote(meant->name)));
}

std::vector<VideoCodec> video_codecs() {
  std::vector<VideoCodec> list;
  for (const Codec& codec : codecs()) {
    const std::string encoder(codec.encoder);
    VideoCodec& row = list.emplace_back();
    row.name = codec.name;
    row.encoder = encoder;
    row.containers.assign(codec.containers.begin(), codec.containers.end());
    if (const Codec::Quality& q = codec.quality; !q.option.empty()) {
      row.quality = fmt::format("{:g} ({:g} to {:g})", q.value, q.best, q.worst);
    } else if (codec.lossless) {
      row.quality = "lossless";
    }
    row.preset = codec.preset;
    for (const PixelFormat& pixels : codec.pixel_formats) row.pixel_formats.emplace_back(pixels.name);
    row.note = codec.note;
    row.available = codec.is_own() || has_encoder(codec);
    row.program = program_for(codec);
  }
  return list;
}

std::string ffmpeg_in_words() { return fmt::format("FFmpeg {} ({})", av_version_info(), avcodec_license()); }

std::string codecs_markdown() {
  std::string text =
      "| `codec` | in | `quality` (best to worst) | `preset` | `pixel_format` | remarks |\n|---|---|---|---|---|---|\n";
  for (const VideoCodec& codec : video_codecs()) {
    text += fmt::format("| `{}` | {} | {} | {} | `{}` | {} |\n", codec.name, fmt::join(codec.containers, " "),
                        codec.quality.empty() ? "one" : codec.quality,
                        codec.preset.empty() ? "none" : fmt::format("`{}`", codec.preset),
                        fmt::join(codec.pixel_formats, "`, `"), codec.note);
  }
  return text;
}

std::string options_markdown() {
  std::string text =
      fmt::format("| of | `[output.options]` |\n|---|---|\n| all but `h264_fast` | {} |\n", common_options);
  for (const Codec& codec : codecs()) {
    if (!codec.allowed.empty()) text += fmt::format("| `{}` | {} |\n", codec.name, codec.allowed);
    if (!codec.allowed_parameters.empty())
      text += fmt::format("| the parameters of `{}` | {} |\n", codec.name, codec.allowed_parameters);
  }
  return text;
}

}  // namespace simreel
