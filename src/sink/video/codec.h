#pragma once
// The codec table: one row decides all that differs between codecs. Containers are rows of sink/kinds.h. Internal to
// the video sink.

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/pixels.h"
#include "sink/video/av.h"

namespace simreel {

struct PixelFormat {
  std::string_view name;  // [output] pixel_format
  PixelLayout layout;
  AVPixelFormat av;
  AVPixelFormat encoded = av;  // what the encoder takes, where it is another form of the same
};

struct Codec {
  std::string_view name;                         // [output] codec
  std::string_view encoder;                      // libav's name
  std::span<const std::string_view> containers;  // extensions, the preferred one first
  std::span<const PixelFormat> pixel_formats;    // the default first
  struct Quality {
    std::string_view option;  // of the encoder; empty: the codec has no such scale
    double value = 0, best = 0, worst = 0;
  } quality = {};
  std::string_view preset = {};  // default; empty: the encoder has none
  // Options that take certain words only, of which the encoder's library complains on the standard error by itself.
  struct Words {
    std::string_view option;
    std::span<const std::string_view> words;
    std::string_view separators;  // between several of them
  };
  std::span<const Words> words = {};
  // Peak of the resident memory, measured with noise of two sizes (tests/bench/encode_frames.cpp).
  struct Memory {
    std::size_t bytes = 0;              // whatever the size
    double frames = 0;                  // this many frames more
    double held_frames = 0;             // and this many for each one that waits: the threads', and by preset
    std::span<const int> waiting = {};  // by preset, in the order of its words
    double pixels = 0;                  // and for each pixel of the video, whatever its format
  } memory = {};
  bool two_passes = false;     // an encoder holds all frames of its segment before it makes the first packet
  int thread_type = 0;         // FF_THREAD_SLICE or FF_THREAD_FRAME
  int threads = 1;             // of an encoder, on every machine
  bool intra_only = false;     // no picture needs another
  bool lossless = false;       // a packet may be as large as its frame
  double segment_seconds = 2;  // the default of [output] segment
  int reordering = 0;          // frames of delay() at least, for encoders that do not say
  bool late_header = false;    // the encoder tells what containers begin with only when it has seen a frame
  using Options = std::span<const std::pair<std::string_view, std::string_view>>;
  Options options = {};  // passed to every encoder, before the scene's own
  // Beside them, or instead of those of the same name: for pictures of which a side is shorter than that of `below`.
  struct Small {
    Size below;
    Options options;
  } small = {};
  std::string_view fallback = {};  // the codec to take where this one's hardware is missing; empty: there is none
  std::string_view note = {};      // what else docs/outputs.md says of it, in Markdown
};
std::span<const Codec> codecs();

}  // namespace simreel
