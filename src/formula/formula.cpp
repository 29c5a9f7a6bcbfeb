#include "formula/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "formula/compile.h"

namespace simreel {
namespace {

struct Function {
  std::string_view name;
  FormulaOp op;
  int operands;
};
constexpr Function functions[] = {
    {"sin", FormulaOp::sin, 1},
    {"cos", FormulaOp::cos, 1},
    {"tan", FormulaOp::tan, 1},
    {"asin", FormulaOp::asin, 1},
    {"acos", FormulaOp::acos, 1},
    {"atan", FormulaOp::atan, 1},
    {"exp", FormulaOp::exp, 1},
    {"log", FormulaOp::log, 1},
    {"sqrt", FormulaOp::sqrt, 1},
    {"tanh", FormulaOp::tanh, 1},
    {"abs", FormulaOp::abs, 1},
    {"floor", FormulaOp::floor, 1},
    {"ceil", FormulaOp::ceil, 1},
    {"round", FormulaOp::round, 1},
    {"sign", FormulaOp::sign, 1},
    {"pow", FormulaOp::pow, 2},
    {"mod", FormulaOp::mod, 2},
    {"hypot", FormulaOp::hypot, 2},
    {"atan2", FormulaOp::atan2, 2},
    {"step", FormulaOp::step, 2},
    {"noise", FormulaOp::noise, 2},
    {"if", FormulaOp::select, 3},
    {"clamp", FormulaOp::clamp, 3},
    {"mix", FormulaOp::mix, 3},
    {"smoothstep", FormulaOp::smoothstep, 3},
};
constexpr Function many[] = {{"min", FormulaOp::min, 2}, {"max", FormulaOp::max, 2}};  // of two operands or more
constexpr std::string_view variables[] = {"x", "y", "t", "r", "theta", "i", "j", "nx", "ny", "pi"};

constexpr std::size_t longest = 4096;  // bytes of a formula
constexpr int deepest = 100;           // parentheses and operators within each other

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The place of a byte of a text whose first one is at `where`, and the message with that line and a caret.
[[noreturn]] void fail_at(std::string_view text, const Position& where, std::size_t offset,
                          const std::string& message) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto characters = [](std::string_view part) {
    return static_cast<int>(
        std::ranges::count_if(part, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  };
  Position place = where;
  if (place.line > 0) {
    place.line += static_cast<int>(std::ranges::count(before, '\n'));
    place.column = (start == 0 ? place.column : 1) + characters(before.substr(start));
  }
  std::string line(first_line(text.substr(start)));
  std::ranges::replace(line, '\t', ' ');
  // A long line is cut, so that the place is in sight of its beginning.
  constexpr std::size_t widest = 100, lead = 60;
  std::size_t from = 0;
  if (line.size() > widest && offset - start > lead) from = offset - start - lead;
  while (from > 0 && from < line.size() && (static_cast<unsigned char>(line[from]) & 0xc0) == 0x80) ++from;
  const int column = characters(std::string_view(line).substr(from, offset - start - from));
  const std::string shown = shorten(std::string_view(line).substr(std::min(from, line.size())), widest);
  throw UsageError("{}{}\n  {}\n  {:{}}^", place.before(), message, shown, "", column);
}

class Parser {
 public:
  Parser(std::string_view text, const Position& where, unsigned allowed)
      : text_(text), where_(where), allowed_(allowed) {}

  FormulaProgram parse() {
    if (text_.size() > longest)
      fail(0, fmt::format("a formula has at most {} characters, and this one {}", longest, text_.size()));
    skip_blanks();
    if (!accept("=")) fail(at_, "a formula begins with =");
    const int root = either();
    skip_blanks();
    if (at_ < text_.size()) fail_unexpected();
    return expressions_.compile(root);
  }
  unsigned used() const { return used_; }

 private:
  using Variable = Expressions::Variable;

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    fail_at(text_, where_, offset, message);
  }

  [[noreturn]] void fail_unexpected() {
    skip_blanks();
    if (at_ >= text_.size()) fail(at_, "the formula ends where a number, a name or ( is missing");
    const char c = text_[at_];
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text_.substr(at_)));
    if (c == ')') fail(at_, "this ) closes no (");
    if (is_digit(c) || begins_name(c) || c == '(' || c == '.')
      fail(at_, "an operator is missing here; a product is written with *");
    if (c == '=') fail(at_, "= does not stand within a formula; a comparison is written ==");
    if (c == ',') fail(at_, "a comma stands between the arguments of a function only; decimals have a point: 0.5");
    fail(at_, fmt::format("{} has no meaning in a formula", quote(text_.substr(at_, length))));
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  // Takes a sign that stands next; a word must end there.
  bool accept(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    const std::size_t end = at_ + sign.size();
    if (begins_name(sign[0]) && end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end]))) return false;
    at_ = end;
    return true;
  }

  int apply(FormulaOp op, int a, int b = -1, int c = -1) {
    if (expressions_.size() >= Expressions::max)
      fail(at_, fmt::format("the formula has more than {} parts; shorten it", Expressions::max));
    return expressions_.apply(op, a, b, c);
  }

  // Counts what the parser calls itself for, which bounds its stack.
  struct Level {
    explicit Level(Parser& parser) : owner(parser) {
      if (++owner.depth_ > deepest)
        owner.fail(
            owner.at_,
            fmt::format("more than {} parentheses or operators lie within each other; split the formula", deepest));
    }
    ~Level() { --owner.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Parser& owner;
  };

  int either() {
    int value = both();
    while (accept("or") || accept("||")) value = apply(FormulaOp::logical_or, value, both());
    return value;
  }
  int both() {
    int value = inverted();
    while (accept("and") || accept("&&")) value = apply(FormulaOp::logical_and, value, inverted());
    return value;
  }
  int inverted() {
    skip_blanks();
    const bool unequal = text_.substr(at_).starts_with("!=");
    if (!accept("not") && (unequal || !accept("!"))) return comparison();
    const Level level(*this);
    return apply(FormulaOp::logical_not, inverted());
  }
  int comparison() {
    int value = sum();
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
      const int right = sum();
      value = found->first[0] == '>' ? apply(found->second, right, value) : apply(found->second, value, right);
    }
  }
  int sum() {
    int value = product();
    while (true) {
      if (accept("+"))
        value = apply(FormulaOp::add, value, product());
      else if (accept("-"))
        value = apply(FormulaOp::subtract, value, product());
      else
        return value;
    }
  }
  int product() {
    int value = signed_power();
    while (true) {
      skip_blanks();
      if (text_.substr(at_).starts_with("**")) return value;
      if (accept("*"))
        value = apply(FormulaOp::multiply, value, signed_power());
      else if (accept("/"))
        value = apply(FormulaOp::divide, value, signed_power());
      else
        return value;
    }
  }
  int signed_power() {
    const bool minus = accept("-");
    if (minus || accept("+")) {
      const Level level(*this);
      const int operand = signed_power();
      return minus ? apply(FormulaOp::negate, operand) : operand;
    }
    const int base = primary();
    if (!accept("^") && !accept("**")) return base;
    const Level level(*this);
    return apply(FormulaOp::pow, base, signed_power());
  }

  int primary() {
    skip_blanks();
    if (at_ >= text_.size()) fail_unexpected();
    const char c = text_[at_];
    if (accept("(")) {
      const Level level(*this);
      const std::size_t opened = at_ - 1;
      const int value = either();
      close(opened);
      return value;
    }
    if (is_digit(c) || c == '.') return number();
    if (begins_name(c)) return name();
    fail_unexpected();
  }

  void close(std::size_t opened) {
    if (accept(")")) return;
    if (at_ >= text_.size()) fail(opened, "this ( is not closed");
    fail_unexpected();
  }

  int number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(at_, "this number is beyond the range of double precision");
    if (error != std::errc()) fail(at_, "this is not a number");
    const std::size_t place = at_;
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == '.') fail(place, "this number has two points");
    return expressions_.constant(value);
  }

  int name() {
    const std::size_t place = at_;
    while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(place, at_ - place);
    const auto has_name = [&](const Function& f) { return f.name == word; };
    if (const auto* found = std::ranges::find_if(functions, has_name); found != std::end(functions))
      return call(*found, place, false);
    if (const auto* found = std::ranges::find_if(many, has_name); found != std::end(many))
      return call(*found, place, true);
    if (std::ranges::find(variables, word) == std::end(variables)) fail_unknown(word, place);
    return variable(word, place);
  }

  [[noreturn]] void fail_unknown(std::string_view word, std::size_t place) const {
    std::vector<std::string_view> names(std::begin(variables), std::end(variables));
    std::vector<std::string_view> called;
    for (const Function& f : functions) called.push_back(f.name);
    for (const Function& f : many) called.push_back(f.name);
    names.insert(names.end(), called.begin(), called.end());
    const std::string_view near = nearest(word, names);
    fail(place, fmt::format("{} is no variable and no function; {}", quote(shorten(word, 40)),
                            near.empty() ? fmt::format("the variables are {}, the functions {}",
                                                       fmt::join(variables, " "), fmt::join(called, " "))
                                         : fmt::format("did you mean {}?", near)));
  }

  int call(const Function& function, std::size_t place, bool or_more) {
    if (!accept("("))
      fail(at_,
           fmt::format("{} is a function; its arguments stand in parentheses: {}(...)", function.name, function.name));
    const std::size_t opened = at_ - 1;
    std::vector<int> arguments;
    if (!accept(")")) {
      const Level level(*this);
      do arguments.push_back(either());
      while (accept(","));
      close(opened);
    }
    const auto given = static_cast<int>(arguments.size());
    if (given != function.operands && !(or_more && given > function.operands))
      fail(place, fmt::format("{} takes {} argument{}{}, and has {} here", function.name, function.operands,
                              function.operands == 1 ? "" : "s", or_more ? " or more" : "", given));
    if (or_more) {
      int value = arguments[0];
      for (std::size_t i = 1; i < arguments.size(); ++i) value = apply(function.op, value, arguments[i]);
      return value;
    }
    arguments.resize(3, -1);
    return apply(function.op, arguments[0], arguments[1], arguments[2]);
  }

  int variable(std::string_view word, std::size_t place) {
    if (word == "pi") return expressions_.constant(3.14159265358979323846);
    if (word == "nx") return expressions_.variable(Variable::nx);
    if (word == "ny") return expressions_.variable(Variable::ny);
    const unsigned needs = word == "t"                  ? Formula::t
                           : word == "x" || word == "i" ? Formula::x
                           : word == "y" || word == "j" ? Formula::y
                                                        : Formula::x | Formula::y;
    if ((needs & ~allowed_) != 0)
      fail(place, fmt::format("{} has no meaning here; {}", word,
                              word == "t"                                   ? "this value does not change in time"
                              : (allowed_ & (Formula::x | Formula::y)) == 0 ? "this value depends on the time t only"
                              : (allowed_ & Formula::x) != 0                ? "this value may depend on x and not on y"
                                                             : "this value may depend on y and not on x"));
    used_ |= needs;
    if (word == "t") return expressions_.variable(Variable::t);
    const auto whole = [&](Variable v) {  // the cell at a position
      return apply(FormulaOp::floor, apply(FormulaOp::add, expressions_.variable(v), expressions_.constant(0.5)));
    };
    if (word == "x") return expressions_.variable(Variable::x);
    if (word == "y") return expressions_.variable(Variable::y);
    if (word == "i") return whole(Variable::x);
    if (word == "j") return whole(Variable::y);
    const auto from_middle = [&](Variable v, Variable cells) {
      const int last = apply(FormulaOp::subtract, expressions_.variable(cells), expressions_.constant(1));
      return apply(FormulaOp::subtract, expressions_.variable(v),
                   apply(FormulaOp::multiply, last, expressions_.constant(0.5)));
    };
    const int dx = from_middle(Variable::x, Variable::nx), dy = from_middle(Variable::y, Variable::ny);
    return word == "r" ? apply(FormulaOp::hypot, dx, dy) : apply(FormulaOp::atan2, dy, dx);
  }

  std::string_view text_;
  Position where_;
  unsigned allowed_, used_ = 0;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expressions expressions_;
};

FormulaRow row_of(const FormulaGrid& grid, double x0, double y, double t) {
  return {x0, y, t, static_cast<double>(grid.nx), static_cast<double>(grid.ny), grid.seed};
}

}  // namespace

bool Formula::is_formula(std::string_view text) {
  const auto first = std::ranges::find_if_not(text, is_blank);
  return first != text.end() && *first == '=';
}

Formula Formula::parse(std::string_view text, const Position& where, unsigned allowed) {
  Parser parser(text, where, allowed);
  Formula formula;
  formula.program_ = parser.parse();
  formula.used_ = parser.used();
  formula.text_ = text;
  formula.where_ = where;
  return formula;
}

void Formula::row(const FormulaGrid& grid, double x0, double y0, double time, std::span<double> out) const {
  std::vector<double> memory;
  formula_start(program_, memory);
  formula_row(program_, row_of(grid, x0, y0, time), memory, out);
}

double Formula::at(const FormulaGrid& grid, double x0, double y0, double time) const {
  double value = 0;
  row(grid, x0, y0, time, {&value, 1});
  return value;
}

void Formula::fail(const std::string& message) const {
  const std::size_t equals = std::min(text_.find('='), text_.size());
  fail_at(text_, where_, equals, message);
}

}  // namespace simreel
