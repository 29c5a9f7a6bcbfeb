#pragma once
// A field -> pixels: holds the tables for the sizes of grid and picture. Uses kernels/raster/field.h.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/base/field_range.h"
#include "kernels/base/view.h"
#include "kernels/raster/field.h"
#include "kernels/raster/paths.h"
#include "raster/canvases.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

class FieldPainter {
 public:
  // `cell_aspect`: the height of a cell by its width, > 0.
  FieldPainter(const Executor&, const ViewOptions&, double cell_aspect = 1);

  static std::size_t memory_bytes(const ViewOptions&);
  // Executor memory that fields with an outline need in addition.
  static std::size_t outline_bytes(const ViewOptions&);

  template <class Real>
  Interval measure(const FieldView<Real>&);
  template <class Real>
  Spread measure_spread(const FieldView<Real>&);

  // Fills the canvases. `colors`: `count` entries of the map and the three colours after it (kernels/raster/field.h,
  // ColorScale).
  template <class Real>
  void draw(const FieldView<Real>&, Interval range, const Color* colors, int count, Canvases);

  // The pixels of a field of so many cells, if it shrinks along both axes.
  std::optional<Size> shrunk(int nx, int ny) const { return shrunk(nx, ny, view_.size, cell_aspect_); }
  static std::optional<Size> shrunk(int nx, int ny, Size picture, double cell_aspect);
  // How ranks draw such a picture, with `count` entries of the map; and their pixels, put on the canvases.
  FieldPicture picture(Size size, const Rectangle& part, Interval range, int count) const {
    return {size, part, scale(range, nullptr, count)};
  }
  void put(const FieldRows&, const Canvases&) const;

 private:
  void* scratch(std::size_t bytes);
  bool nearest() const { return view_.interpolation == Interpolation::nearest; }
  void place(int nx, int ny);
  Rectangle rectangle(int nx, int ny) const;
  ColorScale scale(Interval range, const Color* colors, int count) const;
  template <class Real>
  ShapedSolids shaped_solids(const FieldView<Real>&, const AxisSamples& columns, const AxisSamples& rows);
  void draw_paths(const PathsView&, const PathPlace&, const Rectangle&, const Canvases&);

  const Executor& executor_;
  ViewOptions view_;
  double cell_aspect_;
  int nx_ = 0, ny_ = 0;           // the grid that samples_ belongs to
  Buffer<std::int32_t> samples_;  // the cells of each column and row of pixels
  Buffer<std::byte> scratch_;
  const Outline* outline_ = nullptr;  // of codes_
  Buffer<std::uint8_t> codes_;
  Buffer<std::uint32_t> marks_;  // of paths
};

}  // namespace simreel
