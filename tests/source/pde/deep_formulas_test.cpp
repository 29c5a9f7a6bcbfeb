// Scenes that are small and ask for much: each is read, or refused at the formula that asks, at once.

#include "tests/support/pde_scene.h"

namespace simreel {
namespace {

std::string nested(std::string_view before, std::string_view of, std::string_view after, int times) {
  std::string text(of);
  for (int i = 0; i < times; ++i) text = fmt::format("{}{}{}", before, text, after);
  return text;
}
std::string field(std::string_view rate, std::string_view more = "") {
  return fmt::format("grid = [64, 64]\n{}[solver.fields.u]\ninitial = \"= sin(x)\"\nrate = \"= {}\"\n", more, rate);
}
constexpr std::string_view given = "scheme = \"euler\"\ntimestep = 1e-9\nunchecked = true\n";

// Equal parts are one, and what walks them visits each once.
TEST(PdeLimits, SharedPartsOfAValueThatObstaclesHoldAreMovedInTimeOnce) {
  for (const std::string& value : {nested("(", "t", ")^4", 90), nested("(", "t", ")^3", 90)})
    EXPECT_EQ(
        test::pde_error(field("lap(u)", given) + "[[solver.obstacle]]\nradius = 5\nhold.u = \"= " + value + "\"\n"),
        "");
  std::string chain = "[solver.parameters]\n";
  for (int i = 0; i < 99; ++i) chain += fmt::format("p{} = \"= p{}*p{}\"\n", i, i + 1, i + 1);
  EXPECT_EQ(test::pde_error(field("lap(u)", std::string(given) + chain + "p99 = \"= t\"\n") +
                            "[[solver.obstacle]]\nradius = 5\nhold.u = \"= p0\"\n"),
            "");
}

// Names bring no new depth: a stack of 8 MiB bears all.
TEST(PdeLimits, FormulasWithinEachOtherAreDeepTogether) {
  const std::pair<const char*, const char*> shapes[] = {{"abs(", ")"},      {"(", ")"},    {"-", ""},
                                                        {"2^", ""},         {"not ", ""},  {"min(1, ", ")"},
                                                        {"if(1, ", ", 2)"}, {"1 < (", ")"}};
  for (const auto& [before, after] : shapes) {
    std::string chain = "[solver.parameters]\n", values = "";
    for (int i = 0; i < 60; ++i) {
      chain += fmt::format("p{} = \"= {}\"\n", i, nested(before, fmt::format("p{}", i + 1), after, 90));
      if (i < 30)
        values += fmt::format("[solver.fields.g{}]\nvalue = \"= {}\"\n", i,
                              nested(before, i < 29 ? fmt::format("g{}", i + 1) : "u", after, 90));
    }
    for (const std::string& scene : {field("lap(u) + p0", chain + "p60 = 1\n"), field("lap(u) + g0", given) + values})
      EXPECT_TRUE(
          test::says(test::pde_error(scene), "more than 200 parentheses, operators and names lie within each other"))
          << before << test::pde_error(scene).substr(0, 200);
  }
}

TEST(PdeLimits, AnEquationReadsCellsNearIt) {
  const auto error = [](const std::string& scene) { return test::pde_error(scene); };
  const std::string far = "through its operators and fields this reads cells";
  EXPECT_EQ(error(field(nested("lap(", "u", ")", 8), given)), "");
  EXPECT_EQ(error(field(nested("bilap(", "u", ")", 4), given)), "");
  for (const std::string& rate :
       {nested("lap(", "u", ")", 9), nested("bilap(", "u", ")", 5), nested("dxy(", "u*u", ")", 9),
        nested("diffuse(u, ", "u", ")", 9), nested("dx(dy(", "u", "))", 5)})
    EXPECT_TRUE(error(field(rate, given)).starts_with("pde.toml:10:9: " + far)) << error(field(rate, given));
  std::string chain;
  for (int i = 0; i < 18; ++i)
    chain += fmt::format("[solver.fields.g{}]\nvalue = \"= lap({}*{}) + lap(u*u)\"\n{}", i,
                         i == 0 ? std::string("u") : fmt::format("g{}", i - 1), i + 1,
                         i % 2 == 0 ? "" : "boundary = { left = { value = 0 } }\n");
  // The first field that reads too far has the mistake.
  EXPECT_TRUE(test::says(error(field("g17", given) + chain), far + " 9 away, and at most 8 can be"));
  EXPECT_TRUE(test::says(
      error(field("u", given) + "[[solver.measure]]\nmean = \"= " + nested("lap(", "u", ")", 9) + "\"\n"), far));
}

// Layers of parameters, of which each reads all of the next: each is read once.
TEST(PdeLimits, ManyParametersAreReadOnce) {
  for (const std::string_view leaf : {"x", "t"}) {
    std::string layers = "[solver.parameters]\n";
    for (int layer = 0; layer < 40; ++layer)
      for (int k = 0; k < 20; ++k)
        layers += layer == 39 ? fmt::format("a{}_{} = \"= {}*{}\"\n", layer, k, leaf, k + 2)
                              : fmt::format("a{}_{} = \"= a{}_{} + a{}_{}\"\n", layer, k, layer + 1, k, layer + 1,
                                            (k + 1) % 20);
    std::string all;
    for (int k = 0; k < 20; ++k) all += fmt::format(" + a0_{}", k);
    // Read once for each use, they are 2^40, which never ends.
    EXPECT_EQ(test::pde_error(field("lap(u)" + all, std::string(given) + layers)), "");
  }
  // A message names some of many.
  std::string many = "[solver.parameters]\n";
  for (int i = 0; i < 3000; ++i) many += fmt::format("p{} = 1\n", i);
  EXPECT_LT(test::pde_error(field("zzzz", many)).size(), 2000u);
}

TEST(PdeNoise, OfWholeNumbersIsSaid) {
  const auto remarks = [](const std::string& keys) { return plan_solver(test::pde_scene(keys)).texts.remarks; };
  for (const std::string_view zero :
       {"noise(x, y)", "1 + 0.01*noise(x, y)", "noise(2*x, 3*y)", "noise(x + 1, y)", "noise(i, j)", "noise(x/0.5, y)",
        "noise(x - nx, max(y, 3))", "noise(x^2, floor(y/3))", "noise(0, y)"}) {
    const auto said = remarks(fmt::format(
        "grid = [8, 8]\ntimestep = 0.1\n[solver.fields.u]\ninitial = \"= {}\"\nrate = \"= lap(u)\"\n", zero));
    ASSERT_EQ(said.size(), 1u) << zero;
    EXPECT_TRUE(said[0].starts_with(fmt::format("pde.toml:7:{}: noise() is 0 where", 14 + zero.find("noise"))))
        << said[0];
  }
  for (const std::string_view some :
       {"noise(x/8, y/8)", "noise(x, y/2)", "noise(0.7*x, y)", "noise(x + 0.5, y)", "noise(r, y)", "noise(x/3, 2)"})
    EXPECT_TRUE(
        remarks(
            fmt::format("grid = [8, 8]\ntimestep = 0.1\n[solver.fields.u]\ninitial = \"= {}\"\nrate = \"= lap(u)\"\n",
                        some))
            .empty())
        << some;
  EXPECT_EQ(
      remarks(
          "grid = [8, 8]\ntimestep = 0.1\n[solver.parameters]\nq = \"= noise(x, y)\"\n[solver.fields.u]\ninitial = 0\n"
          "rate = \"= lap(u) + q + noise(x, y)*t\"\n")
          .size(),
      2u);
}

}  // namespace
}  // namespace simreel
