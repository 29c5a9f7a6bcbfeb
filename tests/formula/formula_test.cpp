#include "formula/formula.h"

#include "base/error.h"
#include "kernels/base/elementary.h"
#include "kernels/base/random.h"
#include "scene/scene.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr FormulaGrid grid{7, 5, 3};

double value(const std::string& text, double x = 0, double y = 0, double t = 0) {
  return Formula::parse("= " + text, {"a.toml", 4, 10}).at(grid, x, y, t);
}

std::string error_of(const std::string& text, unsigned allowed = Formula::x | Formula::y | Formula::t) {
  return test::thrown([&] { Formula::parse(text, {"a.toml", 4, 10}, allowed); });
}

TEST(Formula, OperatorsBindAsInMathematics) {
  EXPECT_EQ(value("1 + 2 * 3 ^ 2"), 19);
  EXPECT_EQ(value("-2 ^ 2"), -4);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value("2 ** -1"), 0.5);
  EXPECT_EQ(value("8 - 3 - 2"), 3);
  EXPECT_EQ(value("16 / 4 / 2"), 2);
  EXPECT_EQ(value("-x - -3", 1), 2);
  EXPECT_EQ(value("1 + 1 < 3"), 1);
  EXPECT_EQ(value("not 1 > 2 and 0 or 0"), 0);
  EXPECT_EQ(value("1 or 0 and 0"), 1);
  EXPECT_EQ(value("!(x == 1) || x >= 1 && x != 2", 2), 1);
  EXPECT_EQ(value(".5 + 1e-1 + 2.e1"), 0.5 + 0.1 + 20);
}

TEST(Formula, FunctionsAndVariablesHaveTheirValues) {
  EXPECT_EQ(value("sin(x) + cos(y) * tan(t)", 1, 2, 3), exact::sin(1) + exact::cos(2) * exact::tan(3));
  EXPECT_EQ(value("asin(x) + acos(x) * atan(x)", 0.3), exact::asin(0.3) + exact::acos(0.3) * exact::atan(0.3));
  EXPECT_EQ(value("exp(x) + log(y) + sqrt(t) + tanh(x)", 1, 2, 3),
            exact::exp(1) + exact::log(2) + std::sqrt(3.0) + exact::tanh(1));
  EXPECT_EQ(value("abs(-x) + floor(1.5) + ceil(1.5) + round(2.5) + sign(-2)", 4), 4 + 1 + 2 + 3 - 1);
  EXPECT_EQ(value("pow(x, 2.5) + mod(-1, 3) + hypot(3, 4) + atan2(1, -1)", 2),
            exact::pow(2, 2.5) + 2 + 5 + exact::atan2(1, -1));
  EXPECT_EQ(value("min(3, x, 2) + max(1, 5, 4) * 10", 9), 52);
  EXPECT_EQ(value("if(x > 1, 10, 20) + clamp(x, 0, 1)", 2), 11);
  EXPECT_EQ(value("step(2, x) + step(x, 2) + mix(0, 10, 0.25) + smoothstep(0, 4, 2)", 1), 0 + 1 + 2.5 + 0.5);
  EXPECT_EQ(value("noise(x, y)", 1.25, 2.5), exact::noise(1.25, 2.5, 3));
  EXPECT_EQ(value("i + 100 * j", 2.6, 1.4), 103);
  EXPECT_EQ(value("nx * 10 + ny"), 75);
  EXPECT_EQ(value("r", 6, 6), std::sqrt(9.0 + 16));  // the middle is [3, 2]
  EXPECT_EQ(value("theta", 3, 5), exact::atan2(3, 0));
  EXPECT_EQ(value("pi"), 3.141592653589793);
  EXPECT_EQ(value("x ^ 3 - x ^ 4 + x ^ 0.5", 3), 27 - 81 + exact::pow(3, 0.5));
}

TEST(Formula, RowsHaveTheBitsOfSingleValuesHoweverTheyAreCut) {
  const FormulaGrid large{1000, 3, 9};
  const Formula formula = Formula::parse(
      "= if(hypot(x - 300, y) < 200, noise(x / 9, y / 9), sin(x * 0.1 + t) * exp(-y)) + mod(x, 7) * (y + t) ^ 2 + "
      "atan2(y - 1, r) + (x > 5) * y",
      {});
  std::vector<double> whole(3000), part(100);
  for (std::size_t j = 0; j < 3; ++j)
    formula.row(large, 0, static_cast<double>(j), 2.5, std::span(whole).subspan(1000 * j, 1000));
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 1000; i += 1) {
      const double expected = formula.at(large, i, j, 2.5), given = whole[j * 1000 + i];
      ASSERT_EQ(std::memcmp(&expected, &given, sizeof given), 0) << i << " " << j;
    }
  formula.row(large, 250, 1, 2.5, part);
  EXPECT_EQ(std::memcmp(part.data(), whole.data() + 1250, 100 * sizeof(double)), 0);
}

TEST(Formula, KnowsWhatItUses) {
  const Formula formula = Formula::parse("= x * 2 + t", {});
  EXPECT_TRUE(formula.uses(Formula::x));
  EXPECT_FALSE(formula.uses(Formula::y));
  EXPECT_TRUE(formula.uses(Formula::t));
  EXPECT_TRUE(Formula::parse("= theta", {}).uses(Formula::y));
  EXPECT_FALSE(Formula::parse("= nx * pi", {}).uses(Formula::x));
}

TEST(Formula, BeginsWithAnEqualsSign) {
  EXPECT_TRUE(Formula::is_formula("  = 1"));
  EXPECT_FALSE(Formula::is_formula("a = 1"));
  EXPECT_FALSE(Formula::is_formula(" "));
}

TEST(Formula, MistakesHaveTheirPlaceAndACaret) {
  EXPECT_EQ(error_of("= 1 + sine(x)"),
            "a.toml:4:16: \"sine\" is no variable and no function; did you mean sin?\n"
            "  = 1 + sine(x)\n"
            "        ^");
  EXPECT_EQ(error_of("= 1 +"),
            "a.toml:4:15: the formula ends where a number, a name or ( is missing\n  = 1 +\n       ^");
  EXPECT_EQ(error_of("= (1 + (2)"), "a.toml:4:12: this ( is not closed\n  = (1 + (2)\n    ^");
  EXPECT_EQ(error_of("= 1) + 2"), "a.toml:4:13: this ) closes no (\n  = 1) + 2\n     ^");
  EXPECT_EQ(error_of("= 2x"), "a.toml:4:13: an operator is missing here; a product is written with *\n  = 2x\n     ^");
  EXPECT_EQ(error_of("= 1 < x < 2"),
            "a.toml:4:18: comparisons do not follow each other; write a < b and b < c\n  = 1 < x < 2\n          ^");
  EXPECT_EQ(error_of("= if(x, 1)"), "a.toml:4:12: if takes 3 arguments, and has 2 here\n  = if(x, 1)\n    ^");
  EXPECT_EQ(error_of("= min(x)"), "a.toml:4:12: min takes 2 arguments or more, and has 1 here\n  = min(x)\n    ^");
  EXPECT_EQ(error_of("= sin x"),
            "a.toml:4:16: sin is a function; its arguments stand in parentheses: sin(...)\n  = sin x\n        ^");
  EXPECT_EQ(error_of("= 0,5"),
            "a.toml:4:13: a comma stands between the arguments of a function only; decimals have a point: 0.5\n  = "
            "0,5\n     ^");
  EXPECT_EQ(error_of("= x = 1"),
            "a.toml:4:14: = does not stand within a formula; a comparison is written ==\n  = x = 1\n      ^");
  EXPECT_EQ(error_of("= 1.2.3"), "a.toml:4:12: this number has two points\n  = 1.2.3\n    ^");
  EXPECT_EQ(error_of("= 1e999"), "a.toml:4:12: this number is beyond the range of double precision\n  = 1e999\n    ^");
  EXPECT_EQ(error_of("= x \xc2\xb7 y"),
            "a.toml:4:14: \"\xc2\xb7\" is written * in a formula\n  = x \xc2\xb7 y\n      ^");
  EXPECT_EQ(error_of("x"), "a.toml:4:10: a formula begins with =\n  x\n  ^");
  EXPECT_EQ(error_of("= t", Formula::x | Formula::y),
            "a.toml:4:12: t has no meaning here; this value does not change in time\n  = t\n    ^");
  EXPECT_EQ(error_of("= x", Formula::t),
            "a.toml:4:12: x has no meaning here; this value depends on the time t only\n  = x\n    ^");
  EXPECT_EQ(error_of("= r", Formula::y),
            "a.toml:4:12: r has no meaning here; this value may depend on y and not on x\n  = r\n    ^");
  // The second line of a text of several.
  EXPECT_EQ(error_of("= 1 +\n  flor"),
            "a.toml:5:3: \"flor\" is no variable and no function; did you mean floor?\n    flor\n    ^");
}

TEST(Formula, LongOnesAreCutAndDeepOnesRefused) {
  const std::string error = error_of("= " + std::string(200, '1') + " + foo");
  EXPECT_LT(error.substr(error.find('\n')).size(), 240u);
  const std::size_t caret = error.rfind('\n');
  const std::size_t line = error.rfind('\n', caret - 1);
  EXPECT_EQ(error.substr(line + 1 + (error.size() - caret - 2), 3), "foo");
  EXPECT_TRUE(test::says(error_of("= " + std::string(3000, '(')), "more than 200 parentheses"));
  EXPECT_TRUE(test::says(error_of("= " + std::string(3000, '-')), "more than 200 parentheses"));
  EXPECT_TRUE(test::says(error_of("= " + std::string(5000, ' ')), "at most 4096"));
  // One level each, whatever stands within.
  const auto parentheses = [](std::size_t count) { return std::string(count, '(') + "3" + std::string(count, ')'); };
  EXPECT_EQ(value(parentheses(199)), 3);
  EXPECT_TRUE(test::says(error_of("= " + parentheses(200)),
                         "more than 200 parentheses, operators and names lie within each other; write it with fewer"));
  std::string calls = "x";
  for (int i = 0; i < 99; ++i) calls = "abs(-" + calls + ")";
  EXPECT_EQ(value(calls, 7), 7);
  EXPECT_TRUE(test::says(error_of("= --" + calls), "more than 200"));
  std::string powers = "= 2";
  for (int i = 0; i < 200; ++i) powers += "^2";
  EXPECT_TRUE(test::says(error_of(powers), "more than 200"));
}

TEST(Formula, APlaceOfASceneIsExact) {
  const auto place = [](const std::string& quoted) {
    const Scene scene = parse_scene("[solver]\nkind = \"wave\"\nspeed   = " + quoted + "\n", "s.toml", {});
    Table solver = scene.solver;
    double number = 1;
    PlacedText text;
    EXPECT_TRUE(solver.read_number_or_text("speed", number, text, "a formula", "speed"));
    return text.place.text();
  };
  EXPECT_EQ(place("\"= 1\""), "s.toml:3:12");
  EXPECT_EQ(place("'= 1'"), "s.toml:3:12");
  EXPECT_EQ(place("\"\"\"= 1\"\"\""), "s.toml:3:14");
  EXPECT_EQ(place("\"\"\"\n= 1\"\"\""), "s.toml:4:1");
}

// Texts of tokens of the language in any order never crash, and give a value or one error with its place.
TEST(Formula, AnyTextIsReadOrRefused) {
  constexpr std::string_view tokens[] = {
      "x",  "y",     "t",   "r",  "theta", "pi", "1",   "2.5",  "(",  ")",   "+",   "-",    "*",   "/",   "^",
      "**", "<",     ">=",  "==", "!=",    "!",  "not", "and",  "or", ",",   "if",  "sin",  "min", "max", "noise",
      "=",  "clamp", "mod", ".",  "1e",    "\n", " ",   "\xc3", "_",  "log", "if(", "pow(", "0",   ")",   ")"};
  int read = 0;
  std::vector<double> values(static_cast<std::size_t>(grid.nx));
  for (std::uint64_t n = 0; n < 60000; ++n) {
    std::string text = "=";
    const std::uint64_t length = random_bits(1, 0, n) % 14;
    for (std::uint64_t k = 0; k < length; ++k) {
      text += tokens[random_bits(1, 1 + k, n) % std::size(tokens)];
      if (random_bits(2, k, n) % 2 == 0) text += ' ';
    }
    try {
      const Formula formula = Formula::parse(text, {"a.toml", 4, 10});
      for (int j = 0; j < grid.ny; ++j) formula.row(grid, 0, j, 1, values);
      ++read;
    } catch (const UsageError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("a.toml:")) << text;
    }
  }
  EXPECT_GT(read, 500);
}

// What is solid where a comparison holds ends where its sides are equal, and the same points are inside.
TEST(Formula, ComparisonsOfABorderGiveTheDistanceOfTheirSides) {
  const struct {
    const char *text, *distance;
  } cases[] = {{"hypot(x, y) < 3", "3 - hypot(x, y)"},
               {"x > 2", "x - 2"},
               {"x <= 2 and y >= 1", "min(2 - x, y - 1)"},
               {"x < 1 or not (y < 2)", "max(1 - x, y - 2)"},
               {"(x < 2) * (y < 3)", "min(2 - x, 3 - y)"},
               {"min(x > 0, max(y > 1, x > 3))", "min(x, max(y - 1, x - 3))"},
               {"!(x < 2 && y < 3)", "-min(2 - x, 3 - y)"},
               {"4 - hypot(x, y)", "4 - hypot(x, y)"},
               {"x > 1 and y", "(x > 1) * (abs(y) > 0)"},
               {"x == 2", "x == 2"},
               {"if(x < 2, 1, 0)", "x < 2"},
               {"1 - (x < 2)", "1 - (x < 2)"}};
  for (const auto& [text, distance] : cases) {
    const Formula border = Formula::parse("= " + std::string(text), {"a.toml", 4, 10}, Formula::x | Formula::y, true);
    for (double y = -2; y <= 4; y += 0.5)
      for (double x = -2; x <= 4; x += 0.5) {
        const double found = border.at(grid, x, y, 0);
        EXPECT_NEAR(found, value(distance, x, y), 1e-12) << text << " at " << x << ", " << y;
        EXPECT_EQ(found > 0, value(text, x, y) > 0) << text << " at " << x << ", " << y;
      }
  }
}

}  // namespace
}  // namespace simreel
