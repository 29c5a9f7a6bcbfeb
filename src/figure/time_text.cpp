#include "figure/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/cf_time.h"
#include "base/error.h"
#include "base/text.h"
#include "figure/style.h"
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

// Of times that follow each other; nullopt if all are equal.
std::optional<double> min_distance(std::span<const double> times) {
  std::optional<double> min;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const double distance = std::abs(times[i] - times[i - 1]); distance > 0 && (!min || distance < *min))
      min = distance;
  return min;
}

// Times closer together than this have an exponent.
constexpr double min_interval = 1e-9;

// The decimals that times so far apart need: few, but the exact ones where two more than
// the first digit are enough, and otherwise so many that a label is wrong by a fifth of the interval at most.
int decimals_of(double interval, std::span<const double> times) {
  constexpr int max = 10;
  int min = 0;
  while (min < max && power_of_ten(-min) > interval * 1.0001) ++min;
  for (int decimals = min; decimals <= std::min(min + 2, max); ++decimals) {
    const auto is_whole = [&](double time) {
      if (std::isnan(time)) return true;
      const double units = time * power_of_ten(decimals);
      return std::abs(units - std::round(units)) <= 1e-6 * interval * power_of_ten(decimals);
    };
    if (is_whole(interval) && std::ranges::all_of(times, is_whole)) return decimals;
  }
  int decimals = min;
  while (decimals < max && 0.5 * power_of_ten(-decimals) > 0.2 * interval) ++decimals;
  return decimals;
}

constexpr char32_t minus_sign = U'\u2212';

int advance(char32_t code, int size) { return rounded(advance_of(*find_glyph(code, FontStyle::regular), size)); }

// Of the widest number with so many characters: "1234.56", "−1234.56" or "−1.23e−45".
int number_width(const TimeNumber& number, int size) {
  if (number.of == TimeNumber::Of::date) return width_of(number.widest, number, size);
  const int digit = advance('0', size), point = advance('.', size), sign = advance(minus_sign, size);
  const int count = static_cast<int>(number.width);
  if (number.form != 'e' && !number.may_be_negative)
    return number.decimals > 0 ? (count - 1) * digit + point : count * digit;
  return std::max(sign + point + (count - 2) * digit, 2 * sign + advance('e', size) + point + (count - 4) * digit);
}

}  // namespace

TimeText::TimeText(const DrawContext& stage, std::string text) : stage_(stage) {
  const FigureOptions& options = stage.figure.options;
  const auto& units = options.units;
  if (text == "auto" && units.time.empty() && !units.step &&
      parse_cf_time(stage.figure.time_unit, stage.figure.calendar))
    text = "{date}";
  if (text == "auto") text = units.time.empty() ? "t = {time}" : fmt::format("t = {{time}} {}", units.time);
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

std::string TimeText::written_date(double time, const std::string& form) const {
  const FigureContext& figure = stage_.figure;
  const CfTime since = parse_cf_time(figure.time_unit, figure.calendar).value();
  const std::optional<std::string> text = format_cf_date(since.seconds(time), since.calendar, form);
  constexpr std::string_view known = "0123456789-:/., TZJanFebMarAprMayJunJulAugSepOctNovDec";
  if (!text || text->find_first_not_of(known) != std::string::npos)
    throw UsageError("{} is not a date format; use %Y, %m, %d, %H, %M, %S, %j and %b, with - : / . , T and Z between",
                     quote(form));
  return *text;
}

TimeNumber TimeText::date_of(const std::string& form) const {
  const FigureContext& figure = stage_.figure;
  const std::optional<CfTime> since = parse_cf_time(figure.time_unit, figure.calendar);
  if (!since)
    throw UsageError(
        figure.time_unit.empty()
            ? "there is no date: the source gives no reference date for its times, as \"days since 2000-01-01\" does"
            : fmt::format("there is no date: simreel does not know times in {}{}", quote(figure.time_unit),
                          figure.calendar.empty() ? "" : fmt::format(" of the calendar {}", quote(figure.calendar))));
  TimeNumber number;
  number.of = TimeNumber::Of::date;
  number.loose = true;
  number.date = form;
  if (form.empty()) {  // as short as all of them allow
    number.date = "%Y-%m-%d";
    for (const double time : figure.times) {
      const double seconds = std::round(since->seconds(time)), left = std::fmod(seconds, 86400);
      if (left != 0 && number.date.size() == 8) number.date += " %H:%M";
      if (std::fmod(left, 60) != 0) {
        number.date = "%Y-%m-%d %H:%M:%S";
        break;
      }
    }
  }
  for (const double time : figure.times)
    if (std::string text = written_date(time, number.date); text.size() > number.widest.size())
      number.widest = std::move(text);
  if (number.date.find("%b") != std::string::npos)
    for (char& c : number.widest)
      if (c >= 'A' && c != 'T' && c != 'Z') c = 'M';
  return number;
}

double TimeText::shown_time(double time, std::int64_t step) const {
  const auto& units = stage_.figure.options.units;
  return units.step ? *units.step * static_cast<double>(step) : time;
}

TimeNumber TimeText::number_of(const std::string& name, const std::string& form) const {
  if (name == "date") return date_of(form);
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
      std::vector<std::string_view> names = {"time", "step", "frame", "date"};
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
      std::vector<double> times = stage_.figure.times;
      if (times.empty() || stage_.figure.options.units.step) {
        times.clear();
        constexpr std::int64_t max = 100'000;  // frames; later ones hardly need more decimals
        const std::int64_t count = animation.speed.empty() ? 1 : std::min(animation.frames, max);
        const double step = stage_.interval / static_cast<double>(animation.steps_per_frame);
        for (std::int64_t frame = 0; frame < count; ++frame)
          times.push_back(shown_time(step * static_cast<double>(animation.step_at(frame)), animation.step_at(frame)));
      }
      const double interval = min_distance(times).value_or(shown_time(stage_.interval, animation.steps_per_frame));
      number.decimals = decimals_of(interval, times);
      if (interval > 0 && interval < min_interval) {
        double largest = std::max(
            interval, shown_time(stage_.interval, animation.steps_per_frame) * static_cast<double>(animation.frames));
        for (const double time : times) largest = std::max(largest, std::abs(time));
        number.form = 'e';
        number.decimals = std::clamp(static_cast<int>(std::ceil(std::log10(largest / interval))) + 1, 1, 15);
      }
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
  double max = 0;
  number.loose = stage_.figure.endless || number.of == TimeNumber::Of::diagnostic;
  switch (number.of) {
    case TimeNumber::Of::frame: max = static_cast<double>(animation.frames - 1); break;
    case TimeNumber::Of::step: max = static_cast<double>(last); break;
    case TimeNumber::Of::time:
      max = shown_time(stage_.interval / steps * static_cast<double>(last), last);
      if (stage_.figure.options.units.step) break;
      if (!stage_.figure.times.empty() && !stage_.figure.endless) max = stage_.figure.times.front();
      for (const double time : stage_.figure.times) {
        number.width = std::max(number.width, characters(written(time, number.form, number.decimals)));
        number.may_be_negative |= time < 0;
      }
      break;
    case TimeNumber::Of::date: break;
    case TimeNumber::Of::diagnostic: {
      constexpr std::size_t min = 7;  // "−1e−300"
      number.may_be_negative = true;
      const std::size_t decimals = static_cast<std::size_t>(number.decimals);
      const std::size_t point = number.decimals > 0 ? 1 : 0;
      number.width = std::max(min, 6 + decimals + point);
      return;
    }
  }
  number.width = std::max(number.width, characters(written(max, number.form, number.decimals)));
}

std::string TimeText::write(const TimeNumber& number, const FrameFacts& facts) const {
  double v = 0;
  switch (number.of) {
    case TimeNumber::Of::date: return written_date(facts.time, number.date);
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

TimeLine time_line(const TimeText& text, int size) {
  TimeLine line;
  for (const TimePart& part : text.parts()) {
    TimeLine::Piece piece{set_text(part.text, size), 0, part.number, part.has_number};
    line.width += pixels_of(piece.run.width);
    if (part.has_number) line.width += piece.number_width = number_width(part.number, size);
    line.pieces.push_back(std::move(piece));
  }
  return line;
}

std::u32string decoded(std::string_view text) {
  std::u32string codes;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_minus = static_cast<unsigned char>(text[i]) >= 0x80;
    codes += is_minus ? minus_sign : static_cast<char32_t>(text[i]);
    i += utf8_length(text.substr(i));
  }
  return codes;
}

int width_of(std::string_view text, const TimeNumber& number, int size) {
  const std::u32string codes = decoded(text);
  int width = number.may_be_negative && !codes.starts_with(minus_sign) ? advance(minus_sign, size) : 0;
  for (const char32_t code : codes) width += advance(code, size);
  return width;
}

GlyphRun number_run(std::string_view number, int size, int room) {
  GlyphRun run;
  for (const char32_t code : decoded(number)) {
    const Glyph* const glyph = find_glyph(code, FontStyle::regular);
    if (!glyph) continue;
    run.items.push_back({glyph, FontStyle::regular, run.width, 0, size});
    run.width += rounded(advance_of(*glyph, size)) * fine;
  }
  for (GlyphRun::Item& item : run.items) item.x += room * fine - run.width;
  return run;
}

}  // namespace simreel
