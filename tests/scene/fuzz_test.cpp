#include "base/error.h"
#include "scene/scene.h"
#include "source/solver.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

std::string repeated(const std::string& part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

// Anything but a UsageError, a crash included, fails the test that calls this.
void parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    Scene scene = parse_scene(text, "fuzz.toml", overrides);
    scene.solver.tables("droplet", "");
    scene.solver.finish();
  } catch (const UsageError& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
  }
  try {
    parse_scene(text, "fuzz.toml", overrides, check_solver);  // continues after mistakes, into the solver's reads
  } catch (const UsageError& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
  }
}

std::uint64_t next(std::uint64_t& state) {  // xorshift64, Marsaglia 2003, "Xorshift RNGs", shifts 13, 7, 17
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> all = {
      "title = \"Droplets\"\nseed = 1\n[solver]\nkind = \"wave\"\ngrid = [512, 512]\n[[solver.droplet]]\ntime = 0.0\n"
      "position = [256, 256]\n[solver.rain]\nrate = 2.0\n[view]\nrange = [-0.07, 0.07]\nsize = [1920, 1080]\n"
      "background = \"#000000\"\n[camera]\nposition = [0, 0, 5]\n[[camera.key]]\ntime = 0.0\n[[camera.key]]\ntime = 1\n"
      "[animation]\nfps = [30000, 1001]\nframes = 600\n[output]\npath = 'droplets.mp4'\noptions = {crf = 20, a.b = "
      "1}\n",
      "[=\n",
      "[[=\n",
      "a = [[[[[[[[1]]]], {b = {c.d = [{}]}}]]]]\n[solver]\nkind = '''wave'''\n",
      "\xEF\xBB\xBFgr\xC3\xB6\xC3\x9F"
      "e = 1\r\n\xC3\xA4.\"\xC3\xA4\" = 2\r\n",
      "d = 1979-05-27T07:32:00.999999-07:00\nt = 07:32:00\nh = 0xDEAD_BEEF\no = 0o755\nb = 0b1101\nf = -6.626e-34\ni = "
      "+inf\n"
      "n = nan\nm = \"\"\"\\\n  x\\u00E9\\U0001F600\"\"\"\nl = '''\n'''\n",
  };
  return all;
}

TEST(SceneFuzz, PathologicalTextGivesNothingButUsageErrors) {
  for (const char* open : {"[", "{", "{a=", "[{a=", "[[", "{a.b.c=", "\"", "'''", "\"\"\"", "a.", "[a.", "[[a."})
    for (const int count : {1, 15, 17, 300, 9000}) {
      parse(repeated(open, count));
      parse("a = " + repeated(open, count));
      parse("a = " + repeated(open, count) + "\n");
    }
  parse(repeated("a.", 90000) + "a = 1\n");
  // Below the size limit, so that only the limit on dots stands between these and the stack.
  parse(repeated("a.", 32000) + "a = 1\n");
  parse("[" + repeated("a.", 32000) + "a]\n");
  const std::string deep_key = repeated("a.", 64) + "a";
  parse(deep_key + " = 1\n");
  parse("[" + deep_key + "]\n" + deep_key + " = " + repeated("{" + deep_key + " = ", 15) + "1" + repeated("}", 15));
  parse("[[" + deep_key + "]]\n" + deep_key + " = " + repeated("[{" + deep_key + " = ", 7) + "1" + repeated("}]", 7));
  std::string chain = "b";
  for (int i = 0; i < 60; ++i, chain += ".b") parse("[solver]\n[[" + chain + "]]\n[[" + chain + ".b]]\n");
}

TEST(SceneFuzz, ValidDepthIsKeptUpToTheLimit) {
  const std::string deep_key = repeated("a.", 63) + "a";
  EXPECT_THROW(parse_scene("[solver]\nkind = \"w\"\n[view]\n" + deep_key + " = 1\n", "x"), UsageError);
  const Scene scene =
      parse_scene("[solver]\nkind = \"w\"\n" + deep_key + " = " + repeated("[", 16) + repeated("]", 16), "x");
  EXPECT_TRUE(scene.solver.has("a"));
}

TEST(SceneFuzz, MutatedTextGivesNothingButUsageErrors) {
  static const std::vector<std::string> tokens = {
      "[",   "]",  "[[", "]]",   "{",    "}",   "=",    "=\n", ".",        ",",       "\"",   "'", "\"\"\"",
      "'''", "#",  "\n", "\r",   "\r\n", "\t",  " ",    "\\",  "\\u",      "\xC3",    "\xB6", "_", "+",
      "-",   "0x", "1e", "e999", "nan",  "inf", "true", "T0",  "99999999", "1979-05", ":",    "Z", "\xEF\xBB\xBF",
      "\xFF"};
  std::uint64_t state = 20240607;
  for (int round = 0; round < 6000; ++round) {
    std::string text = seeds()[next(state) % seeds().size()];
    const std::uint64_t edits = 1 + next(state) % 8;
    for (std::uint64_t edit = 0; edit < edits; ++edit) {
      const std::size_t at = next(state) % (text.size() + 1);
      switch (next(state) % 6) {
        case 0: text.insert(at, tokens[next(state) % tokens.size()]); break;
        case 1: text.erase(at, 1 + next(state) % 4); break;
        case 2:
          if (at < text.size()) text[at] = static_cast<char>(next(state));
          break;
        case 3: text.resize(at); break;
        case 4: text.insert(at, text.substr(next(state) % (text.size() + 1), next(state) % 40)); break;
        default:
          text.insert(at, repeated(tokens[next(state) % tokens.size()], static_cast<int>(next(state) % 40)));
          break;
      }
    }
    SCOPED_TRACE(text);
    ASSERT_NO_THROW(parse(text));
  }
}

TEST(SceneFuzz, MutatedOverridesGiveNothingButUsageErrors) {
  static const std::vector<std::string> arguments = {
      "solver.droplet.0.time=5",     "view.size=[64, 64]",     "title=a", "view={}",
      "output.options.x=1979-05-27", "camera.key=[{time = 1}]"};
  std::uint64_t state = 99;
  for (int round = 0; round < 4000; ++round) {
    std::string argument = arguments[next(state) % arguments.size()];
    for (std::uint64_t edits = next(state) % 5; edits > 0; --edits) {
      const std::size_t at = next(state) % (argument.size() + 1);
      constexpr std::string_view bytes = ".=[]{}\"'#\n019a,_ \\\xC3\xB6";
      if (next(state) % 3 == 0)
        argument.erase(at, 1);
      else
        argument.insert(at, 1, bytes[next(state) % bytes.size()]);
    }
    SCOPED_TRACE(argument);
    ASSERT_NO_THROW(parse(seeds()[0], {argument}));
  }
}

}  // namespace
}  // namespace simreel
