#pragma once
// Compares all pairs of two pictures, folders or videos.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/metrics.h"
#include "compare/picture.h"

namespace simreel {

enum class ComparedKind { picture, folder, hashes, video, page };

// Determined by the file type and the extension; a file with an extension that no output has counts as a video. Throws
// UsageError if there is nothing at the path, neither a file nor a folder, or an output without pictures (x.csv, x.h5).
ComparedKind compared_kind(const std::filesystem::path&);

std::string_view kind_word(ComparedKind);  // "picture", "folder", "hashes", "video", "page"

// What only one of two sides has, by name ("000012.png", "frame 12"), and both lists in words; all empty if the sides
// have the same pictures.
struct LeftOver {
  std::vector<std::string> missing;  // on the actual side
  std::vector<std::string> extra;    // on the actual side only
  std::string text;                  // "b: 1 picture is missing: 1.png"; a line for each list

  bool any() const { return !text.empty(); }
};

// Where two texts differ: the number of the first such line, from 1, and its text in both, quoted, from
// shortly before the difference on.
struct DifferingLine {
  int number;
  std::string before, now;
};
DifferingLine differing_line(std::string_view before, std::string_view now);

// Where two pages of one form differ: a line of texts, of the drawing if that differs and otherwise of the description
// of an .svg; or the byte of a PDF, which is packed. Empty if they are equal.
std::string page_difference(const std::string& expected, const std::string& actual);

class PicturePairs {
 public:
  virtual ~PicturePairs() = default;

  // Advances to the next pair; false if either side has ended. Throws UsageError for what cannot be read.
  virtual bool next() = 0;
  virtual std::string name() const = 0;  // of the current pair: "000012.png", "frame 12"

  // Whether both pictures are known to be equal without a comparison, which is much faster; false: not known.
  virtual bool known_equal() = 0;
  // The current pair by rows, valid until next(); nullopt if the sizes differ. Throws UsageError if one cannot be read.
  virtual std::optional<PairRows> rows() = 0;
  // After rows(): the sizes of the current pair, expected first.
  virtual std::pair<Size, Size> sizes() const = 0;
  // After rows(): the current pair as pictures, expected first.
  virtual std::pair<Picture, Picture> pictures() = 0;

  // After next() has returned false.
  virtual LeftOver left_over() { return {}; }
  // After next() has returned false: what was assumed or ignored, one sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Opens two pictures, two folders of them, whose pairs have the same names, or two videos. Throws UsageError if the
// kinds differ or hold no pixels, or something cannot be read. `only_visible`: of pictures, colours under an alpha of 0
// are equal.
std::unique_ptr<PicturePairs> open_pairs(const std::filesystem::path& expected, const std::filesystem::path& actual,
                                         bool only_visible = false);

// A pair that is not identical.
struct DifferingPair {
  std::string name;
  std::optional<Metrics> metrics;  // unset if the sizes differ
  std::string exceeded;            // from `exceeds`, or which sizes differ; empty within the tolerance
};

struct Comparison {
  std::int64_t pairs = 0, identical = 0, differing = 0;  // differing: beyond the tolerance
  std::int64_t rounded = 0;  // identical pairs that are stored with more than 8 bits but were compared in 8
  DifferingPair first;       // the first one beyond the tolerance; without a name if there is none
  // Of the pairs with metrics the one of lowest PSNR, beyond the tolerance if any is; without a name if there is none.
  DifferingPair worst;
  Picture worst_expected, worst_actual;
  std::vector<DifferingPair> kept;  // every pair that is not identical, if requested
  LeftOver left_over;
  std::vector<std::string> notes;  // see PicturePairs

  bool different() const { return differing > 0 || left_over.any(); }
};

// Compares the pairs one by one; memory holds the worst and the current pair. SSIM and FLIP are computed for the worst
// pair, for the others if the tolerance needs them, and for all if `keep` is set. Throws what the pairs throw.
Comparison compare_pairs(PicturePairs&, const Tolerance&, bool keep);

}  // namespace simreel
