#pragma once
// The time text of a figure as it stands in a line.

#include <string_view>
#include <vector>

#include "figure/text.h"
#include "figure/time_text.h"

namespace simreel {

// Texts, and between them the room of numbers.
struct TimeLine {
  struct Piece {
    GlyphRun run;
    int number_width = 0;  // pixels
    TimeNumber number;
    bool has_number = false;
  };
  std::vector<Piece> pieces;
  int width = 0;  // pixels
};

// `size`: of an em, 1/64 pixel.
TimeLine time_line(const TimeText&, int size);

// The characters of a number as TimeText writes it.
std::u32string decoded(std::string_view number);

// The pixels that `text` takes of the room of a loose number. A sign comes and goes, so that its place is kept.
int width_of(std::string_view text, const TimeNumber&, int size);

// Such a number at the right end of a room of so many pixels. All letters advance by whole pixels.
GlyphRun number_run(std::string_view number, int size, int room);

}  // namespace simreel
