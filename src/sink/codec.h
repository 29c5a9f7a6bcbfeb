#pragma once
// The codec table: one row decides all that differs between codecs. Internal to the video sink.

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pixels.h"
#include "sink/av.h"

namespace simreel {

struct PixelFormat {
  std::string_view name;  // [output] pixel_format
  PixelLayout layout;
  AVPixelFormat av;
};

struct Codec {
  std::string_view name;                         // [output] codec
  std::string_view encoder;                      // libav's name
  std::span<const std::string_view> containers;  // extensions, the preferred one first
  std::span<const PixelFormat> pixel_formats;    // the default first
  struct Quality {
    std::string_view option;  // of the encoder; empty: the codec has no such scale
    double value = 0, best = 0, worst = 0;
  } quality;
  std::string_view preset;  // default; empty: the encoder has none
  int thread_type = 0;      // FF_THREAD_SLICE or FF_THREAD_FRAME
  bool intra_only = false;
  std::span<const std::pair<std::string_view, std::string_view>>
      options;  // passed to every encoder, before the scene's own
};
std::span<const Codec> codecs();

struct Container {
  std::string_view extension;  // ".mp4"
  std::string_view muxer;      // libav's name
  std::string_view codec;      // default
  bool mp4_family;             // written as fragments, copied to one with its index in front at the end
};
std::span<const Container> containers();

}  // namespace simreel
