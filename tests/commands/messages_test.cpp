// What the program answers to mistakes that new users made: the wrong word, its place, and the nearest right one.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/messages_fixture.h"

namespace simreel {
namespace {

using test::Messages;
using test::Outcome;
using test::text_of;

TEST_F(Messages, OptionsNameTheWrongWordAndTheNearestRightOne) {
  refuses("render a.toml --out b.mp4", {"simreel render: unknown option --out; did you mean --output?"});
  refuses("render --out=b.mp4 a.toml", {"unknown option --out; did you mean --output?"});
  refuses("render a.toml --overwirte", {"unknown option --overwirte; did you mean --overwrite?"});
  refuses("render a.toml -y", {"unknown option -y; did you mean --overwrite?"});
  refuses("check a.toml --fps 5", {"unknown option --fps; ", "--set animation.fps=..."});
  refuses("render a.toml --qqqqqq", {"unknown option --qqqqqq; there are ", "--set", "--checkpoint-every"});
  refuses("compare a.png b.png --tolerance 3",
          {"simreel compare: unknown option --tolerance; did you mean --max-diff?"});
  refuses("golden check out --max-diff 3", {"golden.max_diff is a key of the scene"});
  refuses("--verison", {"simreel: unknown option --verison; did you mean --version?"});
  refuses("render a.toml --device -1", {"--device", "-1 is not a whole number of at least 0"});
  refuses("bench a.toml --steps 0", {"--steps", "0 is not a whole number of at least 1"});
  for (const char* ranks : {"three", "2.5", "0"})
    refuses(std::string("render a.toml --ranks ") + ranks,
            {std::string("--ranks: ") + ranks + ": write a whole number from 1 to 4096"});
  refuses("check a.toml --threads x", {"--threads: x: write a whole number from 0 to 4096"});
  refuses("figure a.toml -o a.pdf --ranks 2", {"simreel figure: unknown option --ranks"});
  refuses("view a.npy --devices 0,1", {"simreel view: unknown option --devices"});
  refuses("render a.toml --ranks --frames 20", {"simreel render: --ranks needs a number, and --frames follows"});
  refuses("render a.toml --ranks --overwrite", {"simreel render: --ranks needs a number, and --overwrite follows"});
  refuses("plot a.csv -o a.pdf --ylabel -y --dpi 5", {"--dpi: 5: write a whole number from 50 to 2400"});
  refuses("render a.toml --backend --ranks 2", {"simreel render: --backend needs a value, and --ranks follows"});
}

TEST_F(Messages, WordsTooManyAndUnknownCommandsAreNamed) {
  refuses("golden chekc out",
          {"simreel golden: unknown command \"chekc\"; there are check, update; did you mean \"check\"?"});
  refuses("golden", {"subcommand"});
  refuses("render a.toml b.toml", {"simreel render: \"b.toml\" was not expected; run the command once for each scene"});
  refuses("render a.toml b.mp4", {"\"b.mp4\" was not expected; an output is named with -o: -o b.mp4"});
  const std::string long_name(300, 'a');  // that no file can have
  refuses("view f.npy " + long_name, {"aaa...\" was not expected"});
  refuses("view " + long_name + ".npy -o x.npz", {"a.npy: there is no such file"});
  refuses(long_name, {"unknown command"});
  refuses("plot " + long_name + ".csv -y a -o x.svg", {"a.csv: there is no such file"});
  refuses("check a.toml view.size=[64,64]", {"a key is set with --set: --set view.size=[64,64]"});
  refuses("solvers wvae", {"solvers wvae: this program has: wave, lbm, nbody, pde, data; did you mean \"wave\"?"});
  EXPECT_EQ(run("-V").out, run("--version").out);
  EXPECT_EQ(run("-V").exit, 0);
}

TEST_F(Messages, WhatIsNoSceneHasItsOwnCommand) {
  run("--version");
  const std::string wave = "[solver]\nkind = \"wave\"\n";
  const struct {
    const char *arguments, *file;
    std::string text;
    std::vector<std::string> words;
  } cases[] = {
      {"check x.nc", "x.nc", "CDF", {"x.nc: a scene is written as TOML; `simreel view x.nc` draws the arrays"}},
      {"render x.NPY -o x.mp4", "x.NPY", "NUMPY", {"`simreel view x.NPY` draws the arrays"}},
      {"bench x.csv", "x.csv", "a,b\n1,2\n", {"`simreel view x.csv` draws bodies", "`simreel plot` its columns"}},
      {"check heat.toml",
       "heat.toml",
       "[solver]\nkind = \"heat\"\n",
       {"heat.toml:2:1: ", "kind = \"pde\" solves equations"}},
      {"check solid.toml",
       "solid.toml",
       wave + "grid = [8, 8, 8]\n",
       {"solid.toml:3:1: ", "in two dimensions, [nx, ny]"}},
      {"check d.toml",
       "d.toml",
       wave + "[animation]\nduration = 3\n",
       {"d.toml:4:1: \"duration\" in [animation] is 3; write"}},
      {"check d.toml --frames 9",
       "d.toml",
       wave + "[animation]\nduration = 3\n",
       {"\"duration\" in [animation] is 3; write"}},
      {"check d.toml --frames 9",
       "d.toml",
       wave + "[animation]\nduration = \"3 pc\"\n",
       {"is \"3 pc\"; write a number"}}};
  for (const auto& [arguments, file, text, words] : cases) {
    write(file, text);
    refuses(arguments, words);
  }
}

// `view` makes a scene that nobody wrote, so its mistakes name options and no place.
TEST_F(Messages, ViewSpeaksOfOptionsAndFiles) {
  run("--version");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nofile.npy", "nofile.npy: there is no such file"},
      {"v.npy --size 480", "--size 480: write WIDTHxHEIGHT in pixels, each from 16 to 16384, as in --size 1280x720"},
      {"v.npy --size=-480x270", "--size -480x270: write WIDTHxHEIGHT"},
      {"v.npy --range 1", "--range 1: write the ends LOW,HIGH, as in --range=-1,1, or one of first, global, symmetric"},
      {"v.npy --range=-1,a", "--range -1,a: write the ends LOW,HIGH"},
      {"v.npy --range 2,1", "LOW is less than HIGH"},
      {"v.npy --scale=logg", "\"scale\" in [view] is \"logg\""}};
  for (const auto& [arguments, words] : cases) {
    refuses("view " + arguments + " -o b.png", {words});
    EXPECT_EQ(run("view " + arguments + " -o b.png").err.find("view:"), std::string::npos) << arguments;
  }
  write("fig.toml",
        "[figure]\ncolumns = 2\n[[panel]]\nscene = \"a.toml\"\nframe = 30\n[[panel]]\ndata = \"none.npy\"\n");
  refuses("figure fig.toml -o fig.pdf", {"fig.toml:5:1: panel a: frame 30 is none of the scene"});
  write("fig.toml", "[[panel]]\ndata = \"none.npy\"\n");
  refuses("figure fig.toml -o fig.pdf", {"fig.toml:1:1: none.npy: there is no such file"});
}

// What helps is the form that the key wants, not the type.
TEST_F(Messages, FormsAreShown) {
  refuses("check a.toml --set output.fields=height",
          {"an array of texts, but is the string \"height\"; write [\"height\"]"});
  refuses("check a.toml --set figure.width=85", {"\"width\" in [figure] is 85; it is a length from 10 mm to 1 m"});
  refuses("check a.toml --set figure.font_size=7", {"\"font_size\" in [figure] is 7; it is a share of the height"});
  write(
      "b.toml",
      "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[golden]\nmax_pixels = \"5\"\nmax_flip = \"0.5\"\n[figure]\nwidth = "
      "180\n");
  refuses("check b.toml",
          {"is the string \"5\"; for a share of the whole write \"5%\"\n",
           "is the string \"0.5\"; leave the quotes out: 0.5\n", "\"width\" in [figure] is 180; it is"});
  write("fig.toml",
        "[figure]\nshare = \"range\"\n[[panel]]\n[panel.plot]\n[[panel.plot.line]]\nfile = \"f.csv\"\nx = \"t\"\n"
        "y = [\"a\", \"b\"]\n");
  refuses("figure fig.toml -o fig.pdf",
          {"is the string \"range\"; write [\"range\"]",
           "\"y\" in [[panel.plot.line]] is one column; write a [[panel.plot.line]] for each"});
  write("fig.toml", "[figure]\ngap = 2\n[[panel]]\nscene = \"a.toml\"\n");
  refuses("figure fig.toml -o fig.pdf", {"fig.toml:2:1: \"gap\" in [figure] is 2; it is a length up to 10 cm"});
}

TEST_F(Messages, SmallWords) {
  run("--version");
  write("page.toml", "[[panel]]\nscene = \"a.toml\"\n");
  write("one.toml", "[panel]\nscene = \"a.toml\"\n[[panel]]\n");
  refuses("figure a.toml -o fig.pdf",
          {"a.toml: this is a scene: simreel render a.toml; a figure shows it with [[panel]] scene = \"a.toml\""});
  refuses("render page.toml -o b.png", {"page.toml: this is a figure of panels: simreel figure page.toml -o x.pdf"});
  refuses("figure one.toml -o fig.pdf", {"one.toml:3:", "each begins with two brackets, as in [[panel]]"});
  refuses("new data", {"new data: simreel view FILE shows files of other programs"});
  refuses("render a.toml --frames 3 --frames 5", {"--frames is given more than once; leave all but one out"});
  write("t.csv", "t,drag,lift\n0,1,2\n1,2,3\n");
  EXPECT_EQ(run("plot t.csv -y 'drag, lift' -o t.svg").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_NE(run("check a.toml --set animation.steps_per_frame=1").out.find(", 1 step a frame\n"), std::string::npos);
}

TEST_F(Messages, WhatIsNotThereIsListed) {
  run("--version");
  write("out/pond.toml", "[solver]\n");
  refuses("golden check out xyz", {"out: there is no scene \"xyz\"; there are pond"});
  refuses("golden check out pnd", {"out: there is no scene \"pnd\"; did you mean \"pond\"?"});
  refuses("compare a.png b.png --max-pixels 5", {"--max-pixels 5: a number from 0 to 1 is expected, or a percentage"});
  write("t.csv", "t,drag\n0,1\n");
  refuses("view t.csv -o v.png", {"t.csv: not a file that simreel reads", "simreel plot t.csv draws its columns"});
  refuses("view a.toml -o v.png", {"a.toml: not a file that simreel reads", "simreel render a.toml renders a scene"});
}

TEST_F(Messages, ABodyAloneIsWarnedOf) {
  write("sun.toml", "[solver]\nkind = \"nbody\"\ninitial = \"kepler\"\n");
  const Outcome sun = run("check sun.toml");
  EXPECT_NE(sun.err.find("warning: without a planet the sun stands alone and still: add a [[solver.planet]]"),
            std::string::npos)
      << sun.err;
  write("sun.toml", "[solver]\nkind = \"nbody\"\ninitial = \"kepler\"\n[[solver.planet]]\naxis = 1\n");
  EXPECT_EQ(run("check sun.toml").err.find("stands alone"), std::string::npos);
  write("one.toml", "[solver]\nkind = \"nbody\"\nbodies = 1\n");
  EXPECT_NE(run("check one.toml").err.find("a single body feels no force"), std::string::npos);
}

TEST_F(Messages, ResumeTakesItsWordBehindASign) {
  refuses("render a.toml --resume auto", {"\"auto\" was not expected; --resume takes it behind a sign: --resume=auto"});
}

// Names of colour maps, codecs and outputs are found beside the mistakes of the solver.
TEST_F(Messages, WrongNamesOfEveryKindComeTogether) {
  write("names.toml",
        "[solver]\nkind = \"wave\"\ngrid = [64, 64]\nspeeed = 2\n[view]\ncolormap = \"virdis\"\n[output]\ncodec = "
        "\"h265x\"\n");
  run("--version");  // leaves its texts, which are no outputs
  for (const std::string command : {"render", "check"})
    refuses(command + " names.toml -o out.avi -o b.mp4 -o b.jpg",
            {"names.toml:4:1: unknown key \"speeed\"", "\nnames.toml:6:1: unknown colormap \"virdis\"",
             "\nnames.toml:8:1: unknown codec \"h265x\"", "\nout.avi: the name does not say what to write",
             "\nb.jpg: the name does not say what to write"});
}

TEST_F(Messages, WordsOfOtherProgramsAreKnown) {
  run("--version");
  const std::pair<const char*, const char*> codecs[] = {{"hevc", "h265"},        {"libx264", "h264"},
                                                        {"H.264", "h264"},       {"libaom-av1", "av1"},
                                                        {"prores_ks", "prores"}, {"x265", "h265"}};
  for (const auto& [theirs, ours] : codecs)
    refuses(fmt::format("check a.toml --set output.codec={}", theirs),
            {fmt::format("unknown codec \"{}\"; here it is called \"{}\"", theirs, ours)});
  write("bodies.toml", "[solver]\nkind = \"nbody\"\nbodies = 9\n");
  for (const char* theirs : {"gravity", "grav_constant", "gravitational_constant"})
    refuses(fmt::format("check bodies.toml --set solver.{}=2", theirs), {"did you mean \"G\"?"});
}

TEST_F(Messages, ATransparentPictureNamesOutputsThatKeepIt) {
  run("--version");
  refuses("check a.toml -o b.mp4 --set output.pixel_format=rgba",
          {"h264 has no pixel_format \"rgba\"",
           "transparent are x.webm, x.mkv, x.mov, x.webp, x.apng and pictures (x/%06d.png)"});
  const std::string clear = " --set view.background=#00000000";
  for (const char* lost : {"b.mp4", "b.gif", "b.y4m"}) {
    const std::string said = run(fmt::format("check a.toml -o {}{}", lost, clear)).out;
    EXPECT_NE(said.find("as if it were opaque"), std::string::npos) << lost << said;
    EXPECT_EQ(run(fmt::format("check a.toml -o {}", lost)).out.find("as if it were opaque"), std::string::npos);
  }
  for (const char* kept : {"b.webm", "b.mov", "b.mkv", "b.webp", "b.apng", "b.png", "b/%d.png"})
    EXPECT_EQ(run(fmt::format("check a.toml -o {}{}", kept, clear)).out.find("as if it were opaque"),
              std::string::npos);
}

TEST_F(Messages, MemorySaysWhatTakesIt) {
  const std::string said = run("check a.toml -o b.mp4").out;
  EXPECT_NE(said.find("for the solver, "), std::string::npos) << said;
  const nlohmann::json json = nlohmann::json::parse(run("check a.toml -o b.mp4 --json").out);
  EXPECT_GT(json["output_memory_bytes"], json["memory_bytes"].get<double>() / 2) << "x264 takes most of it";
  EXPECT_GE(json["solver_memory_bytes"], 64 * 36 * 2 * 4);
}

TEST_F(Messages, HelpIsACommandToo) {
  EXPECT_EQ(run("help").out, run("--help").out);
  refuses("new", {"simreel new: kind is required"});
  for (const std::string command : {"render", "golden check", "golden"}) {
    const Outcome help = run("help " + command);
    EXPECT_EQ(help.exit, 0) << help.err;
    EXPECT_EQ(help.out, run(command + " --help").out);
  }
  refuses("help rendr", {"unknown command \"rendr\"; did you mean \"render\"?"});
}

TEST_F(Messages, OneSolverIsShownAlone) {
  const std::string wave = run("solvers wave").out;
  EXPECT_EQ(wave.find("kind = \"wave\""), 0u) << wave;
  EXPECT_EQ(wave.find("kind = \"nbody\""), std::string::npos);
  std::string all = wave;
  for (const std::string kind : {"lbm", "nbody", "pde", "data"}) all += run("solvers " + kind).out;
  EXPECT_EQ(run("solvers").out, all);
}

TEST_F(Messages, OutputsThatDoNotExistNameTheNearestOneThatDoes) {
  refuses("render a.toml -o fig.avi", {"fig.avi: ", "did you mean \".mp4\"?"});
  refuses("render a.toml -o c.JPG", {"did you mean \".png\"?"});
  refuses("render a.toml -o c/%06d.tiff", {"did you mean \".png\"?"});
  refuses("render a.toml -o c.hdf5", {"did you mean \".h5\"?"});
  refuses("render a.toml -o c.txt", {"did you mean \".csv\"?"});
  refuses("render a.toml -o film",
          {"film: ", "it has no extension; film.mp4 would be a video, film.png the last frame"});
  for (const char* folder : {"out/", "out"})
    refuses(fmt::format("render a.toml -o {}", folder),
            {"it is a folder; name files in it: out/%06d.png for a picture of each frame, out/x.mp4 for a video"});
  refuses("render a.toml -o https://host/x.mp4",
          {"https://host/x.mp4: an address; simreel writes files only", "-o - | ffmpeg"});
  EXPECT_FALSE(exists("https:"));
}

TEST_F(Messages, TheLastStateIsAnOutputAsTheLastPictureIs) {
  for (const std::string kind : {"npy", "npz", "h5"}) {
    const Outcome outcome = run(fmt::format("render a.toml -o x.{0} -o s/%d.{0}", kind));
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(text_of(folder_ / ("x." + kind)), text_of(folder_ / ("s/2." + kind)));
    EXPECT_NE(run("check a.toml -o y." + kind).out.find("output     y." + kind), std::string::npos);
  }
}

TEST_F(Messages, OptionsThatLackOrContradictSomethingSaySo) {
  refuses("render a.toml -o b.mp4 --checkpoint-every 5",
          {"--checkpoint-every 5: the unit is missing: 5s, 5min, 5h or 5frames"});
  refuses("render a.toml -o b.mp4 --resume --overwrite", {"--resume and --overwrite contradict each other"});
}

TEST_F(Messages, ScenesAreNotCompared) {
  write("b.toml", text_of(folder_ / "a.toml"));
  write("b.md", "# text\n");
  for (const auto& [arguments, words] : {std::pair{"compare a.toml b.toml", "a.toml: a scene; render both first"},
                                         {"compare b.md b.md", "b.md: not a video, but a text"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
}

TEST_F(Messages, MistakesOfOneSceneComeTogether) {
  write("bad.toml", "[solver]\nkind = \"wave\"\ngrid = [64, 36]\ndampnig = 1\n[view]\nsize = \"64x36\"\n[[droplet]]\n");
  for (const char* command : {"render bad.toml -o null:", "check bad.toml", "bench bad.toml"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_EQ(
        outcome.err,
        "bad.toml:4:1: unknown key \"dampnig\" in [solver]; did you mean \"damping\"?\n"
        "bad.toml:6:1: \"size\" in [view] must be an array of 2 whole numbers, but is the string \"64x36\"; write "
        "[64, 36]\n"
        "bad.toml:7:1: unknown table [[droplet]]; did you mean [[solver.droplet]]?\n");
  }
  const Outcome json = run("check bad.toml --json --set seed=-1");
  EXPECT_EQ(json.exit, 2);
  const auto result = nlohmann::json::parse(json.out);
  EXPECT_EQ(result["scene"], "bad.toml");
  ASSERT_EQ(result["mistakes"].size(), 4u) << json.out;
  EXPECT_EQ(result["mistakes"][0]["place"], "bad.toml:4:1");
  EXPECT_EQ(result["mistakes"][0]["line"], 4);
  EXPECT_EQ(result["mistakes"][0]["column"], 1);
  EXPECT_EQ(result["mistakes"][0]["message"], "unknown key \"dampnig\" in [solver]; did you mean \"damping\"?");
  EXPECT_EQ(result["mistakes"][3]["place"], "--set seed=-1");
  EXPECT_TRUE(result["mistakes"][3]["line"].is_null());
}

// Whatever finds the mistake: the parser, the colormaps, the outputs.
TEST_F(Messages, EveryMistakeInASceneIsJson) {
  write("syntax.toml", "[solver]\nkind = wave\n");
  const std::string a = text_of(folder_ / "a.toml");
  write("map.toml", a + "[output]\npath = \"x.avi\"\n");
  for (const auto& [arguments, place, message] :
       {std::tuple{"syntax.toml", "syntax.toml:2:8", "text needs quotes"},
        {"map.toml", "map.toml:11:1", "the name does not say what to write"},
        {"a.toml --set view.colormap=virdis", "--set view.colormap=virdis", "did you mean \"viridis\"?"},
        {"absent.toml", "absent.toml", "cannot read the scene"},
        {"/dev/fd/3 3<syntax.toml", "<stdin>:2:8", "text needs quotes"}}) {
    const Outcome outcome = run(fmt::format("check --json {}", arguments));
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(result.contains("mistakes")) << arguments << outcome.out;
    ASSERT_EQ(result["mistakes"].size(), 1u) << outcome.out;
    EXPECT_EQ(result["mistakes"][0]["place"], place) << arguments;
    EXPECT_NE(result["mistakes"][0]["message"].get<std::string>().find(message), std::string::npos) << outcome.out;
  }
}

TEST_F(Messages, ASceneMayComeFromAPipe) {
  write("script.sh", fmt::format("'{0}' render - <a.toml || exit 1\n"
                                 "'{0}' render /dev/stdin -o b.hashes <a.toml || exit 2\n"
                                 "cat a.toml | '{0}' bench - --steps 1 --runs 1 --kernels naive,tiled || exit 3\n"
                                 "'{0}' render a.toml -o a.hashes || exit 4\n",
                                 test::program().string()));
  const int status = std::system(fmt::format("cd '{}' && sh script.sh >out.txt 2>err.txt", folder_ / ".").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0) << text_of(folder_ / "err.txt");
  EXPECT_TRUE(exists("stdin.mp4"));
  EXPECT_FALSE(std::filesystem::exists("/dev/stdin.mp4"));
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
}

TEST_F(Messages, ASceneInSharedMemoryIsAFile) {
  const std::filesystem::path folder = "/dev/shm" / std::filesystem::path(folder_.path()).filename();
  if (std::error_code none; !std::filesystem::create_directory(folder, none)) GTEST_SKIP() << "no shared memory here";
  std::ofstream(folder / "a.toml") << text_of(folder_ / "a.toml") << "[output]\npath = \"a.hashes\"\n";
  EXPECT_EQ(run("render " + (folder / "a.toml").string()).exit, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "a.hashes"));
  std::filesystem::remove_all(folder);
}

TEST_F(Messages, ARunOfAPipedSceneIsResumed) {
  write("long.toml", text_of(folder_ / "a.toml") + "steps_per_frame = 1\n");
  const std::string scene = "--set animation.frames=100000 --checkpoint-every 5frames --backend cpu";
  write("start.sh",
        fmt::format("exec '{}' render - -o x.csv {} <long.toml 2>err.txt\n", test::program().string(), scene));
  write("cut.sh",
        "sh start.sh & child=$!\n"
        "until [ -s x.csv.part ]; do kill -0 $child || exit 1; done\n"
        "kill -TERM $child; wait $child; echo $?\n");
  ASSERT_EQ(std::system(fmt::format("cd '{}' && sh cut.sh >out.txt", folder_ / ".").c_str()), 0);
  ASSERT_EQ(text_of(folder_ / "out.txt"), "143\n") << text_of(folder_ / "err.txt");
  const Outcome other = run("render /dev/fd/3 -o x.csv " + scene + " --resume --set seed=3 3<long.toml");
  EXPECT_NE(other.err.find("this run is not the interrupted one: seed"), std::string::npos) << other.err;
  write("resume.sh", fmt::format("'{}' render - -o x.csv {} --resume <long.toml 2>err.txt & child=$!\n"
                                 "until grep -q 'resuming after' err.txt; do kill -0 $child || exit 1; done\n"
                                 "kill -TERM $child; wait $child\n",
                                 test::program().string(), scene));
  EXPECT_EQ(WEXITSTATUS(std::system(fmt::format("cd '{}' && sh resume.sh", folder_ / ".").c_str())), 143)
      << text_of(folder_ / "err.txt");
}

TEST_F(Messages, GoldenResultsComeAsJson) {
  std::filesystem::create_directory(folder_ / "g");
  write("g/a.toml", text_of(folder_ / "a.toml"));
  ASSERT_EQ(run("golden update g").exit, 0);
  const auto same = nlohmann::json::parse(run("golden check g --json").out);
  EXPECT_EQ(same["passed"], true);
  EXPECT_EQ(same["scenes"][0]["name"], "a");
  EXPECT_EQ(same["scenes"][0]["verdict"], "same");
  EXPECT_TRUE(same["scenes"][0]["accept"].is_null());
  write("g/b.toml", "[solver]\nkind = wave\n");
  write("g/a.toml", text_of(folder_ / "a.toml") + "steps_per_frame = 7\n");
  const Outcome outcome = run("golden check g --json");
  EXPECT_EQ(outcome.exit, 2);
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["passed"], false);
  ASSERT_EQ(result["scenes"].size(), 2u);
  EXPECT_EQ(result["scenes"][0]["verdict"], "different");
  EXPECT_NE(result["scenes"][0]["accept"].get<std::string>().find("golden update g a"), std::string::npos);
  EXPECT_EQ(result["scenes"][1]["verdict"], "unreadable");
  EXPECT_NE(result["scenes"][1]["message"].get<std::string>().find("g/b.toml:2:8: text needs quotes"),
            std::string::npos);
}

TEST_F(Messages, GuessesAboutFilesOfBodiesAreSaid) {
  write("stars.csv", "0;0;0;0;0;0;1\n1,5;0;0;0;1;0;0,5\n");
  write("stars.toml",
        "[solver]\nkind = \"nbody\"\ninitial = \"file\"\nfile = \"stars.csv\"\n[view]\nsize = [64, 36]\n"
        "[animation]\nframes = 2\n");
  for (const char* command : {"check stars.toml -o null:", "render stars.toml -o null:"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("stars.csv:1: semicolons separate the columns"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("stars.csv:1: no header; the columns are taken as x, y, z, vx, vy, vz, mass"),
              std::string::npos)
        << outcome.err;
  }
}

// Each of the written scenes is complete, small in cost here, and shows something.
TEST_F(Messages, NewScenesRenderAsTheyAre) {
  for (const std::string kind : {"wave", "lbm", "nbody"}) {
    const Outcome made = run("new " + kind);
    EXPECT_EQ(made.exit, 0) << made.err;
    const std::string scene = text_of(folder_ / (kind + ".toml"));
    EXPECT_EQ(run(fmt::format("new {} -", kind)).out, scene);
    EXPECT_GT(std::ranges::count(scene, '#'), 10) << "comments";
    const Outcome again = run("new " + kind);
    EXPECT_EQ(again.exit, 2);
    EXPECT_NE(again.err.find("--overwrite"), std::string::npos) << again.err;
    EXPECT_EQ(run(fmt::format("new {} --overwrite", kind)).exit, 0);
    const Outcome check = run(fmt::format("check {}.toml", kind));
    EXPECT_EQ(check.exit, 0) << check.err;
    EXPECT_EQ(check.err, "") << "no warnings";
    const std::string small = kind == "nbody" ? " --set solver.bodies=256" : "";
    const Outcome render =
        run(fmt::format("render {0}.toml -o {0}.hashes --set view.size=[64,36] --set animation.frames=2 --set "
                        "animation.steps_per_frame=20 --set animation.start=40{1}",
                        kind, small));
    EXPECT_EQ(render.exit, 0) << render.err;
    const std::string hashes = text_of(folder_ / (kind + ".hashes"));
    EXPECT_NE(hashes.substr(2, 16), hashes.substr(hashes.find('\n') + 3, 16)) << hashes;
  }
  refuses("new waves", {"new waves: there are scenes for: wave, lbm, nbody, pde; did you mean \"wave\"?"});
  EXPECT_EQ(run("new pde --example cahn_hilliard").exit, 0);
  EXPECT_EQ(text_of(folder_ / "cahn_hilliard.toml"), text_of(test::root() / "scenes/cahn_hilliard.toml"));
  EXPECT_EQ(run("new pde -").out, text_of(test::root() / "scenes/gray_scott.toml"));
  EXPECT_EQ(run("new pde --example turing_map").exit, 0);
  EXPECT_EQ(text_of(folder_ / "portrait.png"), text_of(test::root() / "scenes/portrait.png"));
  refuses("new pde --example oregonator", {"new pde --example oregonator: the examples are: ", "ginzburg_landau"});
  refuses("new wave --example heat", {"--example is for simreel new pde"});
  refuses("new wave x.txt", {"x.txt: a scene's name ends in .toml"});
}

}  // namespace
}  // namespace simreel
