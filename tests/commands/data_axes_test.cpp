// Coordinates of files: maps lie as an atlas shows them, with the numbers of the file beside them.

#include <fmt/format.h>

#include <cstdlib>

#include "formats/array_file.h"
#include "tests/support/h5py_test.h"
#include "tests/support/npy.h"

namespace simreel::test {
namespace {

using Values = std::vector<double>;

class DataAxes : public H5pyTest {
 protected:
  // Runs Python, in which put(name, y, x, values) writes a field with coordinates; false without h5py.
  bool python(const std::string& program) {
    return H5pyTest::python(R"(
def put(name, y, x, v, names=("lat", "lon"), units=("degrees_north", "degrees_east")):
    with h5py.File(name, "w") as f:
        d = f.create_dataset("v", data=v)
        for axis, at in enumerate((y, x)):
            if at is None: continue
            s = f.create_dataset(names[axis], data=at)
            if units: s.attrs["units"] = units[axis]
            s.make_scale(names[axis]); d.dims[axis].attach_scale(s)
)" + program);
  }
  std::string check(const std::string& files, const std::string& keys = "") {
    write("a.toml", fmt::format("[solver]\nkind = \"data\"\nfiles = \"{}\"\n{}\n", files, keys));
    const Outcome outcome = run("check a.toml");
    return outcome.out + outcome.err;
  }
  // A page with axes.
  std::string page(const std::string& files) {
    write("a.toml", fmt::format("[solver]\nkind = \"data\"\nfiles = \"{}\"\n[view]\nbackground = \"#ffffff\"\n"
                                "[figure]\nwidth = \"85mm\"\naxes = \"ticks\"\n",
                                files));
    const Outcome outcome = run("render a.toml -o a.svg --overwrite");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const std::string text = text_of(folder_ / "a.svg");
    return text.substr(std::min(text.find("</style>"), text.size()));  // behind the scene
  }
};

void expect_in(const std::string& words, const std::string& text) {
  EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST_F(DataAxes, OwnStatesKeepTheirAxes) {
  if (!python(R"(
v = np.arange(60.0).reshape(6, 10)
put("a.nc", np.linspace(50, 45, 6), np.linspace(355, 337, 10), v)
put("b.nc", None, np.linspace(1, 3, 10), v, (None, "depth"), ("", "m"))
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  for (const char* name : {"a", "b"}) {
    const std::string original = page(fmt::format("{}.nc:/v", name));
    ASSERT_EQ(run(fmt::format("render a.toml -o {}.h5", name)).exit, 0);
    EXPECT_TRUE(page(fmt::format("{}.h5", name)) == original) << name;
  }
  ASSERT_TRUE(
      python("f = h5py.File('a.h5'); d = f['VTKHDF/PointData/v']\n"
             "assert [list(x)[0] for x in d.dims] == ['lat', 'lon']\n"
             "assert np.allclose(d.dims[1][0], np.linspace(337, 355, 10)) and d[0, 0] == 59\n"
             "assert np.allclose(f['VTKHDF'].attrs['Origin'], [337, 45, 0])\n"
             "assert np.allclose(f['VTKHDF'].attrs['Spacing'], [2, 1, 1])\n"));
}

// Time and one axis of space are a diagram, without a key, whose axis shows dates of the file's calendar; months have
// their lengths.
TEST_F(DataAxes, TimeAndOneAxisAreADiagram) {
  if (!python(R"(
def over_time(name, space, unit, first=True, calendar="noleap"):
    days = np.r_[0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30].cumsum() + 15.0
    v = np.arange(48.0).reshape(12, 4)
    dims = ("time", space) if first else (space, "time")
    with h5py.File(name, "w") as f:
        d = f.create_dataset("v", data=v if first else v.T)
        for dim, at, units in (("time", days, "days since 2001-01-01 00:00:00"), (space, np.arange(4) * 10 + 100.0, unit)):
            s = f.create_dataset(dim, data=at); s.attrs["units"] = units; s.make_scale(dim); d.dims[dims.index(dim)].attach_scale(s)
        f["time"].attrs["calendar"] = calendar
over_time("lon.nc", "lon", "degrees_east"); over_time("turned.nc", "lon", "degrees_east", False)
over_time("depth.nc", "depth", "m"); over_time("lat.nc", "lat", "degrees_north")
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const std::string diagram = page("lon.nc:/v");
  for (const char* text : {">2001<", ">Apr<", ">Jul<", ">Oct<", ">time<", ">lon<", ">100°E<"}) expect_in(text, diagram);
  EXPECT_TRUE(page("turned.nc:/v") == diagram);
  ASSERT_EQ(run("render a.toml -o own.h5").exit, 0);
  EXPECT_TRUE(page("own.h5") == diagram) << "its calendar is kept";
  expect_in("y          time from ", check("lon.nc:/v"));
  expect_in("x          time from ", check("depth.nc:/v"));
  expect_in("y          depth from 100 to 130 m", check("depth.nc:/v"));
  expect_in("x          time from ", check("lat.nc:/v"));
  expect_in("its coordinates are not evenly spaced", check("lon.nc:/v", "uneven = \"cells\""));
  const Outcome outcome = run("view lon.nc:/v --set solver.axes=tx -o b.hashes");
  EXPECT_EQ(outcome.exit, 2);
  expect_in("a diagram over time is drawn with axes = \"yx\"", outcome.err);
}

TEST_F(DataAxes, VtkImagesLieWhereTheySay) {
  const auto image = [&](const std::string& name, const std::string& attributes, const std::string& extent,
                         const std::string& kind = "PointData") {
    write(name,
          fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\">\n<ImageData WholeExtent=\"{0}\" {1}>\n"
                      "<Piece Extent=\"{0}\"><{2}>\n<DataArray type=\"Float64\" Name=\"T\" format=\"ascii\">\n"
                      "1 2 3 4 5 6\n</DataArray>\n</{2}></Piece></ImageData></VTKFile>\n",
                      extent, attributes, kind));
  };
  image("plain.vti", "Origin=\"0 0 0\" Spacing=\"1 1 1\"", "0 2 0 1 0 0");
  EXPECT_EQ(check("plain.vti").find("\nx "), std::string::npos);
  image("origin.vti", "Origin=\"10 20 0\" Spacing=\"0.5 2 1\"", "4 6 0 1 0 0");
  const std::string text = check("origin.vti");
  expect_in("x          x from 12 to 13\n", text);
  expect_in("y          y from 20 to 22\n", text);
  image("cells.vti", "Origin=\"10 20 0\" Spacing=\"0.5 2 1\"", "0 3 0 2 0 0", "CellData");
  expect_in("x          x from 10.25 to 11.25\n", check("cells.vti"));
  image("back.vti", "Origin=\"0 0 0\" Spacing=\"-1 1 1\"", "0 2 0 1 0 0");
  EXPECT_EQ(seen("back.vti"), (Values{3, 2, 1, 6, 5, 4}));
  expect_in("x from -2 to 0, falls in the file", check("back.vti"));
  image("turned.vti", "Origin=\"0 0 0\" Spacing=\"1 1 1\" Direction=\"0 -1 0 1 0 0 0 0 1\"", "0 2 0 1 0 0");
  EXPECT_EQ(seen("turned.vti"), (Values{4, 1, 5, 2, 6, 3})) << "its first axis leads upwards, its second to the left";
  image("odd.vti", "Origin=\"0 0 0\" Spacing=\"1 1 1\" Direction=\"1 0 1 0 0 0 0 0 1\"", "0 2 0 1 0 0");
  EXPECT_EQ(seen("odd.vti"), (Values{1, 2, 3, 4, 5, 6})) << "two of its axes lead the same way, so all are counted";
  write("down.vtk",
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 1 2\nORIGIN 5 0 -1\n"
        "SPACING 1 1 -0.5\nPOINT_DATA 6\nSCALARS T float\nLOOKUP_TABLE default\n1 2 3 4 5 6\n");
  EXPECT_EQ(seen("down.vtk"), (Values{4, 5, 6, 1, 2, 3}));
  expect_in("y          z from -1.5 to -1, falls in the file", check("down.vtk"));
  expect_in(">z<", page("down.vtk"));
  // A plane of another axis is named by it, where cells are counted too.
  write("cube.npy", npy<float>({2, 3, 4}, std::vector<float>(24, 1)));
  write("a.toml",
        "[solver]\nkind = \"data\"\nfiles = \"cube.npy\"\nslice = { x = 1 }\n[view]\nbackground = \"#ffffff\"\n"
        "[figure]\nwidth = \"85mm\"\naxes = \"ticks\"\n");
  ASSERT_EQ(run("render a.toml -o c.svg").exit, 0) << text_of(folder_ / "err.txt");
  expect_in(">z (cells)<", text_of(folder_ / "c.svg"));
  expect_in(">y (cells)<", text_of(folder_ / "c.svg"));
}

}  // namespace
}  // namespace simreel::test
