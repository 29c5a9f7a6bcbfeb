#pragma once
// Values over a grid that a scene gives as a number, a formula, a grey image or an array in a .npy file.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_image.h"
#include "formula/formula.h"
#include "scene/scene.h"
#include "scene/table.h"

namespace simreel {

// Whether a text can be one of these, and not a name among others: it begins with "=" or ends in .png, .jpg, .jpeg,
// .bmp or .npy.
bool is_values_text(std::string_view text);
// For documentation: what such a key may be instead of a number.
inline constexpr std::string_view values_form = "a formula \"= ...\" of x and y, a grey image, or a .npy file";

// Calls visit(row, column, count) for this share of the cells of a grid: for whole rows, or for parts of rows that are
// spread over it.
void look_over(int nx, int ny, double share, const std::function<void(int row, int from, int count)>& visit);
// What it costs to look at all of a grid: a short row takes as long as a block of values.
inline double look_cost(int nx, int ny, double of_a_value) { return of_a_value * std::max(nx, formula_block) * ny; }

class GridValues {
 public:
  GridValues() : GridValues(0) {}
  explicit GridValues(double number) : number_(number) {}

  // What `text`, the value of `key`, means; opens files, relative to the scene's folder. Grey images are stretched
  // over the grid, bilinearly; black is `black` and white `white`. A .npy file holds [ny][nx] real numbers of any type,
  // row 0 at y = 0. `border`: as Formula::parse has it. Throws UsageError for what cannot be read or does not fit.
  GridValues(const PlacedText& text, const Table& keys, std::string_view key, const Scene&, int nx, int ny,
             double black = 0, double white = 1, bool border = false);

  bool is_number() const { return !formula_ && !array_ && !image_; }
  bool is_formula() const { return formula_ != nullptr; }
  const std::string& file() const { return file_; }  // empty: none
  std::size_t bytes() const {
    return array_ ? array_->size() * sizeof(double) : image_ ? image_->level.size() * sizeof(float) : 0;
  }

  // The values of row j of the grid from column `from` on.
  void row(int j, std::span<double> out, int from = 0) const;
  // Operations for a value (Formula::cost).
  double cost() const { return formula_ ? formula_->cost() : image_ ? 20 : 1; }

  // The value at a place, in cells; of an image or array that of the nearest cell.
  double at(double x, double y) const;

  struct Extremes {
    double low, high;
  };
  // Over the whole grid, or as much of it as the scene's `effort` allows. Throws UsageError, with the cell, for values
  // that are not finite.
  Extremes extremes() const;

  // Throws UsageError at the place of the key.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void read_image(double black, double white);
  void read_npy();
  double stretched(int i, int j) const;

  double number_ = 0;
  std::shared_ptr<const Formula> formula_;
  std::shared_ptr<std::vector<double>> array_;  // [ny][nx]
  std::shared_ptr<const GreyImage> image_;
  double black_ = 0, white_ = 1;  // of it
  FormulaGrid grid_;
  std::shared_ptr<Effort> effort_;
  std::string file_, key_;
  Table keys_;
};

// Refuses a grid that no memory of this machine holds, before anything is computed on its cells.
// `state`: bytes of the solver, on the host or divided among all GPUs; `made`: bytes of what is computed on the host
// before, and `what` that is. Whether the memory that the run will use is enough shows later. Throws UsageError at the
// key `grid`.
void check_grid_memory(const Table& keys, std::size_t state, std::size_t made, std::string_view what);

}  // namespace simreel
