#include "sink/video/encoder_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "exec/machine.h"
#include "kernels/encode/h264.h"
#include "kernels/encode/parameter_sets.h"
#include "sink/video/encoder.h"
#include "sink/video/encoder_options.h"

namespace simreel {
namespace {

void set_colour(AVCodecContext& context, const PixelFormat& pixels) {
  // The pixels are sRGB. With the transfer tag of BT.709, colour-managed players (such as QuickTime) would show them
  // washed out; other players ignore the tag.
  context.color_trc = AVCOL_TRC_IEC61966_2_1;
  context.color_primaries = AVCOL_PRI_BT709;
  const bool is_rgb = av_pix_fmt_desc_get(pixels.encoded)->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL);
  context.colorspace = is_rgb ? AVCOL_SPC_RGB : AVCOL_SPC_BT709;
  context.color_range = is_rgb ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  if (pixels.encoded == AV_PIX_FMT_YUV420P || pixels.encoded == AV_PIX_FMT_YUVA420P)
    context.chroma_sample_location = AVCHROMA_LOC_LEFT;
}

int threads_for(const Codec& codec, Size size) {
  int threads = codec.threads;
  for (const auto& [pixels, more] : codec.large)
    if (std::int64_t{size.width} * size.height >= pixels) threads = more;
  return threads;
}

// Of an encoder that gets no more than `most` frames.
std::size_t estimate_memory(const Codec& codec, const PixelFormat& pixels, const OutputOptions& options, Size size,
                            std::int64_t most) {
  double frames = codec.memory.frames;
  for (const auto& [option, words, separators] : codec.words) {
    if (option != "preset") continue;
    const auto given = options.options.find("preset");
    const std::string preset =
        given != options.options.end() ? given->second : options.preset.value_or(std::string(codec.preset));
    const auto index = static_cast<std::size_t>(std::ranges::find(words, preset) - words.begin());
    if (index < codec.memory.waiting.size())
      frames += codec.memory.held_frames * static_cast<double>(std::min<std::int64_t>(
                                               threads_for(codec, size) + codec.memory.waiting[index], most));
  }
  const double area = static_cast<double>(size.width) * size.height;
  return codec.memory.bytes + static_cast<std::size_t>(frames * static_cast<double>(frame_bytes(size, pixels.layout)) +
                                                       codec.memory.pixels * area);
}

AvPtr<AVCodecContext> prepare(const AVCodec* encoder, const Codec& codec, const PixelFormat& pixels,
                              const StreamInfo& info, Size size, int group) {
  AvPtr<AVCodecContext> context = owned(avcodec_alloc_context3(encoder));
  context->log_level_offset = AvLog::ours;
  context->width = size.width;
  context->height = size.height;
  context->pix_fmt = pixels.encoded;
  context->time_base = {info.fps_denominator, info.fps_numerator};
  context->framerate = {info.fps_numerator, info.fps_denominator};
  context->sample_aspect_ratio = {1, 1};
  context->gop_size = codec.intra_only ? 1 : group;
  context->flags |= static_cast<int>(decided_flags);
  // The bytes depend on the number of threads, so it is the same on every machine.
  context->thread_count = threads_for(codec, info.size);
  context->thread_type = codec.thread_type;
  set_colour(*context, pixels);
  return context;
}

AvPtr<AVFrame> black_frame(const AVCodecContext& context) {
  AvPtr<AVFrame> black = owned(av_frame_alloc());
  black->format = context.pix_fmt;
  black->width = context.width;
  black->height = context.height;
  if (const int result = av_frame_get_buffer(black.get(), 0); result < 0)
    throw RuntimeError("av_frame_get_buffer: " + av_words(result));
  const std::array<ptrdiff_t, 4> strides = {black->linesize[0], black->linesize[1], black->linesize[2],
                                            black->linesize[3]};
  av_image_fill_black(black->data, strides.data(), context.pix_fmt, context.color_range, context.width, context.height);
  return black;
}

const AVCodec* find_encoder(const Codec& codec, const OutputOptions& options) {
  const AVCodec* const encoder = avcodec_find_encoder_by_name(std::string(codec.encoder).c_str());
  if (encoder) return encoder;
  throw UsageError(
      "{}codec \"{}\": {}; choose another codec, as \"h264_fast\", or {}", place_before(options, "codec"), codec.name,
      codec.by_program
          ? fmt::format("this simreel has no {}, and there is no program ffmpeg that has it", codec.encoder)
          : fmt::format("the FFmpeg of this simreel lacks its encoder {}", codec.encoder),
      codec.by_program
          ? "name an ffmpeg by SIMREEL_FFMPEG=PATH (the wheel also takes that of pip install imageio-ffmpeg)"
          : "install an FFmpeg that has it");
}

// libx264 and libx265 continue after a mistake in their own lists of parameters.
bool tells_a_mistake(const std::string& words) {
  constexpr std::array<std::string_view, 3> mistakes = {"Error parsing option", "Unknown option", "Invalid value for"};
  return std::ranges::any_of(mistakes, [&](std::string_view m) { return words.find(m) != std::string::npos; });
}

}  // namespace

std::string place_of(const OutputOptions& options, const std::string& key, const std::string& otherwise) {
  const Position& position = options.position_of(key);
  return position.source.empty() ? otherwise : position.text();
}

EncoderPlan::EncoderPlan(const Codec& codec, const PixelFormat& pixels, const OutputOptions& options,
                         const StreamInfo& info)
    : codec_(codec), pixels_(pixels), options_(options), info_(info), parameters_(owned(avcodec_parameters_alloc())) {
  if (codec.is_own())
    plan_own();
  else if (const std::string program = program_for(codec); !program.empty())
    plan_program(program);
  else
    plan_libav();
}

void EncoderPlan::plan_libav() {
  const Codec& codec = codec_;
  const OutputOptions& options = options_;
  const AVCodec* const encoder = find_encoder(codec, options);
  refuse_what_is_decided(options, [&] { return prepare(encoder, codec, pixels_, info_, size(), segment_frames()); });
  refuse_what_is_not_allowed(codec, options);

  AvOptions dictionary;
  const AvLog log;
  const auto [context, result] = attempt(size(), dictionary);
  if (result == AVERROR(ENOMEM)) throw RuntimeError(log.words(codec.encoder, result));
  if (result < 0) {
    const std::string words = log.words(fmt::format("encoder {}", codec.encoder), result);
    AvOptions same;
    const AvLog silence;
    if (attempt({256, 256}, same).result >= 0) {  // a size that every encoder accepts
      throw UsageError("[view] size = [{}, {}]: {}; choose another size, or pictures (-o x/%06d.png)", info_.size.width,
                       info_.size.height, words);
    }
    // Without a wish of the scene it is the machine that lacks something, such as threads (`ulimit -u`).
    if (options.options.empty() && !options.preset && !options.quality) throw RuntimeError(words);
    throw UsageError(place_before(options, named_option(options, words)) + words);
  }
  if (const std::string warnings = log.warnings(); tells_a_mistake(warnings))
    throw UsageError("{}encoder {}: {}", place_before(options, parameter_list(options)), codec.encoder, warnings);
  if (const auto unknown = dictionary.keys(); !unknown.empty())
    throw UsageError("{}[output.options]: the encoder {} of this FFmpeg has no option {}; leave it out",
                     place_before(options, "options." + unknown.front()), codec.encoder, quote(unknown.front()));
  if (const int failed = avcodec_parameters_from_context(parameters_.get(), context.get()); failed < 0)
    throw RuntimeError("avcodec_parameters_from_context: " + av_words(failed));
  delay_ = std::max(context->has_b_frames, codec.reordering);
  if (codec.late_header) take_header(*context);
}

void EncoderPlan::plan_program(const std::string& program) {
  refuse_what_is_decided(options_, [&] { return prepare(nullptr, codec_, pixels_, info_, size(), segment_frames()); });
  refuse_what_is_not_allowed(codec_, options_);
  AvOptions dictionary;
  set_options(dictionary, codec_, pixels_, options_, size());
  const AvPtr<AVCodecContext> context = prepare(nullptr, codec_, pixels_, info_, size(), segment_frames());
  const Size size = this->size();
  const std::string picture =
      fmt::format("-pixel_format {} -video_size {}x{} -framerate {}/{} -i pipe:0", av_get_pix_fmt_name(pixels_.encoded),
                  size.width, size.height, info_.fps_numerator, info_.fps_denominator);
  const std::string colours =
      fmt::format("-color_range {} -color_primaries {} -color_trc {} -colorspace {}",
                  av_color_range_name(context->color_range), av_color_primaries_name(context->color_primaries),
                  av_color_transfer_name(context->color_trc), av_color_space_name(context->colorspace));
  command_ = {program};
  const std::string fixed =
      fmt::format("-nostdin -hide_banner -loglevel warning -f rawvideo {} -c:v {} -g {} -threads {} {}", picture,
                  codec_.encoder, context->gop_size, context->thread_count, colours);
  for (const std::string_view word : words_in(fixed)) command_.emplace_back(word);
  if (context->chroma_sample_location != AVCHROMA_LOC_UNSPECIFIED)
    command_.insert(command_.end(),
                    {"-chroma_sample_location", av_chroma_location_name(context->chroma_sample_location)});
  std::string flags;
  for (const auto& [key, value] : dictionary.entries()) {
    if (key == "flags")
      flags = value.starts_with('+') || value.starts_with('-') ? value : "+" + value;
    else
      command_.insert(command_.end(), {"-" + key, value});
  }
  command_.insert(command_.end(), {"-flags", flags + "+bitexact+cgop+global_header", "-f", "nut", "pipe:1"});

  // A black picture tells what the program objects to, and the header of all segments.
  std::vector<std::uint8_t> header;
  try {
    ProgramEncoder trial(command_, frame_rate());
    trial.send(black_frame(*context), {});
    trial.drain([](AVPacket&) {});
    header = trial.header();
    if (const std::string words = trial.complaint(); tells_a_mistake(words))
      throw RuntimeError("{}: {}", program, words);
  } catch (const RuntimeError& error) {
    throw UsageError("{}codec \"{}\" by {}; take codec = \"h264_fast\", or another ffmpeg with SIMREEL_FFMPEG=PATH",
                     place_before(options_, "codec"), codec_.name, error.what());
  }
  set_parameters(codec_.name == "h264" ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC, header);
  delay_ = std::max(2, codec_.reordering);  // what both reorder at most
}

void EncoderPlan::plan_own() {
  if (options_.preset)
    throw UsageError("{}preset = {}: {} has no presets; leave \"preset\" out, or take codec = \"h264\"",
                     place_before(options_, "preset"), quote(*options_.preset), codec_.name);
  if (!options_.options.empty()) {
    const std::string& key = options_.options.begin()->first;
    throw UsageError("{}[output.options]: {} has no option {}; leave \"options\" out, or take codec = \"h264\"",
                     place_before(options_, "options." + key), codec_.name, quote(key));
  }
  const int quality = static_cast<int>(quality_of(codec_, pixels_, options_));
  if (!H264Encoder::accepts(info_.size))
    throw UsageError(
        "[view] size = [{}, {}]: {} takes pictures of up to 8192 pixels a side and 139264 "
        "blocks of 16 x 16; choose another size, or pictures (-o x/%06d.png)",
        info_.size.width, info_.size.height, codec_.name);
  const Size size = this->size();
  const std::vector<std::uint8_t> header =
      h264_parameter_sets(size, info_.fps_numerator, info_.fps_denominator, quality);
  parameters_->profile = header.at(5);  // after the start code and the unit's first byte
  parameters_->level = header.at(7);
  set_parameters(AV_CODEC_ID_H264, header);
}

void EncoderPlan::set_parameters(AVCodecID id, const std::vector<std::uint8_t>& header) {
  AVCodecParameters& p = *parameters_;
  const Size size = this->size();
  p.codec_type = AVMEDIA_TYPE_VIDEO;
  p.codec_id = id;
  p.format = pixels_.av;
  p.width = size.width;
  p.height = size.height;
  p.sample_aspect_ratio = {1, 1};
  const AvPtr<AVCodecContext> colours = owned(avcodec_alloc_context3(nullptr));
  set_colour(*colours, pixels_);
  p.color_primaries = colours->color_primaries;
  p.color_trc = colours->color_trc;
  p.color_space = colours->colorspace;
  p.color_range = colours->color_range;
  p.chroma_location = colours->chroma_sample_location;
  set_header(header.data(), header.size());
}

std::optional<PacketStream> EncoderPlan::packets() const {
  if (!codec_.is_own()) return std::nullopt;
  return PacketStream{static_cast<int>(quality_of(codec_, pixels_, options_)), segment_frames(), info_.encoders};
}

void EncoderPlan::set_header(const std::uint8_t* header, std::size_t size) {
  parameters_->extradata = static_cast<std::uint8_t*>(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
  if (!parameters_->extradata) throw RuntimeError("av_mallocz: no memory");
  std::copy_n(header, size, parameters_->extradata);
  parameters_->extradata_size = static_cast<int>(size);
}

void EncoderPlan::take_header(AVCodecContext& context) {
  const AvLog log;
  const auto check = [&](const char* call, int result) {
    if (result < 0) throw RuntimeError(log.words(fmt::format("encoder {}: {}", codec_.encoder, call), result));
  };
  check("avcodec_send_frame", avcodec_send_frame(&context, black_frame(context).get()));
  check("avcodec_send_frame", avcodec_send_frame(&context, nullptr));
  const AvPtr<AVPacket> packet = owned(av_packet_alloc());
  check("avcodec_receive_packet", avcodec_receive_packet(&context, packet.get()));
  std::size_t size = 0;
  const std::uint8_t* const header = av_packet_get_side_data(packet.get(), AV_PKT_DATA_NEW_EXTRADATA, &size);
  if (header) set_header(header, size);
}

EncoderPlan::Attempt EncoderPlan::attempt(Size size, AvOptions& dictionary) const {
  const AVCodec* const encoder = find_encoder(codec_, options_);
  AvPtr<AVCodecContext> context = prepare(encoder, codec_, pixels_, info_, size, segment_frames());
  set_options(dictionary, codec_, pixels_, options_, size);
  const int result = avcodec_open2(context.get(), encoder, dictionary.address());
  return {std::move(context), result};
}

AvPtr<AVCodecContext> EncoderPlan::open() const {
  AvOptions dictionary;
  const AvLog log;
  Attempt attempt = this->attempt(size(), dictionary);
  if (attempt.result < 0) throw RuntimeError(log.words(fmt::format("encoder {}", codec_.encoder), attempt.result));
  return std::move(attempt.context);
}

int EncoderPlan::threads() const { return threads_for(codec_, info_.size); }

Size EncoderPlan::size() const { return padded(info_.size, pixels_.layout); }

AVRational EncoderPlan::frame_rate() const { return {info_.fps_numerator, info_.fps_denominator}; }

int EncoderPlan::segment_frames() const {
  // Shorter segments would have nothing to predict from.
  constexpr double fewest = 12, fewest_asked = 2;
  // Intra-only codecs need only enough frames to keep the threads busy; large frames must not fill the memory.
  constexpr double max_bytes = 64 << 20;
  const double fps = static_cast<double>(info_.fps_numerator) / info_.fps_denominator;
  double frames = std::round(options_.segment.value_or(codec_.segment_seconds) * fps);
  if (!options_.segment && (codec_.intra_only || codec_.two_passes))
    frames = std::min(frames, max_bytes / static_cast<double>(frame_bytes(info_.size, pixels_.layout)));
  if (!codec_.intra_only) frames = std::max(frames, options_.segment ? fewest_asked : fewest);
  // Nothing of such a segment is in the file before its last frame, so a longer one would cost a killed run more.
  constexpr double longest = 2;
  if (codec_.two_passes) frames = std::min(frames, std::floor(longest * fps));
  return static_cast<int>(std::clamp(frames, 1.0, 1e6));
}

std::size_t EncoderPlan::memory_bytes() const {
  const std::size_t held = codec_.two_passes ? static_cast<std::size_t>(segment_frames()) : 0;
  return estimate_memory(codec_, pixels_, options_, info_.size, info_.frames) +
         held * frame_bytes(info_.size, pixels_.layout);
}

std::vector<std::string> EncoderPlan::remarks(const std::string& target) const {
  std::vector<std::string> remarks;
  if (std::string remark = padding_remark(target, info_.size, pixels_.layout); !remark.empty())
    remarks.push_back(std::move(remark));
  if (codec_.quality.option.empty() && options_.quality)
    remarks.push_back(
        fmt::format("{}: {} has one quality only; \"quality\" does not apply to it", target, codec_.name));
  if (codec_.preset.empty() && options_.preset)
    remarks.push_back(fmt::format("{}: {} has no presets; \"preset\" does not apply to it", target, codec_.name));
  const double pixels = static_cast<double>(info_.size.width) * info_.size.height * static_cast<double>(info_.frames);
  const double minutes = pixels / (codec_.pixels_a_second * usable_cores()) / 60;
  if (codec_.pixels_a_second > 0 && info_.frames != endless_frames && minutes > 1)
    remarks.push_back(fmt::format("{}: {} takes about {:.2g} min to encode here; h264 takes a tenth of that", target,
                                  codec_.name, minutes));
  return remarks;
}

}  // namespace simreel
