// What other programs find in pages, and the size of bodies on them. tests/messages/pages.txt has the rest.

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome, test::text_of;

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
    EXPECT_TRUE(test::says(text, label)) << label << "\n" << text;
}

TEST_F(PageCommand, QpdfFindsNoMistake) {
  if (!there("qpdf")) GTEST_SKIP() << "qpdf is not installed";
  render("-o a.pdf");
  EXPECT_TRUE(test::says(said_by("qpdf --check a.pdf"), "No syntax or stream encoding errors found"));
}

TEST_F(PageCommand, EpsIsOnePageOfTextAndLinesInItsSize) {
  render("-o a.eps");
  const std::string eps = bytes("a.eps");
  EXPECT_EQ(eps.substr(0, 23), "%!PS-Adobe-3.0 EPSF-3.0");
  EXPECT_TRUE(test::says(eps, "%%BoundingBox: 0 0 241 ")) << "85 mm";
  EXPECT_TRUE(test::says(eps, "%%HiResBoundingBox: 0 0 240.9449 "));
  EXPECT_TRUE(test::says(eps, "%%Title: (A \"flow\")"));
  EXPECT_TRUE(test::says(eps, "% simreel scene: kind = \"lbm\"\n"));
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
    EXPECT_TRUE(test::says(text, label)) << label << "\n" << text;
}

TEST_F(PageCommand, TexHasItsPictureBesideIt) {
  render("-o t/a.tex");
  EXPECT_TRUE(test::says(bytes("t/a.tex"), "{\\simreelpath a-picture.png}"));
  EXPECT_EQ(word(bytes("t/a-picture.png"), 16), 1004u);
  std::filesystem::remove(folder_ / "t/a.tex");
  const Outcome again = run("render flow.toml -o t/a.tex");
  EXPECT_EQ(again.exit, 2) << "the picture is there";
  EXPECT_TRUE(test::says(again.err, "a-picture.png"));
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

TEST_F(PageCommand, BodiesHaveTheirSizeOnPaper) {
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

}  // namespace
}  // namespace simreel
