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

}  // namespace
}  // namespace simreel::test
