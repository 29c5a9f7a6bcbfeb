#include "figure/style.h"

#include <algorithm>

namespace simreel {

FigureOptions::Theme theme_of(Color background) {
  return is_light(background) ? FigureOptions::Theme::light : FigureOptions::Theme::dark;
}

FigureStyle style_of(const ViewOptions& view, const FigureOptions& options) {
  FigureStyle style;
  const double height = view.size.height;
  // A narrow picture has smaller letters.
  const double usual = std::max(8.0, 0.024 * std::min(height, 0.8 * view.size.width));
  constexpr double usual_points = 7;
  const double pixels_per_point = options.dpi / FigureOptions::points_per_inch;
  const double em = options.font_pixels   ? *options.font_pixels
                    : options.font_share  ? std::max(5.0, *options.font_share * height)
                    : options.font_points ? *options.font_points * pixels_per_point
                    : options.width       ? usual_points * pixels_per_point
                                          : usual;
  style.em = static_cast<int>(std::floor(em * fine + 0.5));
  constexpr double thinnest = 0.25;  // points that journals print
  const double rule = options.axes_width ? options.axes_width.pixels_at(options.dpi)
                      : options.has_exact_letters()
                          ? std::max<double>(style.px(6), std::ceil(thinnest * pixels_per_point))
                          : style.px(6);
  style.rule = std::max(1, rounded_to_int(rule));
  style.line = pixels_of(style.em * (ascent_units + descent_units) / units_per_em);
  style.capital = rounded(style.em * capital_units / units_per_em);
  const auto theme = options.theme == FigureOptions::Theme::automatic ? theme_of(view.background) : options.theme;
  const bool light = theme == FigureOptions::Theme::light;
  style.ink = light ? Color{20, 22, 26, 255} : Color{232, 234, 240, 255};
  style.faint = light ? Color{20, 22, 26, 150} : Color{232, 234, 240, 150};
  style.plate = light ? Color{255, 255, 255, 190} : Color{8, 10, 16, 165};
  return style;
}

FigureStyle style_over_picture(const ViewOptions& view, const FigureContext& stage) {
  FigureOptions options = stage.options;
  options.theme = stage.theme_over_picture.value_or(options.theme);
  return style_of(view, options);
}

Color line_color(const std::vector<Color>& map) {
  std::int64_t light = 0, all = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::int64_t weight = static_cast<std::int64_t>(std::min(i + 1, map.size() - i));
    light += weight * (2126 * map[i].r + 7152 * map[i].g + 722 * map[i].b);
    all += weight;
  }
  const bool dark = light < 110 * 10000 * all;
  return dark ? Color{244, 244, 244, 255} : Color{24, 24, 24, 255};
}

}  // namespace simreel
