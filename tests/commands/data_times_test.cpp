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

// As WRF, and netCDF's library for dimensions without a variable, write HDF5; and what VTK's files say.
TEST_F(DataTimes, StandWhereTheProgramsKeepThem) {
  if (!python(R"(
import base64, json, struct
def netcdf(name, times=None, unit="", dates=None, written=0, steps=3, fixed=False, dated=(), fill=None):
    with h5py.File(name, "w") as f:
        f.attrs["_NCProperties"] = "version=2,netcdf=4.9.0,hdf5=1.12.2"
        v = f.create_dataset("T2", data=np.arange(steps * 12.0).reshape(steps, 3, 4))
        for axis, (d, size) in enumerate([("Time", steps), ("south_north", 3), ("west_east", 4)]):
            if d == "Time" and times is not None:
                s = f.create_dataset(d, data=np.array(times, "f8")); s.attrs["units"] = unit; s.make_scale(d)
                if fill is not None: s.attrs["_FillValue"] = fill
            else:
                s = f.create_dataset(d, data=np.zeros(size if fixed else 0, ">f4"), maxshape=(None,))
                s.make_scale("This is a netCDF dimension but not a netCDF variable. %9d" % size)
            v.dims[axis].attach_scale(s)
        if dates: f["Times"] = np.array([list(d.ljust(19)) for d in dates], "S1")
        for i, name in enumerate(dated):
            x = f.create_dataset(name, data=np.arange(steps) * 180.0 + i); x.dims[0].attach_scale(f["Time"])
            x.attrs["units"] = "minutes since 2005-08-28 00:00:00"
        if dated: v.attrs["coordinates"] = dated[0] + " XLONG"
netcdf("none.nc"); netcdf("fixed.nc", fixed=True); netcdf("xtime.nc", dated=["XTIME", "run_start"])
days = ["2005-08-28_00:00:00", "2005-08-28_03:00:00", "2005-08-29_00:30:00"]
netcdf("text.nc", dates=days); netcdf("bad.nc", dates=days[:2] + ["2005-08-"])
for i in range(3): netcdf("one%d.nc" % i, dates=days[i:i + 1], steps=1, fixed=True)
netcdf("partly.nc", [0, 3], "hours since 2005-08-28"); netcdf("never.nc", [], "hours since 2005-08-28")
netcdf("filled.nc", [0, 9.969209968386869e36, 6], "hours since 2005-08-28")
netcdf("marked.nc", [0, -1, 6], "hours", fill=-1.0); netcdf("fewer.nc", [0, 1, 2, 3], "hours")
def vti(name, field, appended=b""):
    open(name, "wb").write(("""<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt32">
<ImageData WholeExtent="0 1 0 1 0 0" Origin="0 0 0" Spacing="1 1 1"><FieldData>%s</FieldData>
<Piece Extent="0 1 0 1 0 0"><PointData><DataArray type="Float32" Name="p" format="ascii">1 2 3 4</DataArray></PointData>
</Piece></ImageData>""" % field).encode() + appended + b"</VTKFile>")
one = '<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="%s"%s'
raw = lambda t: struct.pack("<Id", 8, t)
for i, t in enumerate([0, 0.25, 1]):
    vti("ascii%d.vti" % i, one % ("ascii", ">%g</DataArray>" % t))
    vti("inline%d.vti" % i, one % ("binary", ">%s</DataArray>" % base64.b64encode(raw(t)).decode()))
    vti("raw%d.vti" % i, one % ("appended", ' offset="0"/>'), b'<AppendedData encoding="raw">_' + raw(t) + b"</AppendedData>")
    open("legacy%d.vtk" % i, "w").write("# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\nFIELD FieldData 1\n"
        "TIME 1 1 double\n%g\nDIMENSIONS 2 2 1\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 4\nSCALARS p float\nLOOKUP_TABLE default\n1 2 3 4\n" % t)
files = [{"time": t, "name": "ascii%d.vti" % i} for i, t in enumerate([0.5, 2, 4.25])]
json.dump({"file-series-version": "1.0", "files": files[::-1]}, open("a.vti.series", "w"), indent=1)
open("untimed.vti.series", "w").write('{"files":[{"name":"ascii1.vti"},{"name":"ascii0.vti"}]}')
open("cut.vti.series", "w").write(json.dumps({"files": files})[:-1]); open("odd.vti.series", "w").write('{"files":[{"name":"a","time":"soon"}]}')
open("same.vti.series", "w").write('{"files":[{"name":"a","time":1},\n{"name":"b","time":1}]}')
open("lost.vti.series", "w").write('{"files":[{"name":"ascii0.vti","time":1},\n{"name":"lost.vti","time":2}]}')
def vtkhdf(name, shape, extent, values=None, places=None):
    with h5py.File(name, "w") as f:
        r = f.create_group("VTKHDF"); r.attrs.update(Version=[2, 0], WholeExtent=extent, Origin=[0.0, 0, 0], Spacing=[1.0, 1, 1])
        r.attrs.create("Type", np.bytes_("ImageData"))
        r["PointData/p"] = np.arange(np.prod(shape), dtype="f4").reshape(shape)
        if values: r["Steps/Values"] = np.array(values); r["Steps"].attrs["NSteps"] = len(values)
        if places: r["Steps/PointDataOffsets/p"] = np.array(places)
flat = [0, 5, 0, 2, 0, 0]
vtkhdf("flat.vtkhdf", (3, 3, 6), flat, [0, 0.5, 1]); vtkhdf("full.vtkhdf", (3, 1, 3, 6), flat, [0, 0.5, 1])
vtkhdf("vector.vtkhdf", (2, 1, 3, 6, 3), flat, [0, 0.5]); vtkhdf("upright.vtkhdf", (2, 3, 6), [0, 5, 0, 0, 0, 2], [7, 8], [0, 1])
vtkhdf("shared.vtkhdf", (2, 3, 6), flat, [0, 0.5, 1], [0, 0, 1]); vtkhdf("solid.vtkhdf", (3, 3, 6), [0, 5, 0, 2, 0, 2])
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  view_all({{"none.nc", "0 1 2", ""},
            {"fixed.nc", "0 1 2", ""},
            {"none.nc --set solver.time=dataset:/Time", "", "there is no array \"/Time\""},
            {"xtime.nc", "0 180 360", ""},
            {"text.nc", "0 180 1470", ""},
            {"one%d.nc", "0 180 1470", ""},
            {"text.nc --set solver.timestep=2", "0 2 4", ""},
            {"none.nc --set solver.time=dataset:/Times", "", "there is no array \"/Times\""},
            {"bad.nc", "", "bad.nc:/Times: \"2005-08-\" is no date"},
            {"partly.nc", "0 3 nan", "partly.nc, step 2 from 0: its time is nan, and no number, as of 1 of 3 steps"},
            {"never.nc", "0 1 2", "never.nc:/Time: none of its times was ever written; steps are counted"},
            {"filled.nc", "0 nan 6", "filled.nc, step 1 from 0: its time is nan"},
            {"marked.nc", "0 nan 6", "marked.nc, step 1 from 0: its time is nan"},
            {"fewer.nc", "0 1 2", "fewer.nc:/T2: 3 of 4 steps were written, and are drawn"},
            {"ascii%d.vti", "0 0.25 1", ""},
            {"inline%d.vti", "0 0.25 1", ""},
            {"raw%d.vti", "0 0.25 1", ""},
            {"legacy%d.vtk", "0 0.25 1", ""},
            {"a.vti.series", "0.5 2 4.25", ""},
            {"a.vti.series:p", "0.5 2 4.25", ""},
            {"untimed.vti.series", "0 1", ""},
            {"cut.vti.series", "", "cut.vti.series: it is no list of files as ParaView writes it"},
            {"odd.vti.series", "", "odd.vti.series:1: the time of a is "},
            {"same.vti.series", "", "same.vti.series:2: it names several files for the time 1, a and b"},
            {"lost.vti.series", "", "lost.vti.series:2: lost.vti is missing"},
            {"flat.vtkhdf", "0 0.5 1", ""},
            {"full.vtkhdf", "0 0.5 1", ""},
            {"vector.vtkhdf", "0 0.5", ""},
            {"upright.vtkhdf", "7 8", ""},
            {"shared.vtkhdf", "", "its steps share values, by VTKHDF's offsets"},
            {"solid.vtkhdf", "", "it has three dimensions (3 x 3 x 6, axes \"zyx\")"}});
  EXPECT_EQ(labels("text.nc", "{date}").back(), "2005-08-29 00:30");
  EXPECT_EQ(labels("xtime.nc", "{date}").back(), "2005-08-28 06:00");
}

}  // namespace
}  // namespace simreel::test
