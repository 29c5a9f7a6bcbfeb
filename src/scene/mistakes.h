#pragma once
// Several mistakes in one scene, and the places that messages begin with.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "scene/table.h"

namespace simreel {

// The text of the error has one mistake after the other, each from the start of a line, at most ten, and the number of
// those left out.
class SceneMistakes : public UsageError {
 public:
  // `list` is not empty; `source` is the scene's name. Sorts by place; the mistakes of --set come last.
  SceneMistakes(std::vector<std::string> list, std::string_view source);

  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
};

struct PlacedMessage {
  Position place;  // no source: the message names none
  std::string message;
};
// Takes the place off a message: "x.toml:4:1: ...", where `source` is "x.toml", "x.toml: ..." and "--set a=b: ...".
PlacedMessage split_place(const std::string& text, std::string_view source);

// What other programs call the keys of a scene: for a key that a table does not know and what it knows: `range = [low,
// high]` for "vmin", `"timestep"` for "dt". Empty if no known key is called so anywhere.
std::string meant_by(std::string_view key, std::span<const std::string_view> known);

}  // namespace simreel
