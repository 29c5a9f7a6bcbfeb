#include "formula/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"

namespace simreel {
namespace {

// The line of a byte begins here.
std::size_t line_begin(std::string_view text, std::size_t offset) {
  const std::size_t end = text.substr(0, offset).rfind('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}
int characters(std::string_view part) {
  return static_cast<int>(
      std::ranges::count_if(part, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

Position place_in(std::string_view text, Position where, std::size_t offset) {
  if (where.line == 0) return where;
  const std::size_t start = line_begin(text, offset);
  where.line += static_cast<int>(std::ranges::count(text.substr(0, offset), '\n'));
  where.column = (start == 0 ? where.column : 1) + characters(text.substr(start, offset - start));
  return where;
}

void fail_at(std::string_view text, const Position& where, std::size_t offset, const std::string& message) {
  offset = std::min(offset, text.size());
  const std::size_t start = line_begin(text, offset);
  std::string line(first_line(text.substr(start)));
  std::ranges::replace(line, '\t', ' ');
  // A long line is cut, so that the place is in sight of its beginning.
  constexpr std::size_t widest = 100, lead = 60;
  std::size_t from = 0;
  if (line.size() > widest && offset - start > lead) from = offset - start - lead;
  while (from > 0 && from < line.size() && (static_cast<unsigned char>(line[from]) & 0xc0) == 0x80) ++from;
  const std::string_view whole = line;
  const int column = characters(whole.substr(from, offset - start - from));
  const std::string shown = shorten(whole.substr(std::min(from, whole.size())), widest);
  throw UsageError("{}{}\n  {}\n  {:{}}^", place_in(text, where, offset).before(), message, shown, "", column);
}

FormulaValue FormulaParser::parse() {
  const Level level(*this);
  if (text_.size() > limits::formula_bytes)
    fail(0, fmt::format("a formula has at most {} characters, and this one {}", limits::formula_bytes, text_.size()));
  skip_blanks();
  if (!accept("=")) fail(at_, "a formula begins with =");
  const FormulaValue root = either();
  skip_blanks();
  if (at_ < text_.size()) fail_unexpected();
  return root;
}

void FormulaParser::fail_unexpected() {
  skip_blanks();
  if (at_ >= text_.size()) fail(at_, "the formula ends where a number, a name or ( is missing");
  const char c = text_[at_];
  const std::size_t length = std::max<std::size_t>(1, utf8_length(text_.substr(at_)));
  if (c == ')') fail(at_, "this ) closes no (");
  if (c == '.' && at_ + 1 < text_.size() && begins_name(text_[at_ + 1]))
    fail(at_, "the parts of a complex value are re(...), im(...) and abs(...) in a formula");
  if (is_digit(c) || begins_name(c) || c == '(' || c == '.')
    fail(at_, "an operator is missing here; a product is written with *");
  if (c == '=') fail(at_, "= does not stand within a formula; a comparison is written ==");
  if (c == ',') fail(at_, "a comma stands between the arguments of a function only; decimals have a point: 0.5");
  constexpr std::pair<std::string_view, std::string_view> written[] = {{"\u2212", "-"},
                                                                       {"\u2013", "-"},
                                                                       {"\u00d7", "*"},
                                                                       {"\u00b7", "*"},
                                                                       {"\u22c5", "*"},
                                                                       {"\u00b2", "^2"},
                                                                       {"\u00b3", "^3"},
                                                                       {"\u2264", "<="},
                                                                       {"\u2265", ">="},
                                                                       {"\u03c0", "pi"},
                                                                       {"\u2207", "lap(u), dx(u) or dy(u)"}};
  const std::string_view sign = text_.substr(at_, length);
  for (const auto& [theirs, ours] : written)
    if (sign == theirs) fail(at_, fmt::format("{} is written {} in a formula", quote(sign), ours));
  fail(at_, fmt::format("{} has no meaning in a formula", quote(sign)));
}

void FormulaParser::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

bool FormulaParser::accept(std::string_view sign) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(sign)) return false;
  const std::size_t end = at_ + sign.size();
  if (begins_name(sign[0]) && end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end]))) return false;
  at_ = end;
  return true;
}

void FormulaParser::close(std::size_t opened) {
  if (accept(")")) return;
  if (at_ >= text_.size()) fail(opened, "this ( is not closed");
  fail_unexpected();
}

void FormulaParser::check_size() const {
  if (expressions_.size() >= expressions_.max())
    fail(at_,
         fmt::format("the formula, with those that it needs, has more than {} parts; shorten it", expressions_.max()));
}

int FormulaParser::apply(FormulaOp op, int a, int b, int c) {
  check_size();
  return expressions_.apply(op, a, b, c);
}

int FormulaParser::real(FormulaValue value, std::size_t place, std::string_view what) const {
  if (is_complex(value))
    fail(place,
         fmt::format("{} of real numbers only, and this is complex; take re(...), im(...), abs(...) or abs2(...)",
                     what));
  return value.re;
}

FormulaParser::Level::Level(FormulaParser& parser) : owner(parser) {
  if (owner.depth_ >= static_cast<int>(limits::formula_levels))
    owner.fail(owner.at_, fmt::format("more than {} parentheses, operators and names lie within each other; write it "
                                      "with fewer of them",
                                      limits::formula_levels));
  ++owner.depth_;
}

FormulaValue FormulaParser::either() {
  FormulaValue value = both();
  while (true) {
    skip_blanks();
    const std::size_t place = at_;
    if (!accept("or") && !accept("||")) return value;
    const int left = real(value, place, "\"or\" is");
    value = {apply(FormulaOp::logical_or, left, real(both(), place, "\"or\" is"))};
  }
}

FormulaValue FormulaParser::both() {
  FormulaValue value = inverted();
  while (true) {
    skip_blanks();
    const std::size_t place = at_;
    if (!accept("and") && !accept("&&")) return value;
    const int left = real(value, place, "\"and\" is");
    value = {apply(FormulaOp::logical_and, left, real(inverted(), place, "\"and\" is"))};
  }
}

FormulaValue FormulaParser::inverted() {
  skip_blanks();
  const std::size_t place = at_;
  const bool unequal = text_.substr(at_).starts_with("!=");
  if (!accept("not") && (unequal || !accept("!"))) return comparison();
  const Level level(*this);
  return {apply(FormulaOp::logical_not, real(inverted(), place, "\"not\" is"))};
}

FormulaValue FormulaParser::comparison() {
  FormulaValue value = sum();
  bool compared = false;
  while (true) {
    skip_blanks();
    const std::size_t place = at_;
    const std::pair<std::string_view, FormulaOp> signs[] = {
        {"<=", FormulaOp::less_equal}, {">=", FormulaOp::less_equal}, {"==", FormulaOp::equal},
        {"!=", FormulaOp::unequal},    {"<", FormulaOp::less},        {">", FormulaOp::less}};
    const auto* const found = std::ranges::find_if(signs, [&](const auto& sign) { return accept(sign.first); });
    if (found == std::end(signs)) return value;
    if (compared) fail(place, "comparisons do not follow each other; write a < b and b < c");
    compared = true;
    const int left = real(value, place, "a comparison is"), right = real(sum(), place, "a comparison is");
    value = {found->first[0] == '>' ? apply(found->second, right, left) : apply(found->second, left, right)};
  }
}

FormulaValue FormulaParser::sum() {
  FormulaValue value = product();
  while (true) {
    FormulaOp op = FormulaOp::add;
    if (!accept("+")) {
      if (!accept("-")) return value;
      op = FormulaOp::subtract;
    }
    const FormulaValue right = product();
    check_size();
    value = sum_of(expressions_, op, value, right);
  }
}

FormulaValue FormulaParser::product() {
  FormulaValue value = signed_power();
  while (true) {
    skip_blanks();
    if (text_.substr(at_).starts_with("**")) return value;
    const bool times = accept("*");
    if (!times && !accept("/")) return value;
    const FormulaValue right = signed_power();
    check_size();
    value = times ? product_of(expressions_, value, right) : quotient_of(expressions_, value, right);
  }
}

FormulaValue FormulaParser::signed_power() {
  const bool minus = accept("-");
  if (minus || accept("+")) {
    const Level level(*this);
    const FormulaValue operand = signed_power();
    check_size();
    return minus ? negated(expressions_, operand) : operand;
  }
  const FormulaValue base = primary();
  skip_blanks();
  const std::size_t place = at_;
  if (!accept("^") && !accept("**")) return base;
  const Level level(*this);
  return power(base, place);
}

FormulaValue FormulaParser::power(FormulaValue base, std::size_t place) {
  const FormulaValue given = signed_power();
  const int exponent = real(given, place, "an exponent is");
  if (!is_complex(base)) return {apply(FormulaOp::pow, base.re, exponent)};
  for (int n = 1; n <= 4; ++n) {
    if (!expressions_.is_constant(exponent, n)) continue;
    FormulaValue value = base;
    for (int i = 1; i < n; ++i) value = product_of(expressions_, value, base);
    check_size();
    return value;
  }
  fail(place, "a power of a complex number has the exponent 1, 2, 3 or 4");
}

FormulaValue FormulaParser::primary() {
  skip_blanks();
  if (at_ >= text_.size()) fail_unexpected();
  const char c = text_[at_];
  if (accept("(")) {
    const Level level(*this);
    const std::size_t opened = at_ - 1;
    const FormulaValue value = either();
    close(opened);
    return value;
  }
  if (is_digit(c) || c == '.') return number();
  if (begins_name(c)) return name();
  fail_unexpected();
}

FormulaValue FormulaParser::number() {
  double value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) fail(at_, "this number is beyond the range of double precision");
  if (error != std::errc()) fail(at_, "this is not a number");
  const std::size_t place = at_;
  at_ += static_cast<std::size_t>(end - begin);
  if (at_ < text_.size() && text_[at_] == '.') fail(place, "this number has two points");
  if (names_ != nullptr && names_->complex && text_.substr(at_).starts_with("j"))
    fail(at_, "the imaginary unit is written 1i");
  if (names_ != nullptr && names_->complex && accept("i"))
    return {expressions_.constant(0), expressions_.constant(value)};
  return {expressions_.constant(value)};
}

FormulaValue negated(Expressions& e, FormulaValue v) {
  return {e.apply(FormulaOp::negate, v.re), is_complex(v) ? e.apply(FormulaOp::negate, v.im) : -1};
}

FormulaValue sum_of(Expressions& e, FormulaOp op, FormulaValue a, FormulaValue b) {
  int im = a.im;
  if (is_complex(a) && is_complex(b))
    im = e.apply(op, a.im, b.im);
  else if (is_complex(b))
    im = op == FormulaOp::add ? b.im : e.apply(FormulaOp::negate, b.im);
  return {e.apply(op, a.re, b.re), im};
}

FormulaValue product_of(Expressions& e, FormulaValue a, FormulaValue b) {
  const auto times = [&](int x, int y) { return e.apply(FormulaOp::multiply, x, y); };
  if (!is_complex(b)) return {times(a.re, b.re), is_complex(a) ? times(a.im, b.re) : -1};
  if (!is_complex(a)) return {times(a.re, b.re), times(a.re, b.im)};
  // A number such as 2i has no real part.
  if (e.is_constant(a.re, 0)) return {e.apply(FormulaOp::negate, times(a.im, b.im)), times(a.im, b.re)};
  return {e.apply(FormulaOp::subtract, times(a.re, b.re), times(a.im, b.im)),
          e.apply(FormulaOp::add, times(a.re, b.im), times(a.im, b.re))};
}

FormulaValue quotient_of(Expressions& e, FormulaValue a, FormulaValue b) {
  const auto by = [&](FormulaValue v, int divisor) -> FormulaValue {
    return {e.apply(FormulaOp::divide, v.re, divisor), is_complex(v) ? e.apply(FormulaOp::divide, v.im, divisor) : -1};
  };
  if (!is_complex(b)) return by(a, b.re);
  return by(product_of(e, a, {b.re, e.apply(FormulaOp::negate, b.im)}), square_of(e, b));
}

int square_of(Expressions& e, FormulaValue v) {
  const int re = e.apply(FormulaOp::multiply, v.re, v.re);
  return is_complex(v) ? e.apply(FormulaOp::add, re, e.apply(FormulaOp::multiply, v.im, v.im)) : re;
}

}  // namespace simreel
