#include "source/grey_image.h"

#include <memory>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_FAILURE_USERMSG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace simreel {

std::optional<GreyImage> read_grey_image(const std::string& file, std::string& reason) {
  GreyImage image;
  int channels = 0;
  const std::unique_ptr<stbi_us, void (*)(void*)> pixels(
      stbi_load_16(file.c_str(), &image.width, &image.height, &channels, 4), stbi_image_free);
  if (!pixels) {
    reason = stbi_failure_reason();
    return {};
  }
  const std::ptrdiff_t count = std::ptrdiff_t{image.width} * image.height;
  image.level.reserve(static_cast<std::size_t>(count));
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const stbi_us* const pixel = pixels.get() + 4 * i;
    const double opaque = (0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2]) / 65535,
                 alpha = pixel[3] / 65535.0;
    image.level.push_back(static_cast<float>(alpha * opaque + 1 - alpha));
  }
  return image;
}

std::optional<ColorImage> read_color_image(const std::string& file, std::string& reason) {
  ColorImage image;
  int channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load(file.c_str(), &image.width, &image.height, &channels, 4), stbi_image_free);
  if (!pixels) {
    reason = stbi_failure_reason();
    return {};
  }
  image.channels.assign(pixels.get(), pixels.get() + std::ptrdiff_t{4} * image.width * image.height);
  return image;
}

}  // namespace simreel
