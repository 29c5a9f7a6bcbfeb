#include "sink/video/encoder_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace simreel {
namespace {

void refuse_unknown_words(const Codec& codec, const OutputOptions& options) {
  for (const auto& [option, words, separators] : codec.words) {
    const auto given = options.options.find(std::string(option));
    std::string text = given != options.options.end() ? given->second : "";
    if (text.empty() && option == "preset") text = options.preset.value_or("");
    for (const std::string_view word : words_in(text, separators)) {
      if (std::ranges::find(words, word) != words.end()) continue;
      const std::string_view near = nearest(word, words);
      const std::string key = given != options.options.end() ? "options." + given->first : "preset";
      throw UsageError("{}encoder {} has no {} {}{}; there are {}", place_before(options, key), codec.encoder, option,
                       quote(word), near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near),
                       fmt::join(words, ", "));
    }
  }
}

// The options of the table, before those of the scene.
std::map<std::string, std::string> own_options(const Codec& codec, const OutputOptions& options, Size size) {
  std::map<std::string, std::string> own(codec.options.begin(), codec.options.end());
  if (!options.options.contains("tune")) own.insert(codec.untuned.begin(), codec.untuned.end());
  if (!options.preset && !options.options.contains("preset")) own.insert(codec.usual.begin(), codec.usual.end());
  if (size.width < codec.small.below.width || size.height < codec.small.below.height)
    for (const auto& [key, value] : codec.small.options) own[std::string(key)] = value;
  return own;
}

// A private option that sets the same as a key of [output] would leave that key without effect.
void refuse_two_names(const std::string& key, std::string_view option, const OutputOptions& options) {
  if (options.given.count(key) == 0 || options.options.count(std::string(option)) == 0) return;
  const std::string name = fmt::format("options.{}", option);
  throw UsageError("{}\"{}\" and \"{}\" in [output] set the same; leave one of them out", place_before(options, name),
                   name, key);
}

void refuse_unless_allowed(const std::string& word, const std::string_view allowed, const std::string& place) {
  if (is_among(word, allowed)) return;
  const std::string_view near = nearest(word, words_in(allowed));
  throw UsageError(
      "{}: {} is not an option that a scene may give{}; docs/outputs.md lists those under \"Options of encoders\"",
      place, quote(word), near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near));
}

// The options that the run decides, and the way to change them.
struct Decision {
  std::vector<std::int64_t> (*values)(const AVCodecContext&);
  std::string_view way_out;
};
using Values = std::vector<std::int64_t>;
constexpr std::array decisions = {
    Decision{[](const AVCodecContext& c) {
               return Values{c.width, c.height};
             },
             "use \"size\" in [view]"},
    Decision{[](const AVCodecContext& c) { return Values{c.pix_fmt}; }, "use \"pixel_format\" in [output]"},
    Decision{[](const AVCodecContext& c) {
               return Values{c.time_base.num, c.time_base.den, c.framerate.num, c.framerate.den};
             },
             "use \"fps\" in [animation]"},
    Decision{[](const AVCodecContext& c) {
               return Values{c.color_primaries, c.color_trc, c.colorspace, c.color_range, c.chroma_sample_location};
             },
             "leave it out: the colours are BT.709 with the transfer of sRGB, and tagged so (\"pixel_format\" in "
             "[output] chooses how they are stored)"},
    Decision{[](const AVCodecContext& c) {
               return Values{c.sample_aspect_ratio.num, c.sample_aspect_ratio.den};
             },
             "leave it out: pixels are square; \"size\" in [view] says how many there are"},
    Decision{[](const AVCodecContext& c) {
               return Values{c.thread_count, c.thread_type};
             },
             "leave it out: the bytes depend on it, so it is the same on every machine"},
    Decision{[](const AVCodecContext& c) { return Values{c.flags & decided_flags}; },
             "leave it out: bitexact, cgop and global_header are always on"},
    // Encoders note what they learn in a first pass in files.
    Decision{[](const AVCodecContext& c) { return Values{c.flags & (AV_CODEC_FLAG_PASS1 | AV_CODEC_FLAG_PASS2)}; },
             "leave it out: videos are encoded in one pass"},
};

}  // namespace

std::string place_before(const OutputOptions& options, const std::string& key) {
  return options.position_of(key).before();
}

double quality_of(const Codec& codec, const PixelFormat& pixels, const OutputOptions& options) {
  const double usual = pixels.quality > 0 ? pixels.quality : codec.quality.value;
  const double quality = options.quality.value_or(usual);
  const auto [min, greatest] = std::minmax(codec.quality.best, codec.quality.worst);
  if (quality >= min && quality <= greatest && (!codec.is_own() || quality == std::floor(quality))) return quality;
  throw UsageError("{}quality = {}: {} takes {}{} (best) to {} (worst); {} is the default",
                   place_before(options, "quality"), quality, codec.name, codec.is_own() ? "whole numbers from " : "",
                   codec.quality.best, codec.quality.worst, usual);
}

void set_options(AvOptions& to, const Codec& codec, const PixelFormat& pixels, const OutputOptions& options,
                 Size size) {
  refuse_two_names("quality", codec.quality.option, options);
  refuse_two_names("preset", "preset", options);
  const std::map<std::string, std::string> own = own_options(codec, options, size);
  for (const auto& [key, value] : own) to.set(key, value);
  if (!codec.quality.option.empty())
    to.set(codec.quality.option, fmt::format("{}", quality_of(codec, pixels, options)));
  refuse_unknown_words(codec, options);
  if (!codec.preset.empty()) to.set("preset", options.preset.value_or(std::string(codec.preset)));
  for (const auto& [key, value] : options.options) {
    // A parameter list of the scene is appended to ours; later entries win.
    const auto ours = own.find(key);
    const bool is_list = ours != own.end() && key.ends_with("-params");
    to.set(key, is_list ? fmt::format("{}:{}", ours->second, value) : value);
  }
}

void refuse_what_is_not_allowed(const Codec& codec, const OutputOptions& options) {
  for (const auto& [key, value] : options.options) {
    const std::string place = place_before(options, "options." + key);
    refuse_unless_allowed(key, fmt::format("{} {}", codec.allowed, common_options),
                          fmt::format("{}[output.options]: encoder {}", place, codec.encoder));
    if (!key.ends_with("-params")) continue;
    const std::string list = fmt::format("{}[output.options] {} = {}", place, key, quote(value));
    AvOptions parameters;
    if (!parameters.add_list(value)) throw UsageError(list + " is not a list as \"name=value:name=value\"");
    for (std::string name : parameters.keys()) {
      std::ranges::replace(name, '_', '-');
      refuse_unless_allowed(name.starts_with("no-") ? name.substr(3) : name, codec.allowed_parameters, list);
    }
  }
}

void refuse_what_is_decided(const OutputOptions& options, const std::function<AvPtr<AVCodecContext>()>& prepared) {
  const AvLog silence;
  const AvPtr<AVCodecContext> decided = prepared();
  for (const auto& [key, value] : options.options) {
    const AvPtr<AVCodecContext> trial = prepared();
    if (av_opt_set(trial.get(), key.c_str(), value.c_str(), 0) < 0) continue;  // avcodec_open2 reports the error
    for (const Decision& decision : decisions) {
      if (decision.values(*trial) == decision.values(*decided)) continue;
      throw UsageError("{}[output.options]: {} = {} is not for the encoder to say; {}",
                       place_before(options, "options." + key), key, quote(value), decision.way_out);
    }
  }
}

std::string named_option(const OutputOptions& options, const std::string& words) {
  const auto found = std::ranges::find_if(options.options, [&](const auto& option) {
    return words.find(fmt::format("option {} ", option.first)) != std::string::npos;
  });
  return found == options.options.end() ? "codec" : "options." + found->first;
}

std::string parameter_list(const OutputOptions& options) {
  const auto found =
      std::ranges::find_if(options.options, [](const auto& option) { return option.first.ends_with("-params"); });
  return found == options.options.end() ? "" : "options." + found->first;
}

}  // namespace simreel
