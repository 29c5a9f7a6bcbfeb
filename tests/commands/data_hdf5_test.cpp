// HDF5 and NetCDF-4 as other programs write them: which values are missing, which array is meant, what is not read.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "formats/array_file.h"
#include "tests/support/h5py_test.h"

namespace simreel::test {
namespace {

class DataHdf5 : public H5pyTest {
 protected:
  // What `view` takes the values of the first step to be.
  std::vector<double> seen(const std::string& spec) {
    const Outcome outcome = run(fmt::format("view '{}' -o s/%d.npy --size 64x48 --overwrite", spec));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    if (outcome.exit != 0) return {};
    const auto file = open_array_file(folder_ / "s/0.npy");
    return file->values(file->arrays()[0], 1 << 20);
  }
  void expect(const std::string& spec, const std::vector<double>& values) {
    const std::vector<double> found = seen(spec);
    ASSERT_EQ(found.size(), values.size()) << spec;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(found[i] == values[i] || (std::isnan(found[i]) && std::isnan(values[i])))
          << spec << " " << i << ": " << found[i] << ", not " << values[i];
  }
  void refuses(const std::string& spec, const std::string& words) {
    const Outcome outcome = run(fmt::format("view '{}' -o s/%d.npy --size 64x48 --overwrite", spec));
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
};

TEST_F(DataHdf5, ValuesThatNetcdfCallsMissingAreMissing) {
  if (!python(R"(
with h5py.File("a.nc", "w") as f:
    f.attrs["_NCProperties"] = np.bytes_("version=2,netcdf=4.9.0,hdf5=1.12.2")
    def put(name, type, values, **attributes):
        f[name] = np.array(values).astype(type).reshape(2, 2)
        for key, value in attributes.items(): f[name].attrs[key] = value
    put("range", "f4", [0.1, 1, 2, 3], valid_range=[0.1, 2.0])
    put("ends", "f8", [-1, 0, 1, 2], valid_min=0.0, valid_max=1.0)
    put("packed", "i2", [0, 10, 20, 30], scale_factor=0.5, add_offset=1.0, valid_max=np.int16(20))
    put("unpacked", "i2", [0, 10, 20, 30], scale_factor=0.5, add_offset=1.0, valid_max=6.0)
    put("bytes", "i1", [-1, -2, 0, 127], _Unsigned="true", _FillValue=np.int8(-2))
    put("unset", "f4", [9.969209968386869e36, 0, 1, 2])
    for kind, first in ("i2", -32767), ("i4", -2147483647), ("u2", 65535), ("i1", -127), ("i8", -2**63 + 2), ("u8", 2**64 - 2):
        put("unset_" + kind, kind, np.array([first, 0, 1, 2], kind), scale_factor=0.5)
    put("double_fill", "f4", [1.1, 0, 1, 2], _FillValue=1.1)
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  expect("a.nc:/range", {static_cast<double>(0.1F), 1, 2, none});
  expect("a.nc:/ends", {none, 0, 1, none});
  expect("a.nc:/packed", {1, 6, 11, none});
  expect("a.nc:/unpacked", {1, 6, none, none});
  expect("a.nc:/bytes", {255, none, 0, 127});
  expect("a.nc:/unset", {none, 0, 1, 2});
  for (const char* kind : {"i2", "i4", "u2", "i8", "u8"})
    expect(fmt::format("a.nc:/unset_{}", kind), {none, 0, 0.5, 1});
  expect("a.nc:/unset_i1", {-63.5, 0, 0.5, 1});  // of bytes every value is meant
  expect("a.nc:/double_fill", {none, 0, 1, 2});
}

// As netCDF4 for Python takes them, or with a word.
TEST_F(DataHdf5, AttributesInOtherFormsAreUnderstoodOrNamed) {
  if (!python(R"(
with h5py.File("a.nc", "w") as f:
    def put(name, type, values, **attributes):
        f[name] = np.array(values).astype(type).reshape(2, 2)
        for key, value in attributes.items(): f[name].attrs[key] = value
    put("list", "f4", [-999, 1, -9999, 2], missing_value=np.float32([-999, -9999]))
    put("packed", "i2", [-999, 10, -9999, 20], missing_value=np.int16([-999, -9999]), scale_factor=0.5)
    put("text", "i2", [-999, 10, 20, 30], scale_factor="0.5", add_offset=np.bytes_("1"), missing_value="-999")
    put("limits", "f4", [-5, 0, 1, 99], valid_range="0, 50")
    put("no_scale", "i2", [1, 2, 3, 4], scale_factor="about 2"); put("scales", "i2", [1, 2, 3, 4], scale_factor=[2.0, 3.0])
    put("three", "f4", [1, 2, 3, 4], valid_range=np.float32([1, 2, 3])); put("one", "f4", [1, 2, 3, 4], valid_range=2.0)
    put("least", "f4", [1, 2, 3, 4], valid_min=[2.0, 3.0])
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  expect("a.nc:/list", {none, 1, none, 2});
  expect("a.nc:/packed", {none, 5, none, 10});
  expect("a.nc:/text", {none, 6, 11, 16});
  expect("a.nc:/limits", {none, 0, 1, none});
  for (const auto& [name, words] : {std::pair("no_scale", "scale_factor is \"about 2\", which is no number"),
                                    {"scales", "scale_factor does not hold one number"},
                                    {"three", "valid_range does not hold 1 to 2 numbers"},
                                    {"one", "valid_range holds one number instead of two"},
                                    {"least", "valid_min does not hold one number"}}) {
    expect(fmt::format("a.nc:/{}", name), {1, 2, 3, 4});
    EXPECT_NE(text_of(folder_ / "err.txt").find(fmt::format("warning: a.nc:/{}: its attribute {}", name, words)),
              std::string::npos)
        << text_of(folder_ / "err.txt");
  }
}

TEST_F(DataHdf5, SolidCellsBesideAnUprightPlaneAreDrawn) {
  if (!python(R"(
solid = np.zeros((3, 4)); solid[1, 1] = 1
np.savez("a.npz", rho=np.arange(12.0).reshape(3, 1, 4), solid=solid); np.savez("b.npz", rho=np.arange(12.0).reshape(3, 1, 4))
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  for (const char* name : {"a", "b"}) {
    const Outcome outcome = run(fmt::format("view {0}.npz:rho --set solver.axes=zyx --size 64x48 -o {0}.hashes", name));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
  }
  EXPECT_NE(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
}

TEST_F(DataHdf5, CoordinatesAndTheirBoundsAreNotDrawnUnasked) {
  if (!python(R"(
with h5py.File("a.nc", "w") as f:
    f["bnds"] = np.zeros((6, 2)); f["lat"] = np.ones((2, 2)); f["lon"] = np.ones((2, 2)); f["time"] = np.zeros(6)
    f["rho"] = np.array([[1.0, 2], [3, 4]])
    f["time"].attrs["bounds"] = "bnds"
    f["rho"].attrs["coordinates"] = "lon  lat"
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  expect("a.nc", {1, 2, 3, 4});
  expect("a.nc:/lat", {1, 1, 1, 1});
}

TEST_F(DataHdf5, FilesThatCountTheirTimesFromOtherDatesHaveOneTime) {
  if (!python(R"(
def put(name, unit, times, calendar=None):
    with h5py.File(name, "w") as f:
        d = f.create_dataset("v", data=np.zeros((len(times), 2, 2)))
        f["time"] = np.array(times, "f8"); f["time"].attrs["units"] = unit
        if calendar: f["time"].attrs["calendar"] = calendar
        f["time"].make_scale("time"); d.dims[0].attach_scale(f["time"])
put("a0.nc", "hours since 2020-02-28 12:00:00", [0, 6]); put("a1.nc", "days since 2020-03-01", [0, 0.25])
put("b0.nc", "days since 2020-02-28", [0], "noleap"); put("b1.nc", "days since 2020-3-1T00:00:00Z", [0], "noleap")
put("c0.nc", "days since 1900-01-30", [0], "360_day"); put("c1.nc", "minutes since 1900-02-01 0:10 UTC", [-10], "360_day")
put("e0.nc", "days since 1600-01-01", [0], "standard"); put("e1.nc", "days since 1600-01-02", [0], "gregorian"); put("e2.nc", "days since 1600-01-03", [0])
put("f0.nc", "days since 0001-01-01", [0], "gregorian"); put("f1.nc", "days since 0001-01-01", [1], "standard")
put("g0.nc", "days since 0001-01-01", [0], "standard"); put("g1.nc", "days since 2000-01-01", [0], "standard")
put("h0.nc", "days since 0001-01-01", [0], "proleptic_gregorian"); put("h1.nc", "days since 1582-10-15", [0], "proleptic_gregorian")
put("d0.nc", "days since 1900-01-30", [0]); put("d1.nc", "months since 1900-02-01", [0])
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const auto times = [&](const std::string& name) {
    const Outcome outcome = run(fmt::format("view '{}?.nc' -o {}.csv --size 64x48 --range 0,1", name, name));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return times_of(folder_ / (name + ".csv"));
  };
  EXPECT_EQ(times("a"), "step,time\n0,0\n1,6\n2,36\n3,42\n") << "2020 has a 29th of February";
  EXPECT_EQ(times("b"), "step,time\n0,0\n1,1\n") << "this calendar has not";
  EXPECT_EQ(times("c"), "step,time\n0,0\n1,1\n");
  EXPECT_EQ(times("e"), "step,time\n0,0\n1,1\n2,2\n") << "one calendar with three names";
  EXPECT_EQ(times("f"), "step,time\n0,0\n1,1\n");
  EXPECT_EQ(times("h"), "step,time\n0,0\n1,577735\n");
  EXPECT_EQ(times("g"), "step,time\n0,0\n1,730121\n") << "the Julian calendar before 1582";
  refuses("d?.nc", "d1.nc:/time: its times are in \"months since 1900-02-01\", and those of the first file in \"days");
}

TEST_F(DataHdf5, ArraysWithNumbersInTheirNamesAreSteps) {
  if (!python(R"(
with h5py.File("a.h5", "w") as f:
    for i in (2, 10, 1):
        f["step_%d" % i] = np.full((2, 3), float(i)); f["step_%d" % i].attrs["time"] = i / 2
        f["data/%d/rho" % i] = np.full((2, 3), 10.0 * i); f["data/%d" % i].attrs["t"] = i * 3
        f["xyz_%02d" % i] = np.full((4, 3), float(i))
    f["step_final"] = np.zeros((5, 5)); f["other"] = np.ones((2, 3))
    f["odd_1"] = np.zeros((2, 3)); f["odd_2"] = np.zeros((3, 2))
    for i in range(2):
        f["hole_%d" % i] = np.full((2, 3), float(i)); f["hole_%d" % i].attrs["_FillValue"] = np.nan
        f["scaled_%d" % i] = np.zeros((2, 3)); f["scaled_%d" % i].attrs["valid_max"] = 2.5 + i
np.savez("a.npz", *[np.full((2, 3), float(i)) for i in range(11)])
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const auto steps = [&](const std::string& arguments) {
    const Outcome outcome = run("view " + arguments + " -o a.csv -o s/%d.npy --size 64x48 --range 0,1 --overwrite");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return times_of(folder_ / "a.csv");
  };
  const auto last = [&](int step) {
    const auto file = open_array_file(folder_ / fmt::format("s/{}.npy", step));
    return file->values(file->arrays()[0], 100);
  };
  EXPECT_EQ(steps("a.h5:/step_%d --set solver.time=attr:time"), "step,time\n0,0.5\n1,1\n2,5\n");
  EXPECT_EQ(last(2), std::vector<double>(6, 10.0));
  EXPECT_EQ(steps("a.h5:data/%d/rho --set solver.time=attr:t"), "step,time\n0,3\n1,6\n2,30\n");
  EXPECT_EQ(last(1), std::vector<double>(6, 20.0));
  EXPECT_EQ(steps("'a.npz:arr_*'").size(), 10u + 10 * 4 + 6);
  EXPECT_EQ(last(10), std::vector<double>(6, 10.0)) << "in natural order";
  EXPECT_EQ(steps("a.h5:/xyz_%02d --set solver.content=bodies"), "step,time\n0,0\n1,1\n2,2\n");
  refuses("a.h5:/step_*",
          "a.h5:/step_final: it is 5 x 5 of float64, and /step_1 is 2 x 3 of float64; all that fit /step_*");
  refuses("a.h5:/odd_%d", "all that fit /odd_%d must have one shape and type");
  EXPECT_EQ(steps("a.h5:/hole_%d"), "step,time\n0,0\n1,1\n") << "no value is no value, and like any other";
  refuses("a.h5:/scaled_%d", "/scaled_1: its greatest valid value is 3.5, and that of /scaled_0 is 2.5; all that fit");
  refuses("a.h5:/snap_%d", "there is no array \"/snap_%d\", but: ");
  const Outcome check = run("view a.h5:/step_%d -o a.svg --size 400x300 --set figure.colorbar=right --overwrite");
  EXPECT_NE(text_of(folder_ / "a.svg").find(">step<"), std::string::npos) << check.err;
}

TEST_F(DataHdf5, AxesOfFiguresShowTheCoordinates) {
  if (!python(R"(
with h5py.File("a.nc", "w") as f:
    d = f.create_dataset("sst", data=np.arange(200.0).reshape(10, 20))
    for axis, (name, unit, at) in enumerate([("lat", "degrees_north", 70.0 - np.arange(10)), ("lon", "degrees_east", 100.0 + np.arange(20))]):
        f[name] = at; f[name].attrs["units"] = unit
        f[name].make_scale(name); d.dims[axis].attach_scale(f[name])
    f["bent"] = np.arange(20.0) ** 2
    f["bent"].make_scale("bent")
    e = f.create_dataset("e", data=np.arange(200.0).reshape(10, 20))
    e.dims[1].attach_scale(f["bent"])
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const auto words = [&](const std::string& arguments) {
    const Outcome outcome = run("view " + arguments + " -o a.svg --overwrite --size 400x300 --set figure.axes=ticks");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return text_of(folder_ / "a.svg");
  };
  const std::string known = words("a.nc:/sst");
  for (const char* word : {">lon (\u00B0E)<", ">lat (\u00B0N)<", ">105.0<", ">65.0<"})
    EXPECT_NE(known.find(word), std::string::npos) << word;
  EXPECT_NE(words("a.nc:/e").find(">x (cells)<"), std::string::npos) << "they are not even";
  EXPECT_NE(words("a.nc:/sst --set figure.units.length=km").find(">lon (km)<"), std::string::npos)
      << "the scene says it";
}

TEST_F(DataHdf5, BytesBeforeTheFileArePassedOver) {
  if (!python(R"(
for size in 512, 4096:
    with h5py.File("%d.mat" % size, "w", userblock_size=size) as f: f["v"] = np.array([[1.0, 2], [3, 4]])
    with open("%d.mat" % size, "r+b") as f: f.write(b"MATLAB 7.3 MAT-file")
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  expect("512.mat:/v", {1, 2, 3, 4});
  expect("512.mat:v", {1, 2, 3, 4});
  expect("4096.mat", {1, 2, 3, 4});
  std::filesystem::copy(std::string(folder_ / "512.mat"), std::string(folder_ / "plt_cnt_0010"));
  expect("plt_cnt_0010:/v", {1, 2, 3, 4});
  write("old.mat", "MATLAB 5.0 MAT-file");
  refuses("old.mat", R"(MATLAB writes HDF5 with save(..., "-v7.3"))");
}

TEST_F(DataHdf5, FilesThatNobodyNamedAreNotRead) {
  if (!python(R"(
layout = h5py.VirtualLayout(shape=(2, 2), dtype="f8")
for i in range(2):
    with h5py.File("part%d.h5" % i, "w") as f: f["v"] = np.array([1.0, 2]) + 2 * i
    layout[i] = h5py.VirtualSource("part%d.h5" % i, "v", shape=(2,))
loop = h5py.VirtualLayout(shape=(2, 2), dtype="f8")
loop[:] = h5py.VirtualSource(".", "loop", shape=(2, 2))
np.arange(4.0).tofile("secret.bin")
with h5py.File("other.h5", "w") as f: f["v"] = np.zeros((2, 2)); f["v"].attrs["time"] = 1.0
with h5py.File("all.h5", "w", libver="latest") as f:
    f.create_virtual_dataset("v", layout)
    f.create_virtual_dataset("loop", loop)
    f.create_dataset("raw", shape=(2, 2), dtype="f8", external=[("secret.bin", 0, 32)])
    f["out"] = h5py.ExternalLink("other.h5", "/"); f["through"] = h5py.SoftLink("/out/v")
    f["here"] = np.zeros((2, 2))
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  refuses("all.h5:/v", "all.h5:/v: it is a virtual dataset, put together from \"part0.h5\", which is not followed");
  refuses("all.h5:/loop", "all.h5:/loop: it is a virtual dataset, put together from \".\", which is not followed");
  refuses("all.h5:/raw", "all.h5:/raw: its values lie in another file, \"secret.bin\", which is not followed");
  refuses("all.h5:/through", "all.h5:/through: it is a link to what is not there");
  expect("all.h5", {0, 0, 0, 0});
  EXPECT_EQ(open_array_file(folder_ / "all.h5")->attribute("/out/v/time"), std::nullopt);
}

TEST_F(DataHdf5, WhatIsNotReadIsNamedWithTheReason) {
  if (!python(R"(
with h5py.File("a.h5", "w") as f:
    f["psi"] = np.ones((2, 2)) * 1j
    f["rows"] = np.zeros((2, 2), [("a", "f4"), ("b", "i4")])
    f["words"] = "some"
    f["step"] = 3
    f["long"] = np.zeros((2, 2), "g")
    f["none"] = h5py.Empty("f4")
    f["lost"] = h5py.SoftLink("/x"); f["outside"] = h5py.ExternalLink("b.h5", "/x")
with h5py.File("c.h5", "w") as f: f["psi"] = np.ones((2, 2)) * 1j
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  refuses("a.h5:/psi", "a.h5:/psi: its numbers are complex; save their magnitude");
  refuses("a.h5:/rows", "a.h5:/rows: it holds records (a, b); save one of their columns as an array");
  refuses("a.h5:/words", "a.h5:/words: it is text");
  refuses("a.h5:/step", "a.h5:/step: it is a single number; a picture needs two axes");
  refuses("a.h5:/long", "a.h5:/long: its numbers are floats of 16 bytes; save them as float64");
  refuses("a.h5:/none", "a.h5:/none: it is empty");
  refuses("a.h5:/lost", "a.h5:/lost: it is a link to what is not there");
  refuses("a.h5:/outside", "it is a link into another file, which is not followed; name that file: b.h5:/x");
  refuses("a.h5", "two axes or more is found in it; it holds /step: a single number; /long: ");
  refuses("c.h5", "two axes or more is found in it; it holds /psi: its numbers are complex");
  std::filesystem::create_directory(folder_ / "run");
  std::filesystem::create_directory(folder_ / "x.zarr");
  write("x.zarr/zarr.json", "{}");
  refuses("x.zarr", "x.zarr: it is a store of zarr, which simreel does not read");
  refuses("run", "run: it is a folder; name the files in it: \"");
}

// As vtkHDFWriter of VTK 9.7 writes them.
TEST_F(DataHdf5, MeshesOfVtkhdfAreRefusedAndTheirPointsAreBodies) {
  if (!python(R"(
def mesh(name, kind, types=None, cells={}, steps=0):
    with h5py.File(name, "w") as f:
        r = f.create_group("VTKHDF"); r.attrs["Version"] = [2, 8]; r.attrs.create("Type", np.bytes_(kind))
        at = r.create_group("Block_1") if "Multi" in kind else r
        at["Points"] = np.arange(12.0).reshape(4, 3); at["PointData/p"] = np.arange(4.0)
        if types is not None: at["Types"] = np.array(types, "u1")
        for cell, count in cells.items(): at[cell + "/Connectivity"] = np.zeros(count, "i8")
        if steps: r["Steps/Values"] = np.arange(steps * 1.0)
mesh("u.vtkhdf", "UnstructuredGrid", [10]); mesh("v.vtkhdf", "UnstructuredGrid", [1, 1, 1, 1])
mesh("w.vtkhdf", "UnstructuredGrid", [1, 3]); mesh("p.vtkhdf", "PolyData", None, {"Vertices": 0, "Polygons": 3, "Lines": 0})
mesh("q.vtkhdf", "PolyData", None, {"Vertices": 4, "Polygons": 0}); mesh("m.vtkhdf", "MultiBlockDataSet", [10])
mesh("s.vtkhdf", "PolyData", None, {"Vertices": 4}, 2)
with h5py.File("a.vtkhdf", "w") as f:
    r = f.create_group("VTKHDF"); r.attrs.create("Type", np.bytes_("OverlappingAMR")); r["Level0/CellData/p"] = np.zeros((2, 2, 2))
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const std::string way_out = "; simreel reads ImageData and RectilinearGrid: in ParaView the filter Resample To Image";
  const std::string points = "; content = \"bodies\" in [solver] draws its points";
  view_all({{"u.vtkhdf", "", "u.vtkhdf: it holds \"UnstructuredGrid\"" + way_out},
            {"u.vtkhdf:/VTKHDF/PointData/p", "", "u.vtkhdf: it holds \"UnstructuredGrid\"" + way_out},
            {"u.vtkhdf", "", points},
            {"u.vtkhdf --set solver.content=bodies", "0", "each body counts as 1 and as at rest"},
            {"v.vtkhdf", "0", "v.vtkhdf:/VTKHDF/Points: it has neither masses nor velocities"},
            {"w.vtkhdf", "", "w.vtkhdf: it holds \"UnstructuredGrid\"" + way_out},
            {"p.vtkhdf", "", "p.vtkhdf: it holds \"PolyData\"" + way_out},
            {"q.vtkhdf", "0", "q.vtkhdf:/VTKHDF/Points: it has neither masses nor velocities"},
            {"m.vtkhdf", "", "m.vtkhdf: it holds \"MultiBlockDataSet\"" + way_out},
            {"a.vtkhdf", "", "a.vtkhdf: it holds \"OverlappingAMR\"" + way_out},
            {"s.vtkhdf", "", "s.vtkhdf: it holds \"PolyData\" of 2 steps, one behind the other"}});
}

// As MATLAB's save(..., "-v7.3") writes them.
TEST_F(DataHdf5, OnlyNumbersOfMatlabAreDrawn) {
  if (!python(R"(
with h5py.File("a.mat", "w", userblock_size=512) as f:
    def put(name, kind, values, **attributes):
        d = f.create_dataset(name, data=values); d.attrs.create("MATLAB_class", np.bytes_(kind))
        for key, value in attributes.items(): d.attrs[key] = value
        return d
    put("a_text", "char", np.array([[80], [81], [82]], "u2"), MATLAB_int_decode=np.int32(2))
    put("b_none", "double", np.array([0, 3], "u8"), MATLAB_empty=np.uint8(1))
    put("c_word", "string", np.zeros((1, 6), "u4"), MATLAB_object_decode=np.int32(3))
    put("d_number", "double", np.ones((1, 1))); put("e_list", "single", np.ones((5, 1), "f4"))
    s = f.create_group("f_sparse"); s.attrs["MATLAB_sparse"] = np.uint64(3); s.attrs.create("MATLAB_class", np.bytes_("double"))
    s["data"] = np.ones((2, 2)); s["ir"] = np.zeros(2, "u8"); s["jc"] = np.zeros(4, "u8")
    g = f.create_group("g_struct"); g.attrs.create("MATLAB_class", np.bytes_("struct")); put("g_struct/w", "double", np.zeros((2, 1)))
    put("#refs#/a", "double", np.zeros((3, 3))); put("#refs#/b", "char", np.array([[80, 81]], "u2"))
    cell = put("h_cell", "cell", np.array([[f["#refs#/a"].ref, f["#refs#/b"].ref]], h5py.ref_dtype))
    f.create_dataset("i_complex", data=np.zeros((2, 2), [("real", "f8"), ("imag", "f8")])).attrs.create("MATLAB_class", np.bytes_("double"))
    put("u", "double", np.array([[1.0, 2], [3, 4], [5, 6]]))   # u = [1 3 5; 2 4 6]
    put("v", "logical", np.array([[1, 0]] * 3, "u1"), MATLAB_int_decode=np.int32(1))
with h5py.File("text.mat", "w") as f: f.create_dataset("t", data=np.array([[80, 81]], "u2")).attrs.create("MATLAB_class", np.bytes_("char"))
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  expect("a.mat", {1, 2, 3, 4, 5, 6});
  const std::string said = text_of(folder_ / "err.txt");
  for (const char* words : {"a.mat: /u is drawn, one of arrays of several shapes; ", "; nor 5 more",
                            "a.mat:/u: MATLAB writes its first index last",
                            "axes = \"xy\" in [solver] draws what imagesc and axis xy show"})
    EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
  EXPECT_EQ(H5pyTest::seen("a.mat:/u --set solver.axes=xy"), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(text_of(folder_ / "err.txt").find("MATLAB writes"), std::string::npos);
  expect("a.mat:/v", {1, 0, 1, 0, 1, 0});
  expect("a.mat:/g_struct/w", {0, 0});
  view_all({{"a.mat:/a_text", "", "a.mat:/a_text: it is text"},
            {"a.mat:/b_none", "", "a.mat:/b_none: it is empty"},
            {"a.mat:/c_word", "", "a.mat:/c_word: it is a string of MATLAB, no array of numbers"},
            {"a.mat:/f_sparse", "", "a.mat:/f_sparse: it is a sparse matrix; save it as a full one: full(A)"},
            {"a.mat:/h_cell", "", "a.mat:/h_cell: it is a cell of MATLAB"},
            {"a.mat:/i_complex", "", "a.mat:/i_complex: its numbers are complex; save their magnitude"},
            {"text.mat", "", "it holds /t: it is text"}});
}

// Whatever comes first.
TEST_F(DataHdf5, ArraysThatCannotBeReadBarNoOther) {
  if (!python(R"(
def others(f):
    yield "compound", lambda n: f.create_dataset(n, data=np.zeros((2, 2), [("a", "f4"), ("b", "i4")]))
    yield "reference", lambda n: f.create_dataset(n, data=np.array([[f.ref] * 2] * 2, h5py.ref_dtype))
    yield "text", lambda n: f.create_dataset(n, data=np.array([[b"a", b"b"]] * 2))
    yield "vlen", lambda n: f.create_dataset(n, (2, 2), h5py.string_dtype())
    yield "opaque", lambda n: f.create_dataset(n, data=np.zeros((2, 2), "V5"))
    yield "raw", lambda n: f.create_dataset(n, (2, 2), "f8", external=[("raw.bin", 0, 32)])
    parts = h5py.VirtualLayout((2, 2), "f8"); parts[:] = h5py.VirtualSource("part.h5", "v", shape=(2, 2))
    yield "virtual", lambda n: f.create_virtual_dataset(n, parts)
    yield "tuple", lambda n: f.create_dataset(n, (2, 2), np.dtype(("f8", (3,))))
for i, name in enumerate([kind for kind, _ in others(None)] + ["filter"]):
    with h5py.File(name + ".h5", "w") as f:
        made = dict(others(f))
        if name in made: made[name]("a")
        else: f.create_dataset("a", data=np.ones((2, 2)), chunks=(2, 2), compression="lzf")
        f["u"] = np.array([[1.0, 2], [3, 4]])
raw = bytearray(open("filter.h5", "rb").read()); mark = bytes([32000 % 256, 32000 // 256])
while mark in raw: raw[raw.find(mark)] = 1
open("filter.h5", "wb").write(raw)
with h5py.File("enum.h5", "w") as f:
    f.create_dataset("u", data=np.array([[0, 5], [5, 0]], "i1"), dtype=h5py.enum_dtype({"clear": 0, "cloud": 5}, "i1"))
with h5py.File("large.h5", "w") as f: f["u"] = np.array([[2**53, 2**53 + 1], [0, 1]])
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  for (const auto& [name, why] :
       {std::pair("compound", "it holds records (a, b)"),
        {"reference", "its values are not numbers"},
        {"text", "it is text"},
        {"vlen", "it is text"},
        {"opaque", "its values are not numbers"},
        {"raw", "its values lie in another file"},
        {"virtual", "it is a virtual dataset"},
        {"tuple", "its values are not numbers"},
        {"filter", "it is packed with the HDF5 filter 32001 (lzf), which this build lacks"}}) {
    expect(fmt::format("{}.h5", name), {1, 2, 3, 4});
    EXPECT_NE(text_of(folder_ / "err.txt").find(fmt::format("{}.h5: /u is drawn; /a is not read: {}", name, why)),
              std::string::npos)
        << text_of(folder_ / "err.txt");
    refuses(fmt::format("{}.h5:/a", name), why);
  }
  expect("enum.h5", {0, 5, 5, 0});
  expect("large.h5", {9007199254740992, 9007199254740992, 0, 1});
  EXPECT_NE(text_of(folder_ / "err.txt").find("large.h5:/u: integers of 2^53 and beyond are rounded"),
            std::string::npos)
      << text_of(folder_ / "err.txt");
}

TEST_F(DataHdf5, FilesThatAProgramWritesOrLeftOpenAreReadOrNameTheWayOut) {
  if (!python(R"(
import os, sys
for name, swmr in ("swmr", True), ("left", False):
    if os.fork() == 0:
        f = h5py.File(name + ".h5", "w", libver="latest")
        d = f.create_dataset("u", data=np.array([[1.0, 2], [3, 4]]), chunks=(2, 2), maxshape=(None, None))
        f.flush()
        if swmr: f.swmr_mode = True
        os._exit(0)
    os.wait()
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  expect("swmr.h5", {1, 2, 3, 4});
  refuses("left.h5", "nothing writes it any more, clear its mark: h5clear -s left.h5");
}

}  // namespace
}  // namespace simreel::test
