// Videos that begin again without a jump, and scenes one after the other in one video.

#include "compare/picture.h"
#include "run/repeat_store.h"
#include "scene/scene.h"
#include "tests/support/restart_fixture.h"

namespace simreel {
namespace {

using test::Outcome;
using test::text_of;

class AnimationTest : public test::RestartTest {
 protected:
  void SetUp() override {
    const std::string animation = "[animation]\nframes = 30\nfps = 20\nsteps_per_frame = 4\n";
    write("wave.toml", animation +
                           "[solver]\nkind = \"wave\"\ngrid = [48, 32]\n[solver.rain]\nrate = 2\n[view]\nsize = [48, "
                           "32]\n");
    write("bodies.toml",
          animation + "[solver]\nkind = \"nbody\"\nbodies = 60\n[view]\nsize = [48, 32]\ntrails = 0.5\n");
  }

  // Of a run that must succeed: the lines of its hashes.
  std::vector<std::string> hashes(const std::string& arguments, const std::string& outputs = "") {
    const Outcome outcome = run(fmt::format("render {} --backend cpu --overwrite -o x.hashes {}", arguments, outputs));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return lines_of("x.hashes");
  }
  std::vector<std::string> lines_of(const std::string& name) const {
    std::istringstream text(text_of(folder_ / name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  static std::vector<std::string> part(const std::vector<std::string>& lines, int first, int last) {
    return {lines.begin() + first, lines.begin() + last + 1};
  }
  static std::string picture_in(const std::string& line) { return line.substr(line.find(' ')); }
  // A film of a wave and bodies.
  std::vector<std::string> film(const std::string& animation) {
    write("film.toml",
          "[figure]\nwidth = \"60mm\"\ndpi = 100\n[[panel]]\nscene = \"wave.toml\"\n[[panel]]\nscene = "
          "\"bodies.toml\"\n[animation]\n" +
              animation);
    const Outcome outcome = run("figure film.toml --backend cpu --overwrite -o x.hashes -o film/%03d.png");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return lines_of("x.hashes");
  }
};

TEST_F(AnimationTest, PingpongShowsTheFramesForwardAndBackward) {
  const std::string loop = " --set animation.loop=pingpong";
  for (const std::string scene :
       {"wave.toml", "bodies.toml", "wave.toml --set view.range=follow", "wave.toml --set output.codec=h264_fast",
        "wave.toml --set view.size=[160,90] --set figure.time=auto --set figure.axes=ticks"}) {
    const auto plain = hashes(scene, "-o plain/%03d.png -o plain.csv -o v.mkv");
    const auto found = hashes(scene + loop, "-o p/%03d.png -o p.csv -o s/%03d.npy -o v.mp4");
    ASSERT_EQ(found.size(), 58u);
    EXPECT_EQ(part(found, 0, 29), plain) << scene;
    for (std::size_t i = 30; i < 58; ++i) EXPECT_EQ(picture_in(found[i]), picture_in(plain[58 - i])) << scene << i;
    EXPECT_EQ(text_of(folder_ / "p/057.png"), text_of(folder_ / "p/001.png"));
    EXPECT_EQ(text_of(folder_ / "p.csv"), text_of(folder_ / "plain.csv"));
    EXPECT_TRUE(exists("s/029.npy") && exists("p/057.png"));
    EXPECT_FALSE(exists("s/030.npy") || exists("p/058.png") || exists("x.hashes.loop.part"));
  }
  const auto plain = hashes("wave.toml");
  EXPECT_EQ(hashes("wave.toml --set animation.first=11 --set animation.last=14" + loop),
            (std::vector<std::string>{plain[11], plain[12], plain[13], plain[14], "15" + picture_in(plain[13]),
                                      "16" + picture_in(plain[12])}));
  EXPECT_EQ(hashes("wave.toml --at frame:2" + loop), hashes("wave.toml --at frame:2"));
  const auto of_panels = film(""), there_and_back = film("loop = \"pingpong\"\n");
  ASSERT_EQ(there_and_back.size(), 58u);
  EXPECT_EQ(part(there_and_back, 0, 29), of_panels);
  for (std::size_t i = 30; i < 58; ++i) EXPECT_EQ(picture_in(there_and_back[i]), picture_in(of_panels[58 - i])) << i;
}

TEST_F(AnimationTest, ACrossfadeRunsIntoTheFirstFrames) {
  const std::string loop = " --set animation.loop=crossfade";
  for (const std::string scene :
       {"wave.toml", "bodies.toml", "wave.toml --set view.background=#20406080",
        "wave.toml --set view.size=[160,90] --set figure.time=auto --set figure.axes=ticks"}) {
    std::filesystem::remove_all(folder_ / "p");
    const auto plain = hashes(scene, "-o plain/%03d.png -o plain.csv");
    const auto found = hashes(scene + loop, "-o p/%03d.png -o p.csv");
    ASSERT_EQ(found.size(), 20u);
    EXPECT_EQ(part(found, 0, 9), part(plain, 10, 19)) << scene;
    EXPECT_EQ(part(lines_of("p.csv"), 1, 20), part(lines_of("plain.csv"), 11, 30));
    EXPECT_FALSE(exists("p/009.png") || exists("p/030.png") || exists("x.hashes.loop.part"));
    const auto pixels = [&](const std::string& file) { return read_picture(folder_ / file).pixels; };
    for (int i = 0; i < 10; ++i) {
      const auto late = pixels(fmt::format("plain/{:03d}.png", 20 + i)),
                 early = pixels(fmt::format("plain/{:03d}.png", i));
      const auto shown = pixels(fmt::format("p/{:03d}.png", 20 + i));
      const double share = (i + 1) / 11.0;
      for (std::size_t k = 0; k < shown.size(); ++k) {
        const double opacity = late[k].a * (1 - share) + early[k].a * share;
        ASSERT_NEAR(shown[k].a, opacity, 0.51);
        for (const auto channel : {&Color::r, &Color::g, &Color::b}) {
          const double mixed = late[k].*channel * late[k].a * (1 - share) + early[k].*channel * early[k].a * share;
          if (opacity > 0) {
            ASSERT_NEAR(shown[k].*channel, mixed / opacity, 0.51) << scene << i;
          }
        }
      }
    }
  }
  // Data alone have no pictures to blend.
  EXPECT_EQ(run("render wave.toml --backend cpu -o y.csv" + loop).exit, 0);
  EXPECT_EQ(lines_of("y.csv"), lines_of("plain.csv"));
}

TEST(Animation, ABlendOfTransparentPicturesCountsByTheirOpacity) {
  std::vector<Color> picture = {{200, 100, 0, 255}, {200, 100, 0, 0}, {10, 20, 30, 100}, {0, 0, 0, 0}};
  blend(picture, {{100, 100, 50, 255}, {40, 50, 60, 200}, {10, 20, 30, 100}, {9, 9, 9, 0}},
        AnimationOptions::fade_whole / 4);
  EXPECT_EQ(picture, (std::vector<Color>{{175, 100, 13, 255}, {40, 50, 60, 50}, {10, 20, 30, 100}, {0, 0, 0, 0}}));
}

TEST_F(AnimationTest, PartsFollowEachOther) {
  write("parts.toml",
        "[[part]]\nscene = \"wave.toml\"\n[[part]]\nscene = \"bodies.toml\"\nduration = \"1 s\"\nfade = "
        "0.4\n[[part]]\nscene = \"wave.toml\"\nset = [\"animation.first=5\", \"animation.last=14\", "
        "\"view.range=first\"]\nfade = 0.3\nthrough = \"black\"\n");
  hashes("wave.toml", "-o a/%03d.png");
  hashes("bodies.toml --set animation.duration=\"'1 s'\"", "-o b/%03d.png");
  hashes("wave.toml --set view.range=first", "-o c/%03d.png");
  const Outcome outcome = run("figure parts.toml --backend cpu -o p.hashes -o p/%03d.png");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  ASSERT_EQ(lines_of("p.hashes").size(), 52u);
  const auto pixels = [&](const std::string& folder, int frame) {
    return read_picture(folder_ / fmt::format("{}/{:03d}.png", folder, frame)).pixels;
  };
  const std::vector<Color> black(48 * 32);
  for (int i = 0; i < 52; ++i) {
    std::vector<Color> wanted = i < 30 ? pixels("a", i) : i < 42 ? pixels("b", i - 22) : pixels("c", i - 37);
    const auto mix = [&](const std::vector<Color>& other, int parts, int of) {
      blend(wanted, other, parts * AnimationOptions::fade_whole / of);
    };
    if (i >= 22 && i < 30) mix(pixels("b", i - 22), i - 21, 9);
    if (i >= 39 && i < 42) wanted = pixels("b", i - 22), blend(wanted, black, 65536 - (42 - i) * 65536 / 4);
    if (i >= 42 && i < 45) blend(wanted, black, 65536 - (i - 41) * 65536 / 4);
    EXPECT_TRUE(pixels("p", i) == wanted) << i;
  }
  // A part of the video, that comes back.
  const auto whole = lines_of("p.hashes");
  write("some.toml", text_of(folder_ / "parts.toml") + "[animation]\nfirst = 20\nlast = 45\nloop = \"pingpong\"\n");
  ASSERT_EQ(run("figure some.toml --backend cpu -o s.hashes").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(part(lines_of("s.hashes"), 0, 25), part(whole, 20, 45));
}

}  // namespace
}  // namespace simreel
