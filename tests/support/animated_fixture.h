#pragma once
// What the tests of animated pictures share: their files taken apart by other programs' code.

#include <webp/demux.h>

#include "tests/support/decoded_video.h"

namespace simreel {

// The frames of an animated picture as red, green, blue, alpha.
struct DecodedAnimation {
  int width = 0, height = 0;
  std::vector<double> milliseconds;  // that each frame is shown
  std::vector<std::vector<std::byte>> frames;
};

// Through libavformat and libavcodec.
inline DecodedAnimation decode_with_libav(const std::string& file) {
  const DecodedVideo video = decode(file);
  DecodedAnimation animation{video.width, video.height, {}, {}};
  for (std::size_t i = 0; i < video.frames.size(); ++i) {
    const double end = i + 1 < video.frames.size() ? video.times[i + 1] : video.end;
    animation.milliseconds.push_back(1000 * (end - video.times[i]));
    const auto& from = video.frames[i];
    const bool has_alpha = video.format != AV_PIX_FMT_RGB24, swapped = video.format == AV_PIX_FMT_BGRA;
    std::vector<std::byte> rgba;
    for (std::size_t k = 0; k < from.size(); k += has_alpha ? 4 : 3) {
      const std::size_t red = swapped ? 2 : 0;
      rgba.insert(rgba.end(),
                  {from[k + red], from[k + 1], from[k + 2 - red], has_alpha ? from[k + 3] : std::byte(255)});
    }
    animation.frames.push_back(std::move(rgba));
  }
  return animation;
}

// Through libwebp: FFmpeg 5.1 reads still pictures only.
inline DecodedAnimation decode_with_libwebp(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string bytes = text.str();
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  DecodedAnimation animation;
  WebPAnimDecoder* const decoder = WebPAnimDecoderNew(&data, nullptr);
  WebPAnimInfo info;
  if (!decoder || !WebPAnimDecoderGetInfo(decoder, &info)) return animation;
  animation.width = int(info.canvas_width), animation.height = int(info.canvas_height);
  std::uint8_t* pixels = nullptr;
  for (int before = 0, time = 0; WebPAnimDecoderGetNext(decoder, &pixels, &time); before = time) {
    const auto* const first = reinterpret_cast<const std::byte*>(pixels);
    animation.milliseconds.push_back(time - before);
    animation.frames.emplace_back(first, first + 4 * std::size_t(info.canvas_width) * info.canvas_height);
  }
  WebPAnimDecoderDelete(decoder);
  return animation;
}

inline DecodedAnimation decode_animation(const std::string& file) {
  return file.find(".webp") == std::string::npos ? decode_with_libav(file) : decode_with_libwebp(file);
}

}  // namespace simreel
