// kind = "data" as its user meets it: series, slices, times, messages, resuming.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "formats/array_file.h"
#include "tests/support/npy.h"
#include "tests/support/restart_fixture.h"

namespace simreel::test {
namespace {

class Data : public RestartTest {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_ / "d"); }

  void npy(const std::string& name, const std::vector<int>& shape, const std::vector<float>& values) {
    write(name, test::npy(shape, values));
  }
  // Steps of 3 by 4 values, step + cell / 12.
  void steps(int first, int last) {
    for (int i = first; i <= last; ++i) {
      std::vector<float> values(12);
      for (std::size_t k = 0; k < 12; ++k) values[k] = static_cast<float>(i) + static_cast<float>(k) / 12;
      npy(fmt::format("d/{:03}.npy", i), {3, 4}, values);
    }
  }
  void scene(const std::string& solver, const std::string& rest = "") {
    write("a.toml", "[solver]\nkind = \"data\"\n" + solver + "\n[view]\nsize = [64, 48]\nrange = [0, 10]\n" + rest);
  }
  std::size_t lines(const std::string& name) const {
    const std::string text = text_of(folder_ / name);
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  void refuses(const std::string& words, const std::string& arguments = "render a.toml -o a.hashes") {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_FALSE(exists("a.hashes"));
  }
};

TEST_F(Data, AFrameShowsAnInputStep) {
  steps(3, 9);
  scene("files = \"d/%03d.npy\"");
  ASSERT_EQ(run("render a.toml -o a.hashes -o a.csv -o s/%d.npy").exit, 0) << run("check a.toml").err;
  EXPECT_EQ(lines("a.hashes"), 7u);
  EXPECT_EQ(times_of(folder_ / "a.csv").substr(0, 14), "step,time\n0,0\n");
  EXPECT_EQ(text_of(folder_ / "s/6.npy"), text_of(folder_ / "d/009.npy"));
  ASSERT_EQ(run("render a.toml -o b.hashes --set animation.start=1 --set animation.steps_per_frame=3").exit, 0);
  EXPECT_EQ(lines("b.hashes"), 2u) << "steps 1 and 4";
  ASSERT_EQ(run("render a.toml -o c.hashes --frames 2").exit, 0);
  const Outcome check = run("check a.toml -o c.mkv");
  for (const char* words : {"data, 4 x 3 cells, 7 steps of 7 files", "values     float32", "steps      7, times 0 to 6",
                            "first      [3, 3.91667]", "last       [9, 9.91667]"})
    EXPECT_NE(check.out.find(words), std::string::npos) << words << "\n" << check.out << check.err;
}

TEST_F(Data, ATimeAxisIsASeriesToo) {
  std::vector<float> all;
  steps(0, 4);
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 12; ++k) all.push_back(static_cast<float>(i) + static_cast<float>(k) / 12);
  npy("all.npy", {5, 3, 4}, all);
  scene("files = \"d/%03d.npy\"");
  ASSERT_EQ(run("render a.toml -o a.hashes").exit, 0);
  ASSERT_EQ(run("view all.npy -o b.hashes --range 0,10 --size 64x48").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "b.hashes"), text_of(folder_ / "a.hashes"));
  ASSERT_EQ(run("view 'd/*.npy' -o c.hashes --range 0,10 --size 64x48").exit, 0);
  EXPECT_EQ(text_of(folder_ / "c.hashes"), text_of(folder_ / "a.hashes"));
  ASSERT_EQ(run("view d/000.npy -o d.hashes --range 0,10 --size 64x48").exit, 0) << "one step has no steps before it";
  EXPECT_EQ(text_of(folder_ / "err.txt").find("nan"), std::string::npos) << text_of(folder_ / "err.txt");
}

TEST_F(Data, ThreeDimensionsAreCutOrProjected) {
  std::vector<float> cube(24);
  for (std::size_t i = 0; i < 24; ++i) cube[i] = static_cast<float>((i * 7) % 24);
  cube[5] = std::numeric_limits<float>::quiet_NaN();
  npy("d/0.npy", {2, 3, 4}, cube);
  scene("files = \"d/%d.npy\"");
  const auto values = [&](const std::string& slice) {
    EXPECT_EQ(run("render a.toml -o s.npy --overwrite --set solver.slice." + slice).exit, 0)
        << text_of(folder_ / "err.txt");
    const std::string file = text_of(folder_ / "s.npy");
    const bool twice = file.find("<f8") != std::string::npos;
    std::vector<double> list((file.size() - 128) / (twice ? 8 : 4));
    for (std::size_t i = 0; i < list.size(); ++i) {
      float single = 0;
      std::memcpy(twice ? static_cast<void*>(&list[i]) : &single, file.data() + 128 + i * (twice ? 8 : 4),
                  twice ? 8 : 4);
      if (!twice) list[i] = static_cast<double>(single);
    }
    return list;
  };
  const std::vector<double> plane = values("z=1"), column = values("x=2"), max = values("z=max"),
                            mean = values("z=mean");
  ASSERT_EQ(plane.size(), 12u);
  ASSERT_EQ(column.size(), 6u) << "z upwards, y to the right";
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(plane[i], cube[12 + i]);
    if (i == 5) continue;
    EXPECT_EQ(max[i], std::max(cube[i], cube[12 + i]));
    EXPECT_EQ(mean[i], (static_cast<double>(cube[i]) + static_cast<double>(cube[12 + i])) / 2);
  }
  EXPECT_EQ(mean[5], cube[17]) << "of those that are numbers";
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 3; ++y) EXPECT_EQ(column[3 * z + y], cube[12 * z + 4 * y + 2]);
}

TEST_F(Data, TablesHaveTheSmallestTheLargestAndTheMeanValue) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  npy("d/0.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  npy("d/1.npy", {2, 3}, {-1, nan, 3, nan, nan, 1});
  npy("d/2.npy", {2, 3}, std::vector<float>(6, nan));
  ASSERT_EQ(run("view d/%d.npy -o a.csv --range 0,1").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "a.csv"), "step,time,min,max,mean\n0,0,1,6,3.5\n1,1,-1,3,1\n2,2,nan,nan,nan\n");
  ASSERT_EQ(run("view d/%d.npy -o b.svg --range 0,1 --set 'figure.time=mean {mean:.1f}' --frames 1").exit, 0);
  EXPECT_NE(text_of(folder_ / "b.svg").find("3.5"), std::string::npos) << "labels know them, too";
}

TEST_F(Data, StepsAreSpreadOverMoreFrames) {
  steps(0, 2);
  scene("files = \"d/%03d.npy\"\ninterpolate = true\ntimestep = 0.5");
  ASSERT_EQ(run("render a.toml -o a.csv -o s/%d.npy --frames 5").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(times_of(folder_ / "a.csv"), "step,time\n0,0\n0,0.25\n1,0.5\n1,0.75\n2,1\n");
  const std::string file = text_of(folder_ / "s/3.npy");
  float value = 0;
  std::memcpy(&value, file.data() + 128, 4);
  EXPECT_EQ(value, 1.5f);
  EXPECT_EQ(text_of(folder_ / "s/4.npy"), text_of(folder_ / "d/002.npy"));
}

TEST_F(Data, AStepThatFailsLaterKeepsTheFramesSoFar) {
  steps(0, 9);
  const std::string whole = text_of(folder_ / "d/005.npy");
  write("d/005.npy", whole.substr(0, 150));
  scene("files = \"d/%03d.npy\"");
  const Outcome outcome = run("render a.toml -o a.hashes --checkpoint-every 2frames");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("d/005.npy: the file ends early: 3 x 4 values of float32"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(lines("a.hashes"), 5u) << "complete up to there";
  write("d/005.npy", whole);
  ASSERT_EQ(run("render a.toml -o b.hashes").exit, 0);
  EXPECT_TRUE(text_of(folder_ / "b.hashes").starts_with(text_of(folder_ / "a.hashes")));
}

TEST_F(Data, AnInterruptedRunIsResumed) {
  steps(0, 400);
  scene("files = \"d/%03d.npy\"");
  ASSERT_EQ(run("render a.toml -o whole.hashes").exit, 0);
  const std::string expected = text_of(folder_ / "whole.hashes");
  // It stops for good at a step that cannot be read.
  std::filesystem::rename(folder_ / "d/030.npy", folder_ / "kept.npy");
  std::filesystem::create_symlink(folder_ / "later.npy", folder_ / "d/030.npy");
  EXPECT_EQ(run("render a.toml -o a.hashes --checkpoint-every 1frames").exit, 1);
  EXPECT_EQ(lines("a.hashes"), 30u);
  std::filesystem::remove(folder_ / "d/030.npy");
  std::filesystem::rename(folder_ / "kept.npy", folder_ / "d/030.npy");
  const Outcome changed = run("render a.toml -o a.hashes --checkpoint-every 1frames --resume");
  EXPECT_EQ(changed.exit, 2);
  EXPECT_NE(changed.err.find("the file d/030.npy has changed"), std::string::npos) << changed.err;
  ASSERT_EQ(
      interrupt_at("render a.toml -o a.hashes --checkpoint-every 1frames --overwrite", SIGTERM, "a.hashes.part", 200),
      128 + SIGTERM)
      << text_of(folder_ / "err.txt");
  ASSERT_EQ(run("render a.toml -o a.hashes --checkpoint-every 1frames --resume").exit, 0)
      << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "a.hashes"), expected);
}

TEST_F(Data, ASeriesThatIsStillWrittenIsFollowed) {
  steps(0, 2);
  scene("files = \"d/%03d.npy\"\nfollow = true\nend = \"d/done\"");
  Child child = start("render a.toml -o a.hashes --progress none");
  ASSERT_TRUE(child.reaches([&] { return lines("a.hashes.part") >= 2; })) << text_of(folder_ / "err.txt");
  write("d/003.npy", "\x93NUMPY");  // it is being written
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  steps(3, 6);
  ASSERT_TRUE(child.reaches([&] { return lines("a.hashes.part") >= 6; })) << text_of(folder_ / "err.txt");
  write("d/done", "");
  EXPECT_EQ(child.end(), 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(lines("a.hashes"), 7u);
  ASSERT_EQ(run("render a.toml -o b.hashes --set solver.follow=false").exit, 2);
  scene("files = \"d/%03d.npy\"");
  ASSERT_EQ(run("render a.toml -o b.hashes").exit, 0);
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
}

TEST_F(Data, AFollowedSeriesWaitsForTheFileThatIsMissing) {
  scene("files = \"d/%03d.npy\"\nfollow = true\nend = \"d/done\"");
  for (const bool comes : {false, true}) {
    SCOPED_TRACE(comes);
    std::filesystem::remove_all(std::string(folder_ / "d"));
    std::filesystem::create_directory(folder_ / "d");
    steps(0, 1);
    Child child = start("render a.toml -o a.hashes --progress none --overwrite");
    ASSERT_TRUE(child.reaches([&] { return lines("a.hashes.part") >= 1; })) << text_of(folder_ / "err.txt");
    steps(3, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    if (comes) steps(2, 2);
    write("d/done", "");
    EXPECT_EQ(child.end(), comes ? 0 : 1) << text_of(folder_ / "err.txt");
    EXPECT_EQ(lines("a.hashes"), comes ? 4u : 2u) << "what was there stays";
    if (!comes) {
      EXPECT_NE(text_of(folder_ / "err.txt").find("d/002.npy is missing, and later steps are there"), std::string::npos)
          << text_of(folder_ / "err.txt");
    }
  }
}

TEST_F(Data, AGadgetHeaderThatLiesIsRefused) {
  std::string bytes = text_of((test::root() / "tests/data/gadget.hdf5").string());
  const std::int64_t counts[] = {2, 3, 0, 0, 0, 0};
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(counts), sizeof counts));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 8] = 4;
  write("lies.hdf5", bytes);
  scene("files = \"lies.hdf5\"");
  refuses("/PartType1/Coordinates: it holds 3 particles, and /Header/NumPart_ThisFile names 4");
}

// tests/data/make.py wrote them, and what its libraries say is in them.
TEST_F(Data, FilesOfOtherLibrariesHaveTheirValues) {
  const auto values = [](const std::filesystem::path& file) {
    const auto opened = open_array_file(file);
    return opened->values(opened->arrays()[0], 1 << 20);
  };
  const std::string data = (test::root() / "tests/data").string();
  struct Case {
    std::string name, array, keys, csv;
  };
  const Case cases[] = {{"xarray.nc", ":/sst", "", "step,time\n0,0\n1,1\n2,3\n"},
                        {"netcdf4.nc", ":/run/w", "slice = { z = 1 }", "step,time\n0,0.5\n1,1.5\n"},
                        {"h5py.h5", ":/fields/vorticity", "time = \"dataset:/times\"", "step,time\n0,1\n1,2\n2,4\n"},
                        {"gadget.hdf5", "", "", "step,time\n0,0.25\n"}};
  for (const auto& [name, array, keys, csv] : cases) {
    SCOPED_TRACE(name);
    const std::string stem = name.substr(0, name.find('.'));
    write("a.toml", fmt::format("[solver]\nkind = \"data\"\nfiles = \"{}/{}{}\"\n{}\n[view]\nsize = [64, 48]\n", data,
                                name, array, keys));
    ASSERT_EQ(run(fmt::format("render a.toml -o {0}/%d.npy -o {0}.csv -o {0}.hashes", stem)).exit, 0)
        << text_of(folder_ / "err.txt");
    EXPECT_EQ(times_of(folder_ / (stem + ".csv")), csv);
    const std::vector<double> expected = values(data + "/" + stem + ".npy");
    std::vector<double> found;
    for (int step = 0; exists(fmt::format("{}/{}.npy", stem, step)); ++step)
      for (const double value : values(folder_ / fmt::format("{}/{}.npy", stem, step))) found.push_back(value);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])))
          << i << ": " << found[i] << ", not " << expected[i];
  }
  const Outcome check = run(fmt::format("view {}/h5py.h5:/fields/vortcity -o x.mkv", data));
  EXPECT_EQ(check.exit, 2);
  EXPECT_NE(check.err.find("did you mean \"/fields/vorticity\"?"), std::string::npos) << check.err;
}

// ParaView's lists: order and times are the list's, not those of the names.
TEST_F(Data, AListOfFilesHasTimes) {
  steps(0, 3);
  const auto list = [&](const std::string& lines, const std::string& type = "Collection") {
    write("d/run.pvd", "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type + "\" version=\"0.1\">\n<Collection>\n" +
                           lines + "</Collection>\n</VTKFile>\n");
  };
  const auto entry = [](const std::string& time, const std::string& file) {
    return "<DataSet timestep=\"" + time + "\" part=\"0\" file='" + file + "'/>\n";
  };
  // A line twice, as programs write that were started again.
  list(entry("0.5", "000.npy") + entry("4e0", "001.npy") + entry("2.25", "003.npy") + entry("4", "001.npy"));
  scene("files = \"d/run.pvd\"");
  ASSERT_EQ(run("render a.toml -o a.csv -o s/%d.npy -o a.hashes").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(times_of(folder_ / "a.csv"), "step,time\n0,0.5\n1,2.25\n2,4\n");
  EXPECT_EQ(text_of(folder_ / "s/1.npy"), text_of(folder_ / "d/003.npy"));
  EXPECT_EQ(text_of(folder_ / "s/2.npy"), text_of(folder_ / "d/001.npy"));
  EXPECT_EQ(run("view d/run.pvd -o v.csv --range 0,9").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "v.csv"), text_of(folder_ / "a.csv"));
  EXPECT_EQ(run("render a.toml -o t.csv --set solver.timestep=2").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(times_of(folder_ / "t.csv"), "step,time\n0,0\n1,2\n2,4\n") << "the scene says it";
  std::filesystem::remove(folder_ / "a.hashes");
  refuses("run.pvd", "render a.toml -o a.hashes -o d/run.pvd --overwrite");  // nothing is written over

  list(entry("0", "000.npy") + entry("1", "gone.npy") + entry("2", "001.npy"));
  refuses("d/gone.npy is missing");
  list(entry("0", "000.npy") + entry("0", "001.npy"));
  refuses("names several files for the time 0, ");
  list(entry("soon", "000.npy"));
  refuses("the timestep of 000.npy is \"soon\", which is no number");
  list("<DataSet timestep=\"1\"/>\n");
  refuses("its DataSet 0, from 0, names no file");
  list("");
  refuses("it lists no files yet");
  list(entry("0", "000.npy"), "UnstructuredGrid");
  refuses("it holds \"UnstructuredGrid\", and a .pvd file holds a Collection");
  write("d/run.pvd", "<VTKFile type=\"Collection\"><DataSet timestep=\"0");
  refuses("the file ends within a tag");
  std::filesystem::copy_file(folder_ / "d/000.npy", folder_ / "d/a&b.npy");
  list(entry("7", "a&amp;b.npy"));
  ASSERT_EQ(run("render a.toml -o e.csv").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(times_of(folder_ / "e.csv"), "step,time\n0,7\n");
}

TEST_F(Data, AListThatGrowsIsFollowed) {
  steps(0, 2);
  const auto list = [&](int files) {
    std::string text = "<VTKFile type=\"Collection\"><Collection>";
    for (int i = 0; i < files; ++i) text += fmt::format("<DataSet timestep=\"{}.5\" file=\"{:03}.npy\"/>", i, i);
    write("d/next.pvd", text + "</Collection></VTKFile>");
    std::filesystem::rename(folder_ / "d/next.pvd", folder_ / "d/run.pvd");
  };
  list(1);
  scene("files = \"d/run.pvd\"\nfollow = true\nend = \"d/done\"");
  Child child = start("render a.toml -o a.csv --progress none");
  ASSERT_TRUE(child.reaches([&] { return exists("a.csv.part"); })) << text_of(folder_ / "err.txt");
  list(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  list(3);
  write("d/done", "");
  EXPECT_EQ(child.end(), 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(times_of(folder_ / "a.csv"), "step,time\n0,0.5\n1,1.5\n2,2.5\n");
}

TEST_F(Data, CellsKeepTheirAspect) {
  npy("d/0.npy", {16, 16}, std::vector<float>(256, 5));
  scene("files = \"d/0.npy\"\nspacing = [1, 0.5]", "background = \"#000000\"\n");
  ASSERT_EQ(run("render a.toml -o a.png -o a.hashes").exit, 0) << text_of(folder_ / "err.txt");
  // 64 x 48: cells of half the height fill 64 x 32 pixels, as a field of 16 x 8 square ones does.
  npy("d/0.npy", {8, 16}, std::vector<float>(128, 5));
  scene("files = \"d/0.npy\"", "background = \"#000000\"\n");
  ASSERT_EQ(run("render a.toml -o b.hashes").exit, 0);
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
}

}  // namespace
}  // namespace simreel::test
