// The sinks that write the state, read again with numpy and h5py.

#include <fmt/format.h>

#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class StateTest : public SinkTest {
 protected:
  void SetUp() override {
    info_.fields = {"height"};
    info_.frames = 3;
  }

  // value(x, y) = 100 y + x + frame / 8
  template <class Real>
  Frame field(int nx, int ny, std::int64_t index) {
    std::vector<Real> values;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) values.push_back(Real(100 * y + x + double(index) / 8));
    return frame({StateLayout::Kind::field, sizeof(Real) == 8, nx, ny, 0, false}, values, index);
  }

  // Body i at (i, i + 0.25, -i), mass 1 + i, velocity (2 i, 3, 0.5), group i % 3.
  template <class Real>
  Frame bodies(std::size_t n, bool groups, std::int64_t index) {
    std::vector<Real> values;
    for (std::size_t i = 0; i < n; ++i) {
      const auto k = Real(double(i));
      values.insert(values.end(), {k, k + Real(0.25), -k, 1 + k});
    }
    for (std::size_t i = 0; i < n; ++i) values.insert(values.end(), {Real(2 * double(i)), 3, Real(0.5), 0});
    Frame made = frame({StateLayout::Kind::bodies, sizeof(Real) == 8, 0, 0, n, groups}, values, index);
    for (std::size_t i = 0; groups && i < n; ++i) bytes_.push_back(std::byte(i % 3));
    made.state.values = bytes_.data();
    return made;
  }

  template <class Real>
  Frame frame(const StateLayout& layout, const std::vector<Real>& values, std::int64_t index) {
    const auto raw = std::as_bytes(std::span(values));
    bytes_.assign(raw.begin(), raw.end());
    Frame made;
    made.index = index;
    made.state = {layout, bytes_.data(), 40 + index, 0.5 * double(index)};
    return made;
  }

  // Runs a Python program in the test's folder and returns what it prints; asserts in it are expectations.
  std::string python(const std::string& program) {
    put(path("check.py"), program);
    const std::string command = fmt::format("cd '{}' && {} check.py >out.txt 2>&1", folder_.path(), interpreter);
    EXPECT_EQ(std::system(command.c_str()), 0) << contents(path("out.txt"));
    return contents(path("out.txt"));
  }
  void write(const std::string& name, const Frame& frame) {
    const auto sink = open(path(name));
    sink->write(frame);
    sink->finish();
  }
  static bool python_has(const char* modules) {
    return std::system(fmt::format("{} -c 'import {}' 2>/dev/null", interpreter, modules).c_str()) == 0;
  }
  static constexpr const char* interpreter = "/usr/bin/python3";  // the one that Debian's modules belong to

  std::vector<std::byte> bytes_;
};

TEST_F(StateTest, NumpyReadsFieldsAndBodies) {
  if (!python_has("numpy")) GTEST_SKIP() << "python3-numpy is not installed";
  write("f%d.npy", field<float>(7, 4, 0));
  write("d%d.npy", field<double>(7, 4, 0));
  write("b%d.npy", bodies<float>(1000, false, 0));
  write("g%d.npy", bodies<double>(3, true, 0));
  python(R"(
import numpy as np
for name, kind in ("f0.npy", np.float32), ("d0.npy", np.float64):
    a = np.load(name)
    assert a.dtype == kind and a.shape == (4, 7) and a.flags.c_contiguous, (a.dtype, a.shape)
    assert (a == 100 * np.arange(4)[:, None] + np.arange(7)).all()
for name, kind, n in ("b0.npy", np.float32, 1000), ("g0.npy", np.float64, 3):
    a, i = np.load(name), np.arange(n)
    assert a.dtype == kind and a.shape == (n, 7), (a.dtype, a.shape)
    assert (a == np.stack([i, i + 0.25, -i, 2 * i, 0 * i + 3, 0 * i + 0.5, 1 + i], axis=1)).all()
)");
}

// Fields one after the other: the k-th is 1000 k more than the first.
TEST_F(StateTest, SeveralFieldsAreAsManyDatasetsAndArrays) {
  if (!python_has("h5py, numpy")) GTEST_SKIP() << "python3-h5py or python3-numpy is not installed";
  info_.fields = {"ux", "uy", "density"};
  const auto several = [&]<class Real>(Real) {
    std::vector<Real> values;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 7 * 5; ++i) values.push_back(Real(1000 * k + i));
    return frame({StateLayout::Kind::field, sizeof(Real) == 8, 7, 5, 0, false, 3}, values, 0);
  };
  for (const std::string kind : {"h5", "npz"}) {
    write("f%d." + kind, several(float{}));
    write("d%d." + kind, several(double{}));
  }
  python(R"(
import h5py, numpy as np, zipfile
for letter, kind in ("f", np.float32), ("d", np.float64):
    archive = np.load(letter + "0.npz")
    assert archive.files == ["ux", "uy", "density"], archive.files
    assert zipfile.ZipFile(letter + "0.npz").testzip() is None
    with h5py.File(letter + "0.h5") as f:
        data = f["VTKHDF/PointData"]
        assert sorted(data) == ["density", "ux", "uy"]
        for k, name in enumerate(archive.files):
            wanted = 1000 * k + np.arange(35).reshape(5, 7)
            for values in archive[name], data[name][:]:
                assert values.dtype == kind and values.shape == (5, 7) and (values == wanted).all()
)");
}

TEST_F(StateTest, NumpyReadsArchivesOfBodies) {
  if (!python_has("numpy")) GTEST_SKIP() << "python3-numpy is not installed";
  write("b%d.npz", bodies<float>(1000, true, 0));
  write("g%d.npz", bodies<double>(3, false, 0));
  write("f%d.npz", field<float>(700, 400, 0));
  write("again%d.npz", field<float>(700, 400, 0));
  EXPECT_EQ(contents(path("f0.npz")), contents(path("again0.npz")));
  python(R"(
import numpy as np
for name, kind, n in ("b0.npz", np.float32, 1000), ("g0.npz", np.float64, 3):
    a, i = np.load(name), np.arange(n)
    assert a.files == ["position", "velocity", "mass"] + (["group"] if name == "b0.npz" else []), a.files
    assert a["position"].dtype == kind and (a["position"] == np.stack([i, i + 0.25, -i], axis=1)).all()
    assert (a["velocity"] == np.stack([2 * i, 0 * i + 3, 0 * i + 0.5], axis=1)).all()
    assert a["mass"].shape == (n,) and (a["mass"] == 1 + i).all()
    if "group" in a.files: assert a["group"].dtype == np.uint8 and (a["group"] == i % 3).all()
a = np.load("f0.npz")["height"]
assert a.dtype == np.float32 and (a == 100 * np.arange(400)[:, None] + np.arange(700)).all()
)");
}

TEST_F(StateTest, AnArrayHoldsOneField) {
  info_.fields = {"ux", "uy"};
  EXPECT_TRUE(test::says(usage_error({path("x/%d.npy")}), "x/%d.npz"));
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(StateTest, H5pyReadsAField) {
  if (!python_has("h5py")) GTEST_SKIP() << "python3-h5py is not installed";
  info_.scene_text = "# " + std::string(65000, 'x') + "\n";  // longer than an ordinary attribute can be
  {
    const auto sink = open(path("f/%02d.h5"));
    for (int i = 0; i < 3; ++i) sink->write(i < 2 ? field<float>(700, 400, i) : field<double>(7, 4, i));
    sink->finish();
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"f", "f/00.h5", "f/01.h5", "f/02.h5"}));
  python(R"(
import h5py, numpy as np
for index, kind, nx, ny in (0, np.float32, 700, 400), (1, np.float32, 700, 400), (2, np.float64, 7, 4):
    with h5py.File("f/%02d.h5" % index) as f:
        root = f["VTKHDF"]
        assert list(root.attrs["Version"]) == [1, 0] and root.attrs["Type"] == b"ImageData", dict(root.attrs)
        assert list(root.attrs["WholeExtent"]) == [0, nx - 1, 0, ny - 1, 0, 0]
        assert list(root.attrs["Spacing"]) == [1, 1, 1] and list(root.attrs["Origin"]) == [0, 0, 0]
        assert list(root.attrs["Direction"]) == [1, 0, 0, 0, 1, 0, 0, 0, 1]
        data = root["PointData/height"]
        assert data.dtype == kind and data.shape == (ny, nx) and data.fletcher32
        assert (data[:] == (100 * np.arange(ny)[:, None] + np.arange(nx) + index / 8).astype(kind)).all()
        for place in f, root:
            a = place.attrs
            assert a["step"] == 40 + index and a["time"] == 0.5 * index
            assert a["scene"] == "# " + "x" * 65000 + "\n"
            assert a["version"] == "simreel 0.1.0" and a["overrides"] == "solver.speed=2\nview.colormap=magma"
            assert a["title"] == "Tank with \"quotes\" and a snowman \N{SNOWMAN}"
)");
}

TEST_F(StateTest, H5pyReadsBodies) {
  if (!python_has("h5py")) GTEST_SKIP() << "python3-h5py is not installed";
  {
    const auto sink = open(path("%d.h5"));
    sink->write(bodies<float>(5000, true, 0));
    sink->write(bodies<double>(1, false, 1));
    sink->finish();
  }
  python(R"(
import h5py, numpy as np
for index, kind, n in (0, np.float32, 5000), (1, np.float64, 1):
    with h5py.File("%d.h5" % index) as f:
        root, i = f["VTKHDF"], np.arange(n)
        assert list(root.attrs["Version"]) == [1, 0] and root.attrs["Type"] == b"UnstructuredGrid"
        for name in "NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds": assert list(root[name]) == [n]
        assert root["Points"].dtype == kind and root["Points"].fletcher32
        assert (root["Points"][:] == np.stack([i, i + 0.25, -i], axis=1)).all()
        assert (root["Connectivity"][:] == i).all() and (root["Offsets"][:] == np.arange(n + 1)).all()
        assert root["Types"].dtype == np.uint8 and (root["Types"][:] == 1).all()
        data = root["PointData"]
        assert (data["velocity"][:] == np.stack([2 * i, 0 * i + 3, 0 * i + 0.5], axis=1)).all()
        assert data["mass"].dtype == kind and (data["mass"][:] == 1 + i).all()
        assert ("group" in data) == (index == 0)
        if index == 0: assert (data["group"][:] == i % 3).all()
)");
}

// VTK's own reader, which ParaView uses, where python3-vtk9 is installed. Before 9.2.7 it crashes on flat images.
TEST_F(StateTest, VtkReadsFieldsAndBodies) {
  if (!python_has("vtkmodules.vtkIOHDF")) GTEST_SKIP() << "python3-vtk9 is not installed";
  write("f%d.h5", field<float>(7, 4, 0));
  write("d%d.h5", field<double>(7, 4, 0));
  write("b%d.h5", bodies<float>(5000, true, 0));
  write("g%d.h5", bodies<double>(3, false, 0));
  const std::string read = R"(
import sys, numpy as np
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.util.numpy_support import vtk_to_numpy
def output(name):
    reader = vtkHDFReader()
    assert reader.CanReadFile(name)
    reader.SetFileName(name)
    reader.Update()
    return reader.GetOutput()
)";
  python(read + R"(
for name, kind, n in ("b0.h5", np.float32, 5000), ("g0.h5", np.float64, 3):
    grid, i = output(name), np.arange(n)
    points, data = vtk_to_numpy(grid.GetPoints().GetData()), grid.GetPointData()
    assert points.dtype == kind and (points == np.stack([i, i + 0.25, -i], axis=1)).all()
    assert grid.GetNumberOfCells() == n and grid.GetCellType(n - 1) == 1
    assert (vtk_to_numpy(data.GetArray("mass")) == 1 + i).all()
    assert (vtk_to_numpy(data.GetArray("velocity")) == np.stack([2 * i, 0 * i + 3, 0 * i + 0.5], axis=1)).all()
    assert data.HasArray("group") == (name == "b0.h5")
)");
  const std::string version = python(
      "from vtkmodules.vtkCommonCore import vtkVersion as v\n"
      "print(v().GetVTKMajorVersion() * 10000 + v().GetVTKMinorVersion() * 100 + "
      "v().GetVTKBuildVersion())");
  if (std::stoi(version) < 90207) GTEST_SKIP() << "this VTK is older than 9.2.7";
  python(read + R"(
for name, kind in ("f0.h5", np.float32), ("d0.h5", np.float64):
    image = output(name)
    values = vtk_to_numpy(image.GetPointData().GetArray("height"))
    assert image.GetExtent() == (0, 6, 0, 3, 0, 0) and values.dtype == kind
    assert (values.reshape(4, 7) == 100 * np.arange(4)[:, None] + np.arange(7)).all()
)");
}

TEST_F(StateTest, SameBytesOnEveryRun) {
  for (const char* name : {"a%d.h5", "b%d.h5"}) write(name, field<double>(33, 17, 0));
  EXPECT_EQ(contents(path("a0.h5")), contents(path("b0.h5")));
}

// One file without a number has the bytes that a sequence has for the last frame, also of a run that was stopped.
TEST_F(StateTest, OneFileHoldsTheLastFrame) {
  for (const std::string kind : {"h5", "npy", "npz"}) {
    const auto all = open(path("%d." + kind)), last = open(path("last." + kind));
    for (const auto& sink : {all.get(), last.get()}) {
      for (int i = 0; i < 2; ++i) sink->write(field<float>(7, 4, i));
      bytes_.assign(bytes_.size(), std::byte(0));  // a frame is valid during `write` only
      sink->finish();
    }
    EXPECT_EQ(contents(path("last." + kind)), contents(path("1." + kind))) << kind;
    EXPECT_GE(last->traits().memory_bytes, all->traits().memory_bytes + info_.state_bytes);
    EXPECT_TRUE(test::says(usage_error({path("last." + kind)}), "--overwrite"));
  }
  { const auto none = open(path("none.npy")); }
  EXPECT_FALSE(std::filesystem::exists(path("none.npy")));
}

}  // namespace
}  // namespace simreel
