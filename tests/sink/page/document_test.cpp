// Vector files from a page: their structure, fonts and bytes, without any program that reads them.

#include "sink/page/document.h"

#include <expat.h>
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <charconv>

#include "sink/page/compressed.h"
#include "sink/page/fonts.h"
#include "tests/support/page.h"

namespace simreel {
namespace {

PageFacts facts() {
  return {1004 / 85.0 * 25.4,
          {{"title", "Tank \xe2\x98\x83 <x>"}, {"scene", "a = 1 # <&>\n"}, {"version", "simreel 1"}}};
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

std::size_t number_after(const std::string& text, const std::string& word, std::size_t from = 0) {
  const std::size_t at = text.find(word, from);
  EXPECT_NE(at, std::string::npos) << word;
  std::size_t value = 0;
  std::from_chars(text.data() + at + word.size(), text.data() + text.size(), value);
  return value;
}

// The compressed streams of a file, opened.
std::vector<std::string> streams_of(const std::string& pdf) {
  std::vector<std::string> streams;
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> reader(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  for (std::size_t at = 0; (at = pdf.find("/FlateDecode", at)) != std::string::npos; ++at) {
    const std::size_t length = number_after(pdf, "/Length ", at), start = pdf.find("stream\n", at) + 7;
    std::string out(1 << 21, '\0');
    std::size_t used = 0;
    EXPECT_EQ(libdeflate_zlib_decompress(reader.get(), pdf.data() + start, length, out.data(), out.size(), &used),
              LIBDEFLATE_SUCCESS);
    out.resize(used);
    streams.push_back(out);
    EXPECT_EQ(pdf.substr(start + length, 10), "\nendstream");
  }
  return streams;
}

bool any_holds(const std::vector<std::string>& streams, const std::string& text) {
  for (const std::string& stream : streams)
    if (stream.find(text) != std::string::npos) return true;
  return false;
}

std::uint32_t word(const std::string& bytes, std::size_t at, int length = 4) {
  std::uint32_t value = 0;
  for (int i = 0; i < length; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return value;
}
std::uint32_t sum_of(const std::string& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 4)
    sum += word(bytes.substr(i, 4) + std::string(bytes.size() - i < 4 ? 4 - (bytes.size() - i) : 0, '\0'), 0);
  return sum;
}
std::string table_of(const std::string& font, const std::string& tag) {
  for (std::size_t i = 0; i < word(font, 4, 2); ++i)
    if (font.substr(12 + 16 * i, 4) == tag) return font.substr(word(font, 20 + 16 * i), word(font, 24 + 16 * i));
  return "";
}

TEST(PdfTest, EveryObjectStandsWhereTheTableSays) {
  const std::string pdf = pdf_of(test::full_page(), facts());
  ASSERT_TRUE(pdf.starts_with("%PDF-1.7\n"));
  ASSERT_TRUE(pdf.ends_with("%%EOF\n"));
  const std::size_t table = number_after(pdf, "startxref\n");
  ASSERT_EQ(pdf.substr(table, 5), "xref\n");
  const std::size_t objects = number_after(pdf, "0 ", table);
  ASSERT_GT(objects, 10u);
  const std::size_t first = pdf.find('\n', table + 5) + 1;
  for (std::size_t i = 1; i < objects; ++i) {
    const std::size_t at = std::stoul(pdf.substr(first + 20 * i, 10));
    EXPECT_TRUE(pdf.substr(at).starts_with(fmt::format("{} 0 obj\n", i))) << i;
  }
  for (std::size_t at = 0; (at = pdf.find(" 0 R", at)) != std::string::npos; ++at) {
    std::size_t digits = at;
    while (pdf[digits - 1] >= '0' && pdf[digits - 1] <= '9') --digits;
    EXPECT_LT(std::stoul(pdf.substr(digits, at - digits)), objects);
  }
}

TEST(PdfTest, ThePageHasItsWidthInPrint) {
  EXPECT_TRUE(test::says(pdf_of(test::full_page(), facts()), "/MediaBox [0 0 240.9449 119.9925]"))
      << "85 mm are 240.9449 points";
}

TEST(PdfTest, TextIsTextInSubsetsOfTrueTypeFonts) {
  const std::string pdf = pdf_of(test::full_page(), facts());
  EXPECT_EQ(count(pdf, "/Subtype /CIDFontType2"), 3u) << "regular, bold and oblique";
  EXPECT_EQ(count(pdf, "/FontFile2"), 3u);
  EXPECT_EQ(count(pdf, "/ToUnicode"), 3u);
  EXPECT_EQ(count(pdf, "/Type3"), 0u);
  const std::vector<std::string> streams = streams_of(pdf);
  for (const char* code : {"<03C9>", "<2212>", "<0056>", "<0026>"}) EXPECT_TRUE(any_holds(streams, code)) << code;
  EXPECT_TRUE(any_holds(streams, " Tj\n"));
  EXPECT_FALSE(any_holds(streams, "<0051>")) << "no label has a Q";
}

TEST(PdfTest, PicturesKeepTheirPixels) {
  const std::string pdf = pdf_of(test::full_page(), facts());
  EXPECT_TRUE(test::says(pdf, "/Width 600 /Height 380 ")) << "the field as it was drawn";
  EXPECT_TRUE(test::says(pdf, "/Width 1 /Height 256 ")) << "the colour bar";
  EXPECT_EQ(pdf.find("/Interpolate"), std::string::npos);
  EXPECT_EQ(pdf.find("/SMask"), std::string::npos) << "an opaque picture";
  Page clear = test::full_page();
  clear.pixels[7].a = 0;
  EXPECT_EQ(count(pdf_of(clear, facts()), "/SMask"), 1u);
}

// 1000 colours of a map, and as many of a photo.
TEST(PdfTest, APictureInTheColoursOfAMapHasABytePerPixel) {
  constexpr int columns = 1000, rows = 6;
  std::vector<Color> map, photo;
  for (int i = 0; i < columns * rows; ++i) {
    const int at = i % columns;
    const auto level = [&](int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); };
    map.push_back({level(at / 2), level(at < 500 ? at / 3 : 333 - at / 3), level(500 - at / 2), 255});
    photo.push_back({level(at * 7 % 256), level(at * 31 % 241), level(at * 101 % 251), 255});
  }
  EXPECT_EQ(packed_image(photo, columns).channels(), 3);
  constexpr std::size_t kind = 25;  // in the head of a PNG: 2 for colours, 3 for numbered ones, 6 with their opacity
  EXPECT_EQ(packed_png(photo, {columns, rows}, {}, 0)[kind], 2);
  EXPECT_EQ(packed_png(map, {columns, rows}, {}, 0)[kind], 3);
  std::vector<Color> clear = map;
  clear[7].a = 0;
  EXPECT_EQ(packed_png(clear, {columns, rows}, {}, 0)[kind], 6);
  const PackedImage image = packed_image(map, columns);
  ASSERT_EQ(image.channels(), 1);
  ASSERT_LE(image.palette.size(), 256u);
  for (const Color& color : map)
    EXPECT_TRUE(std::ranges::any_of(image.palette, [&](const Color& entry) {
      return std::max({std::abs(entry.r - color.r), std::abs(entry.g - color.g), std::abs(entry.b - color.b)}) <= 2;
    })) << int{color.r};
  for (std::size_t i = 1; i < image.palette.size(); ++i)
    EXPECT_GE(image.palette[i].r, image.palette[i - 1].r) << "neighbours have numbers that differ little";
}

TEST(PdfTest, SaysWhereItComesFromButNotWhen) {
  const std::string pdf = pdf_of(test::full_page(), facts());
  EXPECT_TRUE(test::says(pdf, "<simreel:scene>a = 1 # &lt;&amp;&gt;\n</simreel:scene>"));
  EXPECT_TRUE(test::says(pdf, "<rdf:li xml:lang=\"x-default\">Tank \xe2\x98\x83 &lt;x&gt;</rdf:li>"));
  EXPECT_TRUE(test::says(pdf, "/Title <FEFF00540061006E006B002026030020003C0078003E>"));
  EXPECT_EQ(pdf.find("Date"), std::string::npos);
  EXPECT_EQ(pdf, pdf_of(test::full_page(), facts()));
}

TEST(PdfTest, LinesAreClippedToThePictureWithoutItsInset) {
  EXPECT_TRUE(any_holds(streams_of(pdf_of(test::full_page(), facts())), "100 60 600 380 re 300 220 100 100 re W* n"));
}

// A string of PostScript holds 65535 bytes.
TEST(EpsTest, AFontOfAllCharactersIsOneString) {
  Page page = test::full_page();
  std::string all;
  for (char32_t code = 0x21; code < 0x2800; ++code)
    if (const Glyph* const glyph = find_glyph(code, FontStyle::regular); glyph && code != '$' && code != '\\')
      all += utf8_of(*glyph);
  page.marks = {{"title", Label{set_text(all + "$" + all + "$", 29 * fine), {0, 0}, {}, {0, 0, 0, 255}}}};
  const std::string eps = eps_of(page, facts());
  std::size_t at = 0;
  for (const PageFont& font : fonts_of(page.marks)) {
    const std::string file = font.file();
    EXPECT_LT(file.size(), 65535u);
    std::string digits;
    for (at = eps.find("/sfnts [\n<", at) + 10; eps[at] != '>'; ++at)
      if (eps[at] != '\n') digits += eps[at];
    std::string found;
    for (std::size_t i = 0; i < digits.size(); i += 2)
      found += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    EXPECT_TRUE(found == file + '\0');
  }
}

TEST(EpsTest, NothingIsTranslucentOrDated) {
  const std::string eps = eps_of(test::full_page(), facts());
  EXPECT_EQ(count(eps, "/FontType 42"), 3u) << "regular, bold and oblique";
  EXPECT_TRUE(test::says(eps, "/uni03C9")) << "omega";
  EXPECT_TRUE(test::says(eps, "/Width 600 /Height 380 ")) << "the field as it was drawn";
  EXPECT_TRUE(test::says(eps, "/Width 1 /Height 256 ")) << "the colour bar";
  // The outline of the bar changes its colour along it, and so does the line over the field.
  EXPECT_GT(count(eps, " stroke\n"), 40u);
  EXPECT_EQ(eps.find("Date"), std::string::npos);
  EXPECT_EQ(eps, eps_of(test::full_page(), facts()));
}

TEST(TexTest, LettersAreLatexAndImagesLieInOnePng) {
  Page page = test::full_page();
  page.marks.push_back(
      {"axes", Label{set_text("\xe2\x88\x92 5 % of a_b", 29 * fine), {640, 64}, {}, {0, 0, 0, 255}, 1}});
  const TexPage tex = tex_of(page, facts(), "a-picture.png");
  for (const char* part :
       {"\\useasboundingbox (0,0) rectangle (1004,500);", "\\textbf{Vortex street, AVATA}",
        "{\\fontsize{6.96bp}{8.35bp}\\selectfont \\(\\omega _{z}\\) (s\\(^{\\mathrm{-1}}\\)) \\(<\\)\\&\\(>\\)};",
        "rotate=90", "\\(-\\) 5 \\% of a\\_b};", "anchor=base east",
        "\\clip (100,60) rectangle (700,440) (300,220) rectangle (400,320);", "opacity=0.588"})
    EXPECT_TRUE(test::says(tex.text, part)) << part << tex.text;
  EXPECT_EQ(count(tex.text, "{\\simreelpath a-picture.png}"), 2u) << "the field and the colour bar";
  EXPECT_EQ(count(tex.text, "\\begin"), count(tex.text, "\\end"));
  EXPECT_EQ(word(tex.picture, 16), 1004u);
  EXPECT_EQ(word(tex.picture, 20), 500u);
  EXPECT_EQ(tex.text, tex_of(page, facts(), "a-picture.png").text);
  page.pixels.clear();
  std::erase_if(page.marks, [](const Mark& mark) { return std::holds_alternative<Image>(mark.what); });
  EXPECT_TRUE(tex_of(page, facts(), "p").picture.empty());
}

TEST(SvgTest, IsXmlWithTheTextOfEveryLabel) {
  const std::string svg = svg_of(test::full_page(), facts());
  struct Seen {
    std::string text, scene;
    bool in_text = false, in_scene = false;
    int images = 0;
  } seen;
  XML_Parser parser = XML_ParserCreate(nullptr);
  XML_SetUserData(parser, &seen);
  XML_SetElementHandler(
      parser,
      [](void* data, const char* name, const char**) {
        Seen& s = *static_cast<Seen*>(data);
        if (std::string(name) == "text") s.in_text = true;
        if (std::string(name) == "simreel:scene") s.in_scene = true;
        if (std::string(name) == "image") ++s.images;
      },
      [](void* data, const char* name) {
        Seen& s = *static_cast<Seen*>(data);
        if (std::string(name) == "text") s.in_text = false, s.text += '\n';
        if (std::string(name) == "simreel:scene") s.in_scene = false;
      });
  XML_SetCharacterDataHandler(parser, [](void* data, const char* text, int length) {
    Seen& s = *static_cast<Seen*>(data);
    if (s.in_text) s.text.append(text, static_cast<std::size_t>(length));
    if (s.in_scene) s.scene.append(text, static_cast<std::size_t>(length));
  });
  EXPECT_EQ(XML_Parse(parser, svg.data(), static_cast<int>(svg.size()), 1), XML_STATUS_OK)
      << XML_ErrorString(XML_GetErrorCode(parser));
  XML_ParserFree(parser);
  EXPECT_EQ(seen.text,
            "Vortex street, AVATA\n\xcf\x89z (s\xe2\x88\x92"
            "1) <&>\nx (mm)\n");
  EXPECT_EQ(seen.scene, "a = 1 # <&>\n");
  EXPECT_EQ(seen.images, 2) << "the field and the colour bar";
  EXPECT_TRUE(test::says(svg, "width=\"85.0000mm\""));
  EXPECT_EQ(count(svg, "@font-face"), 3u);
  EXPECT_EQ(svg, svg_of(test::full_page(), facts()));
}

TEST(PageFontTest, IsAWholeTrueTypeFile) {
  for (const PageFont& font : fonts_of(test::full_page().marks)) {
    const std::string file = font.file();
    EXPECT_EQ(sum_of(file), 0xb1b0afbau) << "the sum of a whole font";
    for (std::size_t i = 0; i < word(file, 4, 2); ++i) {
      const std::size_t row = 12 + 16 * i;
      std::string table = table_of(file, file.substr(row, 4));
      if (file.substr(row, 4) == "head") table.replace(8, 4, std::string(4, '\0'));
      EXPECT_EQ(sum_of(table), word(file, row + 4)) << file.substr(row, 4);
    }
    EXPECT_EQ(word(table_of(file, "maxp"), 4, 2), font.glyphs.size() + 1);
    const std::string notice = {0, 'p', 0, 'e', 0, 'r', 0, 'm', 0, 'i', 0, 's',
                                0, 's', 0, 'i', 0, 'o', 0, 'n', 0, ' ', 0, 'n'};
    EXPECT_TRUE(test::says(table_of(file, "name"), notice)) << "the permission notice";
  }
}

TEST(PageFontTest, GlyphsHaveTheirOutlinesAndWidths) {
  const PageFont font = fonts_of(test::full_page().marks).at(0);
  const std::string file = font.file(), glyf = table_of(file, "glyf"), loca = table_of(file, "loca"),
                    hmtx = table_of(file, "hmtx");
  for (const Glyph* glyph : font.glyphs) {
    const std::size_t number = static_cast<std::size_t>(font.number_of(*glyph));
    EXPECT_EQ(word(hmtx, 4 * number, 2), static_cast<std::uint32_t>(glyph->advance));
    const std::size_t at = 2 * word(loca, 2 * number, 2), end = 2 * word(loca, 2 * number + 2, 2);
    EXPECT_EQ(glyf.substr(at, end - at), glyph->outline);
  }
}

TEST(PageFontTest, LettersOfALineStayTogether) {
  const std::vector<TextPiece> pieces = pieces_of(set_text("Vorticity of a cylinder $\\omega_z$", 29 * fine));
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].glyphs.size(), std::string("Vorticity of a cylinder ").size());
  EXPECT_EQ(pieces[1].style, FontStyle::oblique);
  EXPECT_GT(pieces[2].y, 0);
}

}  // namespace
}  // namespace simreel
