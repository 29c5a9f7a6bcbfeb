#pragma once
// The text that changes from frame to frame: "t = {time:.2f} ms".
//
// Braces hold time, step, frame or the name of a diagnostic, and after a colon how the number is written: ".2f" with
// two decimals, ".2e" with an exponent, "d" as a whole number; or date, "{date:%Y-%m-%d %H:%M}". Numbers have a fixed
// width, that of the widest one of the run, and are aligned to the right, so nothing moves but the digits. Of some, as
// of diagnostics, nobody knows the widest: these have room for most, and the text beside them closes up.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "figure/text.h"
#include "raster/bodies/particle_painter.h"
#include "raster/figure_context.h"

namespace simreel {

struct TimeNumber {
  enum class Of { time, step, frame, diagnostic, date } of = Of::time;
  std::size_t diagnostic = 0;  // its index
  char form = 'f';             // f, e or d
  int decimals = 0;
  std::size_t width = 0;  // characters
  bool may_be_negative = false;
  std::string date = {};    // how a date is written: "%Y-%m-%d"
  std::string widest = {};  // a date as wide as any
  bool loose = false;       // the text beside it closes up
};

// Text, then a number; without one at the end.
struct TimePart {
  std::string text;
  bool has_number = false;
  TimeNumber number;
};

class TimeText {
 public:
  // Throws UsageError without a place. An empty template has no parts.
  TimeText(const DrawContext&, std::string text);
  explicit TimeText(const DrawContext& stage) : TimeText(stage, stage.figure.options.time) {}

  const std::vector<TimePart>& parts() const { return parts_; }
  bool names_diagnostics() const;

  // At most number.width characters, with U+2212 as minus.
  std::string write(const TimeNumber&, const FrameFacts&) const;

 private:
  TimeNumber number_of(const std::string& name, const std::string& form) const;
  double shown_time(double time, std::int64_t step) const;
  void finish(TimeNumber&) const;
  TimeNumber date_of(const std::string& form) const;
  std::string written_date(double time, const std::string& form) const;

  const DrawContext& stage_;
  std::vector<TimePart> parts_;
};

// The time text of a figure as it stands in a line.
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
