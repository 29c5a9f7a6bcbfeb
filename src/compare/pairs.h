#pragma once
// Two inputs to compare, as a sequence of pairs of pictures.

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

enum class ComparedKind { picture, folder, hashes, video };

// Determined by the file type and the extension; a file with an extension that no output has counts as a video. Throws
// UsageError if there is nothing at the path, neither a file nor a folder, or an output without pictures (x.csv, x.h5).
ComparedKind compared_kind(const std::filesystem::path&);

std::string_view kind_word(ComparedKind);  // "picture", "folder", "hashes", "video"

// What only one of two sides has, by name ("000012.png", "frame 12"), and both lists in words; all empty if the sides
// have the same pictures.
struct LeftOver {
  std::vector<std::string> missing;  // on the actual side
  std::vector<std::string> extra;    // on the actual side only
  std::string text;                  // "b: 1 picture is missing: 1.png"; a line for each list

  bool any() const { return !text.empty(); }
};

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
// kinds differ or are hashes, or something cannot be read. `only_visible`: of pictures, colours under an alpha of 0 are
// equal.
std::unique_ptr<PicturePairs> open_pairs(const std::filesystem::path& expected, const std::filesystem::path& actual,
                                         bool only_visible = false);

}  // namespace simreel
