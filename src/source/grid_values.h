#pragma once
// Values over a grid that a scene gives as a number, a formula, a grey image or an array in a .npy file.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formula/formula.h"
#include "scene/scene.h"

namespace simreel {

// Whether a text can be one of these, and not a name among others: it begins with "=" or ends in .png, .jpg, .jpeg,
// .bmp or .npy.
bool is_values_text(std::string_view text);
// For documentation: what such a key may be instead of a number.
inline constexpr std::string_view values_form = "a formula \"= ...\" of x and y, a grey image, or a .npy file";

class GridValues {
 public:
  GridValues() : GridValues(0) {}
  explicit GridValues(double number) : number_(number) {}

  // What `text`, the value of `key`, stands for; opens files, relative to the scene's folder. Grey images are stretched
  // over the grid, bilinearly; black is `black` and white `white`. A .npy file holds [ny][nx] real numbers of any type,
  // row 0 at y = 0. Throws UsageError for what cannot be read or does not fit.
  GridValues(const PlacedText& text, const Table& keys, std::string_view key, const Scene&, int nx, int ny,
             double black = 0, double white = 1);

  bool is_number() const { return !formula_ && !array_; }
  bool is_formula() const { return formula_ != nullptr; }
  const std::string& file() const { return file_; }  // empty: none
  std::size_t bytes() const { return array_ ? array_->size() * sizeof(double) : 0; }

  // The values of row j of the grid; out.size() is nx.
  void row(int j, std::span<double> out) const;

  // The value at a place, in cells; of an image or array that of the nearest cell.
  double at(double x, double y) const;

  struct Extremes {
    double low, high;
  };
  // Over the whole grid. Throws UsageError, with the cell, for values that are not finite.
  Extremes extremes() const;

  // Throws UsageError at the place of the key.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void read_image(double black, double white);
  void read_npy();

  double number_ = 0;
  std::shared_ptr<const Formula> formula_;
  std::shared_ptr<std::vector<double>> array_;  // [ny][nx]
  FormulaGrid grid_;
  std::string file_, key_;
  Table keys_;
};

}  // namespace simreel
