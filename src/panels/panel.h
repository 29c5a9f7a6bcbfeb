#pragma once
// A panel of a figure: what stands around its field, and its page.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "figure/page.h"
#include "panels/grid.h"
#include "scene/figure_file.h"

namespace simreel {

class Panel {
 public:
  explicit Panel(const PanelOptions& options) : options_(options) {}
  virtual ~Panel() = default;
  Panel(const Panel&) = delete;

  const PanelOptions& options() const { return options_; }

  // Height by width of the field; nullopt: any.
  virtual std::optional<double> aspect() const { return {}; }
  // Height by width where no other panel of the row decides.
  virtual double usual_aspect() const { return aspect().value_or(0.7); }
  // What labels need around a field of this size. Throws UsageError if they do not fit.
  virtual Margins margins(Size field) = 0;
  // A page whose `field` has this size.
  virtual Page draw(Size field) = 0;
  // Of pictures that it holds.
  virtual std::size_t bytes() const { return 0; }
  // Of a frame of a video, in which panel k shows this time: lines that grow reach up to that of theirs.
  virtual void set_times(const std::function<double(std::size_t)>&) {}

 protected:
  const PanelOptions& options_;
};

// What all panels have.
struct PanelPrint {
  int dpi;
  double font_points;
  bool labels_inside;
};

// Throw UsageError for files that cannot be read, and for columns that they lack.
std::unique_ptr<Panel> make_plot_panel(const PanelOptions&, const PanelPrint&);
std::unique_ptr<Panel> make_image_panel(const PanelOptions&, const PanelPrint&);

// "fig.toml:12:1: panel b: ", to begin a message.
std::string place_of(const PanelOptions&);
// The letter before the title, as far as there are such.
std::string lettered(const PanelOptions&, const std::string& title);

}  // namespace simreel
