#pragma once
// What the tests of animated pictures share: their files taken apart by other programs' code.

#include "decoded_video.h"
#include "sink_fixture.h"

namespace simreel {

// The frames of an animated picture as red, green, blue, alpha.
struct DecodedAnimation {
  int width = 0, height = 0;
  std::vector<int> milliseconds;  // that each frame is shown
  std::vector<std::vector<std::byte>> frames;
};

// Through libavformat and libavcodec.
inline DecodedAnimation decode_with_libav(const std::string& file) {
  const DecodedVideo video = decode(file);
  DecodedAnimation animation{video.width, video.height, {}, {}};
  for (std::size_t i = 0; i < video.frames.size(); ++i) {
    const double end = i + 1 < video.frames.size() ? video.times[i + 1] : video.end;
    animation.milliseconds.push_back(int(std::lround(1000 * (end - video.times[i]))));
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

}  // namespace simreel
