// Pages as a user makes them: sizes in print, the same bytes again, what other programs find in them.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "tests/support/command_fixture.h"
#include "tests/support/npy.h"

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
  if (!there("pdflatex")) return;
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

class FieldPage : public test::CommandTest {
 protected:
  void SetUp() override {
    constexpr int n = 1000;
    std::vector<float> values;
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        values.push_back(
            static_cast<float>(std::sin(x / 60.0) * std::cos(y / 45.0) + 0.3 * std::sin(x / 17.0 + y / 23.0)));
    write("big.npy", test::npy({n, n}, values));
    values.resize(20 * 40);
    write("small.npy", test::npy({20, 40}, values));
  }
  static constexpr const char* print =
      " --set figure.width=85mm --set figure.axes=ticks --set figure.colorbar=right "
      "--set view.background=#ffffff --progress none";
  std::string page(const std::string& arguments, const std::string& name) {
    const Outcome outcome = run("view " + arguments + print + " --overwrite -o " + name);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return text_of(folder_ / name);
  }
};

// TeX has little memory: a path of its own for each piece of a contour was more than it takes.
TEST_F(FieldPage, EightContoursOfAMillionCellsSuitTex) {
  const std::string tex = page("big.npy --set figure.contours=8", "a.tex");
  std::size_t paths = 0;
  for (std::size_t at = 0; (at = tex.find("\\draw", at)) != std::string::npos; ++at) ++paths;
  EXPECT_LT(paths, 40u);
  EXPECT_GT(paths, 8u);
  EXPECT_LT(tex.size(), 300'000u);
  const std::size_t lines = tex.find("\\begin{scope}[even odd rule"), end = tex.find("\\end{scope}", lines);
  EXPECT_GT(tex.find("opacity", lines), end) << "lines that meet do not darken";
}

TEST_F(FieldPage, ContoursThatNoFrameHasAreSaid) {
  const Outcome outcome = run(std::string("view small.npy --set figure.contours=[0.1,77,-55]") + print + " -o a.svg");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.err.find("\"contours\" in [figure] has 77, -55, and no frame has these values"), std::string::npos)
      << outcome.err;
}

TEST_F(FieldPage, ExtentUnitsAndAspect) {
  std::string svg = page("small.npy --set solver.extent=[10,30,0,5] --set figure.units.length=km", "a.svg");
  EXPECT_NE(svg.find(">x (km)</tspan>"), std::string::npos) << "the unit is named, and the coordinates stay";
  EXPECT_NE(svg.find(">30"), std::string::npos);
  svg = page("small.npy --set figure.extent=[10,30,0,5]", "b.svg");
  EXPECT_NE(svg.find(">30"), std::string::npos);
  const auto height = [](const std::string& text) {
    const std::size_t at = text.find("height=\"") + 8;
    return std::stod(text.substr(at));
  };
  const double flat = height(svg);
  svg = page("small.npy --set figure.extent=[10,30,0,5] --set figure.aspect=auto", "c.svg");
  EXPECT_GT(height(svg), 1.2 * flat) << "the picture has the shape of [view] size";
  svg = page("small.npy --set solver.extent=[0,20,0,1000] --set figure.aspect=auto", "d.svg");
  EXPECT_NE(svg.find(">1000</tspan>"), std::string::npos);
  const Outcome wrong = run("view small.npy --set solver.extent=[3,1,0,1] -o e.svg");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("left < right and bottom < top"), std::string::npos) << wrong.err;
}

TEST_F(FieldPage, PaperIsWhite) {
  const Outcome outcome = run("view small.npy --set figure.width=85mm --set figure.axes=ticks -o white.svg");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(text_of(folder_ / "white.svg").find("fill=\"#ffffff\""), std::string::npos);
}

TEST_F(FieldPage, ABandBelongsToItsLine) {
  write("t.csv", "t,a,b,c,low,high\n0,1,2,280,0.9,1.1\n1,2,1,290,1.9,2.1\n2,3,2,295,2.9,3.1\n");
  const Outcome outcome = run("plot t.csv -x t -y a,b --right c --band low,high --legend-at none -o t.svg");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const std::string svg = text_of(folder_ / "t.svg");
  EXPECT_NE(svg.find(">285"), std::string::npos) << "the right axis is that of c alone";
  EXPECT_EQ(svg.find(">100"), std::string::npos) << "and does not reach down to the band";
}

TEST_F(FieldPage, SpacesStayInEverySvgReader) {
  const std::string svg = page("small.npy --set 'figure.title=Two  words'", "a.svg");
  std::size_t texts = 0, kept = 0;
  for (std::size_t at = 0; (at = svg.find("<text ", at)) != std::string::npos; ++at, ++texts)
    if (svg.compare(at, 27, "<text xml:space=\"preserve\" ") == 0) ++kept;
  EXPECT_GT(texts, 5u);
  EXPECT_EQ(kept, texts) << "librsvg does not know white-space: pre";
}

TEST_F(FieldPage, BodiesHaveTheirSizeOnPaper) {
  write("pair.toml",
        "[solver]\nkind = \"nbody\"\ninitial = \"plummer\"\nbodies = 40\n[view]\nsize = [120, 90]\nbackground = "
        "\"#000000\"\n[animation]\nframes = 1\n[figure]\nwidth = \"20mm\"\n");
  // The share of the picture that is not black.
  const auto lit = [&](const std::string& keys) {
    EXPECT_EQ(run("render pair.toml --backend cpu --progress none --overwrite -o a.y4m " + keys).exit, 0)
        << text_of(folder_ / "err.txt");
    const std::string y4m = text_of(folder_ / "a.y4m");
    const std::size_t start = y4m.find("FRAME\n") + 6, luma = (y4m.size() - start) * 2 / 3;
    std::size_t count = 0;
    for (std::size_t i = start; i < start + luma; ++i) count += static_cast<unsigned char>(y4m[i]) > 60 ? 1 : 0;
    return static_cast<double>(count) / static_cast<double>(luma);
  };
  const double coarse = lit("--set figure.dpi=150"), fine = lit("--set figure.dpi=600");
  EXPECT_GT(coarse, 0.01);
  EXPECT_NEAR(fine / coarse, 1, 0.4) << "at four times the pixels a body covers as much of the paper";
  const double points = lit("--set figure.dpi=150 --set view.radius=1"),
               twice = lit("--set figure.dpi=600 --set view.radius=1");
  EXPECT_NEAR(twice / points, 1, 0.4);
  const double pixels = lit("--set figure.dpi=600 --set view.radius=1 --set view.radius_unit=pixels");
  EXPECT_LT(pixels, 0.5 * twice);
}

TEST_F(FieldPage, ArrowsLieOverAnotherField) {
  write("flow.toml",
        "[solver]\nkind = \"lbm\"\ngrid = [64, 32]\nvelocity = 0.05\nreynolds = 20\nlength = 8\n[view]\nfield = "
        "\"vorticity\"\n[animation]\nframes = 1\n[figure]\narrows = 8\narrow_key = \"0.05 m/s\"\nwidth = \"85mm\"\n");
  const auto render = [&](const std::string& more) {
    return run("render flow.toml --backend cpu --progress none --overwrite -o a.svg " + more);
  };
  ASSERT_EQ(render("").exit, 0) << text_of(folder_ / "err.txt");
  const std::string along = text_of(folder_ / "a.svg");
  EXPECT_NE(along.find(">0.05 m/s</tspan>"), std::string::npos);
  ASSERT_EQ(render("--set 'figure.vector=[\"uy\", \"ux\"]'").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_FALSE(text_of(folder_ / "a.svg") == along) << "arrows of another vector";
  const Outcome unknown = render("--set 'figure.vector=[\"ux\", \"uz\"]'");
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("\"vector\" in [figure] names \"uz\"; there is no such field, but: "), std::string::npos)
      << unknown.err;
  const Outcome key = render("--set 'figure.arrow_key=fast'");
  EXPECT_EQ(key.exit, 2) << key.err;
}

TEST_F(FieldPage, CheckRefusesTheLogarithmOfZeroAsRenderDoes) {
  write("zero.npy", test::npy({2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5}));
  write("a.toml", "[solver]\nkind = \"data\"\nfiles = \"zero.npy\"\n[view]\nscale = \"log\"\nsize = [64, 48]\n");
  const Outcome checked = run("check a.toml");
  EXPECT_EQ(checked.exit, 2);
  EXPECT_NE(checked.err.find("scale = \"log\" in [view] needs values above 0, and the first step has 0"),
            std::string::npos)
      << checked.err;
  EXPECT_EQ(run("check a.toml --set view.range=[1,5]").exit, 0);
  write("b.toml",
        "[solver]\nkind = \"lbm\"\ngrid = [32, 24]\nvelocity = 0.1\nreynolds = 20\nlength = 20\n[solver.boundary]\ntop "
        "= \"moving\"\n"
        "[view]\nfield = \"speed\"\nscale = \"log\"\nsize = [64, 48]\n[animation]\nframes = 2\n");
  const Outcome drawn = run("render b.toml -o b.hashes");
  EXPECT_EQ(drawn.exit, 2) << drawn.err;
  EXPECT_EQ(run("check b.toml").exit, 2);
  EXPECT_NE(drawn.err.find("the range of values is [0, "), std::string::npos) << drawn.err;
  EXPECT_NE(run("check b.toml").err.find("the range of values is [0, 0], and scale = \"log\""), std::string::npos);
}

TEST_F(FieldPage, AValueFarFromAllOthersIsNamed) {
  std::vector<float> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 270 + static_cast<float>(i);
  const std::string words = "values of the first step are ";
  const auto warned = [&](const std::string& keys = "") {
    write("far.npy", test::npy({4, 6}, values));
    return run("view far.npy --overwrite -o far.svg " + keys).err;
  };
  EXPECT_EQ(warned().find(words), std::string::npos);
  values[3] = values[7] = values[20] = -999;
  EXPECT_NE(warned().find("far.npy: 3 of 24 values of the first step are -999, far from all others, 270 to 293; if it "
                          "stands for no value, set missing = -999 in [solver]"),
            std::string::npos)
      << warned();
  EXPECT_EQ(warned("--set solver.missing=-999").find(words), std::string::npos);
  values[3] = values[7] = values[20] = 1e20f;
  EXPECT_NE(warned().find("3 of 24 values of the first step are 1.00000002e+20"), std::string::npos) << warned();
  values.assign(24, 0);
  values[3] = values[4] = 1;
  EXPECT_EQ(warned().find(words), std::string::npos) << "a mask";
  values[3] = 1e20f;
  EXPECT_EQ(warned().find(words), std::string::npos) << "one cell alone";
}

}  // namespace
}  // namespace simreel
