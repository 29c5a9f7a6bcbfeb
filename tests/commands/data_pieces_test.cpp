// Several files that are one: pieces of images, and lists with several files for a time.

#include <array>

#include "formats/array_file.h"
#include "tests/support/h5py_test.h"

namespace simreel::test {
namespace {

using Values = std::vector<double>;
using Extent = std::array<int, 4>;  // of points: x and y, first and last

double value_at(int x, int y) { return 10 * y + x + 0.25; }

class DataPieces : public H5pyTest {
 protected:
  // An image with values of points and of cells, z = 0.
  void image(const std::string& name, const Extent& whole, const Extent& own, double origin_x = 100) {
    const auto extent = [](const Extent& e) { return fmt::format("{} {} {} {} 0 0", e[0], e[1], e[2], e[3]); };
    std::string points, cells;
    for (int y = own[2]; y <= own[3]; ++y)
      for (int x = own[0]; x <= own[1]; ++x) {
        points += fmt::format("{} ", value_at(x, y));
        if (x < own[1] && y < own[3]) cells += fmt::format("{} ", value_at(x, y));
      }
    write(name, fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"0.1\" "
                            "byte_order=\"LittleEndian\">\n<ImageData WholeExtent=\"{}\" Origin=\"{} 0 0\" "
                            "Spacing=\"2 0.5 1\">\n<Piece Extent=\"{}\">\n<PointData><DataArray type=\"Float64\" "
                            "Name=\"p\" format=\"ascii\">{}</DataArray></PointData>\n<CellData><DataArray "
                            "type=\"Float64\" Name=\"c\" format=\"ascii\">{}</DataArray></CellData>\n"
                            "</Piece></ImageData></VTKFile>\n",
                            extent(whole), origin_x, extent(own), points, cells));
  }
  void list(const std::string& name, const std::vector<std::string>& pieces) {
    std::string text =
        "<VTKFile type=\"PImageData\"><PImageData WholeExtent=\"0 6 0 4 0 0\" GhostLevel=\"0\" "
        "Origin=\"100 0 0\" Spacing=\"2 0.5 1\">\n";
    for (const std::string& piece : pieces)
      text += fmt::format("<Piece Extent=\"0 0 0 0 0 0\" Source=\"{}\"/>\n", piece);
    write(name, text + "</PImageData></VTKFile>\n");
  }
  void refuses(const std::string& file, const std::string& words) {
    const Outcome outcome = run("view " + file + " -o x.hashes");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find(words), std::string::npos) << words << "\n" << outcome.err;
  }
  static Values grid(int nx, int ny, int x0 = 0) {
    Values values;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) values.push_back(value_at(x + x0, y));
    return values;
  }
};

TEST_F(DataPieces, OfAPvtiMakeOneImage) {
  const Extent whole = {0, 6, 0, 4};
  image("whole.vti", whole, whole);
  image("a.vti", whole, {0, 3, 0, 2});
  image("b.vti", whole, {3, 6, 0, 2});
  image("c.vti", whole, {0, 3, 2, 4});
  image("d.vti", whole, {3, 6, 2, 4});
  list("all.pvti", {"d.vti", "a.vti", "c.vti", "b.vti"});
  for (const std::string name : {":p", ":c"}) {
    const Values values = seen("all.pvti" + name);
    EXPECT_EQ(values, name == ":p" ? grid(7, 5) : grid(6, 4));
    EXPECT_EQ(values, seen("whole.vti" + name));
  }
  run("view all.pvti:c -o c.h5 --size 64x48");
  run("view whole.vti:c -o w.h5 --size 64x48");
  for (const char* axis : {"/x", "/y"}) {
    const auto joined = open_array_file(folder_ / "c.h5"), whole_file = open_array_file(folder_ / "w.h5");
    ASSERT_NE(joined->find(axis), nullptr) << joined->what_is_there();
    EXPECT_EQ(joined->values(joined->at(axis), 100), whole_file->values(whole_file->at(axis), 100));
  }
  list("gap.pvti", {"a.vti", "b.vti", "d.vti"});
  refuses("gap.pvti:p", "its pieces leave gaps in p, whose grid is 1 x 5 x 7");
  refuses("gap.pvti:c", "its pieces leave gaps");
  list("lost.pvti", {"a.vti", "none.vti"});
  refuses("lost.pvti", "none.vti in line 3 is missing");
  image("off.vti", whole, {3, 6, 0, 2}, 100.7);
  list("off.pvti", {"a.vti", "off.vti"});
  refuses("off.pvti:p", "off.vti:p: its points are not those of the first piece's grid");
}

// Each part with an origin of its own and points from 0.
TEST_F(DataPieces, OfOneTimeInAListMakeOneImage) {
  image("l.vti", {0, 3, 0, 2}, {0, 3, 0, 2}, 0);
  image("r.vti", {0, 2, 0, 2}, {0, 2, 0, 2}, 6);
  std::string text = "<VTKFile type=\"Collection\"><Collection>\n";
  for (const char* time : {"2", "1"})
    text += fmt::format(
        "<DataSet timestep=\"{0}\" part=\"1\" file=\"r.vti\"/>\n<DataSet timestep=\"{0}\" part=\"0\" "
        "file=\"l.vti\"/>\n",
        time);
  write("list.pvd", text + "</Collection></VTKFile>");
  Values expected;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 5; ++x) expected.push_back(value_at(x < 3 ? x : x - 3, y));
  EXPECT_EQ(seen("list.pvd:c"), expected);
  EXPECT_EQ(seen("list.pvd:c", "1"), expected);
  EXPECT_EQ(run("view list.pvd:c -o r.vti --overwrite").exit, 2);
  EXPECT_EQ(run("view list.pvd:c -o times.csv").exit, 0);
  EXPECT_EQ(times_of(folder_ / "times.csv"), "step,time\n0,1\n1,2\n");
  std::filesystem::remove(folder_ / "l.vti");
  refuses("list.pvd:c", "l.vti is missing");
}

}  // namespace
}  // namespace simreel::test
