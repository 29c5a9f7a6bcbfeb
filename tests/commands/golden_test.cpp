// `simreel golden` as a user calls it, on small folders of scenes.

#include <expat.h>

#include <algorithm>

#include "base/version.h"
#include "exec/machine.h"
#include "tests/support/golden_fixture.h"

namespace simreel {
namespace {

using test::contains;
using test::GoldenCommand;
using test::Outcome;
using test::scene_text;
using test::text_of;

TEST_F(GoldenCommand, UpdateThenCheckIsClean) {
  const Outcome made = accept();
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_TRUE(contains(made.out, "accepted    a: wrote a.000000.png, a.000005.png, a.hashes\n")) << made.out;
  EXPECT_EQ(names(), (std::vector<std::string>{"a.000000.png", "a.000005.png", "a.hashes", "a.toml", "b.000000.png",
                                               "b.000005.png", "b.hashes", "b.toml"}));
  const Outcome clean = check();
  EXPECT_EQ(clean.exit, 0) << clean.out;
  EXPECT_TRUE(contains(clean.out, "same        a\nsame        b\n2 scenes in ")) << clean.out;
}

TEST_F(GoldenCommand, AcceptedFilesAreThoseThatRenderWrites) {
  accept();
  ASSERT_EQ(run("render g/a.toml -o a.hashes -o %06d.png").exit, 0);
  EXPECT_EQ(text_of(folder_ / "g/a.hashes"), text_of(folder_ / "a.hashes"));
  EXPECT_EQ(read_picture(folder_ / "g/a.000005.png").pixels, read_picture(folder_ / "000005.png").pixels);
  EXPECT_NE(read_picture(folder_ / "g/a.000000.png").pixels, read_picture(folder_ / "000005.png").pixels);
}

TEST_F(GoldenCommand, StillsAreOfEightBitsWhateverTheDepth) {
  write("g/a.toml", scene_text() + "[output]\ndepth = 16\n");
  accept();
  EXPECT_EQ(text_of(folder_ / "g/a.hashes"), text_of(folder_ / "g/b.hashes"));
  EXPECT_EQ(text_of(folder_ / "g/a.000005.png"), text_of(folder_ / "g/b.000005.png"));
  // A picture that `render` wrote passes in its place, and stays there: rounded, it is the same.
  ASSERT_EQ(run("render g/a.toml -o %06d.png").exit, 0);
  std::filesystem::copy_file(folder_ / "000005.png", folder_ / "g/a.000005.png",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(read_picture(folder_ / "g/a.000005.png").deep.empty());
  EXPECT_EQ(check().exit, 0);
  const auto before = content();
  accept();
  EXPECT_EQ(content(), before);
  std::filesystem::copy_file(folder_ / "000005.png", folder_ / "g/a.000000.png",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(check().exit, 4);
}

// Fades belong to a video.
TEST_F(GoldenCommand, FramesAreNotFaded) {
  std::string faded = scene_text();
  faded.insert(faded.find("frames = 6"), "fade_in = 0.05\nfade_out = 0.05\n");
  write("g/a.toml", faded);
  ASSERT_EQ(accept().exit, 0);
  EXPECT_EQ(text_of(folder_ / "g/a.hashes"), text_of(folder_ / "g/b.hashes"));
  EXPECT_EQ(text_of(folder_ / "g/a.000005.png"), text_of(folder_ / "g/b.000005.png"));
}

TEST_F(GoldenCommand, UpdateTouchesOnlyWhatChanged) {
  accept();
  const auto before = content();
  const Outcome again = accept();
  EXPECT_TRUE(contains(again.out, "unchanged   a\nunchanged   b\n0 accepted, 2 unchanged\n")) << again.out;
  EXPECT_EQ(content(), before);

  write("g/a.toml", scene_text("", "0.08"));
  write("g/b.toml", scene_text("", "0.08"));
  const Outcome named = run("golden update g b");
  EXPECT_TRUE(contains(named.out, "accepted    b: wrote b.000005.png, b.hashes\n")) << named.out;  // frame 0 is at rest
  auto after = content();
  for (const char* changed : {"b.000005.png", "b.hashes"}) EXPECT_NE(after[changed], before.at(changed)) << changed;
  for (const char* kept : {"a.000000.png", "a.000005.png", "a.hashes", "b.000000.png"})
    EXPECT_EQ(after[kept], before.at(kept)) << kept;
}

TEST_F(GoldenCommand, OneDigitOfASceneFailsWithTheRightFrame) {
  accept();
  write("g/b.toml", scene_text("", "0.08"));
  const Outcome failed = check();
  EXPECT_EQ(failed.exit, 4);
  EXPECT_TRUE(contains(failed.out, "same        a\n")) << failed.out;
  EXPECT_TRUE(contains(failed.out,
                       "different   b: frame 3 is the first of 3 (of 6) that differ; the still of frame 5: differs"))
      << failed.out;
  EXPECT_FALSE(contains(failed.out, "still of frame 0")) << failed.out;
  EXPECT_TRUE(contains(failed.out, "1 same, 1 different")) << failed.out;

  // The command that it prints, as it prints it, makes the check pass.
  const std::string lead = "accept it: ";
  const std::size_t start = failed.out.find(lead) + lead.size();
  const std::string command = failed.out.substr(start, failed.out.find('\n', start) - start);
  EXPECT_EQ(std::system(fmt::format("cd '{}' && {} >/dev/null", folder_ / ".", command).c_str()), 0) << command;
  EXPECT_EQ(check().exit, 0);
}

TEST_F(GoldenCommand, ASingleDifferingFrameIsNamed) {
  accept();
  std::string hashes = text_of(folder_ / "g/a.hashes");
  char& digit = hashes[hashes.find("\n4 ") + 3];
  digit = digit == '0' ? '1' : '0';
  write("g/a.hashes", hashes);
  const Outcome failed = check("a");
  EXPECT_EQ(failed.exit, 4);
  EXPECT_TRUE(contains(failed.out, "different   a: frame 4 of 0 to 5 differs\n")) << failed.out;
}

TEST_F(GoldenCommand, OneChangedPixelOfAStillIsFoundAndLocated) {
  accept();
  nudge("g/a.000005.png");
  const Outcome failed = check();
  EXPECT_EQ(failed.exit, 4);
  EXPECT_TRUE(contains(failed.out, "the still of frame 5: differs by up to 1 in 0.1736% of its pixels, first at 7, 3"))
      << failed.out;
}

TEST_F(GoldenCommand, MissingFilesAreAFailureThatSaysHowToMakeThem) {
  const Outcome nothing = check("a");
  EXPECT_EQ(nothing.exit, 4);
  EXPECT_TRUE(contains(nothing.out, "missing     a: a.hashes, a.000000.png, a.000005.png are not there\n"))
      << nothing.out;
  EXPECT_TRUE(contains(nothing.out, "golden update g a\n")) << nothing.out;
  EXPECT_EQ(names(), (std::vector<std::string>{"a.toml", "b.toml"}));
  accept();
  std::filesystem::remove(folder_ / "g/b.000000.png");
  const Outcome one = check();
  EXPECT_EQ(one.exit, 4);
  EXPECT_TRUE(contains(one.out, "missing     b: b.000000.png is not there\n")) << one.out;
}

TEST_F(GoldenCommand, DamagedAcceptedFilesAreDifferencesAndUpdateMendsThem) {
  accept();
  const std::string still = text_of(folder_ / "g/a.000005.png"), hashes = text_of(folder_ / "g/a.hashes");
  const std::vector<std::pair<std::string, std::string>> damages = {
      {"g/a.000005.png", still.substr(0, still.size() / 2)},
      {"g/a.000005.png", "no picture"},
      {"g/a.000005.png", ""},
      {"g/a.hashes", ""},
      {"g/a.hashes", "0 123\n"},
      {"g/a.hashes", std::string("\0\xff\n", 3)},
      {"g/a.hashes", hashes.substr(0, hashes.find("\n5 ") + 1)},
      {"g/a.hashes", hashes + "6 0123456789abcdef\n"},
  };
  for (const auto& [file, bytes] : damages) {
    write(file, bytes);
    const Outcome failed = check();
    EXPECT_EQ(failed.exit, 4) << file << ": " << failed.out << failed.err;
    EXPECT_TRUE(contains(failed.out, "different   a: ")) << failed.out;
    EXPECT_EQ(accept().exit, 0);
    EXPECT_EQ(text_of(folder_ / "g/a.hashes"), hashes);
    EXPECT_EQ(text_of(folder_ / "g/a.000005.png"), still);
  }
}

TEST_F(GoldenCommand, AStillOfAnotherSizeIsADifference) {
  accept();
  write_picture(folder_ / "g/a.000005.png", Picture{{16, 18}, std::vector<Color>(16 * 18)});
  const Outcome failed = check();
  EXPECT_EQ(failed.exit, 4);
  EXPECT_EQ(failed.out.find("different   a: the still of frame 5: accepted 16x18, rendered 32x18 pixels\n"), 0u)
      << failed.out;
}

TEST_F(GoldenCommand, AnotherNumberOfFramesIsADifference) {
  accept();
  std::string shorter = scene_text();
  shorter.replace(shorter.find("frames = 6"), 10, "frames = 7");
  write("g/a.toml", shorter);
  const Outcome failed = check("a");
  EXPECT_EQ(failed.exit, 4);
  EXPECT_TRUE(contains(failed.out, "6 frames were accepted, 7 are rendered; not accepted: 6\n")) << failed.out;

  // A gap in the list is the frame that is missing in it, not the next one.
  write("g/a.toml", scene_text());
  std::string hashes = text_of(folder_ / "g/a.hashes");
  const std::size_t line = hashes.find("\n2 ");
  write("g/a.hashes", hashes.erase(line, hashes.find('\n', line + 1) - line));
  const Outcome gap = check("a");
  EXPECT_EQ(gap.exit, 4);
  EXPECT_TRUE(contains(gap.out, "different   a: 5 frames were accepted, 6 are rendered; not accepted: 2\n")) << gap.out;
}

TEST_F(GoldenCommand, ToleranceLetsStillsDecide) {
  const std::string base = "frames = [0, 5]\n";
  struct Case {
    const char* tolerance;
    int exit;
    const char* says;
  };
  // One pixel of 576 is 3 levels off.
  for (const Case& c :
       {Case{"max_diff = 3\n", 0, "same        a"},
        Case{"max_diff = 2\n", 4, "the still of frame 5: 0.1736% of the pixels differ by more than 2"},
        Case{"max_pixels = 0.002\n", 0, "same        a"}, Case{"max_pixels = 0.001\n", 4, "of the pixels differ"},
        Case{"min_psnr = 60\n", 0, "same        a"}, Case{"min_psnr = 90\n", 4, "PSNR"},
        Case{"min_ssim = 0.99\n", 0, "same        a"}, Case{"min_ssim = 1\n", 4, "SSIM"},
        Case{"max_flip = 0.01\n", 0, "same        a"}, Case{"max_flip = 0\n", 4, "FLIP"}}) {
    write("g/a.toml", scene_text(base));
    ASSERT_EQ(run("golden update g a").exit, 0);
    write("g/a.toml", scene_text(base + c.tolerance));
    nudge("g/a.000005.png", 3);
    const Outcome outcome = check("a");
    EXPECT_EQ(outcome.exit, c.exit) << c.tolerance << outcome.out;
    EXPECT_TRUE(contains(outcome.out, c.says)) << c.tolerance << outcome.out;
  }
}

TEST_F(GoldenCommand, HashesWithinToleranceAreANote) {
  accept();
  write("g/a.toml", scene_text("frames = [0, 5]\nmax_diff = 40\n", "0.071"));
  const Outcome outcome = check("a");
  EXPECT_EQ(outcome.exit, 0) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "same        a: frame 3 is the first of 3 (of 6) that differ in their bits"))
      << outcome.out;
}

TEST_F(GoldenCommand, StaleStillsAreADifferenceAndUpdateTakesOnlyThemAway) {
  accept();
  write("g/a.toml", scene_text("frames = [5]\n"));
  for (const char* other : {"g/a.0.png", "g/a.notes.png", "g/ab.000000.png", "g/a.0000001.png", "g/a.000001.txt"})
    write(other, "mine");
  const Outcome stale = check("a");
  EXPECT_EQ(stale.exit, 4) << stale.out;
  EXPECT_TRUE(contains(stale.out, "different   a: a.000000.png is stale: [golden] does not name frame 0\n"))
      << stale.out;
  const Outcome removed = run("golden update g a");
  EXPECT_TRUE(contains(removed.out, "accepted    a: removed a.000000.png\n")) << removed.out;
  EXPECT_FALSE(exists("g/a.000000.png"));
  for (const char* other :
       {"g/a.0.png", "g/a.notes.png", "g/ab.000000.png", "g/a.0000001.png", "g/a.000001.txt", "g/b.000000.png"})
    EXPECT_TRUE(exists(other)) << other;
}

TEST_F(GoldenCommand, AFrameThatTheAnimationLacksIsNamed) {
  write("g/late.toml", scene_text("frames = [6]\n"));
  const Outcome late = check("late");
  EXPECT_EQ(late.exit, 2);
  EXPECT_TRUE(contains(late.out, "g/late.toml:17:1: \"frames\" in [golden] names frame 6, but the animation has 6"))
      << late.out;
  EXPECT_EQ(run("golden update g ''").exit, 2);
}

TEST_F(GoldenCommand, TheResultDoesNotDependOnThreads) {
  // One that is checked alone on all threads, because it is not small for up to three of them.
  std::string large = scene_text();
  large.replace(large.find("[32, 18]"), 8, "[320, 200]");
  write("g/large.toml", large);
  ASSERT_EQ(run("golden update g --backend cpu --threads 1").exit, 0);
  for (const char* threads : {"1", "2", "3"}) EXPECT_EQ(check(std::string("--threads ") + threads).exit, 0) << threads;
}

// What a strict XML parser makes of a JUnit file.
struct Junit {
  std::string error;
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> elements;
  std::string text;
};

Junit parse_xml(const std::string& xml) {
  Junit junit;
  XML_Parser parser = XML_ParserCreate(nullptr);
  XML_SetUserData(parser, &junit);
  XML_SetElementHandler(
      parser,
      [](void* user, const char* name, const char** attributes) {
        auto& [element, values] =
            static_cast<Junit*>(user)->elements.emplace_back(name, std::map<std::string, std::string>());
        for (; *attributes; attributes += 2) values[attributes[0]] = attributes[1];
      },
      [](void*, const char*) {});
  XML_SetCharacterDataHandler(parser, [](void* user, const char* text, int length) {
    static_cast<Junit*>(user)->text.append(text, std::size_t(length));
  });
  if (XML_Parse(parser, xml.data(), int(xml.size()), 1) == XML_STATUS_ERROR) {
    junit.error =
        fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser), XML_ErrorString(XML_GetErrorCode(parser)));
  }
  XML_ParserFree(parser);
  return junit;
}

TEST_F(GoldenCommand, JunitIsXmlWithEveryScene) {
  accept();
  write("g/b.toml", scene_text("", "0.08"));
  const std::string odd = "g/<&\"'>]]> \x01\xff \xc3\xa9.toml";
  write(odd, scene_text());
  write("g/wrong.toml", "title = \"<\"\n[solver]\nkind = \"</failure>\"\n");
  write("g/xempty.toml", "");
  EXPECT_EQ(check("--junit out/j.xml").exit, 2);
  const Junit junit = parse_xml(text_of(folder_ / "out/j.xml"));
  ASSERT_EQ(junit.error, "");
  std::vector<std::string> shape;
  for (const auto& [element, values] : junit.elements) shape.push_back(element);
  EXPECT_EQ(shape, (std::vector<std::string>{"testsuites", "testsuite",  "properties", "property",   "property",
                                             "testcase",   "properties", "property",   "failure",    "testcase",
                                             "properties", "property",   "testcase",   "properties", "property",
                                             "failure",    "testcase",   "error",      "testcase",   "error"}));
  const auto& suite = junit.elements[1].second;
  EXPECT_EQ(suite.at("tests"), "5");
  EXPECT_EQ(suite.at("failures"), "2");
  EXPECT_EQ(suite.at("errors"), "2");
  EXPECT_EQ(junit.elements[3].second.at("name"), "simreel");
  EXPECT_EQ(junit.elements[3].second.at("value"), version);
  EXPECT_EQ(junit.elements[4].second.at("name"), "machine");
  EXPECT_EQ(junit.elements[4].second.at("value"), machine_name(Executor::cpu()));
  EXPECT_TRUE(contains(junit.text, "tolerance: nothing may differ\n")) << junit.text;
  EXPECT_EQ(junit.elements[5].second.at("name"), "<&\"'>]]> \xEF\xBF\xBD\xEF\xBF\xBD \xc3\xa9");
  EXPECT_EQ(junit.elements[9].second.at("name"), "a");
  EXPECT_EQ(junit.elements[11].second.at("name"), "memory");
  EXPECT_GT(std::stoi(junit.elements[11].second.at("value")), 32 * 18 * 4);  // at least a frame
  EXPECT_TRUE(contains(junit.elements[15].second.at("message"), "frame 3 is the first of 3"));
  EXPECT_TRUE(contains(junit.text, "golden update g b"));
  EXPECT_TRUE(contains(junit.elements[17].second.at("message"), "</failure>"));
  // An error of several lines: the first as the message, all in the text.
  const std::string whole = run("check g/xempty.toml").err;
  ASSERT_GT(std::ranges::count(whole, '\n'), 1) << whole;
  EXPECT_EQ(junit.elements[19].second.at("message"), whole.substr(0, whole.find('\n')));
  EXPECT_TRUE(contains(junit.text, whole)) << junit.text;
}

}  // namespace
}  // namespace simreel
