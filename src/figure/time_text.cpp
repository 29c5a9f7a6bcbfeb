#include "figure/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "figure/ticks.h"

namespace simreel {
namespace {

constexpr std::string_view minus = "\u2212";

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string with_minus(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += minus.size())
    text.replace(at, 1, minus);
  return text;
}

std::string written(double v, char form, int decimals) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? with_minus("-inf") : "inf";
  if (form == 'e') return with_minus(fmt::format("{:.{}e}", v, decimals));
  return fixed_number(v, decimals);
}

// The decimals that times so far apart need, of which `first` is the first: few, but the exact ones where two more than
// the first digit are enough, and otherwise so many that a label is wrong by a fifth of the interval at most.
int decimals_of(double interval, double first) {
  constexpr int most = 9;
  int least = 0;
  while (least < most && power_of_ten(-least) > interval * 1.0001) ++least;
  for (int decimals = least; decimals <= std::min(least + 2, most); ++decimals) {
    const auto is_whole = [&](double time) {
      const double units = time * power_of_ten(decimals);
      return std::abs(units - std::round(units)) <= 1e-6 * interval * power_of_ten(decimals);
    };
    if (is_whole(interval) && is_whole(first)) return decimals;
  }
  int decimals = least;
  while (decimals < most && 0.5 * power_of_ten(-decimals) > 0.2 * interval) ++decimals;
  return decimals;
}

}  // namespace

TimeText::TimeText(const ParticleStage& stage) : stage_(stage) {
  const FigureOptions& options = stage.figure.options;
  std::string text = options.time;
  if (text == "auto")
    text = options.units.time.empty() ? "t = {time}" : fmt::format("t = {{time}} {}", options.units.time);
  if (text.empty()) return;
  TimePart part;
  for (auto& [piece, braced] : split_template(text)) {
    if (!braced) {
      part.text = std::move(piece);
      continue;
    }
    const std::size_t colon = std::min(piece.find(':'), piece.size());
    part.number = number_of(piece.substr(0, colon), piece.substr(std::min(colon + 1, piece.size())));
    part.has_number = true;
    parts_.push_back(std::move(part));
    part = {};
  }
  if (!part.text.empty()) parts_.push_back(std::move(part));
}

bool TimeText::names_diagnostics() const {
  return std::ranges::any_of(
      parts_, [](const TimePart& part) { return part.has_number && part.number.of == TimeNumber::Of::diagnostic; });
}

double TimeText::shown_time(double time, std::int64_t step) const {
  const auto& units = stage_.figure.options.units;
  return units.step ? *units.step * static_cast<double>(step) : time;
}

TimeNumber TimeText::number_of(const std::string& name, const std::string& form) const {
  TimeNumber number;
  const auto& diagnostics = stage_.figure.diagnostics;
  if (name == "time") {
    number.of = TimeNumber::Of::time;
  } else if (name == "step") {
    number.of = TimeNumber::Of::step;
  } else if (name == "frame") {
    number.of = TimeNumber::Of::frame;
  } else {
    const auto found = std::ranges::find(diagnostics, name);
    if (found == diagnostics.end()) {
      std::vector<std::string_view> names = {"time", "step", "frame"};
      for (const std::string& diagnostic : diagnostics)
        if (std::ranges::find(names, diagnostic) == names.end()) names.push_back(diagnostic);
      throw UsageError("there is no {}, but: {}", quote(name), choices(name, names));
    }
    number.of = TimeNumber::Of::diagnostic;
    number.diagnostic = static_cast<std::size_t>(found - diagnostics.begin());
  }
  const bool whole = number.of == TimeNumber::Of::step || number.of == TimeNumber::Of::frame;
  if (form.empty()) {
    number.form = whole ? 'd' : number.of == TimeNumber::Of::time ? 'f' : 'e';
    number.decimals = whole ? 0 : 3;
    if (number.of == TimeNumber::Of::time) {
      const auto& animation = stage_.animation;
      const double step = stage_.interval / static_cast<double>(animation.steps_per_frame);
      number.decimals = decimals_of(shown_time(stage_.interval, animation.steps_per_frame),
                                    shown_time(step * static_cast<double>(animation.start), animation.start));
    }
  } else {
    int decimals = 0;
    const char* const begin = form.data() + (form[0] == '.' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, form.data() + form.size(), decimals);
    const bool has_decimals = form[0] == '.' && error == std::errc() && decimals >= 0 && decimals <= 15;
    const std::string_view rest(has_decimals ? end : form.data());
    number.form = form.back();
    number.decimals = has_decimals ? decimals : 0;
    const bool known = rest == "d" ? !has_decimals : has_decimals && (rest == "f" || rest == "e");
    if (!known)
      throw UsageError(
          "{} is no way to write {}; there are \".2f\" with two decimals, \".2e\" with an exponent, and \"d\"",
          quote(form), name);
  }
  finish(number);
  return number;
}

// The width of the widest number of the run.
void TimeText::finish(TimeNumber& number) const {
  const auto& animation = stage_.animation;
  const std::int64_t last = animation.last_step();
  const double steps = static_cast<double>(animation.steps_per_frame);
  double most = 0;
  switch (number.of) {
    case TimeNumber::Of::frame: most = static_cast<double>(animation.frames - 1); break;
    case TimeNumber::Of::step: most = static_cast<double>(last); break;
    case TimeNumber::Of::time: most = shown_time(stage_.interval / steps * static_cast<double>(last), last); break;
    case TimeNumber::Of::diagnostic: {
      constexpr std::size_t least = 7;  // "−1e−300"
      number.may_be_negative = true;
      const std::size_t decimals = static_cast<std::size_t>(number.decimals);
      const std::size_t point = number.decimals > 0 ? 1 : 0;
      number.width = std::max(least, 6 + decimals + point);
      return;
    }
  }
  number.width = characters(written(most, number.form, number.decimals));
}

std::string TimeText::write(const TimeNumber& number, const FrameFacts& facts) const {
  double v = 0;
  switch (number.of) {
    case TimeNumber::Of::time: v = shown_time(facts.time, facts.step); break;
    case TimeNumber::Of::step: v = static_cast<double>(facts.step); break;
    case TimeNumber::Of::frame: v = static_cast<double>(facts.frame); break;
    case TimeNumber::Of::diagnostic: v = facts.diagnostics[number.diagnostic]; break;
  }
  std::string text = written(v, number.form, number.decimals);
  for (int decimals = number.decimals; characters(text) > number.width && decimals >= 0; --decimals)
    text = written(v, 'e', decimals);
  return text;
}

}  // namespace simreel
