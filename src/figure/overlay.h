#pragma once
// What [[overlay]] puts over a picture: laid out before the first step as far as it stands still, and made into spans
// of pixels on the host whenever it changes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "figure/marks.h"
#include "figure/style.h"
#include "figure/time_text.h"
#include "kernels/raster/overlay.h"
#include "raster/bodies/camera.h"
#include "raster/bodies/particle_painter.h"
#include "raster/canvases.h"

namespace simreel {

class Overlays {
 public:
  // `picture`: where the painter draws; `field`: where the grid is in it; `labels`: what the figure writes over the
  // picture. Throws UsageError, with the place, for texts
  // that cannot be set, for what is larger than the picture, and for coordinates where there are none. The executor
  // must outlive it.
  Overlays(const Executor&, const ViewOptions&, const DrawContext&, const Viewport& picture, const Rectangle& field,
           const std::vector<Rectangle>& labels = {});
  Overlays(Overlays&&) = delete;

  static std::size_t memory_bytes(const ViewOptions&, const DrawContext&);

  bool wants_diagnostics() const;
  // The bodies that some follow, and where they are in the picture, in this order; before what the frame shows.
  std::vector<std::size_t> followed() const;
  void set_places(const std::vector<ScreenPoint>&);
  // A warning for each that no frame shows, since its place is not in the picture, or that lies over other labels.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // What the frame shows, in the order in which it is drawn.
  Marks marks(const FrameFacts&) const;
  // Whether that is what `draw` drew last.
  bool shows(const FrameFacts& facts) const { return shown_ == state_of(facts); }
  // Blends that over the canvases, whole pictures of which every pixel is drawn. Uploads where the frame before had
  // something else.
  void draw(const FrameFacts&, const Canvas<Color>&, const Canvas<DeepColor>&);

 private:
  struct Item {
    OverlayOptions options;
    std::vector<TimeText> texts;  // a line each
    std::vector<TimeLine> lines;
    int size = 0, pad = 0;                             // of an em, 1/64 pixel; around a text, pixels
    int width = 0, height = 0;                         // of all, pixels
    std::shared_ptr<const std::vector<Color>> pixels;  // of an image
    Color color, background, outline;
    std::optional<Spot> body;     // where that is which it follows; unset: not in any picture
    int away = 0;                 // from its corner of the picture, pixels down: labels lie there
    std::int32_t line_width = 0;  // 1/64 pixel
  };
  void lay_out_text(Item&) const;
  void lay_out_image(Item&);
  void keep_clear(Item&, const std::vector<Rectangle>& labels);
  void seek(const Item&, std::int64_t most);
  // Pixels of the canvas from those of the field; nullopt for what is behind the camera.
  std::optional<Spot> spot_of(const ScreenPoint&) const;
  // A place of the axes in pixels.
  std::optional<Spot> spot_of(const std::array<double, 2>&, std::int64_t frame) const;
  // nullopt where the picture does not have its position.
  std::optional<Spot> corner_of(const Item&, std::int64_t frame) const;
  void add_clipped(Shape, const Item&, Marks&) const;
  void add_text(const Item&, Spot corner, int opacity, const FrameFacts&, Marks&) const;
  void add_shape(const Item&, int opacity, std::int64_t frame, Marks&) const;
  std::string state_of(const FrameFacts&) const;

  const Executor& executor_;
  DrawContext stage_;
  Size size_;                         // of the canvas
  Rectangle picture_;                 // of the painter
  Rectangle field_;                   // that coordinates refer to
  Rectangle seen_;                    // of it, in the picture
  std::optional<CameraPath> camera_;  // where bodies have no axes
  std::vector<Item> items_;
  std::uint64_t image_pixels_ = 0, drawn_pixels_ = 0;  // of images, once for each size and for each overlay
  std::vector<std::string> warnings_;
  std::optional<std::string> shown_;  // the state of the spans
  int span_count_ = 0;
  Buffer<OverlaySpan> spans_;
  Buffer<Color> colors_;
};

}  // namespace simreel
