#pragma once
// The codec table: one row holds everything that differs between codecs. Containers are rows of sink/outputs.h.
// Internal to the video sink.

#include <span>
#include <string_view>
#include <utility>

#include "base/pixels.h"
#include "sink/video/av.h"

namespace simreel {

struct PixelFormat {
  std::string_view name;  // [output] pixel_format
  PixelLayout layout;
  AVPixelFormat av;
  AVPixelFormat encoded = av;  // the equivalent format of the encoder, if it differs
  double quality = 0;          // the default with it; 0: the codec's
};

// The encoder of kernels/encode, which works where pictures are drawn: packets, not pixels, reach the sink.
inline constexpr std::string_view own_encoder = "simreel";

struct Codec {
  std::string_view name;                         // [output] codec
  std::string_view encoder;                      // libav's name, or `own_encoder`
  std::string_view other_names = {};             // of the codec, in small letters, with spaces between them
  std::span<const std::string_view> containers;  // extensions, the preferred one first
  std::span<const PixelFormat> pixel_formats;    // the default first
  struct Quality {
    std::string_view option;  // of the encoder; empty: the codec has no scale of quality
    double value = 0, best = 0, worst = 0;
  } quality = {};
  std::string_view preset = {};  // default; empty: the encoder has none
  // The options of libav's encoder that a scene may give in addition to `common_options`, and the entries of its list
  // of parameters (x264-params): words with spaces between them. None of them names a file or a device.
  std::string_view allowed = {}, allowed_parameters = {};
  // Options with a fixed set of words; the encoder's library would report other words on standard error.
  struct Words {
    std::string_view option;
    std::span<const std::string_view> words;
    std::string_view separators;  // between several of them
  };
  std::span<const Words> words = {};
  // Peak resident memory, measured with noise of two sizes (tests/bench/encode_frames.cpp of commit 5badf644).
  struct Memory {
    std::size_t bytes = 0;              // for any size
    double frames = 0;                  // plus this many frames
    double held_frames = 0;             // plus this many for each waiting frame, of which there are one per thread and
    std::span<const int> waiting = {};  // these, by preset in the order of its words
    double pixels = 0;                  // plus this per pixel of the video, for any format
  } memory = {};
  double pixels_a_second = 0;  // that a core encodes by default, of a codec that is slow; about
  bool two_passes = false;     // an encoder holds all frames of its segment before its first packet
  int thread_type = 0;         // FF_THREAD_SLICE or FF_THREAD_FRAME
  int threads = 1;             // per encoder, on every machine
  struct Large {
    std::int64_t pixels;  // of a picture
    int threads;          // per encoder from there on, on every machine
  };
  std::span<const Large> large = {};  // increasing
  int threads_per_core = 1;           // that keep it busy
  bool intra_only = false;            // no frame refers to another
  bool lossless = false;              // a packet may be as large as its frame
  double segment_seconds = 2;         // the default of [output] segment
  int reordering = 0;                 // minimum delay() in frames, for encoders that do not report it
  bool late_header = false;           // the encoder provides its header only after the first frame
  using Options = std::span<const std::pair<std::string_view, std::string_view>>;
  Options options = {};  // passed to every encoder, before those of the scene
  Options untuned = {};  // likewise, but a "tune" of the scene has its own
  Options usual = {};    // likewise, but with the default preset alone
  // Additional or replacement options for pictures with a side shorter than that of `below`.
  struct Small {
    Size below;
    Options options;
  } small = {};
  std::string_view fallback = {};  // the codec to use if the hardware for this one is missing; empty: none
  bool by_program = false;         // by ffmpeg, the program, where the encoder is not linked
  std::string_view note = {};      // further description for docs/outputs.md, in Markdown

  bool is_own() const { return encoder == own_encoder; }
};
std::span<const Codec> codecs();

// Whether the FFmpeg that is linked has the codec's encoder.
bool has_encoder(const Codec&);

// The options that a scene may give to each of libav's encoders. Those that the run decides are checked by value.
inline constexpr std::string_view common_options =
    "b b_qfactor b_qoffset bf bt bufsize cmp compression_level dia_size flags g global_quality i_qfactor i_qoffset "
    "keyint_min level maxrate mbd me_range minrate profile qblur qcomp qdiff qmax qmin rc_init_occupancy refs slices "
    "strict subcmp subq thread_type threads trellis";

}  // namespace simreel
