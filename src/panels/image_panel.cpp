
#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "compare/picture.h"
#include "figure/scaled.h"
#include "panels/fitted.h"
#include "panels/panel.h"

namespace simreel {
namespace {

Picture picture_of(const std::string& file) {
  if (!lower_case(file).ends_with(".png"))
    throw UsageError("{}: \"image\" is a PNG; a scene is shown with \"scene\", a file of values with \"data\"", file);
  return read_picture(file);
}

// Its letter and title are those of a field without axes.
class ImagePanel : public Panel {
 public:
  ImagePanel(const PanelOptions& options, const PanelPrint& print)
      : Panel(options), picture_(picture_of(options.image)) {
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

  std::optional<double> aspect() const override {
    return static_cast<double>(picture_.size.height) / picture_.size.width;
  }

  Margins margins(Size field) override { return trimmed(lay_out(field).margins, {}, stage_.figure.options); }

  Page draw(Size field) override {
    FittedLayout fitted = lay_out(field);
    Page page;
    page.size = fitted.size;
    page.field = fitted.layout.field;
    if (picture_.size.width > field.width) {
      page.pixels = scaled(picture_.pixels, picture_.size, {page.field.width, page.field.height});
    } else {
      page.marks.push_back({"image", Image{page.field, picture_.size.width, picture_.size.height, picture_.pixels}});
    }
    std::ranges::move(fitted.layout.marks, std::back_inserter(page.marks));
    return page;
  }

 private:
  FittedLayout lay_out(Size field) {
    stage_.figure.grid = {1.0 * field.width, 1.0 * field.height};
    return fit_layout({}, stage_, field);
  }

  Picture picture_;
  ParticleStage stage_;
};

}  // namespace

std::unique_ptr<Panel> make_image_panel(const PanelOptions& options, const PanelPrint& print) {
  return std::make_unique<ImagePanel>(options, print);
}

}  // namespace simreel
