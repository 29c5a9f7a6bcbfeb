#include <fmt/format.h>

#include "base/error.h"
#include "scene/scene.h"
#include "scene/table.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr std::array<std::string_view, 3> walls = {"fixed", "free", "periodic"};
enum class Wall { fixed, free, periodic };

// The [solver] table of a scene; `keys` start on line 3.
Table solver_table(const std::string& keys) { return parse_scene("[solver]\nkind = \"k\"\n" + keys, "x.toml").solver; }

// The value of a key `x`, or without it the default.
template <class T>
T value_of(const std::string& text, T value = {}) {
  Table table = solver_table(text.empty() ? "" : "x = " + text + "\n");
  table.read("x", value, "");
  table.finish();
  return value;
}

TEST(Table, ReadsEveryTypeAndKeepsTheDefaultOfAnAbsentKey) {
  EXPECT_EQ(value_of<double>("0.5"), 0.5);
  EXPECT_EQ(value_of<double>("3"), 3.0);
  EXPECT_EQ(value_of<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value_of<int>("-7"), -7);
  EXPECT_TRUE(value_of<bool>("true"));
  EXPECT_EQ(value_of<std::string>("\"t\""), "t");
  EXPECT_EQ((value_of<std::array<int, 2>>("[1, 2]")), (std::array<int, 2>{1, 2}));
  EXPECT_EQ((value_of<std::array<double, 2>>("[0.5, 2]")), (std::array<double, 2>{0.5, 2}));
  EXPECT_EQ((value_of<std::array<double, 3>>("[1, 2, 3.5]")), (std::array<double, 3>{1, 2, 3.5}));
  EXPECT_EQ(value_of<double>("", 0.5), 0.5);
  EXPECT_EQ(value_of<std::string>("", "t"), "t");
  Wall wall = Wall::free;
  Table table = solver_table("wall = \"periodic\"\n");
  table.choose("none", wall, walls, "");
  EXPECT_EQ(wall, Wall::free);
  table.choose("wall", wall, walls, "");
  EXPECT_EQ(wall, Wall::periodic);
  double real = 0.5;
  table.table("below", "").read("real", real, "");
  EXPECT_EQ(real, 0.5);
  EXPECT_TRUE(table.tables("list", "").empty());
  EXPECT_TRUE(Table().entries().empty());
  EXPECT_FALSE(table.has("real"));
  table.finish();
}

TEST(Table, HoldsNumbersToTheirRange) {
  const auto read = [](const std::string& value, Range range) {
    Table table = solver_table("x = " + value + "\n");
    double x = 0;
    return test::thrown([&] { table.read("x", x, "", range); });
  };
  const std::string is = "x.toml:3:1: \"x\" in [solver] is ";
  EXPECT_EQ(read("0", Range::at_least(0)), "");
  EXPECT_EQ(read("0", Range::above(0)), is + "0; it must be greater than 0");
  EXPECT_EQ(read("5e-324", Range::above(0)), "");
  EXPECT_EQ(read("-0.5", Range::at_least(0)), is + "-0.5; it must be at least 0");
  EXPECT_EQ(read("1", Range::between(0, 1)), "");
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
  EXPECT_EQ(test::thrown([&] { table.read("x", x, "", Range::between(0, 9007199254740992)); }),
            "x.toml:3:1: \"x\" in [solver] is 9007199254740993; it must be between 0 and 9007199254740992");
  int y = 1, z = 0;
  EXPECT_EQ(test::thrown([&] { table.read("y", y, ""); }),
            "x.toml:4:1: \"y\" in [solver] is 2147483648; it must be between -2147483648 and 2147483647");
  EXPECT_EQ(y, 1);
  table.read("z", z, "");
  EXPECT_EQ(z, std::numeric_limits<int>::min());
}

TEST(Table, FinishLooksBelow) {
  Table table = solver_table("[solver.rain]\nrate = 1\nseeed = 2\n[[solver.droplet]]\ntime = 1\n");
  double x = 0;
  EXPECT_EQ(test::thrown([&] { table.finish(); }).substr(0, 41), "x.toml:3:1: unknown table [solver.rain]; ");
  Table rain = table.table("rain", "");
  rain.read("rate", x, "");
  rain.read("seed", x, "");
  EXPECT_EQ(test::thrown([&] { table.finish(); }),
            "x.toml:5:1: unknown key \"seeed\" in [solver.rain]; did you mean \"seed\"?");
  rain.read("seeed", x, "");
  for (Table& droplet : table.tables("droplet", "")) droplet.read("tme", x, "");
  EXPECT_EQ(test::thrown([&] { table.finish(); }),
            "x.toml:7:1: unknown key \"time\" in [[solver.droplet]]; did you mean \"tme\"?");
  for (Table& droplet : table.tables("droplet", "")) droplet.read("time", x, "");
  EXPECT_EQ(test::thrown([&] { table.finish(); }), "");
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
  EXPECT_EQ(test::thrown([&] { table.table("rain", "").fail("rate", "m"); }), "x.toml:4:1: m");
  EXPECT_EQ(test::thrown([&] { table.table("rain", "").fail("none", "m"); }), "x.toml:3:1: m");
  EXPECT_EQ(test::thrown([&] { table.table("absent", "").fail("none", "m"); }), "x.toml:1:1: m");
  EXPECT_EQ(test::thrown([&] { Table().fail("none", "m"); }), "m");
  EXPECT_EQ(table.position("kind").text(), "x.toml:2:1");
}

TEST(Table, DocumentationListsEveryRead) {
  Table table = Table::documentation("solver");
  std::array<int, 2> grid = {0, 0}, pair = {};
  std::array<double, 2> place = {1, 1};
  std::optional<double> min;
  double exposure = 1;
  int tile = 4, choice = 1, rate = 60;
  Color color{0, 0, 0, 128};
  constexpr int tiles[] = {2, 4, 8};
  std::array<double, 3> force = {0, 0.5, 1e-9};
  double damping = 0.002;
  std::int64_t steps = 12;
  bool flag = false;
  std::string text = "a\"b";
  Wall wall = Wall::free;
  EXPECT_FALSE(table.has("grid"));
  table.require("grid", "grid = [512, 512]");
  table.read("grid", grid, "cells", Range::between(1, 9));
  table.read("force", force, "body force");
  table.read("damping", damping, "k", Range::inside(0, 1));
  table.read("steps", steps, "steps", Range::at_least(1));
  table.read("flag", flag, "a flag");
  table.read("text", text, "a text");
  table.choose("wall", wall, walls, "what is outside");
  table.read("damping", damping, "asked twice, listed once");
  table.read("place", place, {"cells", "the middle"});
  table.read("least", min, "dB", Range::at_least(0));
  table.choose("tile", tile, tiles, "cells");
  EXPECT_FALSE(table.read_either("ends", choice, walls, place, "[low, high]", "range"));
  EXPECT_FALSE(table.read_either("light", choice, walls, exposure, "a number", "exposure", Range::above(0)));
  EXPECT_FALSE(table.read_either("rate", rate, Range::between(1, 99), pair, Range::any(), "[n, d]", "per second"));
  table.read("color", color, "ink");
  std::vector<Table> droplets = table.tables("droplet", "falls");
  ASSERT_EQ(droplets.size(), 1u);
  droplets[0].require("radius");
  droplets[0].read("radius", damping, "cells");
  table.table("rain", "falls often").table("cloud", "where from").read("rate", damping, "often");
  table.finish();

  std::vector<std::string> lines;
  for (const TableDoc& below : table.documented()) {
    lines.push_back(fmt::format("{}{}: {}", below.path, below.list ? " list" : "", below.meaning));
    for (const KeyDoc& doc : below.keys)
      lines.push_back(fmt::format("{} = {} ({}): {}", doc.key, doc.shown_default(), doc.range, doc.meaning));
  }
  const std::vector<std::string> expected = {
      "solver: ",
      "grid = required (2 whole numbers, between 1 and 9): cells",
      "force = [0, 0.5, 1e-09] (3 numbers): body force",
      "damping = 0.002 (number, greater than 0 and less than 1): k",
      "steps = 12 (whole number, at least 1): steps",
      "flag = false (true or false): a flag",
      "text = \"a\\\"b\" (text): a text",
      "wall = \"free\" (\"fixed\", \"free\" or \"periodic\"): what is outside",
      "place = the middle (2 numbers): cells",
      "least = unset (number, at least 0): dB",
      "tile = 4 (one of 2, 4, 8): cells",
      "ends = \"free\" ([low, high], \"fixed\", \"free\" or \"periodic\"): range",
      "light = \"free\" (\"fixed\", \"free\" or \"periodic\" or a number, greater than 0): exposure",
      "rate = 60 (whole number, between 1 and 99, or [n, d]): per second",
      "color = \"#00000080\" (colour, \"#rrggbb\" or \"#rrggbbaa\"): ink",
      "solver.droplet list: falls",
      "radius = required (number): cells",
      "solver.rain: falls often",
      "solver.rain.cloud: where from",
      "rate = 0.002 (number): often",
  };
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(table.documented()[0].keys[0].example, "[512, 512]");
}

TEST(Table, ReadsKeysOfTwoForms) {
  const std::string good = "a = \"fixed\"\nb = [1, 2.5]\nc = 3\nd = [30000, 1001]\ne = 25\n";
  Table table = solver_table(good);
  int wall = 1, rate = 60;
  std::array<double, 2> range = {7, 8};
  std::array<int, 2> pair = {};
  double number = 7;
  EXPECT_FALSE(table.read_either("a", wall, walls, range, "[low, high]", ""));
  EXPECT_EQ(wall, 0);
  EXPECT_TRUE(table.read_either("b", wall, walls, range, "[low, high]", ""));
  EXPECT_EQ(range, (std::array<double, 2>{1, 2.5}));
  EXPECT_TRUE(table.read_either("c", wall, walls, number, "a number", ""));
  EXPECT_EQ(number, 3);
  EXPECT_FALSE(table.read_either("absent", wall, walls, number, "a number", ""));
  EXPECT_TRUE(table.read_either("d", rate, Range::any(), pair, Range::any(), "[n, d]", ""));
  EXPECT_EQ(pair, (std::array<int, 2>{30000, 1001}));
  EXPECT_FALSE(table.read_either("e", rate, Range::any(), pair, Range::any(), "[n, d]", ""));
  EXPECT_EQ(rate, 25);
  const std::string in_solver = "in [solver] ";
  EXPECT_EQ(test::thrown([&] { table.read_either("c", wall, walls, range, "[low, high]", ""); }),
            "x.toml:5:1: \"c\" " + in_solver +
                "must be [low, high], \"fixed\", \"free\" or \"periodic\", but is the whole number 3");
  EXPECT_EQ(test::thrown([&] { table.read_either("b", wall, walls, number, "a number", ""); }),
            "x.toml:4:1: \"b\" " + in_solver +
                "must be \"fixed\", \"free\" or \"periodic\" or a number, but is an array of 2 values");
  EXPECT_EQ(test::thrown([&] { table.read_either("a", rate, Range::any(), pair, Range::any(), "[n, d]", ""); }),
            "x.toml:3:1: \"a\" " + in_solver + "must be a whole number or [n, d], but is the string \"fixed\"");
  EXPECT_EQ(test::thrown([&] { table.read_either("c", wall, walls, number, "a number", "", Range::above(3)); }),
            "x.toml:5:1: \"c\" " + in_solver + "is 3; it must be greater than 3");
  EXPECT_EQ(
      test::thrown([&] { table.read_either("d", rate, Range::any(), pair, Range::between(1, 99), "[n, d]", ""); }),
      "x.toml:6:1: \"d\" " + in_solver + "holds 30000; each of its values must be between 1 and 99");
}

TEST(Table, ReadsOneOfSeveralNumbers) {
  Table table = solver_table("a = 8\nb = 7\nc = 4.0\n");
  constexpr int tiles[] = {2, 4, 8};
  int tile = 4;
  table.choose("a", tile, tiles, "");
  EXPECT_EQ(tile, 8);
  EXPECT_EQ(test::thrown([&] { table.choose("b", tile, tiles, ""); }),
            "x.toml:4:1: \"b\" in [solver] is 7; it must be one of 2, 4, 8");
  EXPECT_EQ(test::thrown([&] { table.choose("c", tile, tiles, ""); }),
            "x.toml:5:1: \"c\" in [solver] must be a whole number, but is the number 4.0; a whole number has no point "
            "and no exponent: 4");
  EXPECT_EQ(tile, 8);
}

TEST(Table, KeepsOptionalValuesEmpty) {
  Table table = solver_table("a = 0\nb = [3, 1]\nc = \"#102030\"\n");
  std::optional<double> number, absent;
  std::optional<std::vector<std::int64_t>> list;
  std::optional<Color> color;
  table.read("a", number, "", Range::at_least(0));
  table.read("none", absent, "", Range::above(0));
  table.read("b", list, "");
  table.read("c", color, "");
  EXPECT_EQ(number, 0.0);
  EXPECT_FALSE(absent);
  EXPECT_EQ(list, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(color, (Color{16, 32, 48, 255}));
}

}  // namespace
}  // namespace simreel
