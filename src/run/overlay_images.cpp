#include "run/overlay_images.h"

#include <map>
#include <utility>

#include "base/error.h"
#include "base/grey_image.h"
#include "base/input_file.h"
#include "base/limits.h"
#include "base/text.h"

namespace simreel {

void load_overlay_images(std::vector<OverlayOptions>& overlays) {
  const ImageCount count(limits::scene_image_pixels);
  std::map<std::string, std::shared_ptr<OverlayImage>> known;
  for (OverlayOptions& overlay : overlays) {
    if (overlay.image.empty() || overlay.pixels) continue;
    std::shared_ptr<OverlayImage>& image = known[overlay.image.string()];
    if (!image) {
      const auto read = [file = overlay.image.string(), place = overlay.position_of("image")] {
        std::string reason = refusal_to_read(file);
        std::optional<ColorImage> found = reason.empty() ? read_color_image(file, reason) : std::nullopt;
        if (!found) throw UsageError("{}\"image\" in [[overlay]]: {}: {}", place.before(), file, reason);
        return *std::move(found);
      };
      ColorImage first = read();
      image = std::make_shared<OverlayImage>();
      image->size = {first.width, first.height};
      image->pixels = std::move(first.pixels);
      image->read = [read] { return read().pixels; };
    }
    overlay.pixels = image;
  }
}

std::vector<std::string> image_files(const std::vector<OverlayOptions>& overlays) {
  std::vector<std::string> files;
  for (const OverlayOptions& overlay : overlays)
    if (!overlay.image.empty()) files.push_back(overlay.image.string());
  return files;
}

}  // namespace simreel
