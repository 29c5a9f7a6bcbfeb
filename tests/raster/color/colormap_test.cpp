#include <fmt/format.h>

#include "base/error.h"
#include "raster/color/colormap.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::says;

class ColormapFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  test::Folder folder_;
};

// The message of the UsageError that reading `csv` throws, empty without one.
std::string error_of(const std::string& csv) {
  return test::thrown([&] { parse_colormap(csv, "maps/x.csv"); });
}

std::string load_error(const std::string& name) {
  return test::thrown([&] { load_colormap(name); });
}

TEST(Colormap, EveryMapHasItsRowsAndSaysItsOrigin) {
  const auto maps = list_colormaps();
  ASSERT_GE(maps.size(), 8u);
  for (const ColormapInfo& map : maps) {
    EXPECT_EQ(load_colormap(std::string(map.name)).size(), map.name == "jet70" ? 70u : 256u) << map.name;
    EXPECT_FALSE(map.origin.empty()) << map.name;
  }
  for (const char* name : {"viridis", "inferno", "magma", "plasma", "gray", "RdBu", "turbo", "jet70"})
    EXPECT_EQ(load_error(name), "");
}

TEST(Colormap, PublishedEnds) {
  const auto ends = [](const std::string& name) {
    const auto colors = load_colormap(name);
    return std::pair(colors.front(), colors.back());
  };
  EXPECT_EQ(ends("viridis"), std::pair(Color(68, 1, 84), Color(253, 231, 37)));
  EXPECT_EQ(ends("inferno"), std::pair(Color(0, 0, 4), Color(252, 255, 164)));
  EXPECT_EQ(ends("magma"), std::pair(Color(0, 0, 4), Color(252, 253, 191)));
  EXPECT_EQ(ends("plasma"), std::pair(Color(13, 8, 135), Color(240, 249, 33)));
  EXPECT_EQ(ends("turbo"), std::pair(Color(48, 18, 59), Color(122, 4, 3)));
  EXPECT_EQ(ends("RdBu"), std::pair(Color(103, 0, 31), Color(5, 48, 97)));
  EXPECT_EQ(ends("jet70"), std::pair(Color(0, 0, 143), Color(0, 0, 120)));
  EXPECT_EQ(ends("cividis"), std::pair(Color(0, 32, 77), Color(255, 234, 70)));
  EXPECT_EQ(ends("coolwarm"), std::pair(Color(59, 76, 192), Color(180, 4, 38)));
  EXPECT_EQ(load_colormap("coolwarm")[127], Color(220, 221, 221));
  EXPECT_EQ(ends("gray"), std::pair(Color(0, 0, 0), Color(255, 255, 255)));
}

TEST(Colormap, TheClassesOfRdBuLieOnTheMap) {
  const auto colors = load_colormap("RdBu");
  // 255 / 10 is whole at every second class.
  EXPECT_EQ(colors[51], Color(214, 96, 77));
  EXPECT_EQ(colors[102], Color(253, 219, 199));
  EXPECT_EQ(colors[153], Color(209, 229, 240));
  EXPECT_EQ(colors[204], Color(67, 147, 195));
}

TEST(Colormap, CyclicOnesEndAsTheyBegin) {
  for (const char* name : {"phase", "dusk"}) {
    const auto colors = load_colormap(name);
    EXPECT_EQ(colors.front(), colors.back()) << name;
  }
}

// The colours are those of matplotlib.colormaps["cmo.balance"](0) and their like.
TEST(Colormap, NamesOfMatplotlibAreKnown) {
  EXPECT_EQ(load_colormap("cmo.balance").front(), Color(24, 28, 67));
  EXPECT_EQ(load_colormap("cmc.batlow").front(), Color(1, 25, 89));
  EXPECT_EQ(load_colormap("cmc.vik_r"), load_colormap("vik_r"));
  EXPECT_EQ(load_colormap("RdYlBu_r").front(), Color(49, 54, 149));
  for (const char* name : {"cmo.viridis", "cmc.balance", "cmo.phase"})  // phase is our own
    EXPECT_TRUE(says(load_error(name), "unknown colormap"));
}

TEST(Colormap, UnknownNameSuggestsAndLists) {
  const std::string message = load_error("virdis_r");
  EXPECT_TRUE(says(message, "unknown colormap \"virdis_r\""));
  EXPECT_TRUE(says(message, "did you mean \"viridis_r\"?"));
  EXPECT_TRUE(says(message, fmt::format("simreel colormaps shows all {}", list_colormaps().size())));
  EXPECT_TRUE(says(load_error("rdbu"), "did you mean \"RdBu\"?"));
  EXPECT_TRUE(says(load_error(""), "unknown colormap"));
}

TEST(ColormapText, WholeNumbersAndFractions) {
  EXPECT_EQ(parse_colormap("r,g,b\n0,128,255\n1,2,3\n", "x"), (std::vector<Color>{{0, 128, 255}, {1, 2, 3}}));
  EXPECT_EQ(parse_colormap("0.0,0.5,1\n1,0,0.2", "x"), (std::vector<Color>{{0, 128, 255}, {255, 0, 51}}));
  EXPECT_EQ(parse_colormap("0,0,0\n1,1,1\n", "x"), (std::vector<Color>{{0, 0, 0}, {255, 255, 255}}))
      << "no number above 1";
  EXPECT_EQ(parse_colormap("0,0,1e-3\n1,1,1\n", "x"), (std::vector<Color>{{0, 0, 0}, {255, 255, 255}}));
}

TEST(ColormapText, CommentsBlankLinesAndOtherSystems) {
  const std::vector<Color> expected = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(parse_colormap("# made by me\n\n\"R\", \"G\", \"B\"\n1,2,3 # first\n\n 4 ,\t5, 6", "x"), expected);
  EXPECT_EQ(parse_colormap("\xef\xbb\xbf"
                           "red,green,blue\r\n1,2,3\r\n4,5,6\r\n",
                           "x"),
            expected);
}

TEST(ColormapText, ErrorsNameTheLineAndAWayOut) {
  EXPECT_TRUE(says(error_of(""), "maps/x.csv: no colours in it; a colormap has 2 to 65536 lines of red,green,blue"));
  EXPECT_TRUE(says(error_of("# nothing\nr,g,b\n"), "no colours in it"));
  EXPECT_TRUE(says(error_of("1,2,3\n"), "only one colour in it"));
  EXPECT_TRUE(says(error_of("root,x,0\n"), "maps/x.csv:1: a cell of the first line is not a number"));
  EXPECT_TRUE(says(error_of("r,g,b\n1,2,3\n4,x,6\n"), "maps/x.csv:3: \"x\" is not a number"));
  EXPECT_TRUE(says(error_of("1,2,3\n4,,6\n"), "maps/x.csv:2: \"\" is not a number"));
  EXPECT_TRUE(says(error_of("1,2,3\n4,5 6,7\n"), "maps/x.csv:2: \"5 6\" is not a number"));
  EXPECT_TRUE(says(error_of("1,2,3\n4,nan,6\n"), "maps/x.csv:2: \"nan\" is not a number"));
  EXPECT_TRUE(says(error_of("1,2,3\n4,inf,6\n"), "maps/x.csv:2: \"inf\" is not a number"));
  EXPECT_TRUE(says(error_of("1,2,3\n\n4,5\n"),
                   "maps/x.csv:3: expected 3 columns (red, green, blue) with commas between, found 2"));
  EXPECT_TRUE(says(error_of("1,2,3,4\n5,6,7,8\n"),
                   "maps/x.csv:1: expected 3 columns (red, green, blue) with commas between, found 4"));
  EXPECT_TRUE(says(error_of("1,2,3\n4,256,6\n"), "maps/x.csv:2: 256 is outside 0 to 255"));
  EXPECT_TRUE(says(error_of("1,2,3\n4,-1,6\n"), "maps/x.csv:2: -1 is outside 0 to 255"));
  EXPECT_TRUE(says(error_of("0.5,0,0\n0,0,37\n"), "maps/x.csv:2: 37 is outside 0 to 1;"));
  EXPECT_TRUE(says(error_of(std::string("\x7f"
                                        "ELF\0\x01",
                                        6)),
                   "maps/x.csv:1: expected 3 columns"));
}

TEST(ColormapText, MostColours) {
  std::string text;
  for (int i = 0; i < 65536; ++i) text += "0,0," + std::to_string(i % 256) + "\n";
  EXPECT_EQ(parse_colormap(text, "x").size(), 65536u);
  EXPECT_TRUE(says(error_of(text + "0,0,0\n"), "maps/x.csv:65537: more than 65536 colours"));
}

TEST_F(ColormapFile, IsLoadedByPathAndReversed) {
  const std::string path = write("mine.csv", "r,g,b\n1,2,3\n4,5,6\n7,8,9\n");
  EXPECT_EQ(load_colormap(path), (std::vector<Color>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}));
  EXPECT_EQ(load_colormap(path + "_r"), (std::vector<Color>{{7, 8, 9}, {4, 5, 6}, {1, 2, 3}}));
}

TEST_F(ColormapFile, OnlyFilesOfSomeSizeAreRead) {
  EXPECT_TRUE(says(load_error(folder_.path() + "/"), "it is a folder"));
  EXPECT_TRUE(says(load_error(write("large.csv", std::string((16 << 20) + 1, '\n'))), "larger than 16 MiB"));
}

}  // namespace
}  // namespace simreel
