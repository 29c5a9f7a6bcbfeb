#include "run/overlay_images.h"

#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"
#include "source/grey_image.h"

namespace simreel {

void load_overlay_images(std::vector<OverlayOptions>& overlays) {
  for (OverlayOptions& overlay : overlays) {
    if (overlay.image.empty() || overlay.pixels) continue;
    const auto refuse = [&](const std::string& why) {
      throw UsageError("{}\"image\" in [[overlay]]: {}: {}", overlay.position_of("image").before(),
                       overlay.image.string(), why);
    };
    if (const std::string why = refusal_to_read(overlay.image); !why.empty()) refuse(why);
    std::string reason;
    std::optional<ColorImage> image = read_color_image(overlay.image.string(), reason);
    if (!image) refuse(reason);
    overlay.pixels =
        std::make_shared<OverlayImage>(OverlayImage{{image->width, image->height}, std::move(image->pixels)});
  }
}

std::vector<std::string> image_files(const std::vector<OverlayOptions>& overlays) {
  std::vector<std::string> files;
  for (const OverlayOptions& overlay : overlays)
    if (!overlay.image.empty()) files.push_back(overlay.image.string());
  return files;
}

}  // namespace simreel
