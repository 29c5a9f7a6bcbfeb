// Several files that are one: pieces of images, lists with several files for a time, snapshots in several files; and
// Gadget's own format.

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

TEST_F(DataPieces, StacksOfPicturesSayHowTheyAreConverted) {
  write("stack.tif", std::string("II*\0\x08\0\0\0", 8) + std::string(100, 'x'));
  refuses("stack.tif", "numpy.save(\"x.npy\", tifffile.imread(\"stack.tif\"))");
  write("rock.raw", std::string(64, '\1'));
  refuses("rock.raw", "numpy.fromfile(\"rock.raw\", \"u1\").reshape(nz, ny, nx)");
}

constexpr const char* snapshots = R"(
import struct
rng = np.random.default_rng(1)
n = {0: 5, 1: 7, 4: 3}
pos = {k: rng.random((m, 3)).astype("f4") for k, m in n.items()}
vel = {k: rng.random((m, 3)).astype("f4") for k, m in n.items()}
mass = {k: rng.random(m).astype("f4") + 1 for k, m in n.items()}
table = [0, 0.5, 0, 0, 0, 0]
def hdf5(name, part, files):
    with h5py.File(name, "w") as f:
        h = f.create_group("Header").attrs
        h["NumPart_ThisFile"] = [len(pos[k][part(k)]) if k in n else 0 for k in range(6)]
        h["NumFilesPerSnapshot"] = files
        h["MassTable"] = table
        h["Time"] = 0.25
        for k in n:
            if len(pos[k][part(k)]) == 0: continue
            g = f.create_group(f"PartType{k}")
            g["Coordinates"], g["Velocities"] = pos[k][part(k)], vel[k][part(k)]
            if table[k] == 0: g["Masses"] = mass[k][part(k)]
hdf5("whole.hdf5", lambda k: slice(None), 1)
hdf5("snap.0.hdf5", lambda k: slice(0, 2), 3)
hdf5("snap.1.hdf5", lambda k: slice(2, 3), 3)
hdf5("snap.2.hdf5", lambda k: slice(3, None), 3)
def binary(name, end, fmt, real, part=lambda k: slice(None), files=1):
    kinds = sorted(n)
    counts = [len(pos[k][part(k)]) if k in n else 0 for k in range(6)]
    head = struct.pack(end + "6I6d2d2i6I2i4d", *counts, *table, 0.25, 0, 0, 0, *counts, 0, files, 1, 0, 0, 0)
    head = head.ljust(256, b"\0")
    r = end + real
    blocks = [("HEAD", head)]
    blocks.append(("POS ", np.concatenate([pos[k][part(k)] for k in kinds]).astype(r).tobytes()))
    blocks.append(("VEL ", np.concatenate([vel[k][part(k)] for k in kinds]).astype(r).tobytes()))
    blocks.append(("ID  ", np.arange(sum(counts)).astype(end + "u4").tobytes()))
    blocks.append(("MASS", np.concatenate([mass[k][part(k)] for k in kinds if table[k] == 0]).astype(r).tobytes()))
    blocks.append(("U   ", np.zeros(counts[0], r).tobytes()))
    with open(name, "wb") as f:
        for label, data in blocks:
            if fmt == 2: f.write(struct.pack(end + "i4sii", 8, label.encode(), len(data) + 8, 8))
            f.write(struct.pack(end + "I", len(data)) + data + struct.pack(end + "I", len(data)))
for i, (end, fmt, real) in enumerate([("<", 1, "f4"), ("<", 2, "f4"), (">", 1, "f8"), (">", 2, "f4")]):
    binary(f"b{i}.dat", end, fmt, real)
binary("multi.0", "<", 2, "f4", lambda k: slice(0, 2), 2)
binary("multi.1", "<", 2, "f4", lambda k: slice(2, None), 2)
open("cut.dat", "wb").write(open("b0.dat", "rb").read()[:400])
)";

TEST_F(DataPieces, OfASnapshotFollowEachOther) {
  if (!python(snapshots)) GTEST_SKIP() << "needs h5py";
  const Values whole = seen("whole.hdf5");
  ASSERT_EQ(whole.size(), 15u * 7);
  for (const char* file : {"snap.0.hdf5", "b0.dat", "b1.dat", "b2.dat", "b3.dat", "multi.0"}) {
    const Values values = seen(file);
    ASSERT_EQ(values.size(), whole.size()) << file;
    EXPECT_EQ(values, whole) << file;
    EXPECT_EQ(run(fmt::format("view {} -o t.csv --overwrite", file)).exit, 0);
    EXPECT_EQ(times_of(folder_ / "t.csv"), "step,time\n0,0.25\n") << file;
  }
  EXPECT_EQ(seen("snap.0.hdf5:/PartType4").size(), 3u * 7);
  refuses("snap.1.hdf5", "it is one of 3 files of a snapshot; name the first of them, which ends with \".0.hdf5\"");
  refuses("multi.1", "it is one of 2 files of a snapshot; name the first of them, which ends with \".0\"");
  refuses("cut.dat", "it is damaged, or cut off, in Coordinates");
  std::filesystem::remove(folder_ / "snap.2.hdf5");
  refuses("snap.0.hdf5", "snap.2.hdf5: there is no such file");
}

TEST_F(DataPieces, SnapshotsSayWhatTheyLack) {
  if (!python(R"(
def snap(name, counts, table=(0, 0), leave=(), files=1):
    with h5py.File(name, "w") as f:
        h = f.create_group("Header").attrs
        h["NumPart_ThisFile"], h["MassTable"], h["Time"], h["NumFilesPerSnapshot"] = counts, np.array(table, "f8"), 0.5, files
        for k, n in enumerate(counts):
            if n == 0 and "empty" not in leave: continue
            g = f.create_group("PartType%d" % k)
            for key, shape in ("Coordinates", (n, 3)), ("Velocities", (n, 3)), ("Masses", (n,)):
                if key not in leave: g[key] = np.ones(shape) + np.arange(n).reshape(-1, *[1] * (len(shape) - 1))
snap("gas.hdf5", [4, 0]); snap("massless.hdf5", [4, 0], leave=["Masses"]); snap("table.hdf5", [4, 0], [1, 0], ["Masses"])
snap("rest.hdf5", [0, 3], leave=["Velocities"]); snap("bare.hdf5", [0, 3], leave=["Velocities", "Masses"])
snap("none.hdf5", [0, 0]); snap("empty.hdf5", [0, 0], leave=["empty"]); snap("one.hdf5", [4, 0], leave=["empty"])
for i, n in enumerate([4, 4, 5, 4]): snap("vary%d.hdf5" % i, [n, 0])
for i, n in enumerate([0, 2]): snap("part.%d.hdf5" % i, [n, 0], files=2)
np.save("points.npy", np.arange(12.0).reshape(4, 3))
)"))
    GTEST_SKIP() << "needs h5py";
  view_all(
      {{"gas.hdf5", "0.5", ""},
       {"massless.hdf5", "0.5", "massless.hdf5:/PartType0/Coordinates: it has no masses; each body counts as 1"},
       {"table.hdf5", "0.5", ""},
       {"rest.hdf5", "0.5", "rest.hdf5:/PartType1/Coordinates: it has no velocities; the bodies count as at rest"},
       {"bare.hdf5", "0.5", "neither masses nor velocities; each body counts as 1 and as at rest"},
       {"points.npy --set solver.content=bodies", "0", "points.npy: it has neither masses nor velocities"},
       {"none.hdf5", "", "none.hdf5: it holds no particles; /Header/NumPart_ThisFile is 0, 0"},
       {"empty.hdf5", "", "empty.hdf5: it holds no particles; /Header/NumPart_ThisFile is 0, 0"},
       {"one.hdf5", "0.5", ""},
       {"one.hdf5:/PartType1", "", "one.hdf5:/PartType1: it holds no particles; /Header/NumPart_ThisFile is 4, 0"},
       {"gas.hdf5:/PartType1", "", "gas.hdf5:/PartType1: it holds no particles; /Header/NumPart_ThisFile is 4, 0"},
       {"part.0.hdf5", "0.5", ""},
       {"vary%d.hdf5", "",
        "vary2.hdf5:/PartType0/Coordinates: it is 5 x 3, but vary0.hdf5 has 4 bodies; every step must have as many"}});
}

}  // namespace
}  // namespace simreel::test
