// The program as a user calls it: arguments in, exit code, messages and files out.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sink/outputs.h"
#include "sink/video/video.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;
using test::text_of;

// Every line must be a JSON object.
std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(nlohmann::json::parse(line, nullptr, false));
    EXPECT_TRUE(lines.back().is_object()) << line;
  }
  return lines;
}

using Commands = test::SmallScene;

TEST_F(Commands, RenderWritesEveryOutputOfOneRun) {
  const Outcome outcome =
      run("render small.toml -o a/b.mp4 -o b.mkv -o f/%03d.png -o last.png -o c.y4m -o d.csv -o e.hashes -o g/%d.h5 -o "
          "g/%d.npy -o null:");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  for (const char* name :
       {"a/b.mp4", "b.mkv", "f/000.png", "f/004.png", "last.png", "c.y4m", "d.csv", "e.hashes", "g/4.h5", "g/4.npy"})
    EXPECT_TRUE(exists(name)) << name;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "."))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  EXPECT_EQ(text_of(folder_ / "g/4.npy").size(), 128u + 64 * 36 * 4);
  EXPECT_EQ(text_of(folder_ / "d.csv").substr(0, 26), "step,time,energy,max_abs\n0");
  EXPECT_EQ(text_of(folder_ / "f/004.png"), text_of(folder_ / "last.png"));
  EXPECT_EQ(outcome.out, "");
}

TEST_F(Commands, RenderUsesTheScenesOutputAndAsksBeforeItOverwrites) {
  EXPECT_EQ(run("render small.toml --backend cpu").exit, 0);
  const std::string first = text_of(folder_ / "small.mp4");
  const Outcome again = run("render small.toml --set view.colormap=magma");
  EXPECT_EQ(again.exit, 2);
  EXPECT_NE(again.err.find("small.mp4"), std::string::npos) << again.err;
  EXPECT_NE(again.err.find("--overwrite"), std::string::npos) << again.err;
  EXPECT_EQ(text_of(folder_ / "small.mp4"), first);
  EXPECT_EQ(run("render small.toml --set view.colormap=magma --overwrite").exit, 0);
  EXPECT_NE(text_of(folder_ / "small.mp4"), first);
}

TEST_F(Commands, StandardOutputCarriesTheVideoAlone) {
  const Outcome outcome = run("render small.toml -o - --progress plain");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, 9), "YUV4MPEG2");
  const std::size_t header = outcome.out.find('\n') + 1;
  EXPECT_EQ(outcome.out.size(), header + 5 * (6 + 64 * 36 * 3 / 2));
}

TEST_F(Commands, AClosedStandardOutputIsAnErrorForWhatGoesThere) {
  for (const auto& [command, words] : {std::pair{"render small.toml -o - -o a.csv", "-: the standard output is closed"},
                                       {"info --json", "the standard output could not be written"}}) {
    for (const char* redirection : {">&-", "1</dev/null"}) {
      const std::string line =
          fmt::format("cd '{}' && '{}' {} {} 2>err.txt", folder_ / ".", test::program().string(), command, redirection);
      EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1) << command << redirection;
      EXPECT_NE(text_of(folder_ / "err.txt").find(words), std::string::npos) << text_of(folder_ / "err.txt");
      EXPECT_FALSE(exists("a.csv"));
    }
  }
}

TEST_F(Commands, AVideoOfAnOddSizeSaysThatItGrows) {
  const std::string odd = "small.toml --set view.size=[33,31] -o ";
  for (const std::string output : {"a.mp4", "a.y4m", "-"}) {
    const std::string words = output + ": 33x31 becomes 34x32";
    for (const std::string& said : {run("render " + odd + output).err, run("check " + odd + output).out}) {
      const std::size_t once = said.find(words);
      ASSERT_NE(once, std::string::npos) << said;
      EXPECT_EQ(said.find(words, once + 1), std::string::npos) << said;
    }
  }
  EXPECT_EQ(run("check small.toml -o b.y4m").out.find("becomes"), std::string::npos);
}

TEST_F(Commands, TheScenesCodecIsForTheOutputsThatCanHoldIt) {
  const std::string head = text_of(folder_ / "small.toml");
  write("slow.toml", head +
                         "codec = \"h264\"\nquality = 51\npreset = \"fast\"\npixel_format = \"yuv420p10\"\n"
                         "[output.options]\ntune = \"film\"\n");
  const std::string outputs = " -o a.gif -o a.webm -o a.webp -o a.apng -o a.mkv";
  const Outcome outcome = run("render slow.toml" + outputs);
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  for (const auto& [name, codec] :
       {std::pair{"a.gif", "gif"}, {"a.webm", "av1"}, {"a.webp", "webp"}, {"a.apng", "apng"}}) {
    EXPECT_GT(size_of(name), 0u) << name;
    const std::string words = fmt::format(
        "{}: cannot hold h264, the codec of [output], and becomes {}, without the \"quality\", \"preset\", "
        "\"pixel_format\", \"options\" there",
        name, codec);
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_NE(run("check slow.toml" + outputs).out.find(words), std::string::npos);
  }
  EXPECT_EQ(outcome.err.find("a.mkv: cannot"), std::string::npos) << outcome.err;
  EXPECT_NE(text_of(folder_ / "a.mkv").find("x264 - core"), std::string::npos);

  // What the user or the scene says of both is a mistake.
  EXPECT_EQ(run("render small.toml --set output.codec=h264 -o b.gif").exit, 2);
  write("itself.toml", head.substr(0, head.find("[output]")) + "[output]\npath = \"b.gif\"\ncodec = \"h264\"\n");
  const Outcome itself = run("render itself.toml");
  EXPECT_EQ(itself.exit, 2);
  EXPECT_NE(itself.err.find("cannot hold codec \"h264\""), std::string::npos) << itself.err;
  EXPECT_FALSE(exists("b.gif"));
}

TEST_F(Commands, WithoutAPathTheOutputHasANameThatCanHoldTheCodec) {
  const std::string small = text_of(folder_ / "small.toml");
  const std::string head = small.substr(0, small.find("[output]"));
  for (const auto& [codec, name] : {std::pair{"ffv1", "bare.mkv"},
                                    {"prores", "bare.mov"},
                                    {"gif", "bare.gif"},
                                    {"webp", "bare.webp"},
                                    {"h264", "bare.mp4"},
                                    {"av1", "bare.mp4"}}) {
    write("bare.toml", head + fmt::format("[output]\ncodec = \"{}\"\n", codec));
    const Outcome outcome = run("render bare.toml --overwrite");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_TRUE(exists(name)) << codec << outcome.err;
    EXPECT_NE(run("check bare.toml").out.find(fmt::format("output     {}\n", name)), std::string::npos) << codec;
  }
}

TEST_F(Commands, AReaderThatGoesAwayIsAnError) {
  const std::string render =
      fmt::format("'{}' render small.toml -o - --set animation.frames=3000", test::program().string());
  const std::string command =
      fmt::format("cd '{}' && {{ {} 2>err.txt; echo $? >exit.txt; }} | head -c 1000 >/dev/null", folder_ / ".", render);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(text_of(folder_ / "exit.txt"), "1\n");
  EXPECT_NE(text_of(folder_ / "err.txt").find("closed the pipe"), std::string::npos);
}

TEST_F(Commands, AFullStandardOutputIsAnError) {
  for (const char* command : {"info --json", "solvers", "check small.toml", "--version"}) {
    const std::string line =
        fmt::format("cd '{}' && '{}' {} >/dev/full 2>err.txt", folder_ / ".", test::program().string(), command);
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1) << command;
    EXPECT_NE(text_of(folder_ / "err.txt").find("could not be written"), std::string::npos) << command;
  }
}

TEST_F(Commands, AStandardErrorThatIsFullOrClosedHarmsNothing) {
  for (const char* redirection : {"2>/dev/full", "2>&-", "0<&- 1>&- 2>&-"}) {
    const std::string line =
        fmt::format("cd '{}' && '{}' render small.toml -o a.csv -o b.hashes --overwrite --progress plain {}",
                    folder_ / ".", test::program().string(), redirection);
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 0) << redirection;
    const std::string csv = text_of(folder_ / "a.csv"), hashes = text_of(folder_ / "b.hashes");
    EXPECT_EQ(std::ranges::count(csv, '\n'), 6) << redirection << "\n" << csv;
    EXPECT_EQ(std::ranges::count(hashes, '\n'), 5) << redirection << "\n" << hashes;
  }
}

// Every named field, as the run has it that shows this field alone.
TEST_F(Commands, StatesHoldTheNamedFields) {
  write("flow.toml",
        "[solver]\nkind = \"lbm\"\ngrid = [40, 24]\nvelocity = 0.05\ninitial = \"uniform\"\n[solver.tracer]\nbands = "
        "2\n[[solver.obstacle]]\nradius = 4\n[view]\nsize = [40, 24]\n[animation]\nframes = 2\nsteps_per_frame = 9\n");
  const std::vector<std::string> fields = {"ux", "uy", "density", "tracer"};
  const Outcome all =
      run("render flow.toml -o all/%d.npz -o all/%d.h5 -o a.hashes --set "
          "'output.fields=[\"ux\",\"uy\",\"density\",\"tracer\"]'");
  ASSERT_EQ(all.exit, 0) << all.err;
  const std::string archive = text_of(folder_ / "all/1.npz"), file = text_of(folder_ / "all/1.h5");
  for (const std::string& field : fields) {
    const Outcome one = run(fmt::format("render flow.toml -o {0}/%d.npy --set view.field={0}", field));
    ASSERT_EQ(one.exit, 0) << one.err;
    const std::string array = text_of(folder_ / (field + "/1.npy"));
    ASSERT_EQ(array.size(), 128u + 40 * 24 * 4);
    EXPECT_NE(archive.find(field + ".npy"), std::string::npos);
    EXPECT_NE(archive.find(array), std::string::npos) << field;
    EXPECT_NE(file.find(array.substr(128)), std::string::npos) << field;
  }
  ASSERT_EQ(run("render flow.toml -o b.hashes").exit, 0);
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes")) << "pictures show the field of [view]";
  const std::string idle = run("check flow.toml -o b.csv --set 'output.fields=[\"ux\"]'").out;
  EXPECT_NE(idle.find("fields in [output] does not apply"), std::string::npos) << idle;
  EXPECT_EQ(run("render flow.toml -o x/%d.npy --set 'output.fields=[\"ux\",\"uy\"]'").exit, 2);
}

TEST_F(Commands, CheckSaysWhatARunWouldTake) {
  const Outcome outcome = run("check small.toml --json --backend cpu");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["frames"], 5);
  EXPECT_EQ(result["steps"], 16);
  EXPECT_EQ(result["width"], 64);
  EXPECT_NEAR(result["simulated_time"].get<double>(), 0.8, 1e-12);
  EXPECT_NEAR(result["cell_updates"].get<double>(), 64 * 36 * 16, 0);
  EXPECT_GT(result["memory_bytes"], 4 * 64 * 36 * 4);
  EXPECT_EQ(result["checkpoint_bytes"], 2 * 64 * 36 * 4);
  EXPECT_TRUE(result["bytes_per_body"].is_null());
  EXPECT_FALSE(exists("small.mp4"));
  EXPECT_NE(run("check small.toml").out.find("no mistakes found"), std::string::npos);
}

TEST_F(Commands, CheckSaysTheMemoryOfABody) {
  const auto bytes = [&](int bodies, const char* method) {
    write("bodies.toml", fmt::format("[solver]\nkind = \"nbody\"\nbodies = {}\nmethod = \"{}\"\n", bodies, method));
    const auto result = nlohmann::json::parse(run("check bodies.toml --json --backend cpu").out);
    return result["bytes_per_body"].get<double>();
  };
  // Above 100000 bodies direct sums have a tree too, for the energy.
  EXPECT_NEAR(bytes(90000, "tree") - bytes(90000, "direct"), 66, 3);
  const double direct = bytes(90000, "direct");
  EXPECT_NE(
      run("check bodies.toml --backend cpu").out.find(fmt::format("of it {:.0f} bytes a body for the solver", direct)),
      std::string::npos);
  write("few.toml", "[solver]\nkind = \"nbody\"\nbodies = 100\n");
  EXPECT_EQ(run("check few.toml --backend cpu").out.find("bytes a body"), std::string::npos);
}

TEST_F(Commands, CheckSaysWhatWasChosen) {
  write("wave.toml", "[solver]\nkind = \"wave\"\ngrid = [640, 360]\n");
  write("bodies.toml", "[solver]\nkind = \"nbody\"\nbodies = 16\n");
  const std::string wave = run("check wave.toml").out, bodies = run("check bodies.toml").out;
  EXPECT_NE(wave.find("1920 x 1080, height in glow, range \"symmetric\", linear\n"), std::string::npos) << wave;
  EXPECT_NE(wave.find("600 frames at 60 a second: 10.00 s, 4 steps a frame\n"), std::string::npos) << wave;
  EXPECT_NE(wave.find("without initial, droplet and rain: a droplet at [213, 119.7]"), std::string::npos) << wave;
  EXPECT_NE(
      bodies.find("speed in stars, range \"first\", linear, gaussian of 11 pixels, exposure auto, trails of 3 s\n"),
      std::string::npos)
      << bodies;
  EXPECT_NE(bodies.find("camera at [0, 0.7102, 3.551] to [0, 0, 0], fov 45\n"), std::string::npos) << bodies;
  const auto look = nlohmann::json::parse(run("check wave.toml --json").out)["look"];
  EXPECT_EQ(look, nlohmann::json::parse("{\"field\": \"height\", \"colormap\": \"glow\", \"range\": \"symmetric\", "
                                        "\"scale\": \"linear\", \"steps_per_frame\": 4}"));
  const auto light = nlohmann::json::parse(run("check bodies.toml --json --set view.exposure=2").out)["look"];
  EXPECT_EQ(light["light"]["radius"], 11);
  EXPECT_EQ(light["light"]["exposure"], 2);
  EXPECT_EQ(light["camera"]["orbit"], 0);
}

// A pass that finds the range costs one more where an output shows pixels and another wants the states again.
TEST_F(Commands, CheckCountsThePasses) {
  const auto passes = [&](const std::string& outputs, bool shown) {
    const std::string command = "check small.toml --set view.range=global " + outputs;
    const std::string words = run(command).out;
    const auto result = nlohmann::json::parse(run(command + " --json").out);
    EXPECT_EQ(result["cell_updates"], 64 * 36 * 16 * result["passes"].get<int>());
    EXPECT_EQ(words.find("twice") != std::string::npos, result["passes"] == 2) << words;
    EXPECT_EQ(words.find("64 x 36, height in viridis") != std::string::npos, shown) << words;
    return result["passes"].get<int>();
  };
  EXPECT_EQ(passes("-o a.csv -o a.hashes", true), 2);
  EXPECT_EQ(passes("-o a.mp4", true), 1) << "memory holds its frames";
  for (const char* output : {"a.csv", "s/%d.h5", "s/%d.npy", "null:"})
    EXPECT_EQ(passes(fmt::format("-o {}", output), false), 1) << output;
}

TEST_F(Commands, RunsWithoutPicturesLookAtTheSourceOnce) {
  const Outcome outcome = run("render small.toml --set view.range=global -o a.csv -o null: --progress json --json");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("\"range\""), std::string::npos) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["range"], nlohmann::json()) << "there are no colours";
}

// Names of files are bytes, JSON is UTF-8.
TEST_F(Commands, JsonIsPrintedWhateverBytesANameHas) {
  const std::string name = "b\xE4ume.toml";
  write(name, text_of(folder_ / "small.toml"));
  for (const char* command : {"check --json -o '\xE4.csv' ", "render --json -o '\xE4.csv' "}) {
    const Outcome outcome = run(command + name);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["scene"], "b\uFFFDume.toml") << outcome.out;
  }
  EXPECT_TRUE(exists("\xE4.csv"));
}

TEST_F(Commands, AnOutputOfTheSceneThatNoSinkTakesIsNamedWithItsPlace) {
  write("text.toml", "[solver]\nkind = \"wave\"\ngrid = [8, 8]\n[output]\npath = \"film.mp5\"\n");
  for (const char* command : {"check text.toml", "render text.toml"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find("text.toml:5:1: film.mp5: the name does not say what to write; did you mean \".mp4\"?"),
              std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(run("check text.toml -o x.mp5").err.find("text.toml:5"), std::string::npos) << "not the scene's";
}

TEST_F(Commands, HelpNamesEveryOutputAndEveryVideo) {
  const std::string render = run("render --help").out, compare = run("compare --help").out;
  for (const SinkKind& kind : sink_kinds()) {
    EXPECT_NE(render.find(fmt::format(" {}", kind.pattern)), std::string::npos) << kind.pattern;
    if (kind.content == Content::video && !kind.extension().empty()) {
      EXPECT_NE(compare.find(kind.extension()), std::string::npos) << kind.pattern;
    }
  }
}

TEST_F(Commands, TheManualHasARowForEach) {
  if (!std::filesystem::exists(test::root() / "README.md")) GTEST_SKIP() << "a bundle has no documents";
  const std::string manual = text_of((test::root() / "docs/commands.md").string()), help = run("--help").out;
  std::istringstream commands(help.substr(help.find("Subcommands:\n")));
  std::string line;
  std::getline(commands, line);
  int count = 0;
  while (std::getline(commands, line) && line.starts_with("  ")) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    const char* const place = name == "help" ? "\n`simreel {}" : "\n| `simreel {}";
    EXPECT_NE(manual.find(fmt::format(fmt::runtime(place), name)), std::string::npos) << name;
    ++count;
  }
  EXPECT_GE(count, 13);
}

TEST_F(Commands, AnOlderNameOfAKeyIsRemarkedWithItsPlace) {
  write("old.toml",
        "[solver]\nkind = \"nbody\"\nbodies = 8\ndamping = 0.9\n[view]\nsize = [64, 36]\n[animation]\nframes = 1\n");
  for (const char* command : {"check old.toml -o null:", "render old.toml -o null:"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("old.toml:4:1: \"damping\" is the older name of \"velocity_factor\""), std::string::npos)
        << outcome.err;
  }
}

TEST_F(Commands, ListsTellWhatThereIs) {
  const auto info = nlohmann::json::parse(run("info --json").out);
  EXPECT_EQ(info["version"], "0.1.0");
  EXPECT_GE(info["codecs"].size(), 2u);
  EXPECT_GE(info["outputs"].size(), 9u);
  EXPECT_NE(run("info").out.find("codec"), std::string::npos);
  EXPECT_NE(run("info --markdown").out.find("| `x.mov` |"), std::string::npos);
  const std::string solvers = run("solvers").out;
  for (const char* key : {"grid", "required", "[[solver.droplet]]", "[solver.rain]", "rate", "0.002", "\"fixed\""})
    EXPECT_NE(solvers.find(key), std::string::npos) << key;
  const std::string maps = run("colormaps").out;
  for (const char* name : {"viridis", "inferno", "magma", "plasma", "gray", "RdBu", "turbo", "jet70"})
    EXPECT_NE(maps.find(name), std::string::npos) << name;
  EXPECT_EQ(run("colormaps -o strip.png").exit, 0);
  EXPECT_GT(std::filesystem::file_size(folder_ / "strip.png"), 1000u);
  EXPECT_EQ(run("--help").exit, 0);
  const std::string version = run("--version").out;
  EXPECT_TRUE(version.starts_with("simreel 0.1.0\ncommit ")) << version;
  for (const char* part : {"\nbuilt ", " by GNU ", "FFmpeg ", "GPL version", "HDF5 1", "oneTBB 2"})
    EXPECT_NE(version.find(part), std::string::npos) << part << " in " << version;
}

TEST_F(Commands, StartsWithoutProc) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer opens files of its own";  // in /proc
#endif
  if (std::system("unshare -m umount -l /proc 2>/dev/null") != 0) GTEST_SKIP() << "/proc cannot be hidden here";
  const std::string command = fmt::format(
      "cd '{}' && unshare -m sh -c 'umount -l /proc && \"$0\" render small.toml -o a.mp4 -o a.hashes' '{}' 2>err.txt",
      folder_ / ".", test::program().string());
  EXPECT_EQ(std::system(command.c_str()), 0) << text_of(folder_ / "err.txt");
  ASSERT_EQ(run("render small.toml -o b.mp4 -o b.hashes").exit, 0);
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
  EXPECT_TRUE(text_of(folder_ / "a.mp4") == text_of(folder_ / "b.mp4"));
}

TEST_F(Commands, SelftestTriesEverySolverAndEncoderAndShowsTheEnvironment) {
  ::setenv("SIMREEL_MPI", "off", 1);
  ::setenv("LC_NUMERIC", "de_DE.UTF-8", 1);
  const Outcome outcome = run("selftest");
  ::unsetenv("SIMREEL_MPI");
  ::unsetenv("LC_NUMERIC");
  EXPECT_EQ(outcome.exit, 0) << outcome.out;
  const std::string program = "program   " + test::program().string() + "\n";
  for (const std::string_view part :
       {"simreel 0.1.0\n", program.c_str(), ", glibc 2.", "LC_NUMERIC=de_DE.UTF-8", "SIMREEL_MPI=off",
        "wave on the CPU    ok", "lbm on the CPU     ok", "nbody on the CPU   ok", "pde on the CPU     ok",
        "h264_fast          ok", "ffv1               ok", "x.h5               ok", "\nall is well\n"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in " << outcome.out;
}

TEST_F(Commands, SelftestFailsWhereTheUsualCodecDoesAndTellsWhichOthersLack) {
  write("ffmpeg", "#!/bin/sh\necho Unknown encoder >&2\nexit 1\n");
  std::filesystem::permissions(folder_ / "ffmpeg", std::filesystem::perms::owner_all);
  const std::string program = folder_ / "ffmpeg";
  ::setenv("SIMREEL_FFMPEG", program.c_str(), 1);
  const Outcome outcome = run("selftest");
  ::unsetenv("SIMREEL_FFMPEG");
  const bool usual = default_codec() == "h264";
  EXPECT_EQ(outcome.exit, usual ? 1 : 0) << outcome.out;
  for (const std::string& start :
       {std::string(usual ? "\nh264               FAILED  " : "\nh264               not available: "),
        std::string("\nh265               not available: ")})
    EXPECT_NE(outcome.out.find(start), std::string::npos) << start << " in " << outcome.out;
  EXPECT_NE(
      outcome.out.find("Unknown encoder; take codec = \"h264_fast\", or another ffmpeg with SIMREEL_FFMPEG=PATH\n"),
      std::string::npos)
      << outcome.out;
}

TEST_F(Commands, SelftestNeedsRoom) {
  if (std::system("unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null") != 0)
    GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  const std::string command = fmt::format(
      "unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs \"$1\" && TMPDIR=$1 \"$0\" selftest' '{}' '{}' >'{}'",
      test::program().string(), folder_ / ".", folder_ / "out.txt");
  EXPECT_NE(std::system(command.c_str()), 0);
  const std::string out = text_of(folder_ / "out.txt");
  EXPECT_NE(out.find("so no output was tried; set TMPDIR to a folder with room\n1 of these failed\n"),
            std::string::npos)
      << out;
}

TEST_F(Commands, SelftestTellsWhatFails) {
  const std::string absent = folder_ / "absent";
  ::setenv("TMPDIR", absent.c_str(), 1);
  const Outcome outcome = run("selftest");
  ::unsetenv("TMPDIR");
  EXPECT_EQ(outcome.exit, 1) << outcome.out;
  EXPECT_NE(outcome.out.find("disk               FAILED  no temporary folder (TMPDIR=" + absent +
                             "): No such file or directory; "
                             "set TMPDIR to a folder that can be written to\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\n1 of these failed\n"), std::string::npos) << outcome.out;
}

TEST_F(Commands, BenchReportsEveryKernel) {
  const Outcome outcome = run("bench small.toml --kernels naive,tiled --steps 20 --runs 3 --json --backend cpu");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_GT(result["copy_bytes_per_second"], 0.0);
  ASSERT_EQ(result["kernels"].size(), 2u);
  for (const auto& kernel : result["kernels"]) {
    EXPECT_EQ(kernel["steps"], 20);
    EXPECT_NEAR(kernel["cells_per_second"].get<double>(), kernel["steps_per_second"].get<double>() * 64 * 36, 1);
    EXPECT_NEAR(kernel["bytes_per_second"].get<double>(), kernel["cells_per_second"].get<double>() * 16, 1);
  }
  EXPECT_EQ(result["kernels"][1]["kernel"], "tiled");
}

TEST_F(Commands, ProgressComesOnStandardErrorInTheFormAskedFor) {
  const Outcome json = run("render small.toml -o null: --progress json");
  EXPECT_EQ(json.out, "");
  nlohmann::json last, summary;
  for (const nlohmann::json& line : json_lines(json.err)) (line.contains("stage") ? last : summary) = line;
  EXPECT_EQ(last["frame"], 5);
  EXPECT_EQ(last["frames"], 5);
  EXPECT_EQ(last["stage"], "render");
  EXPECT_EQ(summary["level"], "info");
  EXPECT_NE(summary["message"].get<std::string>().find("5 frames"), std::string::npos);
  EXPECT_EQ(run("render small.toml -o null: --progress none").err.find("frame 5"), std::string::npos);
  EXPECT_NE(run("render small.toml -o null: --profile").err.find("simulate"), std::string::npos);
}

TEST_F(Commands, ProgressInJsonPutsMessagesIntoJsonToo) {
  for (const char* name : {"p0.png", "p7.png"}) write(name, "of an earlier, longer run");
  const Outcome outcome = run("render small.toml -o p%d.png --overwrite --progress json --profile");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  std::string warnings, profile;
  for (const nlohmann::json& line : json_lines(outcome.err)) {
    if (line.value("level", "") == "warning") warnings += line["message"];
    if (line.value("message", "").starts_with("stage ")) profile = line["message"];
  }
  EXPECT_NE(warnings.find("p7.png"), std::string::npos) << outcome.err;
  EXPECT_NE(profile.find("simulate"), std::string::npos) << outcome.err;

  const auto error = json_lines(run("render absent.toml -o null: --progress json").err);
  ASSERT_EQ(error.size(), 1u);
  EXPECT_EQ(error[0]["level"], "error");
  EXPECT_NE(error[0]["message"].get<std::string>().find("absent.toml"), std::string::npos);
}

TEST_F(Commands, ResultsAndStagesComeAsJson) {
  const Outcome outcome = run("render small.toml -o a.csv -o p%d.png --json --profile --progress none");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["frames"], 5);
  EXPECT_EQ(result["steps"], 16);
  EXPECT_EQ(result["range"], (std::vector<double>{-0.07, 0.07}));
  double stages = 0;
  for (const auto& [stage, seconds] : result["stages"].items()) stages += seconds.get<double>();
  EXPECT_EQ(result["stages"].size(), 9u);
  EXPECT_LE(stages, result["seconds"].get<double>());
  ASSERT_EQ(result["outputs"].size(), 2u);
  EXPECT_EQ(result["outputs"][0]["path"], "a.csv");
  EXPECT_GT(result["outputs"][1]["encode"].get<double>(), 0);
  EXPECT_GT(result["outputs"][1]["write"].get<double>(), 0);
  const Outcome both = run("render small.toml -o - --json");
  EXPECT_EQ(both.exit, 2);
  EXPECT_NE(both.err.find("--json"), std::string::npos) << both.err;
}

}  // namespace
}  // namespace simreel
