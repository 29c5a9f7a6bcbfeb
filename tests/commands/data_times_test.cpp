// The times of steps of files: in labels, in check, in order, and as dates.

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "tests/support/h5py_test.h"

namespace simreel::test {
namespace {

class DataTimes : public H5pyTest {
 protected:
  // Runs Python, in which put(name, times, unit, calendar) writes steps whose
  // values are their times; false without h5py.
  bool python(const std::string& program) {
    return H5pyTest::python(R"(
def put(name, times, unit="", calendar=""):
    with h5py.File(name, "w") as f:
        d = f.create_dataset("v", data=np.nan_to_num(np.array(times, "f8"))[:, None, None] * np.ones((1, 6, 8)))
        f["time"] = np.array(times, "f8")
        if unit: f["time"].attrs["units"] = unit
        if calendar: f["time"].attrs["calendar"] = calendar
        f["time"].make_scale("time"); d.dims[0].attach_scale(f["time"])
)" + program);
  }
  void scene(const std::string& files, const std::string& keys = "", const std::string& rest = "") {
    write("a.toml", fmt::format("[solver]\nkind = \"data\"\nfiles = "
                                "\"{}\"\n{}\n[view]\nsize = [480, 300]\n"
                                "background = \"#ffffff\"\nrange = [0, 100]\n{}\n",
                                files, keys, rest));
  }
  static void expect_in(const std::string& words, const std::string& text) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  std::string check() {
    const Outcome outcome = run("check a.toml");
    return outcome.out + outcome.err;
  }
  // The time labels of all frames.
  std::vector<std::string> labels(const std::string& files, const std::string& time, const std::string& keys = "") {
    scene(files, keys, fmt::format("[figure]\ntime = \"{}\"", time));
    std::filesystem::remove_all(std::string(folder_ / "p"));
    const Outcome outcome = run("render a.toml -o p/%d.svg");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    std::vector<std::string> found;
    for (int i = 0; exists(fmt::format("p/{}.svg", i)); ++i) {
      const std::string page = text_of(folder_ / fmt::format("p/{}.svg", i));
      std::string& text = found.emplace_back();
      for (std::size_t at = 0; (at = page.find("<text", at)) != std::string::npos;) {
        const std::size_t begin = page.find('>', at) + 1, end = page.find("</text>", begin);
        if (begin == 0 || end == std::string::npos) break;
        for (std::size_t k = begin; k < end; ++k) {
          if (page[k] == '<') k = std::min(page.find('>', k), end);
          if (page[k] != '>' && k < end) text += page[k];
        }
        at = end;
      }
    }
    return found;
  }
  std::string rows(const std::string& arguments = "") {
    const Outcome outcome = run("render a.toml -o a.csv --overwrite " + arguments);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return times_of(folder_ / "a.csv");
  }
};

using Labels = std::vector<std::string>;

TEST_F(DataTimes, LabelsHaveTheTimesOfTheFile) {
  if (!python(R"(
put("days.nc", [58, 59, 60], "days since 0001-01-01", "noleap")
put("hours.nc", [876576, 876582.5], "hours since 1900-01-01 00:00:0.0", "gregorian")
put("odd.nc", [-3.25, 0, 1000]); put("one.nc", [58.5])
put("month.nc", [0.0, 30, 60], "days since 2001-01-01", "360_day"); put("plain.nc", [0, 1, 2])
put("minutes.nc", [0, 90], "minutes since 1999-12-31 23:00")
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  EXPECT_EQ(labels("days.nc:/v", "t={time}"), (Labels{"t=58", "t=59", "t=60"}));
  EXPECT_EQ(labels("hours.nc:/v", "t={time}"), (Labels{"t=876576.0", "t=876582.5"}));
  EXPECT_EQ(labels("odd.nc:/v", "t={time}"), (Labels{"t=\u22123.25", "t=0.00", "t=1000.00"}));
  EXPECT_EQ(labels("one.nc:/v", "t={time}"), (Labels{"t=58.5"}));
  EXPECT_EQ(labels("plain.nc:/v", "t={time}"), (Labels{"t=0", "t=1", "t=2"}));
  EXPECT_EQ(labels("days.nc:/v", "{date}"), (Labels{"0001-02-28", "0001-03-01", "0001-03-02"}));
  EXPECT_EQ(labels("hours.nc:/v", "{date}"), (Labels{"2000-01-01 00:00", "2000-01-01 06:30"}));
  EXPECT_EQ(labels("minutes.nc:/v", "{date:%H:%M, %d %b}"), (Labels{"23:00, 31 Dec", "00:30, 01 Jan"}));
  EXPECT_EQ(labels("month.nc:/v", "{date:%Y/%m}"), (Labels{"2001/01", "2001/02", "2001/03"}));
  scene("days.nc:/v");
  expect_in(
      "steps      3, times 58 to 60 days since 0001-01-01, 0001-02-28 "
      "00:00 to 0001-03-02 00:00\n",
      check());
  EXPECT_EQ(run("render a.toml --at 59.4 -o still.npy").exit, 0) << text_of(folder_ / "err.txt");
  EXPECT_EQ(text_of(folder_ / "still.npy").size(), 128u + 48 * 8);
  EXPECT_EQ(run("render a.toml --at 2 -o other.npy").exit, 2);
  scene("plain.nc:/v", "", "[figure]\ntime = \"{date}\"");
  expect_in("there is no date: the source does not say since when its times count", check());
  scene("days.nc:/v", "", "[figure]\ntime = \"{date:%Q}\"");
  expect_in("\"%Q\" is no way to write a date; there are %Y", check());
}

TEST_F(DataTimes, StepsComeInTheOrderOfTheirTimes) {
  if (!python(R"(
put("mixed.nc", [2, 0, 1]); put("twice.nc", [0, 1, 1, 2]); put("unknown.nc", [0, 1, np.nan, 3])
put("gap.nc", [0, 1, 2, 3, 14.5, 15]); put("even.nc", [0, 1, 2, 3, 12])
np.save("p0.npy", np.zeros((6, 8))); np.save("p1.npy", np.zeros((6, 8)))
open("times.csv", "w").write("3\n1\n")
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  scene("mixed.nc:/v");
  expect_in(
      "warning: mixed.nc, step 1 from 0: times do not rise: 0 comes "
      "after 2; steps are drawn by rising time",
      check());
  EXPECT_EQ(rows(), "step,time\n0,0\n1,1\n2,2\n");
  scene("twice.nc:/v");
  expect_in(
      "warning: twice.nc, step 2 from 0: its time 1 is also that of "
      "twice.nc, step 1 from 0; both are drawn",
      check());
  EXPECT_EQ(rows(), "step,time\n0,0\n1,1\n2,1\n3,2\n");
  scene("unknown.nc:/v");
  expect_in("warning: unknown.nc, step 2 from 0: its time is nan, and no number", check());
  scene("gap.nc:/v");
  expect_in(
      "gap.nc, step 3 from 0: the next step comes 11.5 later, at 14.5, "
      "and steps are usually 1 apart",
      check());
  scene("even.nc:/v");
  EXPECT_EQ(check().find("apart"), std::string::npos) << "nine times as far is no gap";
  scene("p%d.npy", "time = \"file:times.csv\"");
  expect_in(
      "times do not rise: 1 comes after 3; steps are drawn in the order "
      "that is given",
      check());
}

TEST_F(DataTimes, FramesCanBeSpreadByTime) {
  if (!python("put('a.nc', [0, 1, 4]); put('twice.nc', [0, 1, 1, 2]); "
              "put('days.nc', [10, 11, 14])\n"))
    GTEST_SKIP() << "python3-h5py is not installed";
  scene("a.nc:/v", "interpolate = \"time\"");
  EXPECT_EQ(rows("--frames 5"), "step,time\n0,0\n1,1\n1,2\n1,3\n2,4\n");
  scene("a.nc:/v", "interpolate = true");
  EXPECT_EQ(rows("--frames 5"), "step,time\n0,0\n0,0.5\n1,1\n1,2.5\n2,4\n") << "from step to step";
  scene("twice.nc:/v", "interpolate = \"time\"");
  expect_in("a.toml:4:1: \"time\" needs times that rise from step to step", check());
  scene("a.nc:/v", "interpolate = \"tim\"");
  expect_in("a.toml:4:", check());
  EXPECT_EQ(labels("days.nc:/v", "t={time}", "interpolate = \"time\"\n[animation]\nframes = 3"),
            (Labels{"t=10", "t=12", "t=14"}));
}

}  // namespace
}  // namespace simreel::test
