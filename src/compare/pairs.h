#pragma once
// Two things to compare, as pairs of pictures in their order.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/metrics.h"
#include "compare/picture.h"

namespace simreel {

enum class ComparedKind { picture, folder, hashes, video };

// By what is there and, for a file, its extension; one that says nothing else is taken for a video. Throws UsageError
// where nothing is there, or something that is neither a file nor a folder.
ComparedKind compared_kind(const std::filesystem::path&);

std::string_view kind_word(ComparedKind);  // "picture", "folder", "hashes", "video"

class PicturePairs {
 public:
  virtual ~PicturePairs() = default;

  // Goes to the next pair; false where either side has ended. Throws UsageError for what cannot be read.
  virtual bool next() = 0;
  virtual std::string name() const = 0;  // of the current pair: "000012.png", "frame 12"

  // Both pictures are known to be equal without being compared, which is much faster; false says nothing.
  virtual bool known_equal() = 0;
  // The current pair by rows, good until next(). Throws UsageError where one cannot be read or their sizes differ.
  virtual PairRows rows() = 0;
  // After rows(): the current pair as pictures, expected first.
  virtual std::pair<Picture, Picture> pictures() = 0;

  // After next() said false: in which way the sides have different lengths; empty where they have the same.
  virtual std::string left_over() { return ""; }
  // After next() said false: what was assumed or not looked at, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Two pictures, two folders of PNGs with the same names (any other names are an error that lists them), or two videos.
// Throws UsageError where the kinds differ or are hashes, or something cannot be read.
std::unique_ptr<PicturePairs> open_pairs(const std::filesystem::path& expected, const std::filesystem::path& actual);

}  // namespace simreel
