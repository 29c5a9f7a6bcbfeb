#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/part_file.h"
#include "sink/outputs.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class OpenTest : public SinkTest {
 protected:
  void expect_error(const std::vector<std::string>& targets, const std::vector<std::string>& words) {
    const auto before = files();
    const std::string message = usage_error(targets);
    for (const auto& word : words) EXPECT_TRUE(test::says(message, word)) << "\nlacks " << word;
    EXPECT_EQ(files(), before) << message;
  }
  const std::vector<std::string> all_ = {"a.mp4", "a.mov", "a.mkv", "%d.png", "a.png", "a.y4m", "a.csv", "a.hashes"};
};

TEST_F(OpenTest, TableHasARowForEveryOutput) {
  std::vector<std::string_view> patterns;
  for (const SinkKind& kind : sink_kinds()) {
    patterns.push_back(kind.pattern);
    EXPECT_TRUE(kind.accepts(std::string(kind.pattern)));
    int takers = 0;
    for (const SinkKind& other : sink_kinds()) takers += other.accepts(std::string(kind.pattern)) ? 1 : 0;
    EXPECT_EQ(takers, 1) << kind.pattern;
  }
  EXPECT_EQ(patterns, (std::vector<std::string_view>{
                          "x.mp4",      "x.mov",      "x.mkv",      "x.webm", "x.gif",      "x.webp", "x.apng",
                          "x/%06d.png", "x.png",      "x/%06d.pdf", "x.pdf",  "x/%06d.svg", "x.svg",  "x/%06d.eps",
                          "x.eps",      "x.tex",      "x.y4m",      "-",      "x/%06d.h5",  "x.h5",   "x/%06d.npy",
                          "x.npy",      "x/%06d.npz", "x.npz",      "x.csv",  "x.hashes",   "null:"}));
}

TEST_F(OpenTest, MissingFoldersAreMade) {
  for (const auto& name : all_) write_all(path("deep/er/" + name), 1);
  EXPECT_EQ(files(), (std::vector<std::string>{"deep", "deep/er", "deep/er/0.png", "deep/er/a.csv", "deep/er/a.hashes",
                                               "deep/er/a.mkv", "deep/er/a.mov", "deep/er/a.mp4", "deep/er/a.png",
                                               "deep/er/a.y4m"}));
}

TEST_F(OpenTest, EverythingIsTakenAwayWhereOneCannotBeOpened) {
  std::vector<std::string> targets;
  for (const auto& name : all_) targets.push_back(path("deep/er/" + name));
  std::filesystem::create_directory(path("folder.csv"));
  targets.push_back(path("folder.csv"));
  expect_error(targets, {"folder.csv: is a folder"});
  EXPECT_EQ(files(), std::vector<std::string>{"folder.csv"});
}

TEST_F(OpenTest, ExtensionsMayBeInCapitals) {
  write_all(path("A.CSV"), 1);
  EXPECT_EQ(files(), std::vector<std::string>{"A.CSV"});
}

TEST_F(OpenTest, ExistingFilesAreKept) {
  for (const auto& name : all_) {
    const std::string file = name == "%d.png" ? "0.png" : name;
    put(path(file), "mine");
    expect_error({path(name)}, {file + ": exists already", "--overwrite"});
    EXPECT_EQ(contents(path(file)), "mine");
    std::filesystem::remove(path(file));
    put(path(file + ".part"), "mine");
    expect_error({path(name)}, {file + ".part: an earlier run did not finish", "--overwrite"});
    const bool video = name == "a.mp4" || name == "a.mov" || name == "a.mkv";
    EXPECT_EQ(usage_error({path(name)}).find("it plays as it is") != std::string::npos, video) << name;
    EXPECT_EQ(contents(path(file + ".part")), "mine");
    std::filesystem::remove(path(file + ".part"));
  }
}

TEST_F(OpenTest, OverwriteReplacesAtTheEndOnly) {
  info_.overwrite = true;
  for (const auto& name : all_) {
    const std::string file = name == "%d.png" ? "0.png" : name;
    put(path(file), "mine");
    put(path(file + ".part"), "older");
    open(path(name));
    EXPECT_EQ(contents(path(file)), "mine") << name;
    EXPECT_EQ(contents(path(file + ".part")), "older") << name;
    write_all(path(name), 1);
    EXPECT_NE(contents(path(file)), "mine") << name;
    EXPECT_FALSE(std::filesystem::exists(path(file + ".part"))) << name;
  }
}

TEST_F(OpenTest, WrongEncoderOptionLeavesAnOldPartAlone) {
  info_.overwrite = true;
  options_.preset = "nonsense";
  put(path("a.mp4.part"), "older");
  expect_error({path("a.mp4")}, {"nonsense"});
  EXPECT_EQ(contents(path("a.mp4.part")), "older");
}

TEST_F(OpenTest, FileThatAppearsDuringTheRunIsKept) {
  for (const std::string name : {"a.mp4", "a.csv"}) {
    const auto sink = open(path(name));
    write_one(*sink, 0);
    put(path(name), "mine");
    EXPECT_THROW(sink->finish(), RuntimeError);
    EXPECT_EQ(contents(path(name)), "mine");
    EXPECT_TRUE(std::filesystem::exists(path(name + ".part")));
  }
}

TEST_F(OpenTest, LinksAreWrittenThrough) {
  std::filesystem::create_directories(path("disk/deep"));
  for (const std::string name : {"a.csv", "a.mp4", "a.gif", "a.png", "%d.png"}) {
    const std::string file = name == "%d.png" ? "0.png" : name;
    std::filesystem::create_symlink("disk/deep/../b" + file, path("other" + file));
    std::filesystem::create_symlink("other" + file, path(file));  // to a link, to a file that is not there yet
    info_.overwrite = false;
    const std::string whole = path("disk/b" + file);
    {
      const auto sink = open(path(name));
      EXPECT_TRUE(std::filesystem::exists(whole + ".part")) << name;
      EXPECT_FALSE(std::filesystem::exists(path(file + ".part"))) << name;
    }
    write_all(path(name), 1);
    EXPECT_TRUE(std::filesystem::is_symlink(path(file))) << name;
    EXPECT_GT(std::filesystem::file_size(whole), 1u) << name;
    expect_error({path(name)}, {file + ": exists already"});
    put(whole, "-");
    info_.overwrite = true;
    write_all(path(name), 1);
    EXPECT_TRUE(std::filesystem::is_symlink(path(file))) << name;
    EXPECT_GT(std::filesystem::file_size(whole), 1u) << name;
    EXPECT_FALSE(std::filesystem::exists(whole + ".part")) << name;
  }
  std::filesystem::create_symlink(path("circle.csv"), path("circle.csv"));
  EXPECT_TRUE(test::says(usage_error({path("circle.csv")}), "circle.csv: is a link that leads to itself"));
  std::filesystem::create_symlink(path("no/such/x.csv"), path("far.csv"));
  write_all(path("far.csv"), 1);
  EXPECT_TRUE(std::filesystem::is_regular_file(path("no/such/x.csv")));
}

TEST_F(OpenTest, PermissionsAreKeptAndHeeded) {
  using std::filesystem::perms;
  info_.overwrite = true;
  for (const auto& name : all_) {
    const std::string file = path(name == "%d.png" ? "0.png" : name);
    const auto mode = [&] { return std::filesystem::status(file).permissions(); };
    for (const int wanted : {0600, 0664}) {
      put(file, "mine");
      std::filesystem::permissions(file, perms(wanted));
      if (wanted == 0664) put(file + ".part", "older");
      write_all(path(name), 1);
      EXPECT_EQ(mode(), perms(wanted)) << name;
    }
    put(file, "mine");
    std::filesystem::permissions(file, perms(0444));
    expect_error({path(name)}, {": is read-only", "chmod u+w"});
    EXPECT_EQ(contents(file), "mine");
  }
}

TEST_F(OpenTest, OneFileIsNotWrittenTwice) {
  std::filesystem::create_directory(path("b"));
  std::filesystem::create_symlink(path("b"), path("link"));
  expect_error({path("a.mp4"), path("a.mp4")}, {"names the same file"});
  expect_error({path("a.mp4"), path("b/../a.mp4")}, {"names the same file"});
  expect_error({path("b/a.mp4"), path("link/a.mp4")}, {"names the same file"});
  expect_error({path("%d.png"), path("./%d.png")}, {"names the same file"});
  expect_error({path("new/%d.png"), path("new/0.png")}, {"names the same file", "or one of its files"});
  expect_error({path("p/000003.png"), path("p/%06d.png")}, {"names the same file"});
  expect_error({path("%d.png"), path("%03d.png")}, {"names the same file"});
  expect_error({path("a%d.png"), path("a1%d.png")}, {"names the same file"});
  expect_error({path("b/%d.png"), path("link/%d.png")}, {"names the same file"});
  expect_error({path("x.csv"), path("x.csv/a.mp4")}, {"is a folder for the other"});
  EXPECT_EQ(usage_error({path("a%d.png"), path("b%d.png"), path("p/000010.png"), path("p/%06d.png")}), "");
  expect_error({"-", "-"}, {"only one output"});
  EXPECT_EQ(open_sinks({"null:", "null:"}, options_, info_).size(), 2u);
}

TEST_F(OpenTest, PlacesThatCannotBeWritten) {
  put(path("file"), "mine");
  expect_error({path("file/a.mp4")}, {"file/a.mp4", "Not a directory"});
  expect_error({path("file/sub/a.csv")}, {"file/sub", "Not a directory"});
  expect_error({"/proc/simreel/a.mp4"}, {"/proc/simreel", "No such file or directory"});
  expect_error({"/proc/a.png"}, {"/proc/a.png.part"});
  expect_error({path(std::string(300, 'x') + ".mp4")}, {"File name too long"});
  std::filesystem::create_directory(path("a.mp4"));
  expect_error({path("a.mp4")}, {"a.mp4: is a folder"});
  ASSERT_EQ(::mkfifo(path("pipe.y4m").c_str(), 0600), 0);
  expect_error({path("pipe.y4m")}, {"not a regular file"});
  info_.overwrite = true;
  expect_error({path("pipe.y4m")}, {"not a regular file"});
  expect_error({path("a.mp4")}, {"a.mp4: is a folder"});
}

// A name that is too long for one of the files of a run is refused before the run, and with any other the run ends
// well.
TEST_F(OpenTest, LongNamesAreRefusedBeforeTheRun) {
  const auto trial = [&](const std::string& target) {
    return test::thrown([&] { check_sinks({target}, options_, info_); });
  };
  struct Row {
    std::string end;
    std::size_t most;  // bytes of the name
  };
  info_.overwrite = true;
  for (const auto& [end, most] :
       {Row{".mp4", 244}, {".mov", 244},  {".mkv", 244},     {".webm", 244},    {".gif", 244},
        {".apng", 244},   {".webp", 244}, {".y4m", 244},     {".png", 244},     {".pdf", 244},
        {".svg", 244},    {".eps", 244},  {".tex", 236},     {".csv", 244},     {".hashes", 244},
        {".npy", 244},    {".npz", 244},  {"%04d.png", 244}, {"%04d.pdf", 244}, {"%04d.npz", 244}})
    for (const std::string letter : {"n", "\xc3\xa9"})
      for (const std::string folder : {"", "new/"}) {
        const std::size_t tail = end.size();  // %04d has as many letters as digits
        const auto name = [&](std::size_t bytes) {
          std::string text;
          while (text.size() + letter.size() + tail <= bytes) text += letter;
          while (text.size() + tail < bytes) text += 'n';
          return path(folder + text + end);
        };
        for (std::size_t bytes = 230; bytes <= 255; ++bytes) {
          const std::string told = trial(name(bytes));
          EXPECT_EQ(told.empty(), bytes <= most) << end << bytes << told;
          EXPECT_EQ(told.find("File name too long") != std::string::npos, bytes > most) << end << bytes << told;
        }
        EXPECT_NE(usage_error({name(most + 1)}), "") << end;
        EXPECT_EQ(files(), std::vector<std::string>{}) << end;
        if (!folder.empty()) continue;
        if (end.ends_with(".npy") || end.ends_with(".npz") || end.ends_with(".pdf") || end.ends_with(".svg") ||
            end.ends_with(".eps") || end.ends_with(".tex"))
          continue;  // of states and pages, which this test does not have
        if (end.starts_with('.')) put(name(most) + ".part", "older");
        EXPECT_NO_THROW(write_all(name(most), 2)) << end;
        for (const std::string& file : files()) std::filesystem::remove(path(file));
      }
  info_.frames = 1'000'000;
  EXPECT_NE(trial(path(std::string(239, 'n') + "%d.png")), "") << "the last number has six digits";
}

TEST_F(OpenTest, FolderWithoutWritePermission) {
  std::filesystem::create_directory(path("locked"));
  ::chmod(path("locked").c_str(), 0555);
  ::chmod(folder_.path().c_str(), 0755);
  // Root writes everywhere, so a child tries it as nobody.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(77);
    for (const auto& name : all_) {
      const std::string message = usage_error({path("locked/" + name)});
      if (message.find("Permission denied") == std::string::npos) ::_exit(1);
      if (usage_error({path("locked/new/" + name)}).find("Permission denied") == std::string::npos) ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(path("locked").c_str(), 0755);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "cannot become another user here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(files(), std::vector<std::string>{"locked"});
}

TEST_F(OpenTest, PatternsThatMakeNoSense) {
  expect_error({path("%s.png")}, {"%s.png", "%06d"});
  expect_error({path("%d-%d.png")}, {"once"});
  expect_error({path("%d/../a.png")}, {"puts all frames into one file"});
  write_all(path("50%.csv"), 1);
  write_all(path("100%%.png"), 1);
  EXPECT_EQ(files(), (std::vector<std::string>{"100%.png", "50%.csv"}));
}

TEST_F(OpenTest, PercentSignsOfFoldersAndOfOtherFilesAreLetters) {
  for (const std::string name : {"50%done/a.mp4", "50%done/5%.csv", "50%done/%d.png", "5%/a.png", "5%dry.csv"})
    write_all(path(name), 1);
  EXPECT_EQ(files(), (std::vector<std::string>{"5%", "5%/a.png", "5%dry.csv", "50%done", "50%done/0.png",
                                               "50%done/5%.csv", "50%done/a.mp4"}));
}

TEST_F(OpenTest, SecondRunOnOneNameIsRefused) {
  for (const bool overwrite : {false, true})
    for (const std::string name : {"a.mp4", "a.csv"}) {
      info_.overwrite = overwrite;
      if (overwrite) put(path(name + ".part"), "older");
      const auto first = open(path(name));
      expect_error({path(name)}, {name + ".part: another run is writing this file"});
      write_one(*first, 0);
      expect_error({path(name)}, {"another run is writing this file"});
      first->finish();
      EXPECT_EQ(files(), std::vector<std::string>{name});
      std::filesystem::remove(path(name));
    }
}

// None of its files lasts as long as the run.
TEST_F(OpenTest, SecondRunOnOneSequenceIsRefused) {
  info_.overwrite = true;
  info_.fields = {"height"};
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_symlink(path("folder"), path("link"));
  const std::vector<float> values(12, 0.5f);
  const State state{
      {StateLayout::Kind::field, false, 4, 3, 0, false}, reinterpret_cast<const std::byte*>(values.data()), 0, 0};
  for (const std::string name : {"%d.png", "%02d/a.png", "%d.h5", "%d.npy", "%d.npz"}) {
    put(path("folder/" + name + ".lock"), "");  // as kill -9 leaves it
    const auto first = open(path("folder/" + name));
    const std::vector<std::byte> pixels = picture(info_.size, PixelLayout::rgb, 0);
    for (int i = 0; i < 2; ++i) first->write({i, pixels.data(), {}, state});
    while (first->safe_frames() < 2) std::this_thread::yield();
    for (const std::string& same : {path("folder/" + name), path("link/" + name)}) {
      expect_error({same}, {"another run is writing this sequence"});
      EXPECT_THROW(check_sinks({same}, options_, info_), UsageError) << same;
    }
    EXPECT_EQ(usage_error({path("folder/b" + name)}), "");
    first->finish();
    EXPECT_EQ(usage_error({path("folder/" + name)}), "");
  }
  for (const std::string& file : files()) EXPECT_EQ(file.find("lock"), std::string::npos) << file;
}

// p1000.png is a name of both "p%d.png" and "p%04d.png".
TEST_F(OpenTest, SecondRunWhoseFilesMayMeetThoseOfTheFirstIsRefused) {
  info_.overwrite = true;
  std::filesystem::create_directory(path("f"));
  const std::vector<std::byte> pixels = picture(info_.size, PixelLayout::rgb, 0);
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{{"p%d.png", "p%04d.png"},
                                                                                   {"p%04d.png", "p%d.png"},
                                                                                   {"p%d.png", "p1%d.png"},
                                                                                   {"50%%_%d.png", "50%%_%03d.png"},
                                                                                   {"%d/a.png", "%03d/a.png"}}) {
    const auto first = open(path("f/" + one));
    expect_error({path("f/" + other)}, {"another run is writing this sequence", "files of the same names"});
    EXPECT_THROW(check_sinks({path("f/" + other)}, options_, info_), UsageError) << other;
    EXPECT_EQ(usage_error({path("f/q" + other)}), "");
    first->write({0, pixels.data(), {}});
    first->finish();
    EXPECT_EQ(usage_error({path("f/" + other)}), "") << "the first has ended";
  }
  put(path("f/p%04d.png.lock"), "");  // as kill -9 leaves it
  EXPECT_EQ(usage_error({path("f/p%d.png"), path("f/q%d.png")}), "");
  const auto first = open(path("f/p1%d.png"));
  EXPECT_EQ(usage_error({path("f/p2%d.png")}), "") << "p1... is never p2...";
}

TEST_F(OpenTest, FileThatTookThePlaceOfThePartIsLeftAlone) {
  for (const std::string name : {"a.mp4", "a.csv"}) {
    const auto sink = open(path(name));
    write_one(*sink, 0);
    std::filesystem::remove(path(name + ".part"));
    put(path(name + ".part"), "another's");
    EXPECT_THROW(sink->finish(), RuntimeError);
    EXPECT_EQ(contents(path(name + ".part")), "another's");
    EXPECT_FALSE(std::filesystem::exists(path(name)));
  }
}

TEST_F(OpenTest, OldPartIsKeptUntilThereIsSomethingInItsPlace) {
  info_.overwrite = true;
  for (const std::string name : {"a.mp4", "a.mkv", "a.y4m", "a.csv", "a.hashes", "a.png"}) {
    put(path(name + ".part"), "older");
    open(path(name))->finish();
    EXPECT_EQ(contents(path(name + ".part")), "older") << name;
    { open(path(name)); }
    EXPECT_EQ(contents(path(name + ".part")), "older") << name;
    {
      const auto sink = open(path(name));
      write_one(*sink, 0);
    }
    EXPECT_EQ(contents(path(name + ".part")) == "older", name == "a.png") << name;
    EXPECT_FALSE(std::filesystem::exists(path(name + ".new.part"))) << name;
    std::filesystem::remove(path(name + ".part"));
  }
}

TEST_F(OpenTest, EmptyPartCountsAsAbsent) {
  for (const auto& name : all_) {
    put(path((name == "%d.png" ? "0.png" : name) + ".part"), "");
    write_all(path(name), 1);
  }
  for (const auto& file : files()) EXPECT_FALSE(file.ends_with(".part")) << file;
}

TEST_F(OpenTest, LinksAtTemporaryNamesAreNotFollowed) {
  info_.overwrite = true;
  put(path("victim"), "mine");
  for (const std::string name : {"a.mp4.final.part", "a.mp4.new.part"})
    std::filesystem::create_symlink(path("victim"), path(name));
  put(path("a.mp4.part"), "older");
  write_all(path("a.mp4"));
  EXPECT_EQ(contents(path("victim")), "mine");
  EXPECT_EQ(files(), (std::vector<std::string>{"a.mp4", "victim"}));
  EXPECT_FALSE(std::filesystem::is_symlink(path("a.mp4")));
  std::filesystem::create_symlink(path("victim"), path("b.mp4.part"));
  expect_error({path("b.mp4")}, {"b.mp4.part: is not a regular file"});
}

TEST_F(OpenTest, WhatTheRunReadsIsNeverWritten) {
  info_.overwrite = true;
  put(path("x.csv"), "mine");
  put(path("000003.png"), "mine");
  info_.inputs = {path("./x.csv"), path("000003.png")};
  std::filesystem::create_symlink(path("x.csv"), path("link.csv"));
  expect_error({path("x.csv")}, {"x.csv: this run reads"});
  expect_error({path("link.csv")}, {"this run reads"});
  expect_error({path("%06d.png")}, {"this run reads"});
  EXPECT_EQ(contents(path("x.csv")), "mine");
  info_.frames = 3;
  EXPECT_EQ(usage_error({path("%06d.png")}), "");
}

TEST_F(OpenTest, DotsBehindANewFolderDoNotHideAFile) {
  put(path("ex.csv"), "mine");
  expect_error({path("new/../ex.csv")}, {"exists already"});
  write_all(path("new/../b.csv"), 1);
  EXPECT_EQ(files(), (std::vector<std::string>{"b.csv", "ex.csv"}));
}

// A trial finds what an opening finds, and touches nothing.
TEST_F(OpenTest, TrialFindsTheSameMistakes) {
  put(path("file"), "mine");
  put(path("old.csv"), "mine");
  put(path("old.mp4.part"), "mine");
  std::filesystem::create_directory(path("folder.png"));
  const auto before = files();
  const auto trial = [&](const std::vector<std::string>& targets) {
    const std::string error = test::thrown([&] { check_sinks(targets, options_, info_); });
    EXPECT_EQ(files(), before);
    return error;
  };
  for (const std::string name :
       {"file/a.mp4", "file/sub/a.csv", "old.csv", "old.mp4", "folder.png", "a.docx", "%s.png"}) {
    const std::string found = trial({path(name)});
    EXPECT_NE(found, "") << name;
    EXPECT_EQ(found, usage_error({path(name)})) << name;
  }
  EXPECT_TRUE(test::says(trial({path(std::string(300, 'x') + ".mp4")}), "File name too long"));
  EXPECT_TRUE(test::says(trial({path("%d.png"), path("0.png")}), "names the same file"));
  EXPECT_EQ(trial({"-", path("new/a.mp4"), path("new/%d.png")}), "");
  options_.preset = "nonsense";
  EXPECT_TRUE(test::says(trial({path("a.mp4")}), "nonsense"));
  options_ = {};
  info_.frames = 1'000'000'000'000;
  EXPECT_TRUE(test::says(trial({path("new/a.y4m")}), "4614000000000062 bytes"));
}

TEST_F(OpenTest, NeedsAreLayoutsAndMemory) {
  const auto mebibytes = [&](const std::string& name) {
    return double(check_sinks({path(name)}, options_, info_).memory_bytes) / (1 << 20);
  };
  info_.size = {1920, 1080};
  info_.frames = 121;  // segments enough for all encoders
  // Measured with noise by tests/bench/encode_frames.cpp of commit 5badf644, the ring's frames taken off.
  info_.encoders = 1;
  const SinkNeeds video = check_sinks({path("a.mp4")}, options_, info_);
  EXPECT_EQ(video.layouts, std::vector<PixelLayout>{PixelLayout::yuv420p});
  EXPECT_NEAR(mebibytes("a.mp4"), 345, 90);
  EXPECT_NEAR(mebibytes("a.mkv"), 480, 90);
  info_.encoders = 2;
  EXPECT_NEAR(mebibytes("a.mp4"), 635, 150);
  EXPECT_NEAR(mebibytes("a.mkv"), 870, 150);
  info_.encoders = 3;
  EXPECT_NEAR(mebibytes("a.mp4"), 985,
              240);  // of 121 frames about 36 MiB more may wait than of those that were measured
  info_.encoders = 1;
  options_.preset = "medium";
  EXPECT_GT(mebibytes("a.mp4"), double(video.memory_bytes) / (1 << 20) + 150);
  options_ = {};
  info_.size = {6000, 4000};
  EXPECT_NEAR(mebibytes("a.png"), 206, 30);
  info_.size = {1920, 1080};
  const SinkNeeds both = check_sinks({path("a.mp4"), path("a.y4m"), path("a.hashes"), "null:"}, options_, info_);
  EXPECT_EQ(both.layouts, (std::vector<PixelLayout>{PixelLayout::yuv420p, PixelLayout::rgb}));
  EXPECT_EQ(both.memory_bytes, video.memory_bytes);
}

TEST_F(OpenTest, RelativeNames) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  write_all("a.csv", 1);
  write_all("b/a.mp4", 1);
  write_all("time 12:30 #1?.mp4", 1);
  std::filesystem::current_path(before);
  EXPECT_EQ(files(), (std::vector<std::string>{"a.csv", "b", "b/a.mp4", "time 12:30 #1?.mp4"}));
}

TEST_F(OpenTest, PartFileWritesCommitsAndCleansUp) {
  {
    PartFile file(path("x/y/a.bin"), false);
    file.write("hello");
    EXPECT_EQ(contents(path("x/y/a.bin.part")), "hello");
  }
  EXPECT_EQ(files(), std::vector<std::string>{});
  {
    PartFile file(path("x/a.bin"), false);
    file.write("hello");
    file.commit();
    EXPECT_EQ(files(), (std::vector<std::string>{"x", "x/a.bin"}));
  }
  EXPECT_EQ(contents(path("x/a.bin")), "hello");
  {
    PartFile file(path("b.bin"), false);
    file.write("kept");
    file.keep();
  }
  EXPECT_EQ(contents(path("b.bin.part")), "kept");
}

}  // namespace
}  // namespace simreel
