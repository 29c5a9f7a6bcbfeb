// Members of a file that cannot be read bar no others; and NetCDF's classic
// formats.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "compare/picture.h"
#include "formats/array_file.h"
#include "tests/support/h5py_test.h"
#include "tests/support/npy.h"

namespace simreel::test {
namespace {

using Values = std::vector<double>;

std::string numbers(int count, const char* each) {
  std::string text;
  for (int i = 0; i < count; ++i) text += each;
  return text;
}

class DataMembers : public H5pyTest {
 protected:
  void says(const std::string& words) {
    const std::string text = text_of(folder_ / "err.txt");
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  void refuses(const std::string& spec, const std::string& words) {
    EXPECT_EQ(run(fmt::format("view '{}' -o b.hashes", spec)).exit, 2);
    says(words);
  }
};

// flag_values and flag_meanings, as netCDF4 writes them: each value has one colour, and its name next to the bar.
TEST_F(DataMembers, FlagsAreClasses) {
  if (!python(R"(
with h5py.File("a.h5", "w") as f:
    for name in ("cover", "odd", "bits"):
        f[name] = np.array([[1, 2, 2, 5], [5, 1, 9, 2]], "i1")
    f["cover"].attrs.update(flag_values=np.array([1, 2, 5], "i1"), flag_meanings="open_water forest  city")
    f["bits"].attrs.update(flag_values=np.array([1, 2, 5], "i1"), flag_masks=np.array([1, 2, 4], "i1"), flag_meanings="a b c")
    f["odd"].attrs.update(flag_values=np.array([1, 2, 5], "i1"), flag_meanings="open_water forest")
)"))
    GTEST_SKIP() << "needs h5py";
  ASSERT_EQ(run("view a.h5:/cover -o a.png --size 400x200 --colormap gray --set view.nan=#ff0000").exit, 0);
  const Picture picture = read_picture(folder_ / "a.png");
  const Color low{0, 0, 0, 255}, mid{128, 128, 128, 255}, top{255, 255, 255, 255}, none{255, 0, 0, 255};
  const Color expected[2][4] = {{top, low, none, mid}, {low, mid, mid, top}};
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 400; ++x) ASSERT_EQ(picture.at(x, y), expected[y / 100][x / 100]) << x << " " << y;
  ASSERT_EQ(run("view a.h5:/cover -o a.svg --label").exit, 0);
  for (const char* name : {"open water", "forest", "city"})
    EXPECT_NE(text_of(folder_ / "a.svg").find(name), std::string::npos) << name;
  ASSERT_EQ(run("view a.h5:/bits -o bits.png --size 400x200 --colormap gray").exit, 0);
  EXPECT_GT(read_picture(folder_ / "bits.png").at(250, 50).r, 240) << "bits are numbers";
  ASSERT_EQ(run("view a.h5:/odd -o odd.png --size 400x200").exit, 0);
  says("flag_meanings holds 2 names for 3 flag_values, and is left out");
}

TEST_F(DataMembers, OneThatIsUnreadableBarsNoOther) {
  if (!python(R"(
u = np.arange(4.0).reshape(2, 2)
for name, save in ("a.npz", np.savez), ("packed.npz", np.savez_compressed):
    save(name, params=np.array("Re=100"), u=u, list=np.array([{}, []], dtype=object), z=u * 1j)
np.savez("two.npz", first=u, other=np.zeros((3, 3)))
np.savez("none.npz", params=np.array("Re=100"))
import zipfile
with zipfile.ZipFile("odd.npz", "w", zipfile.ZIP_BZIP2) as f: f.writestr("p.npy", b"x")
with zipfile.ZipFile("odd.npz", "a") as f: f.write("u.npy") if np.save("u.npy", u) is None else None
raw = bytearray(open("packed.npz", "rb").read())
at = raw.find(b"params.npy") + 40
raw[at] ^= 255
open("damaged.npz", "wb").write(raw)
with h5py.File("a.h5", "w") as f:
    f["u"] = u
    f.create_dataset("huge", (2**22, 2**21), "f4", chunks=(64, 64))
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  for (const char* name : {"a", "packed", "damaged", "odd"}) {
    EXPECT_EQ(seen(fmt::format("{}.npz:u", name)), (Values{0, 1, 2, 3})) << name;
    EXPECT_EQ(seen(fmt::format("{}.npz", name)), (Values{0, 1, 2, 3})) << name;
  }
  seen("a.npz");
  says("a.npz: u is drawn; list is not read: ");
  refuses("a.npz:params", "a.npz:params: its values are of numpy's type \"<U6\"");
  refuses("a.npz:z", "a.npz:z: its numbers are complex");
  refuses("odd.npz:p", "odd.npz:p: it is packed by a method that numpy does not use (12)");
  refuses("none.npz", "none.npz:params: its values are of numpy's type");
  EXPECT_EQ(seen("two.npz"), (Values{0, 1, 2, 3}));
  says(
      "two.npz: first is drawn, one of arrays of several shapes; name "
      "one of them in \"files\" behind a colon");
  EXPECT_EQ(seen("a.h5:/u"), (Values{0, 1, 2, 3}));
  refuses("a.h5:/huge", "a.h5:/huge: the header claims 4194304 x 2097152 values");
}

TEST_F(DataMembers, ArraysOfVtkThatAreNotReadArePassedOver) {
  const std::string head =
      "# vtk DataFile Version 3.0\nby hand\n{}\nDATASET "
      "STRUCTURED_POINTS\nDIMENSIONS 2 2 1\n"
      "ORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 4\n";
  const std::string last = "SCALARS u float\nLOOKUP_TABLE default\n";
  write("a.vtk", fmt::format(fmt::runtime(head), "ASCII") +
                     "SCALARS flags bit\nLOOKUP_TABLE default\n0 1 1 0\nFIELD "
                     "f 1\nmany 12 4 float\n" +
                     numbers(48, "1 ") +
                     "\nTEXTURE_COORDINATES t 2 float\n1 2 3 4 5 6 7 "
                     "8\nTENSORS s float\n" +
                     numbers(36, "2 ") + "\n" + last + "1 2 3 4\n");
  EXPECT_EQ(seen("a.vtk:u"), (Values{1, 2, 3, 4}));
  EXPECT_EQ(seen("a.vtk:s"), (Values{6, 6, 6, 6}));
  refuses("a.vtk:flags", "a.vtk:flags: it holds bits; write them as bytes");
  refuses("a.vtk:many", "a.vtk:many: it has 12 components, and simreel reads 1 to 9");
  write("b.vtk", fmt::format(fmt::runtime(head), "BINARY") + "SCALARS flags bit\nLOOKUP_TABLE default\n\x60\n" + last +
                     std::string("\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0", 16) + "\n");
  EXPECT_EQ(seen("b.vtk:u"), (Values{1, 2, 3, 4}));
  write("a.vti",
        "<?xml version=\"1.0\"?>\n<VTKFile "
        "type=\"ImageData\">\n<ImageData WholeExtent=\"0 1 0 1 0 0\" "
        "Spacing=\"1 1 1\">\n<Piece Extent=\"0 1 0 1 0 "
        "0\"><PointData>\n<DataArray type=\"String\" Name=\"words\" "
        "format=\"ascii\">\n65 0 66 0\n</DataArray>\n<DataArray "
        "type=\"Float64\" Name=\"u\" format=\"ascii\">\n1 2 3 4\n"
        "</DataArray>\n</PointData></Piece></ImageData></VTKFile>\n");
  EXPECT_EQ(seen("a.vti"), (Values{1, 2, 3, 4}));
  refuses("a.vti:words", "a.vti:words: its values are of VTK's type \"String\"");
}

TEST_F(DataMembers, RectilinearGridsHaveTheirCoordinates) {
  write(
      "a.vtk",
      "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET RECTILINEAR_GRID\nDIMENSIONS 3 2 1\nX_COORDINATES 3 float\n"
      "4 2 0\nY_COORDINATES 2 float\n1 3\nZ_COORDINATES 1 float\n0\nPOINT_DATA 6\nSCALARS u float\n"
      "LOOKUP_TABLE default\n1 2 3 4 5 6\n");
  const auto xml = [&](const std::string& kind, const std::string& xs, const std::string& ys, const char* extent) {
    const std::string array = "<DataArray type=\"Float64\" format=\"ascii\" Name=\"{}\">\n{}\n</DataArray>\n";
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"RectilinearGrid\">\n<RectilinearGrid WholeExtent="
        "\"{0}\">\n<Piece Extent=\"{0}\"><{1}>\n{2}</{1}>\n<Coordinates>\n{3}{4}{5}</Coordinates>\n"
        "</Piece></RectilinearGrid></VTKFile>\n",
        extent, kind, fmt::format(fmt::runtime(array), "u", "1 2 3 4 5 6"),
        fmt::format(fmt::runtime(array), "x_coordinates", xs), fmt::format(fmt::runtime(array), "y_coordinates", ys),
        fmt::format(fmt::runtime(array), "z_coordinates", "0"));
  };
  write("b.vtr", xml("PointData", "4 2 0", "1 3", "0 2 0 1 0 0"));
  write("c.vtr", xml("CellData", "5 3 1 -1", "0 2 4", "0 3 0 2 0 0"));
  for (const char* name : {"a.vtk", "b.vtr", "c.vtr"}) {
    EXPECT_EQ(seen(name), (Values{3, 2, 1, 6, 5, 4})) << name;
    write("a.toml", fmt::format("[solver]\nkind = \"data\"\nfiles = \"{}\"\n", name));
    const std::string text = run("check a.toml").out;
    EXPECT_NE(text.find("x from 0 to 4, falls in the file\n"), std::string::npos) << text;
    EXPECT_NE(text.find("y from 1 to 3\n"), std::string::npos) << text;
  }
  write("d.vtr", xml("PointData", "0 1 3", "1 3", "0 2 0 1 0 0"));  // cells end at 0.5, 2 and 4, and are drawn as five
  EXPECT_EQ(seen("d.vtr --set solver.uneven=resample"), (Values{1, 2, 2, 3, 3, 4, 5, 5, 6, 6}));
}

TEST_F(DataMembers, AMissingPieceIsNamedByItsLine) {
  write("0.npy", npy<float>({1, 2}, {0, 1}));
  write("run.pvd",
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\">\n<Collection>\n"
        "<DataSet timestep=\"2\" file=\"0.npy\"/>\n\n<DataSet timestep=\"1\"\n "
        "file=\"lost.vti\"/>\n"
        "</Collection>\n</VTKFile>\n");
  refuses("run.pvd",
          "run.pvd:7: lost.vti is missing; write it again, or take "
          "its line out of the list");
}

// As the specification of the format has it; there is no netCDF4 here.
TEST_F(DataMembers, ClassicNetcdfIsRead) {
  if (!python(R"(
import struct
def text(s): return struct.pack(">I", len(s)) + s.encode() + b"\0" * (-len(s) % 4)
types = {"i1": 1, "S1": 2, "i2": 3, "i4": 4, "f4": 5, "f8": 6, "u1": 7}
def attributes(pairs):
    out = struct.pack(">II", 12 if pairs else 0, len(pairs))
    for name, value in pairs.items():
        a = np.frombuffer(value.encode(), "S1") if isinstance(value, str) else np.atleast_1d(value)
        raw = a.astype(a.dtype.newbyteorder(">")).tobytes()
        out += text(name) + struct.pack(">II", types[a.dtype.str[1:]], a.size) + raw + b"\0" * (-len(raw) % 4)
    return out
def classic(path, dims, variables, version=1, numrecs=None, cut=0):
    records = next((len(v[1]) for v in variables.values() if v[0] and dims[v[0][0]] == 0), 0)
    names = list(dims)
    wide = ">Q" if version > 1 else ">I"
    def header(begins):
        out = b"CDF" + bytes([version]) + struct.pack(">I", records if numrecs is None else numrecs)
        out += struct.pack(">II", 10, len(dims)) + b"".join(text(n) + struct.pack(">I", k) for n, k in dims.items())
        out += attributes({"title": "by hand"}) + struct.pack(">II", 11, len(variables))
        for (name, (axes, a, attrs)), begin in zip(variables.items(), begins):
            out += text(name) + struct.pack(">I", len(axes)) + b"".join(struct.pack(">I", names.index(d)) for d in axes)
            out += attributes(attrs) + struct.pack(">II", types[a.dtype.str[1:]], 0) + struct.pack(wide, begin)
        return out
    at, begins, fixed, rows = len(header([0] * len(variables))), [], b"", []
    def raw(a, pad=True):
        r = np.atleast_1d(a).astype(a.dtype.newbyteorder(">")).tobytes()
        return r + b"\0" * (-len(r) % 4 if pad else 0)
    recs = [v for v in variables.values() if v[0] and dims[v[0][0]] == 0]
    pad = len(recs) > 1
    for axes, a, attrs in variables.values():
        if axes and dims[axes[0]] == 0: begins.append(None)
        else: begins.append(at + len(fixed)); fixed += raw(a)
    start = at + len(fixed)
    for i, (axes, a, attrs) in enumerate(variables.values()):
        if begins[i] is None: begins[i] = start; start += len(raw(a[0], pad))
    body = b"".join(raw(v[1][r], pad) for r in range(records) for v in recs)
    whole = header(begins) + fixed + body
    open(path, "wb").write(whole[:len(whole) - cut])
dims = {"time": 0, "lat": 3, "lon": 5}
sst = np.arange(30, dtype="i2").reshape(2, 3, 5)
world = {"lat": (("lat",), np.array([10, 0, -10], "f4"), {"units": "degrees_north"}),
         "lon": (("lon",), np.arange(5) * 2.0, {"units": "degrees_east"}),
         "time": (("time",), np.array([6.0, 12.0]), {"units": "hours since 2000-01-01"}),
         "word": (("lat",), np.array([b"a", b"b", b"c"]), {}),
         "sst": (("time", "lat", "lon"), sst, {"scale_factor": 0.5, "missing_value": np.array([3, 4], "i2"), "units": "K"})}
for version in 1, 2: classic("a%d.nc" % version, dims, world, version)
classic("written.nc", dims, world, 1, 0xffffffff)
classic("short.nc", dims, world, 1, None, 20)
wrf = {"Times": (("Time", "letters"), np.array([list("2005-08-28_0%d:00:00" % h) for h in (0, 3, 6)], "S1"), {}),
       "T2": (("Time", "y", "x"), np.arange(36, dtype="f4").reshape(3, 3, 4), {})}
for name, numrecs in ("wrf", None), ("written_wrf", 0xffffffff): classic(name + ".nc", {"Time": 0, "letters": 19, "y": 3, "x": 4}, wrf, 2, numrecs)
classic("one.nc", {"t": 0, "y": 1, "x": 3}, {"v": (("t", "y", "x"), np.arange(6, dtype="u1").reshape(2, 1, 3), {})})
)"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const double none = std::nan("");
  const Values first = {5, 5.5, 6, 6.5, 7, 2.5, 3, 3.5, 4, 4.5, 0, 0.5, 1, none, none};
  for (const char* name : {"a1", "a2", "written"}) {
    const Values found = seen(fmt::format("{}.nc:/sst", name));
    ASSERT_EQ(found.size(), first.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(found[i] == first[i] || (std::isnan(found[i]) && std::isnan(first[i]))) << name << i << found[i];
    const auto second = open_array_file(folder_ / "s/1.npy");
    EXPECT_EQ(second->values(second->arrays()[0], 100)[0], 12.5) << name;
    ASSERT_EQ(run(fmt::format("view {}.nc:/sst -o a.csv --overwrite", name)).exit, 0);
    EXPECT_EQ(times_of(folder_ / "a.csv"), "step,time\n0,6\n1,12\n") << name;
  }
  view_all({{"wrf.nc", "0 180 360", "/Times is not read: it is text"}, {"written_wrf.nc:/T2", "0 180 360", ""}});
  EXPECT_EQ(seen("a1.nc").size(), 15u) << "the only one with two axes";
  EXPECT_EQ(seen("one.nc"), (Values{0, 1, 2}));
  refuses("a1.nc:word", "a1.nc:/word: it is text");
  refuses("short.nc", "short.nc:/sst: the file ends early");
}

}  // namespace
}  // namespace simreel::test
