// What [animation] says of a video: how long it is, which part of a run it shows, how it begins and ends, how fast it
// is.

#include <algorithm>

#include "compare/picture.h"
#include "run/loop_store.h"
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

TEST_F(AnimationTest, FirstToLastAreThoseFramesOfTheWholeRun) {
  for (const std::string scene :
       {"wave.toml", "bodies.toml", "wave.toml --set view.range=follow", "wave.toml --set view.range=first",
        "wave.toml --set view.size=[160,90] --set figure.time=auto"}) {
    const auto whole = hashes(scene, "-o whole.csv");
    const auto found = hashes(scene + " --set animation.first=11 --set animation.last=20", "-o p/%03d.png -o p.csv");
    EXPECT_EQ(found, part(whole, 11, 20)) << scene;
    EXPECT_FALSE(exists("p/010.png"));
    EXPECT_FALSE(exists("p/021.png"));
    EXPECT_TRUE(exists("p/011.png") && exists("p/020.png"));
    EXPECT_EQ(part(lines_of("p.csv"), 1, 10), part(lines_of("whole.csv"), 12, 21));
  }
  const auto whole = film("");
  ASSERT_EQ(whole.size(), 30u);
  EXPECT_EQ(film("first = 11\nlast = 20\n"), part(whole, 11, 20));
}

TEST_F(AnimationTest, TheLastPictureIsHeldAndDataIsNot) {
  for (const std::string scene : {"wave.toml", "bodies.toml"}) {
    const auto plain = hashes(scene, "-o plain.csv");
    const auto held =
        hashes(scene + " --set animation.hold_last=0.5", "-o p/%03d.png -o p.csv -o s/%03d.npy -o q/%03d.svg");
    ASSERT_EQ(held.size(), 40u);
    EXPECT_EQ(part(held, 0, 29), plain);
    for (std::size_t i = 30; i < 40; ++i) EXPECT_EQ(picture_in(held[i]), picture_in(plain[29]));
    EXPECT_EQ(text_of(folder_ / "p/039.png"), text_of(folder_ / "p/029.png"));
    EXPECT_EQ(text_of(folder_ / "q/039.svg"), text_of(folder_ / "q/029.svg"));
    EXPECT_FALSE(exists("p/040.png"));
    EXPECT_EQ(text_of(folder_ / "p.csv"), text_of(folder_ / "plain.csv"));
    EXPECT_FALSE(exists("s/030.npy"));
  }
  const auto film_of_all = film("hold_last = 0.2\n");
  ASSERT_EQ(film_of_all.size(), 34u);
  EXPECT_EQ(picture_in(film_of_all[33]), picture_in(film_of_all[29]));
}

// The video has 2 s, of which the last half a second holds the last frame.
TEST_F(AnimationTest, OverlaysGoOnWhileTheLastPictureIsHeld) {
  const std::string text = "\n[[overlay]]\ntext = \"END {step}\"\nfont_size = \"20%\"\n";
  for (const std::string name : {"wave", "bodies"}) {
    const std::string scene = text_of(folder_ / (name + ".toml")), all = " --set animation.hold_last=0.5";
    write("all.toml", scene + text);
    write("late.toml", scene + text + "from = 1.6\nuntil = 1.9\n");
    write("faded.toml", scene + text + "from = 1.6\nfade = 0.2\n");
    const auto plain = hashes(name + ".toml" + all), always = hashes("all.toml" + all, "-o a/%03d.svg");
    const auto late = hashes("late.toml" + all, "-o l/%03d.svg");
    ASSERT_EQ(late.size(), 40u);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(late[i], (i >= 32 && i < 38 ? always : plain)[i]) << i;
    const auto page = [&](const std::string& file) {
      const std::string whole = text_of(folder_ / file);
      return whole.substr(whole.find("</metadata>"));
    };
    EXPECT_TRUE(page("l/033.svg") == page("a/033.svg"));
    EXPECT_FALSE(page("l/038.svg") == page("a/038.svg"));
    const auto faded = hashes("faded.toml" + all);
    EXPECT_EQ(part(faded, 0, 31), part(plain, 0, 31));
    EXPECT_EQ(part(faded, 36, 39), part(always, 36, 39));
    for (std::size_t i = 33; i < 36; ++i) EXPECT_NE(picture_in(faded[i]), picture_in(faded[i - 1])) << i;
  }
  const std::string panels = "hold_last = 0.5\n[[overlay]]\ntext = \"END\"\n";
  const auto always = film(panels), late = film(panels + "from = 1.6\n");
  ASSERT_EQ(late.size(), 40u);
  EXPECT_EQ(part(late, 32, 39), part(always, 32, 39));
  for (const std::size_t i : {29u, 31u}) EXPECT_NE(late[i], always[i]);
  write("after.toml", text_of(folder_ / "wave.toml") + text + "from = 2.5\n");
  EXPECT_NE(run("check after.toml --set animation.hold_last=0.5").err.find("the video ends at 2 s"), std::string::npos);
}

TEST_F(AnimationTest, ADurationIsANumberOfFrames) {
  EXPECT_EQ(hashes("wave.toml --set animation.duration=\"'2 s'\"").size(), 40u);
  EXPECT_EQ(hashes("wave.toml --set animation.duration=\"'0.01 min'\"").size(), 12u);
  write("long.toml",
        "[animation]\nduration = \"1 h\"\nlast = 20\n[solver]\nkind = \"wave\"\ngrid = [16, 16]\n[view]\nsize = [16, "
        "16]\n");
  EXPECT_EQ(hashes("long.toml --frames 5").size(), 5u);
  EXPECT_EQ(film("duration = \"0.5 s\"\n").size(), 10u);
}

TEST_F(AnimationTest, FadesComeOutOfTheBackgroundAndGoIntoIt) {
  const std::string scene = "wave.toml --set view.background=#204060 --set view.size=[64,32]";
  const auto plain = hashes(scene, "-o p/%03d.png");
  const auto faded =
      hashes(scene + " --set animation.fade_in=0.5 --set animation.fade_out=0.5 --set animation.hold_last=0.4",
             "-o f/%03d.png");
  ASSERT_EQ(faded.size(), 38u);
  EXPECT_EQ(picture_in(faded[0]), picture_in(faded[37]));  // nothing but the background
  EXPECT_EQ(part(faded, 10, 27), part(plain, 10, 27));
  for (const std::size_t i : {1u, 9u, 28u, 29u}) EXPECT_NE(faded[i], plain[i]);
  EXPECT_NE(picture_in(faded[30]), picture_in(faded[31]));
  EXPECT_EQ(film("fade_in = 0.2\n")[4], film("")[4]);
  // Files without pictures have no fades, and no held ones.
  EXPECT_EQ(run("render wave.toml --backend cpu -o y.csv --set animation.hold_last=1 --set animation.fade_in=1 --set "
                "animation.fade_out=1")
                .exit,
            0)
      << text_of(folder_ / "err.txt");
  // A still is no part of a video.
  EXPECT_EQ(hashes("wave.toml --at frame:0 --set animation.fade_in=1"), hashes("wave.toml --at frame:0"));
}

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

// Of 30 frames the first 10 are left out, and the last 10 run into them.
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

// Three parts of 30, 20 and 10 frames: the second begins with 8 frames in which both are seen, the third comes out of
// black.
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

TEST_F(AnimationTest, SpeedChangesTheStepsOfAFrame) {
  for (const std::string scene : {"wave.toml", "bodies.toml"})
    EXPECT_EQ(hashes(scene + " --set animation.speed=[[0,1],[0.5,1]]"), hashes(scene));
  const auto steps = [&](const std::string& speed) {
    hashes("wave.toml --set animation.speed=" + speed, "-o x.csv");
    std::vector<std::string> found;
    for (const std::string& line : lines_of("x.csv")) found.push_back(line.substr(0, line.find(',')));
    return found;
  };
  const auto half = steps("[[0,0.5]]"), none = steps("[[0,1]]"), twice = steps("[[0,2]]");
  EXPECT_EQ(half[30], "58");
  EXPECT_EQ(none[30], "116");
  EXPECT_EQ(twice[30], "232");
  EXPECT_EQ(steps("[[0.5,1],[1,0]]")[30], "60");  // 10 frames at 1, 10 at a half on average, and then it stands
}

TEST(Animation, StepsAreRoundedWithoutDrift) {
  AnimationOptions animation;
  animation.fps_numerator = 30;
  animation.start = 7;
  animation.steps_per_frame = 3;
  animation.speed.push_back({0, 1.0 / 3});
  for (const std::int64_t frame : {0, 1, 2, 1000, 30'000'000}) EXPECT_EQ(animation.step_at(frame), 7 + frame);
  animation.speed = {{1, 0.1}, {3, 2.5}};
  std::int64_t before = animation.step_at(0);
  for (std::int64_t frame = 1; frame < 200; ++frame) {
    const double x = double(frame), in = std::clamp(x - 30, 0.0, 60.0);
    const double whole = 0.1 * std::min(x, 30.0) + 0.1 * in + 1.2 * in * in / 60 + 2.5 * std::max(0.0, x - 90);
    EXPECT_NEAR(double(animation.step_at(frame)), 7 + 3 * whole, 0.5 + 1e-9) << frame;
    EXPECT_GE(animation.step_at(frame), before);
    before = animation.step_at(frame);
  }
}

TEST_F(AnimationTest, SpeedHoldsForFilesToo) {
  hashes("wave.toml", "-o s/%03d.npy");
  const std::string data =
      "[solver]\nkind = \"data\"\nfiles = \"s/%03d.npy\"\n[view]\nsize = [48, 32]\nrange = [-1, 1]\n";
  write("data.toml", data + "[animation]\nfps = 20\n");
  const auto plain = hashes("data.toml");
  ASSERT_EQ(plain.size(), 30u);
  const auto twice = hashes("data.toml --set animation.speed=[[0,2]]");
  ASSERT_EQ(twice.size(), 15u);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(picture_in(twice[i]), picture_in(plain[2 * i]));
  // Between the steps, at first slowly.
  write("between.toml",
        "[solver]\nkind = \"data\"\nfiles = \"s/%03d.npy\"\ninterpolate = true\n[view]\nsize = [48, 32]\nrange = [-1, "
        "1]\n[animation]\nframes = 59\nfps = 20\n");
  const auto even = hashes("between.toml"), slow = hashes("between.toml --set animation.speed=[[0,1],[2,3]]");
  EXPECT_EQ(hashes("between.toml --set animation.speed=[[0,4]]"), even);
  EXPECT_EQ(slow[0], even[0]);
  EXPECT_EQ(slow[58], even[58]);
  EXPECT_NE(slow[20], even[20]);
}

// A speed may end before the input does where the frames are given.
TEST_F(AnimationTest, FramesOfFilesMayStandStill) {
  hashes("wave.toml", "-o s/%03d.npy");
  const std::string data =
      "[solver]\nkind = \"data\"\nfiles = \"s/%03d.npy\"\n[view]\nsize = [48, 32]\nrange = [-1, 1]\n[animation]\nfps = "
      "20\n";
  write("data.toml", data);
  const auto plain = hashes("data.toml"),
             stands = hashes("data.toml --frames 20 --set animation.speed=[[0,1],[0.4,0]]");
  ASSERT_EQ(stands.size(), 20u);
  EXPECT_EQ(picture_in(stands[19]), picture_in(plain[4]));
  const auto between =
      hashes("data.toml --frames 20 --set solver.interpolate=true --set animation.speed=[[0,1],[0.4,0]]");
  EXPECT_EQ(picture_in(between[19]), picture_in(plain[29]));
  const Outcome open = run("render data.toml --backend cpu -o y.hashes --set animation.speed=[[0,1],[0.4,0]]");
  EXPECT_EQ(open.exit, 2);
  EXPECT_NE(open.err.find("does not reach the last step of the input"), std::string::npos) << open.err;
  // "all" on the command line stands above what the file says of the length, and nothing else.
  write("data.toml", data + "duration = \"0.5 s\"\n");
  EXPECT_EQ(hashes("data.toml").size(), 10u);
  EXPECT_EQ(hashes("data.toml --set animation.frames=all"), plain);
  write("data.toml", data + "last = 700\n");
  const Outcome late = run("render data.toml --backend cpu -o y.hashes --set animation.frames=all");
  EXPECT_NE(late.err.find("is 700, and there are 30 frames"), std::string::npos) << late.err;
}

TEST_F(AnimationTest, CheckSaysWhatIsWritten) {
  const Outcome outcome =
      run("check wave.toml --backend cpu -o x.mp4 --set animation.first=11 --set animation.last=20 --set "
          "animation.hold_last=0.5 --set animation.speed=[[0,1],[1,0.5]]");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  for (const std::string words : {"10 frames, 11 to 20 of 30, and the last 10 times more, at 20 a second: 1.00 s, 4 "
                                  "steps a frame, times 0.5 to 1",
                                  "simulated  60 steps, time 30; 78 in all, because"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << outcome.out;
}

TEST_F(AnimationTest, APictureHeldBelongsToTheEndOfTheVideo) {
  const Outcome one = run(
      "render wave.toml --backend cpu -o one.hashes --frames 1 --set view.range=[-1,1] --set animation.hold_last=1");
  EXPECT_EQ(one.exit, 0) << one.err;
  EXPECT_EQ(one.err.find("the same picture"), std::string::npos) << one.err;
  const std::string held =
      "render wave.toml --backend cpu -o a.hashes --set view.range=[-1,1] --set animation.hold_last=1 ";
  ASSERT_EQ(run(held + "--keep-checkpoint").exit, 0);
  EXPECT_NE(run(held + "--resume").err.find("the run is complete"), std::string::npos);
  EXPECT_NE(run(held + "--frames 50 --resume").err.find("end the video"), std::string::npos)
      << text_of(folder_ / "err.txt");
}

}  // namespace
}  // namespace simreel
