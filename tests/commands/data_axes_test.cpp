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

TEST_F(DataAxes, EveryAxisRises) {
  if (!python(R"(
v = np.arange(12.0, dtype="f4").reshape(3, 4)
put("up.nc", [-10, 0, 10], [0, 10, 20, 30], v)
put("left.nc", [-10, 0, 10], [30, 20, 10, 0], v[:, ::-1]); put("both.nc", [10, 0, -10], [30, 20, 10, 0], v[::-1, ::-1])
put("other.nc", [10, 0, -10], [0, 10, 20, 30], v[::-1])
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const Values up = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (const char* name : {"up", "left", "both"}) EXPECT_EQ(seen(fmt::format("{}.nc:/v", name)), up) << name;
  EXPECT_EQ(seen("left.nc:/v --set solver.coordinates=false"), (Values{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
  EXPECT_EQ(seen("both.nc:/v --set solver.origin=lower"), (Values{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}));
  expect_in("x          lon from 0 to 30 \u00B0E, falls in the file\n", check("left.nc:/v"));
  EXPECT_TRUE(page("left.nc:/v") == page("up.nc:/v"));
  // The rows of each file of a series lie as its own coordinates say.
  ASSERT_EQ(run("view '*.nc:/v' -o t/%d.npy").exit, 0) << text_of(folder_ / "err.txt");
  for (const char* name : {"t/0.npy", "t/1.npy", "t/2.npy", "t/3.npy"}) {
    const auto file = open_array_file(folder_ / name);
    EXPECT_EQ(file->values(file->arrays()[0], 100), up) << name;
  }
}

TEST_F(DataAxes, LongitudesThatBeginAgainAreRolled) {
  if (!python(R"(
lon = np.r_[np.arange(0, 180, 10.0), np.arange(-180, 0, 10.0)]
v = np.tile(lon, (2, 1))
put("world.nc", [0, 10], lon, v); put("back.nc", [0, 10], lon[::-1], v[:, ::-1])
part = np.r_[np.arange(340, 360, 10.0), np.arange(0, 20, 10.0)]
put("part.nc", [0, 10], part, np.tile(part, (2, 1)))
k = np.fft.fftfreq(8) * 8
put("waves.h5", [0, 1], k, np.tile(k, (2, 1)), ("y", "k"), None)
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  for (const char* name : {"world", "back"}) {
    const Values rolled = seen(fmt::format("{}.nc:/v", name));
    ASSERT_EQ(rolled.size(), 72u);
    for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(rolled[i], -180 + 10 * static_cast<double>(i)) << name;
    const std::string text = check(fmt::format("{}.nc:/v", name));
    expect_in("lon from -180 to 170 \u00B0E, ", text);
    expect_in("rolled by 18 entries\n", text);
    expect_in("data, 36 x 2 cells, 1 step", text);  // square ones
  }
  EXPECT_EQ(seen("world.nc:/v --set solver.roll=none")[0], 0);
  expect_in("lon from 0 to 350 \u00B0E\n", check("world.nc:/v", "roll = \"none\""));
  EXPECT_EQ(seen("part.nc:/v"), (Values{340, 350, 0, 10, 340, 350, 0, 10})) << "it has no other side";
  expect_in("lon from -20 to 10 \u00B0E\n", check("part.nc:/v"));
  EXPECT_EQ(seen("waves.h5:/v"), (Values{-4, -3, -2, -1, 0, 1, 2, 3, -4, -3, -2, -1, 0, 1, 2, 3}));
}

TEST_F(DataAxes, UnevenCellsHaveTheirSizes) {
  if (!python(R"(
v = np.arange(8.0, dtype="f4").reshape(2, 4)
put("a.nc", [0, 1], [0.5, 1.5, 3, 5], v, ("y", "x"), ("m", "m"))   # cells end at 0, 1, 2.25, 4, 6
put("end.nc", [0, 1], [0, 1, 2, 30], v, ("y", "x"), ("m", "m"))
put("fold.nc", [0, 1], [0, 1, 3, 2], v, ("y", "x"), ("m", "m")); put("twice.nc", [0, 1], [0, 10, 10, 20], v)
put("none.nc", [0, 1], [0, 1, np.nan, 3], v, ("y", "x"), ("m", "m")); put("equal.nc", [0, 1], [7.0] * 4, v)
put("single.nc", [0, 1], (np.arange(4) * 0.0005 + 359).astype("f4"), v)
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  EXPECT_EQ(seen("a.nc:/v"), (Values{0, 1, 2, 3, 4, 5, 6, 7}));
  const std::string warning = check("a.nc:/v");
  expect_in("warning: a.nc:/x: its coordinates are not evenly spaced; they are drawn as if they were", warning);
  expect_in("uneven = \"resample\"", warning);
  EXPECT_EQ(seen("a.nc:/v --set solver.uneven=resample"), (Values{0, 1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 7}));
  expect_in("x          x from 0.5 to 5.5 m, 4 uneven cells drawn as 6 equal ones\n",
            check("a.nc:/v", "uneven = \"resample\""));
  expect_in("data, 4 x 2 cells, 1 step", check("end.nc:/v"));  // one that lies far away changes no other
  expect_in("fold.nc:/x: its coordinates neither rise nor fall: 3 at entry 2, from 0, and 2 at entry 3",
            check("fold.nc:/v"));
  expect_in("twice.nc:/lon: its coordinates neither rise nor fall: 10 at entry 1, from 0, and 10 at entry 2",
            check("twice.nc:/v"));
  expect_in("none.nc:/x: its coordinate at entry 2, from 0, is no number", check("none.nc:/v"));
  for (const char* name : {"fold", "twice", "none"})
    EXPECT_EQ(run(fmt::format("view {}.nc:/v -o b.hashes", name)).exit, 2);
  EXPECT_EQ(seen("fold.nc:/v --set solver.coordinates=false").size(), 8u);
  EXPECT_EQ(check("equal.nc:/v").find("lon"), std::string::npos) << "nobody gave coordinates";
  expect_in("x          lon from 359 to ", check("single.nc:/v"));  // even but for rounding
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

TEST_F(DataAxes, CoordinatesOfEachCellAreNamedAndNotDrawn) {
  if (!python(R"(
y, x = np.mgrid[0:3, 0:4].astype("f4")
def curved(name, coordinates, lat, lon, shape=(3, 4), regular=False):
    with h5py.File(name, "w") as f:
        f["T"] = np.arange(np.prod(shape), dtype="f4").reshape(shape)
        for key, at, unit in (lat, 40 + y + x / 9, "degrees_north"), (lon, 5 + x - y / 9, "degrees_east"):
            f[key] = np.broadcast_to(at, shape) if len(shape) > 2 else at; f[key].attrs["units"] = unit
        if coordinates: f["T"].attrs["coordinates"] = coordinates
        if regular:
            f["x"] = np.arange(4) * 1000.0; f["x"].make_scale("x"); f["T"].dims[1].attach_scale(f["x"])
curved("wrf.nc", "XLONG XLAT", "XLAT", "XLONG", (2, 3, 4)); curved("roms.nc", "lon_rho lat_rho", "lat_rho", "lon_rho")
curved("nemo.nc", None, "nav_lat", "nav_lon"); curved("lambert.nc", "lat lon", "lat", "lon", regular=True)
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  for (const auto& [name, names] :
       {std::pair("wrf", "XLAT and XLONG"), {"roms", "lat_rho and lon_rho"}, {"nemo", "nav_lat and nav_lon"}}) {
    const std::string text = check(fmt::format("{}.nc:/T", name)),
                      words = fmt::format(
                          "{}.nc:/T: its coordinates, {}, have two dimensions; the picture shows rows and columns",
                          name, names);
    expect_in(words, text);
    EXPECT_EQ(text.find(words), text.rfind(words)) << "once";
    EXPECT_EQ(check(fmt::format("{}.nc:/T", name), "extent = [0, 1, 0, 1]").find("two dimensions"), std::string::npos);
  }
  expect_in("x          x from 0 to 3000\n", check("lambert.nc:/T"));
  EXPECT_EQ(check("lambert.nc:/T").find("two dimensions"), std::string::npos);
}

}  // namespace
}  // namespace simreel::test
