// Pages as a user makes them: sizes in print, the same bytes again, what other programs find in them.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;
using test::text_of;

class PageCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    write("flow.toml", R"toml(title = "A \"flow\""
[solver]
kind = "lbm"
grid = [96, 48]
velocity = 0.08
reynolds = 40
length = 10
[solver.boundary]
left = "inlet"
right = "outlet"
[[solver.obstacle]]
shape = "circle"
center = [30, 25]
radius = 5
[view]
field = "vorticity"
colormap = "RdBu"
size = [640, 360]
background = "#ffffff"
[animation]
frames = 3
steps_per_frame = 60
[figure]
axes = "ticks"
colorbar = "right"
label = "$\\omega_z$ (s$^{-1}$)"
title = "Wake"
time = "t = {time:.2f}"
contours = 3
arrows = 12
width = "85mm"
dpi = 300
font_size = "7pt"
)toml");
  }
  void render(const std::string& more, int threads = 1) {
    const Outcome outcome =
        run(fmt::format("render flow.toml --backend cpu --threads {} --checkpoint-every off {}", threads, more));
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
  }
  std::string bytes(const std::string& name) { return text_of(folder_ / name); }
  std::uint32_t word(const std::string& file, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(file.at(at + i));
    return value;
  }
  // Whether the program is there; says so if it is not.
  static bool there(const char* program) {
    return std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) == 0;
  }
  std::string said_by(const std::string& command) {
    const int status = std::system(fmt::format("cd '{}' && {} >said.txt 2>&1", folder_ / ".", command).c_str());
    EXPECT_EQ(status, 0) << command << "\n" << bytes("said.txt");
    return bytes("said.txt");
  }
};

TEST_F(PageCommand, HasTheWidthInPrintThatIsAsked) {
  render("-o a.pdf -o a.png -o a.svg");
  const std::string pdf = bytes("a.pdf"), png = bytes("a.png"), svg = bytes("a.svg");
  const std::size_t at = pdf.find("/MediaBox [0 0 ");
  ASSERT_NE(at, std::string::npos);
  double width = 0, height = 0;
  const char* next = std::from_chars(pdf.data() + at + 15, pdf.data() + pdf.size(), width).ptr;
  std::from_chars(next + 1, pdf.data() + pdf.size(), height);
  EXPECT_NEAR(width * 25.4 / 72, 85, 0.001) << "mm";
  const std::uint32_t columns = word(png, 16), rows = word(png, 20);
  EXPECT_EQ(columns, 1004u) << "85 mm at 300 dpi";
  EXPECT_NEAR(height * 25.4 / 72, 85.0 * rows / columns, 0.001) << "the same page";
  EXPECT_LT(rows, columns * 7 / 10) << "a flow twice as wide as high leaves no empty margins";
  EXPECT_NE(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), std::string::npos);
  EXPECT_NE(svg.find("width=\"85.0000mm\""), std::string::npos);
  const std::size_t density = png.find("pHYs");
  ASSERT_NE(density, std::string::npos);
  EXPECT_EQ(word(png, density + 4), 11812u) << "pixels per metre: 1004 in 85 mm";
  EXPECT_NE(pdf.find("kind = &quot;lbm&quot;"), std::string::npos) << "the scene";
}

TEST_F(PageCommand, IsTheSameBytesAgain) {
  render("-o a.pdf -o a.svg");
  render("-o b.pdf -o b.svg", 2);
  EXPECT_TRUE(bytes("a.pdf") == bytes("b.pdf"));
  EXPECT_TRUE(bytes("a.svg") == bytes("b.svg"));
  for (const char* file : {"a.pdf", "a.svg"}) EXPECT_EQ(bytes(file).find("Date"), std::string::npos) << file;
}

TEST_F(PageCommand, WithoutLabelsItIsThePicture) {
  write("plain.toml", "[solver]\nkind = \"wave\"\ngrid = [32, 32]\n[view]\nsize = [64, 48]\n[animation]\nframes = 2\n");
  const Outcome outcome = run("render plain.toml --backend cpu -o a.pdf");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const std::string pdf = bytes("a.pdf");
  EXPECT_NE(pdf.find("/Width 64 /Height 48 "), std::string::npos);
  EXPECT_NE(pdf.find("/MediaBox [0 0 15.3600 11.5200]"), std::string::npos) << "64 x 48 pixels at 300 dpi";
  EXPECT_EQ(pdf.find("/FontFile2"), std::string::npos);
}

TEST_F(PageCommand, LabelsAloneAreTransparent) {
  render("-o all.svg");
  render("--only chrome -o chrome.svg -o chrome.pdf -o chrome.png");
  render("--only colorbar -o bar.svg");
  const auto images = [&](const std::string& name) {
    const std::string svg = bytes(name);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = svg.find("<image", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(images("all.svg"), 2u) << "the field and the bar";
  EXPECT_EQ(images("chrome.svg"), 1u);
  EXPECT_EQ(images("bar.svg"), 1u);
  EXPECT_EQ(bytes("chrome.svg").find("<rect"), std::string::npos) << "no background";
  EXPECT_NE(bytes("chrome.svg").find(">Wake</tspan>"), std::string::npos);
  EXPECT_EQ(bytes("bar.svg").find(">Wake</tspan>"), std::string::npos);
  EXPECT_EQ(bytes("chrome.png").at(25), 6) << "with alpha";
  const Outcome none = run("render flow.toml --set figure.colorbar=none --only colorbar -o n.svg");
  EXPECT_EQ(none.exit, 2);
  EXPECT_NE(none.err.find("\"only\" in [figure] is \"colorbar\", and the figure has none"), std::string::npos)
      << none.err;
}

// In a video numbers keep their room; on a page nothing moves, and an empty room would be a gap.
TEST_F(PageCommand, TextClosesUpToItsNumbers) {
  render("--set figure.time='E = {kinetic:.1e}' -o a.svg");
  const std::string svg = bytes("a.svg");
  const auto number_after = [&](const std::string& word, std::size_t from) {
    const std::size_t at = svg.find(word, from);
    EXPECT_NE(at, std::string::npos) << word;
    double value = 0;
    std::from_chars(svg.data() + at + word.size(), svg.data() + svg.size(), value);
    return value;
  };
  const std::size_t text = svg.rfind("<text", svg.find(">E = <")), number = svg.rfind("<text");
  ASSERT_LT(text, number) << "numbers come last";
  const double start = number_after("translate(", text), size = number_after("font-size=\"", text);
  const double digits = number_after("translate(", number) + number_after("<tspan x=\"", number);
  EXPECT_NEAR((digits - start) / size, 2.106, 0.1) << "em: the width of \"E = \"";
}

TEST_F(PageCommand, WrongSizesAreRefusedWithTheirPlace) {
  const std::pair<const char*, const char*> wrong[] = {
      {"width=85", "\"width\" in [figure]"},
      {"width=85px",
       "\"width\" in [figure] is \"85px\"; it is a length from 10 mm to 1 m with its unit, mm, cm, in or pt"},
      {"width=2mm", "from 10 mm to 1 m"},
      {"dpi=20", "\"dpi\" in [figure]"},
      {"font_size=3%", "write points, as in \"7pt\""},
      {"font_size=1pt", "or points from 3 to 144"},
      {"only=bar", "\"only\" in [figure]"}};
  for (const auto& [key, message] : wrong) {
    const Outcome outcome = run(fmt::format("render flow.toml --set figure.{} -o a.pdf", key));
    EXPECT_EQ(outcome.exit, 2) << key;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << key << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(std::string("--set figure.") + key), std::string::npos) << outcome.err;
  }
  const Outcome wide = run("render flow.toml --set figure.width=900mm --set figure.dpi=600 -o a.pdf");
  EXPECT_NE(wide.err.find("at 600 dpi has more than 16384 pixels; take a smaller dpi"), std::string::npos) << wide.err;
  const Outcome narrow = run("render flow.toml --set figure.width=12mm -o a.pdf");
  EXPECT_NE(narrow.err.find("Take a larger width, a smaller font_size or fewer labels"), std::string::npos)
      << narrow.err;
  EXPECT_FALSE(exists("a.pdf"));
}

TEST_F(PageCommand, LengthsHaveFourUnits) {
  for (const char* width : {"8.5cm", "240.944882pt", "3.34645669in"}) {
    render(fmt::format("--overwrite --set 'figure.width={}' -o a.svg", width));
    EXPECT_NE(bytes("a.svg").find("width=\"85.0000mm\""), std::string::npos) << width;
  }
}

TEST_F(PageCommand, PopplerFindsFontsAndEveryLabel) {
  if (!there("pdffonts") || !there("pdftotext")) GTEST_SKIP() << "poppler-utils is not installed";
  render("-o a.pdf");
  const std::string fonts = said_by("pdffonts a.pdf");
  EXPECT_EQ(std::ranges::count(fonts, '\n'), 5) << fonts << "regular, bold, oblique";
  EXPECT_EQ(fonts.find("Type 3"), std::string::npos) << fonts;
  std::size_t embedded = 0;
  for (std::size_t at = 0; (at = fonts.find("yes yes yes", at)) != std::string::npos; ++at) ++embedded;
  EXPECT_EQ(embedded, 3u) << fonts;
  const std::string text = said_by("pdftotext -layout a.pdf -");
  for (const char* label : {"Wake", "x (cells)", "t = ", "\xcf\x89", "80"})
    EXPECT_NE(text.find(label), std::string::npos) << label << "\n" << text;
}

TEST_F(PageCommand, QpdfFindsNoMistake) {
  if (!there("qpdf")) GTEST_SKIP() << "qpdf is not installed";
  render("-o a.pdf");
  EXPECT_NE(said_by("qpdf --check a.pdf").find("No syntax or stream encoding errors found"), std::string::npos);
}

TEST_F(PageCommand, EpsIsOnePageOfTextAndLinesInItsSize) {
  render("-o a.eps");
  const std::string eps = bytes("a.eps");
  EXPECT_EQ(eps.substr(0, 23), "%!PS-Adobe-3.0 EPSF-3.0");
  EXPECT_NE(eps.find("%%BoundingBox: 0 0 241 "), std::string::npos) << "85 mm";
  EXPECT_NE(eps.find("%%HiResBoundingBox: 0 0 240.9449 "), std::string::npos);
  EXPECT_NE(eps.find("%%Title: (A \"flow\")"), std::string::npos);
  EXPECT_NE(eps.find("% simreel scene: kind = \"lbm\"\n"), std::string::npos);
  EXPECT_TRUE(std::ranges::all_of(eps, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); })) << "ASCII";
  std::size_t longest = 0, start = 0;
  for (std::size_t end = 0; (end = eps.find('\n', start)) != std::string::npos; start = end + 1)
    longest = std::max(longest, end - start);
  EXPECT_LE(longest, 255u);
  render("-o b.eps", 2);
  EXPECT_TRUE(eps == bytes("b.eps"));
}

TEST_F(PageCommand, GhostscriptDrawsTheEpsAsThePdf) {
  if (!there("gs")) GTEST_SKIP() << "ghostscript is not installed";
  for (const char* bar : {"right", "inside"}) {
    render(fmt::format("--overwrite --set figure.colorbar={} --set figure.scale_bar=auto -o a.eps -o a.pdf", bar));
    for (const char* kind : {"eps", "pdf"})
      said_by(
          fmt::format("gs -q -dBATCH -dNOPAUSE -dSAFER -dEPSCrop -sDEVICE=png16m -dTextAlphaBits=4 "
                      "-dGraphicsAlphaBits=4 -r300 -sOutputFile={0}.png a.{0}",
                      kind));
    const Outcome same = run("compare eps.png pdf.png --min-ssim 0.97");
    EXPECT_EQ(same.exit, 0) << bar << same.out << same.err;
  }
  said_by("gs -q -dBATCH -dNOPAUSE -dSAFER -dEPSCrop -sDEVICE=pdfwrite -sOutputFile=b.pdf a.eps");
  if (!there("pdffonts")) return;
  const std::string fonts = said_by("pdffonts b.pdf");
  EXPECT_EQ(std::ranges::count(fonts, '\n'), 5) << fonts << "regular, bold, oblique";
  EXPECT_EQ(fonts.find("Type 3"), std::string::npos) << fonts;
  const std::string text = said_by("pdftotext -layout b.pdf -");
  for (const char* label : {"Wake", "x (cells)", "t = ", "\xcf\x89", "20 cells"})
    EXPECT_NE(text.find(label), std::string::npos) << label << "\n" << text;
}

TEST_F(PageCommand, TexHasItsPictureBesideIt) {
  render("-o t/a.tex");
  EXPECT_NE(bytes("t/a.tex").find("{\\simreelpath a-picture.png}"), std::string::npos);
  EXPECT_EQ(word(bytes("t/a-picture.png"), 16), 1004u);
  std::filesystem::remove(folder_ / "t/a.tex");
  const Outcome again = run("render flow.toml -o t/a.tex");
  EXPECT_EQ(again.exit, 2) << "the picture is there";
  EXPECT_NE(again.err.find("a-picture.png"), std::string::npos) << again.err;
  write("t.csv", "x,y\n1,2\n2,4\n3,5\n");
  ASSERT_EQ(run("plot t.csv -y y -o t/p.tex").exit, 0);
  EXPECT_FALSE(exists("t/p-picture.png")) << "a plot has no image";
  if (!there("pdflatex")) return;  // tests/bench/tex.sh says so
  write("t/paper.tex", "\\documentclass{article}\\usepackage{tikz}\\begin{document}\\input{p.tex}\\end{document}\n");
  said_by("cd t && timeout 60 pdflatex -interaction=nonstopmode -halt-on-error paper.tex");
}

TEST_F(PageCommand, LooksAsThePng) {
  render("-o a.pdf -o a.png -o a.svg");
  const std::string png = bytes("a.png");
  const std::uint32_t columns = word(png, 16), rows = word(png, 20);
  if (!there("pdftoppm") && !there("rsvg-convert")) GTEST_SKIP() << "neither pdftoppm nor rsvg-convert is installed";
  if (there("pdftoppm")) {
    said_by(fmt::format("pdftoppm -png -singlefile -scale-to-x {} -scale-to-y {} a.pdf p", columns, rows));
    const Outcome same = run("compare a.png p.png --min-ssim 0.98");
    EXPECT_EQ(same.exit, 0) << same.out << same.err;
  }
  if (there("rsvg-convert")) {
    said_by(fmt::format("rsvg-convert -w {} -h {} a.svg -o s.png", columns, rows));
    const Outcome same = run("compare a.png s.png --min-ssim 0.95");
    EXPECT_EQ(same.exit, 0) << same.out << same.err;
  }
}

}  // namespace
}  // namespace simreel
