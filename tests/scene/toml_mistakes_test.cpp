// What a scene says to text that is not TOML, and to colours in other forms: the place, and how to write it.

#include <gtest/gtest.h>

#include "base/error.h"
#include "scene/scene.h"

namespace simreel {
namespace {

std::string with(const std::string& text) { return "[solver]\nkind = \"wave\"\n" + text; }

struct Mistake {
  const char* name;
  std::string scene, place;
  std::vector<std::string> words;
};

const Mistake mistakes[] = {
    {"bare_color_digits", with("[view]\nnan = ff00ff\n"), "s/x.toml:4:7: ", {"needs quotes: nan = \"#ff00ff\""}},
    {"bare_length", with("[figure]\nwidth = 85mm\n"), "s/x.toml:4:9: ", {"needs quotes: width = \"85mm\""}},
    {"bare_formula", with("speed = 1/2\n"), "s/x.toml:3:9: ", {"nothing is computed here", "speed = \"= 1/2\""}},
    {"bare_null", with("[view]\nfield = None\n"), "s/x.toml:4:9: ", {"there is no None; leave the key out"}},
    {"bare_point", with("speed = -.5\n"), "s/x.toml:3:9: ", {"leading zero: speed = -0.5"}},
    {"bare_list", with("[output]\nfields = [ux, uy]\n"), "s/x.toml:4:10: ", {"fields = [\"ux\", \"uy\"]"}},
    {"bare_list_of_numbers", with("[view]\nsize = [640 480]\n"), "s/x.toml:4:8: ", {"size = [640, 480]"}},
    {"list_in_braces", with("[view]\nsize = {640, 480}\n"), "s/x.toml:4:8: ", {"in brackets: size = [640, 480]"}},
    {"list_unclosed",
     with("[view]\nsize = [640, 480\n[animation]\nfps = 60\n"),
     "s/x.toml:4:8: ",
     {"lacks its closing bracket: size = [640, 480]"}},
    {"list_unclosed_at_the_end", with("[view]\nsize = [\n640,\n"), "s/x.toml:4:8: ", {"lacks its closing bracket"}},
    {"list_without_comma", with("[golden]\nframes = [\n  1\n  2\n]\n"), "s/x.toml:6:3: ", {"a comma is missing"}},
    {"list_closed_twice", with("[view]\nsize = [640, 480]]\n"), "s/x.toml:4:8: ", {"too many: size = [640, 480]"}},
    {"colon", with("title: Two drops\n"), "s/x.toml:3:6: ", {"between a key and its value: title = \"Two drops\""}},
    {"no_equals", with("speed 0.4\n"), "s/x.toml:3:6: ", {"between a key and its value: speed = 0.4"}},
    {"two_equals", with("speed == 0.4\n"), "s/x.toml:3:8: ", {"one = stands between", "speed = 0.4"}},
    {"colon_equals", with("speed := 0.4\n"), "s/x.toml:3:7: ", {"one = stands between", "speed = 0.4"}},
    {"no_value", with("speed =\n"), "s/x.toml:3:8: ", {"\"speed\" has no value; write one behind the ="}},
    {"line_ends_with_comma", with("title = \"a\",\n"), "s/x.toml:3:12: ", {"behind a value: title = \"a\""}},
    {"line_ends_with_semicolon", with("speed = 0.4;\n"), "s/x.toml:3:9: ", {"no ; either: speed = 0.4"}},
    {"two_keys_in_a_line", with("[view]\nfield = height scale = log\n"), "s/x.toml:4:9: ", {"one line holds one key"}},
    {"two_texts_in_a_line", with("[view]\nfield = \"height\" scale = \"log\"\n"), "s/x.toml:4:18: ", {"one key"}},
    {"backslash", with("[output]\npath = \"C:\\x.mp4\"\n"), "s/x.toml:4:8: ", {"write path = 'C:\\x.mp4'"}},
    {"curly_quotes", with("title = \u201cA\u201d\n"), "s/x.toml:3:9: ", {"has straight quotes: title = \"A\""}},
    {"comment_of_c", with("// drops\n"), "s/x.toml:3:1: ", {"a comment begins with #"}},
    {"header_unclosed", with("[view\n"), "s/x.toml:3:1: ", {"lacks its closing bracket: [view]"}},
    {"header_of_a_list_unclosed", with("[[solver.droplet]\n"), "s/x.toml:3:1: ", {"bracket: [[solver.droplet]]"}},
    {"header_closed_twice", with("[view]]\n"), "s/x.toml:3:1: ", {"[view], or [[view]] for one that may come several"}},
    {"header_unopened", with("view]\n"), "s/x.toml:3:1: ", {"a table's name stands in brackets: [view]"}},
    {"header_in_braces", with("{view}\n"), "s/x.toml:3:1: ", {"a table's name stands in brackets: [view]"}},
    {"header_and_key", with("[view] field = \"height\"\n"), "s/x.toml:3:7: ", {"keys of [view] stand below it"}},
    {"color_name", with("[view]\nbackground = \"red\"\n"), "s/x.toml:4:1: ", {"\"#rrggbbaa\", here \"#ff0000\""}},
    {"color_short", with("[view]\nnan = \"#0f8\"\n"), "s/x.toml:4:1: ", {"here \"#00ff88\""}},
    {"color_without_sign", with("[view]\nnan = \"ff00ff\"\n"), "s/x.toml:4:1: ", {"here \"#ff00ff\""}},
    {"color_of_css", with("[view]\nnan = \"rgb(255, 0, 128)\"\n"), "s/x.toml:4:1: ", {"here \"#ff0080\""}},
    {"color_hexadecimal", with("[view]\nnan = 0xff00ff\n"), "s/x.toml:4:1: ", {"must be a colour", "here \"#ff00ff\""}},
    {"color_list", with("[view]\nnan = [255, 0, 0]\n"), "s/x.toml:4:1: ", {"array of 3 values; ", "here \"#ff0000\""}},
    {"color_fractions", with("[view]\nnan = [1.0, 0.5, 0]\n"), "s/x.toml:4:1: ", {"here \"#ff8000\""}},
    {"color_of_no_kind", with("[view]\nnan = \"nice\"\n"), "s/x.toml:4:1: ", {"write \"#rrggbb\" or \"#rrggbbaa\""}}};

TEST(TomlMistakes, ShowHowToWriteIt) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.name);
    try {
      parse_scene(mistake.scene, "s/x.toml");
      ADD_FAILURE() << "no error";
    } catch (const UsageError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.substr(0, mistake.place.size()), mistake.place) << message;
      for (const std::string& word : mistake.words) EXPECT_NE(message.find(word), std::string::npos) << message;
      EXPECT_EQ(message.find("Error while parsing"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace simreel
