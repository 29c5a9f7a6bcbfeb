#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/input_image.h"
#include "base/text.h"
#include "figure/marks.h"
#include "panels/panel.h"

namespace simreel {
namespace {

ColorImage picture_of(const std::string& file) {
  if (!lower_case(file).ends_with(".png"))
    throw UsageError("{}: \"image\" is a PNG; a scene is shown with \"scene\", a file of values with \"data\"", file);
  std::string reason;
  std::optional<ColorImage> image = read_color_image(file, reason);
  if (!image) throw UsageError("{}: {}", file, reason);
  return *std::move(image);
}

// Its letter and title are those of a field without axes.
class ImagePanel : public Panel {
 public:
  ImagePanel(const PanelOptions& options, const PanelPrint& print)
      : Panel(options),
        picture_(picture_of(options.image)),
        aspect_(static_cast<double>(picture_.height) / picture_.width) {
    FigureOptions& figure = stage_.figure.options;
    figure.given = true;
    figure.title = lettered(options, options.title.value_or(""));
    figure.dpi = print.dpi;
    figure.font_points = print.font_points;
    figure.theme = FigureOptions::Theme::light;
    figure.position = options.position;
    stage_.figure.inside = print.labels_inside;
    stage_.figure.theme_over_picture = FigureOptions::Theme::dark;
  }

  std::optional<double> aspect() const override { return aspect_; }
  std::size_t bytes() const override { return picture_.pixels.size() * sizeof(Color); }

  Margins margins(Size field) override { return trimmed(lay_out(field).margins, {}, stage_.figure.options); }

  Page draw(Size field) override {
    FittedLayout fitted = lay_out(field);
    Page page;
    page.size = fitted.size;
    page.field = fitted.layout.field;
    const Rectangle& f = page.field;
    if (picture_.width > f.width) {  // from then on it has that size
      picture_.pixels = scaled(picture_.pixels, {picture_.width, picture_.height}, {f.width, f.height});
      picture_.width = f.width, picture_.height = f.height, shrunk_ = true;
    }
    if (shrunk_)
      page.pixels = picture_.pixels;
    else
      page.marks.push_back({"image", Image{f, picture_.width, picture_.height, picture_.pixels}});
    std::ranges::move(fitted.layout.marks, std::back_inserter(page.marks));
    return page;
  }

 private:
  FittedLayout lay_out(Size field) {
    stage_.figure.grid = {1.0 * field.width, 1.0 * field.height};
    return fit_layout({}, stage_, field);
  }

  ColorImage picture_;
  const double aspect_;
  bool shrunk_ = false;
  DrawContext stage_;
};

}  // namespace

std::unique_ptr<Panel> make_image_panel(const PanelOptions& options, const PanelPrint& print) {
  return std::make_unique<ImagePanel>(options, print);
}

}  // namespace simreel
