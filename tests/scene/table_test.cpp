#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "scene/scene.h"
#include "scene/table.h"

namespace simreel {
namespace {

constexpr std::array<std::string_view, 3> walls = {"fixed", "free", "periodic"};
enum class Wall { fixed, free, periodic };

// The [solver] table of a scene; `keys` start on line 3.
Table solver_table(const std::string& keys) { return parse_scene("[solver]\nkind = \"k\"\n" + keys, "x.toml").solver; }

template <class F>
std::string message_of(F&& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Table, ReadsEveryType) {
  Table table = solver_table(
      "real = 0.5\nwhole_as_real = 3\nwhole = -9223372036854775808\nsmall = -7\nflag = true\ntext = \"t\"\n"
      "two = [1, 2]\ntwo_real = [0.5, 2]\nthree = [1, 2, 3.5]\nwall = \"periodic\"\n");
  double real = 0, whole_as_real = 0;
  std::int64_t whole = 0;
  int small = 0;
  bool flag = false;
  std::string text;
  std::array<int, 2> two{};
  std::array<double, 2> two_real{};
  std::array<double, 3> three{};
  Wall wall = Wall::fixed;
  table.read("real", real, "");
  table.read("whole_as_real", whole_as_real, "");
  table.read("whole", whole, "");
  table.read("small", small, "");
  table.read("flag", flag, "");
  table.read("text", text, "");
  table.read("two", two, "");
  table.read("two_real", two_real, "");
  table.read("three", three, "");
  table.choose("wall", wall, walls, "");
  table.finish();
  EXPECT_EQ(real, 0.5);
  EXPECT_EQ(whole_as_real, 3.0);
  EXPECT_EQ(whole, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(small, -7);
  EXPECT_TRUE(flag);
  EXPECT_EQ(text, "t");
  EXPECT_EQ(two, (std::array<int, 2>{1, 2}));
  EXPECT_EQ(two_real, (std::array<double, 2>{0.5, 2}));
  EXPECT_EQ(three, (std::array<double, 3>{1, 2, 3.5}));
  EXPECT_EQ(wall, Wall::periodic);
}

TEST(Table, KeepsTheDefaultOfAnAbsentKey) {
  Table table;
  double real = 0.5;
  std::string text = "t";
  Wall wall = Wall::free;
  table.read("real", real, "");
  table.read("text", text, "");
  table.choose("wall", wall, walls, "");
  table.table("below", "").read("real", real, "");
  EXPECT_TRUE(table.tables("list", "").empty());
  EXPECT_TRUE(table.entries().empty());
  table.finish();
  EXPECT_EQ(real, 0.5);
  EXPECT_EQ(text, "t");
  EXPECT_EQ(wall, Wall::free);
  EXPECT_FALSE(table.has("real"));
}

TEST(Table, HoldsNumbersToTheirRange) {
  const auto read = [](const std::string& value, Range range) {
    Table table = solver_table("x = " + value + "\n");
    double x = 0;
    return message_of([&] { table.read("x", x, "", range); });
  };
  const std::string is = "x.toml:3:1: \"x\" in [solver] is ";
  EXPECT_EQ(read("0", Range::at_least(0)), "no error");
  EXPECT_EQ(read("0", Range::above(0)), is + "0; it must be greater than 0");
  EXPECT_EQ(read("5e-324", Range::above(0)), "no error");
  EXPECT_EQ(read("-0.5", Range::at_least(0)), is + "-0.5; it must be at least 0");
  EXPECT_EQ(read("1", Range::between(0, 1)), "no error");
  EXPECT_EQ(read("1.5", Range::between(0, 1)), is + "1.5; it must be between 0 and 1");
  EXPECT_EQ(read("180", Range::inside(0, 180)), is + "180; it must be greater than 0 and less than 180");
  EXPECT_EQ(read("3", Range{-std::numeric_limits<double>::max(), 2}), is + "3; it must be at most 2");
  EXPECT_EQ(read("nan", Range::any()), is + "nan; it must be a finite number");
  EXPECT_EQ(read("inf", Range::at_least(0)), is + "inf; it must be at least 0");
  EXPECT_EQ(read("-inf", Range::any()), is + "-inf; it must be a finite number");
}

TEST(Table, KeepsTheEndsOfTheIntegersApart) {
  Table table = solver_table("x = 9007199254740993\ny = 2147483648\nz = -2147483648\n");
  std::int64_t x = 0;
  EXPECT_EQ(message_of([&] { table.read("x", x, "", Range::between(0, 9007199254740992)); }),
            "x.toml:3:1: \"x\" in [solver] is 9007199254740993; it must be between 0 and 9007199254740992");
  int y = 1, z = 0;
  EXPECT_EQ(message_of([&] { table.read("y", y, ""); }),
            "x.toml:4:1: \"y\" in [solver] is 2147483648; it must be between -2147483648 and 2147483647");
  EXPECT_EQ(y, 1);
  table.read("z", z, "");
  EXPECT_EQ(z, std::numeric_limits<int>::min());
}

TEST(Table, NamesWrongTypes) {
  Table table = solver_table("s = \"fast\"\ni = 5\nlist = [1, \"b\", 3]\nt = {}\n");
  double real = 0;
  bool flag = false;
  std::array<double, 3> three = {7, 8, 9};
  EXPECT_EQ(message_of([&] { table.read("s", real, ""); }),
            "x.toml:3:1: \"s\" in [solver] must be a number, but is the string \"fast\"");
  EXPECT_EQ(message_of([&] { table.read("i", flag, ""); }),
            "x.toml:4:1: \"i\" in [solver] must be true or false, but is the whole number 5");
  EXPECT_EQ(message_of([&] { table.read("list", three, ""); }),
            "x.toml:5:1: \"list\" in [solver] must be an array of 3 numbers, but holds the string \"b\"");
  EXPECT_EQ(three, (std::array<double, 3>{7, 8, 9})) << "a failed read changes nothing";
  EXPECT_EQ(message_of([&] { table.read("t", real, ""); }),
            "x.toml:6:1: \"t\" in [solver] must be a number, but is a table");
  EXPECT_EQ(message_of([&] { table.tables("list", ""); }),
            "x.toml:5:1: \"list\" in [solver] must be a list of tables, [[solver.list]], but is an array of 3 values");
  EXPECT_EQ(message_of([&] { table.table("i", ""); }),
            "x.toml:4:1: \"i\" in [solver] must be one table, [solver.i], but is the whole number 5");
}

TEST(Table, NamesTheChoices) {
  Table table = solver_table("wall = \"fxied\"\nother = \"qqqq\"\n");
  Wall wall = Wall::free;
  EXPECT_EQ(message_of([&] { table.choose("wall", wall, walls, ""); }),
            "x.toml:3:1: \"wall\" in [solver] is \"fxied\"; it must be one of fixed, free, periodic; did you mean "
            "\"fixed\"?");
  EXPECT_EQ(message_of([&] { table.choose("other", wall, walls, ""); }),
            "x.toml:4:1: \"other\" in [solver] is \"qqqq\"; it must be one of fixed, free, periodic");
  EXPECT_EQ(wall, Wall::free);
}

TEST(Table, DemandsRequiredKeys) {
  Table table = solver_table("gird = [8, 8]\n");
  EXPECT_EQ(
      message_of([&] { table.require("grid", "grid = [512, 512]"); }),
      "x.toml:1:1: the required key \"grid\" in [solver] is missing; for example: grid = [512, 512]; is \"gird\" a "
      "misspelling of it?");
  EXPECT_EQ(message_of([&] { table.require("bodies"); }),
            "x.toml:1:1: the required key \"bodies\" in [solver] is missing");
  EXPECT_EQ(message_of([&] { table.require("gird"); }), "no error");
}

TEST(Table, FinishLooksBelow) {
  Table table = solver_table("[solver.rain]\nrate = 1\nseeed = 2\n[[solver.droplet]]\ntime = 1\n");
  double x = 0;
  EXPECT_EQ(message_of([&] { table.finish(); }).substr(0, 41), "x.toml:3:1: unknown table [solver.rain]; ");
  Table rain = table.table("rain", "");
  rain.read("rate", x, "");
  rain.read("seed", x, "");
  EXPECT_EQ(message_of([&] { table.finish(); }),
            "x.toml:5:1: unknown key \"seeed\" in [solver.rain]; did you mean \"seed\"?");
  rain.read("seeed", x, "");
  for (Table& droplet : table.tables("droplet", "")) droplet.read("tme", x, "");
  EXPECT_EQ(message_of([&] { table.finish(); }),
            "x.toml:7:1: unknown key \"time\" in [[solver.droplet]]; did you mean \"tme\"?");
  for (Table& droplet : table.tables("droplet", "")) droplet.read("time", x, "");
  EXPECT_EQ(message_of([&] { table.finish(); }), "no error");
}

TEST(Table, EntriesAreTextSortedByKey) {
  const Table table = solver_table("z = \"text\"\na = 0.1\nm = false\nk = -3\n");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"a", "0.1"}, {"k", "-3"}, {"kind", "k"}, {"m", "false"}, {"z", "text"}};
  EXPECT_EQ(table.entries(), expected);
  table.finish();
}

TEST(Table, FailNamesTheKeyOrElseTheTable) {
  Table table = solver_table("[solver.rain]\nrate = 1\n");
  EXPECT_EQ(message_of([&] { table.table("rain", "").fail("rate", "m"); }), "x.toml:4:1: m");
  EXPECT_EQ(message_of([&] { table.table("rain", "").fail("none", "m"); }), "x.toml:3:1: m");
  EXPECT_EQ(message_of([&] { table.table("absent", "").fail("none", "m"); }), "x.toml:1:1: m");
  EXPECT_EQ(message_of([&] { Table().fail("none", "m"); }), "m");
  EXPECT_EQ(table.position("kind").text(), "x.toml:2:1");
}

TEST(Table, DocumentationListsEveryRead) {
  Table table = Table::documentation();
  std::array<int, 2> grid = {0, 0};
  std::array<double, 3> force = {0, 0.5, 1e-9};
  double damping = 0.002;
  std::int64_t steps = 12;
  bool flag = false;
  std::string text = "a\"b";
  Wall wall = Wall::free;
  EXPECT_FALSE(table.has("grid"));
  table.require("grid", "grid = [512, 512]");
  table.read("grid", grid, "cells");
  table.read("force", force, "body force");
  table.read("damping", damping, "k");
  table.read("steps", steps, "steps");
  table.read("flag", flag, "a flag");
  table.read("text", text, "a text");
  table.choose("wall", wall, walls, "what is outside");
  table.read("damping", damping, "asked twice, listed once");
  std::vector<Table> droplets = table.tables("droplet", "falls");
  ASSERT_EQ(droplets.size(), 1u);
  droplets[0].require("radius");
  droplets[0].read("radius", damping, "cells");
  table.table("rain", "falls often").table("cloud", "where from").read("rate", damping, "often");
  table.finish();

  std::vector<std::string> lines;
  for (const KeyDoc& doc : table.documented())
    lines.push_back(doc.key + " = " + doc.default_value + ": " + doc.meaning);
  const std::vector<std::string> expected = {
      "grid = required: cells",
      "force = [0, 0.5, 1e-09]: body force",
      "damping = 0.002: k",
      "steps = 12: steps",
      "flag = false: a flag",
      "text = \"a\\\"b\": a text",
      "wall = \"free\": what is outside (fixed | free | periodic)",
      "droplet = []: falls",
      "droplet.radius = required: cells",
      "rain = {}: falls often",
      "rain.cloud = {}: where from",
      "rain.cloud.rate = 0.002: often",
  };
  EXPECT_EQ(lines, expected);
}

TEST(Suggestion, FindsTypingMistakes) {
  const std::vector<std::string_view> known = {"damping", "boundary", "grid", "G", "amplitude", "steps_per_frame"};
  EXPECT_EQ(nearest("dampnig", known), "damping");
  EXPECT_EQ(nearest("Boundary", known), "boundary");
  EXPECT_EQ(nearest("gird", known), "grid");
  EXPECT_EQ(nearest("g", known), "G");
  EXPECT_EQ(nearest("amp", known), "amplitude");
  EXPECT_EQ(nearest("steps", known), "steps_per_frame");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(100000, 'g'), known), "");
}

TEST(Suggestion, QuotesAsToml) {
  EXPECT_EQ(quote("a\\\"\n\t\x01\x7F\xC3\xA4"), "\"a\\\\\\\"\\n\\t\\u0001\\u007F\xC3\xA4\"");
  EXPECT_EQ(shorten("a\xC3\xA4\xC3\xA4", 5), "a\xC3\xA4\xC3\xA4");
  EXPECT_EQ(shorten("a\xC3\xA4\xC3\xA4", 4), "a\xC3\xA4...");
  EXPECT_EQ(shorten("a\xC3\xA4\xC3\xA4", 2), "a...");
}

}  // namespace
}  // namespace simreel
