// VTK's images as others write them: text, vectors, planes that stand upright; and vectors in other files.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "formats/array_file.h"
#include "tests/support/command_fixture.h"
#include "tests/support/npy.h"

namespace simreel::test {
namespace {

class DataVtk : public CommandTest {
 protected:
  void legacy(const std::string& name, const std::string& size, const std::string& rest) {
    write(name, fmt::format("# vtk DataFile Version 3.0\nby hand\n{}\n{}", size, rest));
  }
  std::vector<double> seen(const std::string& arguments) {
    const Outcome outcome = run(fmt::format("view {} -o s/%d.npy --size 64x48 --overwrite", arguments));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    if (outcome.exit != 0) return {};
    const auto file = open_array_file(folder_ / "s/0.npy");
    return file->values(file->arrays()[0], 1 << 20);
  }
  void refuses(const std::string& arguments, const std::string& words) {
    const Outcome outcome = run(fmt::format("view {} -o s/%d.npy --size 64x48 --overwrite", arguments));
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
};

using Values = std::vector<double>;

TEST_F(DataVtk, TextIsRead) {
  const std::string head = "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 1\nORIGIN 0 0 0\nSPACING 1 1 1\n";
  legacy(
      "a.vtk", "ASCII",
      head +
          "FIELD FieldData 2\nnames 1 2 string\nsome text\nmore\nTIME 1 1 double\n0.5\nPOINT_DATA 6\n"
          "SCALARS rho float 1\nLOOKUP_TABLE default\n1 +2 3\n4 5e-60\t-6.5\nFIELD more 1\nn 1 6 short\n1 2 3 4 5 6\n");
  EXPECT_EQ(seen("a.vtk"), (Values{1, 2, 3, 4, 0, -6.5}));
  EXPECT_EQ(seen("a.vtk:n"), (Values{1, 2, 3, 4, 5, 6}));
  legacy("short.vtk", "ASCII", head + "POINT_DATA 6\nSCALARS rho float 1\nLOOKUP_TABLE default\n1 2 3\n4 five 6\n");
  refuses("short.vtk", "short.vtk:rho: 1 x 2 x 3 values of float32 should follow, and 4 do");
  legacy("wide.vtk", "ASCII", head + "POINT_DATA 6\nSCALARS n char 1\nLOOKUP_TABLE default\n1 2 3 4 5 300\n");
  refuses("wide.vtk", "should follow, and 5 do");
  const auto xml = [&](const std::string& values) {
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" byte_order=\"BigEndian\">\n<ImageData "
        "WholeExtent=\"0 2 0 1 0 0\" Spacing=\"1 1 1\">\n<Piece Extent=\"0 2 0 1 0 0\"><PointData>\n"
        "<DataArray type=\"Float64\" Name=\"T\" format=\"ascii\">\n {}\n</DataArray>\n</PointData></Piece>"
        "</ImageData></VTKFile>\n",
        values);
  };
  write("a.vti", xml("1 2 3\n   4 nan 6.25"));
  const Values found = seen("a.vti");
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[3], 4);
  EXPECT_TRUE(std::isnan(found[4]));
  EXPECT_EQ(found[5], 6.25);
  write("short.vti", xml("1 2 3"));
  refuses("short.vti", "short.vti:T: 1 x 2 x 3 values of float64 should stand there, and 3 do");
}

TEST_F(DataVtk, BinaryFilesOfVtkAndPyvistaAreRead) {
  const std::string head = "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 1\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 6\n";
  legacy("levels.vtk", "BINARY", head + "COLOR_SCALARS level 1\n" + std::string("\x01\x02\x03\x04\x05\xff", 6) + "\n");
  EXPECT_EQ(seen("levels.vtk"), (Values{1, 2, 3, 4, 5, 255}));
  const std::string names = std::string("\xc2", 1) + "ab" + "\x80\x03" + "cde";  // lengths in one byte and in two
  legacy("names.vtk", "BINARY",
         head + "FIELD FieldData 2\nnames 1 2 string\n" + names + "\nn 1 6 unsigned_char\n" +
             std::string("\x01\x02\x03\x04\x05\x06", 6) + "\n");
  EXPECT_EQ(seen("names.vtk"), (Values{1, 2, 3, 4, 5, 6}));
  legacy("cut.vtk", "BINARY",
         head +
             "FIELD FieldData 1\nnames 1 1 string\n\xc9"
             "ab\n");
  refuses("cut.vtk", "a text in it: the file ends early");
}

TEST_F(DataVtk, VectorsAreMagnitudeAndComponents) {
  const std::string head = "DATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 1\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 4\n";
  legacy("u.vtk", "ASCII",
         head + "SCALARS rho float\nLOOKUP_TABLE default\n1 2 3 4\nVECTORS u float\n3 4 0 0 0 2 1 2 2 6 0 -8\n");
  EXPECT_EQ(seen("u.vtk:u"), (Values{5, 2, 3, 10}));
  EXPECT_EQ(seen("u.vtk --field u"), (Values{5, 2, 3, 10}));
  EXPECT_EQ(seen("u.vtk --field u_x"), (Values{3, 0, 1, 6}));
  EXPECT_EQ(seen("u.vtk:u --field u_z"), (Values{0, 2, 2, -8}));
  refuses("u.vtk:u --field u_w", "has no field \"u_w\"; it has: u, u_x, u_y, u_z");
  write("v.npy", npy<float>({1, 2, 2, 2}, {3, 6, 0, 1, 4, 8, 2, 0}));  // [t][component][y][x]
  EXPECT_EQ(seen("v.npy --set solver.axes=tcyx"), (Values{5, 10, 2, 1}));
  EXPECT_EQ(seen("v.npy --set solver.axes=tcyx --field value_y"), (Values{4, 8, 2, 0}));
  EXPECT_EQ(seen("v.npy --set solver.axes=zcyx --slice z=max"), (Values{5, 10, 2, 1}));
  write("w.npy", npy<float>({1, 2, 2, 1}, {-3, 6, 0, -1}));
  EXPECT_EQ(seen("w.npy --set solver.axes=tyxc"), (Values{-3, 6, 0, -1})) << "one component is a field";
  refuses("w.npy --set solver.axes=tyxc --field value_x", "has no field \"value_x\"");
  const Outcome arrows = run("view u.vtk:u -o a.png --size 64x48 --set figure.arrows=2");
  EXPECT_EQ(arrows.exit, 0) << arrows.err;
}

TEST_F(DataVtk, APlaneThatStandsUprightNeedsNoSlice) {
  for (const auto& [size, name] : {std::pair("3 1 2", "xz"), {"1 3 2", "yz"}, {"3 2 1", "xy"}}) {
    legacy(fmt::format("{}.vtk", name), "ASCII",
           fmt::format("DATASET STRUCTURED_POINTS\nDIMENSIONS {}\nORIGIN 0 0 0\nSPACING 1 2 4\nPOINT_DATA 6\n"
                       "SCALARS rho float 1\nLOOKUP_TABLE default\n1 2 3 4 5 6\n",
                       size));
    EXPECT_EQ(seen(fmt::format("{}.vtk", name)), (Values{1, 2, 3, 4, 5, 6})) << name;
  }
  // A cell is as high as it is wide along the axes that are drawn.
  for (const auto& [name, aspect] : {std::pair("xz", "4"), {"yz", "2"}, {"xy", "2"}}) {
    write("a.toml", fmt::format("[solver]\nkind = \"data\"\nfiles = \"{}.vtk\"\n", name));
    const Outcome check = run("check a.toml");
    EXPECT_NE(check.out.find(fmt::format("data, 3 x 2 cells of {} times their width", aspect)), std::string::npos)
        << check.out << check.err;
  }
}

TEST_F(DataVtk, WhatIsDrawnOfSeveralIsSaid) {
  const std::string head = "DATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 1\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 4\n";
  legacy(
      "a.vtk", "ASCII",
      head +
          "SCALARS b float\nLOOKUP_TABLE default\n1 2 3 4\nSCALARS c float\nLOOKUP_TABLE default\nnan nan nan nan\n");
  const Outcome plain = run("view a.vtk -o a.png --size 64x48");
  EXPECT_NE(plain.err.find("a.vtk: b is drawn; field in [view] may also be c"), std::string::npos) << plain.err;
  const Outcome named = run("view a.vtk --field c -o b.png --size 64x48");
  EXPECT_EQ(named.err.find("is drawn;"), std::string::npos) << named.err;
  EXPECT_NE(named.err.find("a.vtk:c: the first step has no finite value"), std::string::npos) << named.err;
}

}  // namespace
}  // namespace simreel::test
