
#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "compare/picture.h"
#include "panels/fitted.h"
#include "panels/panel.h"

namespace simreel {
namespace {

// The mean of the pixels that each pixel of a smaller picture covers.
std::vector<Color> reduced(const Picture& picture, Size to) {
  std::vector<Color> pixels;
  const auto range = [](int i, int from, int count) {
    const int low = static_cast<int>(std::int64_t{i} * from / count);
    return std::array{low, std::max(low + 1, static_cast<int>(std::int64_t{i + 1} * from / count))};
  };
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      const auto rows = range(y, picture.size.height, to.height), columns = range(x, picture.size.width, to.width);
      std::int64_t r = 0, g = 0, b = 0, a = 0, count = 0;
      for (int v = rows[0]; v < rows[1]; ++v) {
        for (int u = columns[0]; u < columns[1]; ++u, ++count) {
          const Color& c = picture.at(u, v);
          r += c.r * c.a, g += c.g * c.a, b += c.b * c.a, a += c.a;
        }
      }
      const auto mean = [](std::int64_t sum, std::int64_t by) {
        return static_cast<std::uint8_t>(by == 0 ? 0 : (sum + by / 2) / by);
      };
      pixels.push_back({mean(r, a), mean(g, a), mean(b, a), mean(a, count)});
    }
  }
  return pixels;
}

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
    if (print.labels_inside) stage_.figure.inside = FigureOptions::Theme::dark;
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
      page.pixels = reduced(picture_, {page.field.width, page.field.height});
    } else {
      page.marks.push_back({"image", Image{page.field, picture_.size.width, picture_.size.height, picture_.pixels}});
    }
    std::ranges::move(fitted.layout.marks, std::back_inserter(page.marks));
    return page;
  }

 private:
  FittedLayout lay_out(Size field) {
    stage_.figure.grid = {field.width, field.height};
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
