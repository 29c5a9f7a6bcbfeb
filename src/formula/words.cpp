// What the names of a formula mean.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "formula/formula.h"
#include "formula/names.h"
#include "formula/parser.h"

namespace simreel {
namespace {

constexpr FormulaFunction functions[] = {
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
constexpr FormulaFunction many[] = {{"min", FormulaOp::min, 2}, {"max", FormulaOp::max, 2}};  // two operands or more
constexpr std::string_view variables[] = {"x", "y", "t", "r", "theta", "i", "j", "nx", "ny", "pi"};
struct Operator {
  std::string_view name;
  int operands;
};
constexpr Operator parts[] = {{"abs2", 1}, {"conj", 1}, {"re", 1}, {"im", 1}};
constexpr Operator over_grid[] = {{"lap", 1}, {"lap9", 1}, {"bilap", 1}, {"dx", 1},      {"dy", 1},    {"dxx", 1},
                                  {"dyy", 1}, {"dxy", 1},  {"grad2", 1}, {"diffuse", 2}, {"advect", 3}};
constexpr std::string_view words[] = {"and", "or", "not"};

}  // namespace

bool is_formula_word(std::string_view word) {
  return std::ranges::find(functions, word, &FormulaFunction::name) != std::end(functions) ||
         std::ranges::find(many, word, &FormulaFunction::name) != std::end(many) ||
         std::ranges::find(variables, word) != std::end(variables) ||
         std::ranges::find(words, word) != std::end(words) ||
         std::ranges::find(parts, word, &Operator::name) != std::end(parts) ||
         std::ranges::find(over_grid, word, &Operator::name) != std::end(over_grid);
}

void FormulaParser::fail_unknown(std::string_view word, std::size_t place) const {
  std::vector<std::string_view> names(std::begin(variables), std::end(variables));
  if (names_ != nullptr) names.insert(names.begin(), names_->names.begin(), names_->names.end());
  constexpr std::ptrdiff_t most_named = 40;  // in a message
  const std::vector<std::string_view> known(names.end() - std::min(most_named, std::ssize(names)), names.end());
  std::vector<std::string_view> called;
  for (const FormulaFunction& f : functions) called.push_back(f.name);
  for (const FormulaFunction& f : many) called.push_back(f.name);
  for (const Operator& o : parts)
    if (has_operator(o.name)) called.push_back(o.name);
  for (const Operator& o : over_grid)
    if (has_operator(o.name)) called.push_back(o.name);
  names.insert(names.end(), called.begin(), called.end());
  // What other languages call it.
  constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
      {"laplace", "lap(u)"},
      {"laplacian", "lap(u)"},
      {"nabla2", "lap(u)"},
      {"biharmonic", "bilap(u)"},
      {"div", "diffuse(D, u), which is div(D grad u)"},
      {"grad", "dx(u) and dy(u), or grad2(u)"},
      {"ddx", "dx(u)"},
      {"ddy", "dy(u)"},
      {"du", "dx(u) or dy(u)"},
      {"u_x", "dx(u)"},
      {"u_y", "dy(u)"},
      {"u_xx", "dxx(u)"},
      {"u_yy", "dyy(u)"},
      {"u_xy", "dxy(u)"}};
  if (has_operator("lap"))
    for (const auto& [theirs, ours] : elsewhere)
      if (word == theirs || (theirs.starts_with("u_") && word.ends_with(theirs.substr(1))))
        fail(place, fmt::format("{} is no variable and no function; take {}", quote(shorten(word, 40)), ours));
  if (std::ranges::find(over_grid, word, &Operator::name) != std::end(over_grid) && names_ != nullptr)
    fail(place, fmt::format("{} takes fields at the cells around, which have no value here", word));
  if (word == "e") fail(place, "\"e\" is no variable; take exp(...)");
  if (word == "rand" || word == "random" || word == "randn")
    fail(place, fmt::format("{} is no function; take noise(x, y), which is smooth, from -1 to 1 and from the seed",
                            quote(word)));
  if (word == "ln") fail(place, "\"ln\" is no function; take log(...)");
  const std::string_view near = nearest(word, names);
  fail(place, fmt::format("{} is no variable and no function; {}", quote(shorten(word, 40)),
                          near.empty() ? fmt::format("the variables are {}, the functions {}", fmt::join(known, " "),
                                                     fmt::join(called, " "))
                                       : fmt::format("did you mean {}?", near)));
}

FormulaValue FormulaParser::name() {
  const std::size_t place = at_;
  while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
  const std::string_view word = text_.substr(place, at_ - place);
  if (names_ != nullptr) {
    std::string mistake;
    const std::optional<FormulaValue> value = names_->find(word, mistake);
    if (!mistake.empty()) fail(place, fmt::format("{} {}", shorten(word, 40), mistake));
    if (value) return *value;
  }
  if (has_operator(word)) return call_operator(word, place);
  if (const auto* found = std::ranges::find(functions, word, &FormulaFunction::name); found != std::end(functions))
    return call(*found, place, false);
  if (const auto* found = std::ranges::find(many, word, &FormulaFunction::name); found != std::end(many))
    return call(*found, place, true);
  if (std::ranges::find(variables, word) == std::end(variables)) fail_unknown(word, place);
  return variable(word, place);
}

FormulaParser::Values FormulaParser::arguments(std::string_view function, std::size_t place, int operands,
                                               bool or_more) {
  if (!accept("("))
    fail(at_, fmt::format("{} is a function; its arguments stand in parentheses: {}(...)", function, function));
  const std::size_t opened = at_ - 1;
  Values arguments;
  if (!accept(")")) {
    const Level level(*this);
    do arguments.push_back(either());
    while (accept(","));
    close(opened);
  }
  const auto given = static_cast<int>(arguments.size());
  if (given != operands && !(or_more && given > operands))
    fail(place, fmt::format("{} takes {} argument{}{}, and has {} here", function, operands, operands == 1 ? "" : "s",
                            or_more ? " or more" : "", given));
  return arguments;
}

FormulaValue FormulaParser::call(const FormulaFunction& function, std::size_t place, bool or_more) {
  const Values given = arguments(function.name, place, function.operands, or_more);
  if (is_complex(given[0]) && function.op == FormulaOp::abs) return {apply(FormulaOp::hypot, given[0].re, given[0].im)};
  if (is_complex(given[0]) && function.op == FormulaOp::exp) {
    const int size = apply(FormulaOp::exp, given[0].re);
    return {apply(FormulaOp::multiply, size, apply(FormulaOp::cos, given[0].im)),
            apply(FormulaOp::multiply, size, apply(FormulaOp::sin, given[0].im))};
  }
  std::array<int, 3> operands = {-1, -1, -1};
  const auto take = [&](FormulaValue value) { return real(value, place, fmt::format("{} is", function.name)); };
  if (or_more) {
    int value = take(given[0]);
    for (std::size_t i = 1; i < given.size(); ++i) value = apply(function.op, value, take(given[i]));
    return {value};
  }
  for (std::size_t i = 0; i < given.size(); ++i) operands.at(i) = take(given[i]);
  if (function.op == FormulaOp::noise && expressions_.node(operands[0]).whole && expressions_.node(operands[1]).whole)
    remark_ = {
        "noise() is 0 where both its numbers are whole, as they are here in every cell; divide by the size of "
        "its bumps, as noise(x/8, y/8)",
        place_in(text_, where_, place)};
  return {apply(function.op, operands[0], operands[1], operands[2])};
}

bool FormulaParser::has_operator(std::string_view word) const {
  if (names_ == nullptr) return false;
  return (names_->complex && std::ranges::find(parts, word, &Operator::name) != std::end(parts)) ||
         (names_->spacing > 0 && std::ranges::find(over_grid, word, &Operator::name) != std::end(over_grid));
}

FormulaValue FormulaParser::call_operator(std::string_view word, std::size_t place) {
  if (const auto* found = std::ranges::find(over_grid, word, &Operator::name); found != std::end(over_grid))
    return differences(word, arguments(word, place, found->operands, false), place);
  const FormulaValue of = arguments(word, place, 1, false)[0];
  check_size();
  if (word == "abs2") return {square_of(expressions_, of)};
  if (word == "re") return {of.re};
  if (word == "im") return {is_complex(of) ? of.im : expressions_.constant(0)};
  return {of.re, is_complex(of) ? apply(FormulaOp::negate, of.im) : -1};
}

// The value of a cell near; of one that has none, that of its mirror image in the wall.
int FormulaParser::beside(int of, int ox, int oy) {
  const int open = names_->open ? names_->open(of) : -1, there = expressions_.shift(of, ox, oy);
  if (open < 0) return there;
  const auto select = [&](int x, int y, int value, int otherwise) {
    return apply(FormulaOp::select, expressions_.shift(open, x, y), value, otherwise);
  };
  if (ox == 0 || oy == 0) return select(ox, oy, there, of);
  const int beside_x = select(0, oy, of, expressions_.shift(of, ox, 0)),
            beside_y = select(0, oy, expressions_.shift(of, 0, oy), of);
  return select(ox, oy, there, select(ox, 0, beside_x, beside_y));
}

int FormulaParser::difference(Difference difference, int of, double factor) {
  if (!names_->open || names_->open(of) < 0) return expressions_.difference(difference, of, factor);
  // The sums of kernels/pde/pass.h.
  const auto two = [&](FormulaOp op, int a, int b) { return apply(op, a, b); };
  const auto plus = [&](int a, int b) { return two(FormulaOp::add, a, b); };
  const auto minus = [&](int a, int b) { return two(FormulaOp::subtract, a, b); };
  const auto times = [&](double a, int b) { return two(FormulaOp::multiply, expressions_.constant(a), b); };
  const auto pair = [&](int ox, int oy) { return plus(beside(of, -ox, -oy), beside(of, ox, oy)); };
  if (difference == Difference::slope_x) return times(factor, minus(beside(of, 1, 0), beside(of, -1, 0)));
  if (difference == Difference::slope_y) return times(factor, minus(beside(of, 0, 1), beside(of, 0, -1)));
  const int across = plus(pair(1, 0), pair(0, 1));
  if (difference == Difference::laplacian) return times(factor, minus(across, times(4, of)));
  if (difference == Difference::laplacian_nine)
    return times(factor, minus(plus(times(4, across), plus(pair(1, 1), pair(-1, 1))), times(20, of)));
  return times(factor, this->difference(Difference::laplacian, this->difference(Difference::laplacian, of, 1), 1));
}

FormulaValue FormulaParser::each(Difference difference, FormulaValue of, double factor) {
  check_size();
  return {this->difference(difference, of.re, factor),
          is_complex(of) ? this->difference(difference, of.im, factor) : -1};
}

FormulaValue FormulaParser::differences(std::string_view word, const Values& given, std::size_t place) {
  Expressions& e = expressions_;
  const double h = names_->spacing, per_area = 1 / (h * h);
  const auto shifted = [&](int of, int ox, int oy) { return beside(of, ox, oy); };
  const auto minus = [&](int a, int b) { return apply(FormulaOp::subtract, a, b); };
  const auto plus = [&](int a, int b) { return apply(FormulaOp::add, a, b); };
  const auto times = [&](int a, int b) { return apply(FormulaOp::multiply, a, b); };
  const auto of_both = [&](FormulaValue v, const auto& function) -> FormulaValue {
    const int re = function(v.re);
    return {re, is_complex(v) ? function(v.im) : -1};
  };
  const auto second = [&](int u, int ox, int oy) {
    const int around = plus(shifted(u, -ox, -oy), shifted(u, ox, oy));
    return times(e.constant(per_area), minus(around, times(e.constant(2), u)));
  };
  if (word == "lap" && !names_->nine) return each(Difference::laplacian, given[0], per_area);
  if (word == "lap" || word == "lap9") return each(Difference::laplacian_nine, given[0], per_area / 6);
  if (word == "bilap") return each(Difference::bilaplacian, given[0], per_area * per_area);
  if (word == "dx") return each(Difference::slope_x, given[0], 0.5 / h);
  if (word == "dy") return each(Difference::slope_y, given[0], 0.5 / h);
  if (word == "dxx") return of_both(given[0], [&](int u) { return second(u, 1, 0); });
  if (word == "dyy") return of_both(given[0], [&](int u) { return second(u, 0, 1); });
  if (word == "dxy")
    return of_both(given[0], [&](int u) {
      return times(e.constant(0.25 * per_area),
                   minus(plus(shifted(u, 1, 1), shifted(u, -1, -1)), plus(shifted(u, -1, 1), shifted(u, 1, -1))));
    });
  if (word == "grad2")
    return {plus(square_of(e, each(Difference::slope_x, given[0], 0.5 / h)),
                 square_of(e, each(Difference::slope_y, given[0], 0.5 / h)))};
  if (word == "diffuse") {
    const int d = real(given[0], place, "the coefficient of diffuse is one");
    if (e.node(given[1].re).even && (!is_complex(given[1]) || e.node(given[1].im).even))
      fail(place, "diffuse(D, u) takes the coefficient first; what diffuses here is the same in all cells");
    if (e.node(d).even) return product_of(e, {d}, each(Difference::laplacian, given[1], per_area));
    return of_both(given[1], [&](int u) {  // the coefficient of a face is the mean of those beside it
      const auto flux = [&](int ox, int oy) {
        return times(plus(d, shifted(d, ox, oy)), minus(shifted(u, ox, oy), u));
      };
      const int across = plus(flux(-1, 0), flux(1, 0));
      return times(e.constant(0.5 * per_area), plus(across, plus(flux(0, -1), flux(0, 1))));
    });
  }
  // advect: from where the flow comes.
  const int vx = real(given[0], place, "a velocity is one"), vy = real(given[1], place, "a velocity is one");
  return of_both(given[2], [&](int u) {
    const auto along = [&](int v, int ox, int oy) {
      const int zero = e.constant(0);
      return plus(times(apply(FormulaOp::max, v, zero), minus(u, shifted(u, -ox, -oy))),
                  times(apply(FormulaOp::min, v, zero), minus(shifted(u, ox, oy), u)));
    };
    return times(e.constant(1 / h), plus(along(vx, 1, 0), along(vy, 0, 1)));
  });
}

FormulaValue FormulaParser::variable(std::string_view word, std::size_t place) {
  if (word == "pi") return {expressions_.constant(3.14159265358979323846)};
  if (word == "nx") return {expressions_.variable(Variable::nx)};
  if (word == "ny") return {expressions_.variable(Variable::ny)};
  if (names_ != nullptr && names_->complex_fields && (word == "i" || word == "j"))
    fail(place, fmt::format("{} is the {} of the cell; the imaginary unit is 1i, and that {} is {}", word,
                            word == "i" ? "column" : "row", word == "i" ? "column" : "row", word == "i" ? "x" : "y"));
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
  if (word == "t") return {expressions_.variable(Variable::t)};
  const auto whole = [&](Variable v) {  // the cell at a position
    return apply(FormulaOp::floor, apply(FormulaOp::add, expressions_.variable(v), expressions_.constant(0.5)));
  };
  if (word == "x") return {expressions_.variable(Variable::x)};
  if (word == "y") return {expressions_.variable(Variable::y)};
  if (word == "i") return {whole(Variable::x)};
  if (word == "j") return {whole(Variable::y)};
  const auto from_middle = [&](Variable v, Variable cells) {
    const int last = apply(FormulaOp::subtract, expressions_.variable(cells), expressions_.constant(1));
    return apply(FormulaOp::subtract, expressions_.variable(v),
                 apply(FormulaOp::multiply, last, expressions_.constant(0.5)));
  };
  const int dx = from_middle(Variable::x, Variable::nx), dy = from_middle(Variable::y, Variable::ny);
  return {word == "r" ? apply(FormulaOp::hypot, dx, dy) : apply(FormulaOp::atan2, dy, dx)};
}

}  // namespace simreel
