// Files that numpy, h5py and others wrote, read again; and files that are damaged.

#include "formats/array_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tests/support/command_fixture.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

class ArrayFiles : public testing::Test {
 protected:
  // Runs Python in the folder; skips where its modules are missing.
  bool python(const std::string& program, const char* modules = "numpy") {
    constexpr const char* interpreter = "/usr/bin/python3";  // the one that Debian's modules belong to
    if (std::system(fmt::format("{} -c 'import {}' 2>/dev/null", interpreter, modules).c_str()) != 0) return false;
    std::ofstream(folder_ / "make.py") << "import numpy as np\n" << program;
    const std::string command = fmt::format("cd '{}' && {} make.py >out.txt 2>&1", folder_.path(), interpreter);
    EXPECT_EQ(std::system(command.c_str()), 0) << test::text_of(folder_ / "out.txt");
    return true;
  }
  std::unique_ptr<ArrayFile> open(const std::string& name) const { return open_array_file(folder_ / name); }
  std::vector<double> values(const std::string& name, const std::string& array = "") const {
    const auto file = open(name);
    return file->values(file->at(array), 1 << 20);
  }
  // The error of reading everything in a file; empty if there is none.
  std::string complaint(const std::string& name) const {
    try {
      const auto file = open(name);
      for (const ArrayInfo& array : file->arrays()) file->values(array, 1 << 20);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "";
  }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::string get(const std::string& name) const { return test::text_of(folder_ / name); }

  test::Folder folder_;
};

TEST_F(ArrayFiles, EveryTypeAndOrderOfNumpyIsRead) {
  if (!python(R"(
a = np.arange(24).reshape(4, 6)
for t in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
    np.save(t + ".npy", a.astype("<" + t))
    np.save(t + "_big.npy", a.astype(">" + t))
    np.save(t + "_fortran.npy", np.asfortranarray(a.astype(t)))
np.save("b.npy", a % 3 == 0)
np.save("negative.npy", np.array([[-1.5, -0.25, 65504, 6e-8, np.inf, -0.0]], dtype="f2"))
np.savez("stored.npz", a=a, b=a[::-1].astype(">f4"))
np.savez_compressed("packed.npz", a=a, b=np.asfortranarray(a[::-1].astype("f2")))
)"))
    GTEST_SKIP() << "python3-numpy is not installed";
  std::vector<double> counting(24);
  for (int i = 0; i < 24; ++i) counting[i] = i;
  for (const std::string type : {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"})
    for (const std::string order : {"", "_big", "_fortran"})
      EXPECT_EQ(values(type + order + ".npy"), counting) << type << order;
  EXPECT_EQ(open("f2.npy")->arrays()[0].element, (Element{Element::Kind::real, 2}));
  EXPECT_EQ(open("f2.npy")->arrays()[0].extents, (Extents{4, 6}));
  EXPECT_EQ(open("u1_fortran.npy")->arrays()[0].extents, (Extents{4, 6}));
  for (int i = 0; i < 24; ++i) EXPECT_EQ(values("b.npy")[i], i % 3 == 0 ? 1 : 0);
  const std::vector<double> half = values("negative.npy");
  EXPECT_EQ(half[0], -1.5);
  EXPECT_EQ(half[2], 65504);
  EXPECT_EQ(half[3], 0x1p-24);
  EXPECT_TRUE(std::isinf(half[4]));
  EXPECT_TRUE(std::signbit(half[5]));
  for (const std::string name : {"stored.npz", "packed.npz"}) {
    EXPECT_EQ(values(name, "a"), counting);
    EXPECT_EQ(values(name, "b")[0], 18);
    EXPECT_EQ(values(name, "b")[23], 5);
  }
}

TEST_F(ArrayFiles, APartIsReadFromAnywhere) {
  if (!python("a = np.arange(120).reshape(4, 5, 6)\nnp.save('c.npy', a)\nnp.save('f.npy', np.asfortranarray(a))\n"
              "np.savez_compressed('z.npz', a)\n"))
    GTEST_SKIP() << "python3-numpy is not installed";
  for (const std::string name : {"c.npy", "f.npy", "z.npz"}) {
    const auto file = open(name);
    std::int64_t part[2 * 1 * 3];
    const std::uint64_t start[] = {1, 2, 3}, count[] = {2, 1, 3};
    file->read(file->arrays()[0], start, count, reinterpret_cast<std::byte*>(part));
    for (int z = 0; z < 2; ++z)
      for (int x = 0; x < 3; ++x) EXPECT_EQ(part[3 * z + x], 30 * (1 + z) + 6 * 2 + 3 + x) << name;
  }
}

TEST_F(ArrayFiles, Hdf5AndNetcdfAreRead) {
  if (!python(R"(
import h5py
with h5py.File("a.h5", "w") as f:
    f["g/v"] = np.arange(12, dtype=">f4").reshape(3, 4)
    f["g/v"].attrs["units"] = "m/s"
    f["h"] = np.arange(12, dtype="f2").reshape(3, 4)
    f["b"] = np.arange(12).reshape(3, 4) > 5
    d = f.create_dataset("packed", data=np.arange(12, dtype="i2").reshape(3, 4), chunks=(1, 4), compression="gzip", shuffle=True)
    d.attrs["scale_factor"] = 0.5; d.attrs["add_offset"] = 10.0; d.attrs["_FillValue"] = np.int16(3)
    x = f.create_dataset("lon", data=np.arange(4) * 2.0); y = f.create_dataset("lat", data=np.arange(3) * -1.0)
    x.make_scale("lon"); y.make_scale("lat")
    d.dims[0].attach_scale(y); d.dims[1].attach_scale(x)
    f["text"] = "no number"
    f.attrs["time"] = 2.5
    f.create_group("Header").attrs["MassTable"] = [0, 1.5, 0]
    f["there"] = h5py.SoftLink("/g/v"); f["nowhere"] = h5py.SoftLink("/x"); f["outside"] = h5py.ExternalLink("b.h5", "/x")
)",
              "h5py, numpy"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const auto file = open("a.h5");
  EXPECT_EQ(file->at("/g/v").unit, "m/s");
  EXPECT_EQ(values("a.h5", "g/v")[7], 7);
  EXPECT_EQ(values("a.h5", "/h")[11], 11);
  EXPECT_EQ(values("a.h5", "/b")[5], 0);
  EXPECT_EQ(values("a.h5", "/b")[6], 1);
  EXPECT_EQ(values("a.h5", "/packed")[4], 12);
  EXPECT_EQ(file->at("/packed").fill, 3);
  EXPECT_EQ(file->at("/packed").dimensions, (std::vector<std::string>{"/lat", "/lon"}));
  EXPECT_EQ(file->find("/text"), nullptr);
  EXPECT_NE(file->find("/there"), nullptr);
  EXPECT_EQ(file->find("/outside"), nullptr);
  EXPECT_EQ(file->attribute("time"), 2.5);
  EXPECT_EQ(file->attribute("/Header/Mass"), std::nullopt);
  EXPECT_EQ(file->attribute_list("/Header/MassTable", 8), (std::vector<double>{0, 1.5, 0}));
  try {
    file->at("/g/w");
    FAIL();
  } catch (const RuntimeError& error) {
    const std::string words = error.what();
    EXPECT_TRUE(test::says(words, "there is no array \"/g/w\", but: /b, /g/v, "));
    EXPECT_TRUE(test::says(words, "did you mean \"/g/v\"?"));
  }
}

// HDF5 finds each by its way from the root, so 1000 took seconds.
TEST_F(ArrayFiles, GroupsWithinEachOtherAreLimited) {
  try {
    open_array_file(test::root() / "tests/data/groups.h5");
    FAIL() << "it has 70";
  } catch (const RuntimeError& error) {
    EXPECT_TRUE(test::says(error.what(), "it holds groups within each other, more than 64 deep")) << error.what();
  }
}

TEST_F(ArrayFiles, DamageIsNamed) {
  if (!python(R"(
import h5py
np.save("a.npy", np.arange(100.0)); np.savez_compressed("a.npz", np.arange(1000.0)); np.save("c.npy", np.zeros((2, 2), "c8"))
np.save("r.npy", np.zeros(3, [("a", "f4"), ("b", "i4")])); np.save("o.npy", np.array(["a", "b"]))
with h5py.File("a.h5", "w") as f: f["v"] = np.arange(1000.0).reshape(10, 100)
with h5py.File("filter.h5", "w") as f:
    d = f.create_dataset("v", shape=(4, 4), dtype="f4", chunks=(4, 4), compression="lzf"); d[:] = 1
raw = bytearray(open("filter.h5", "rb").read()); at = raw.find(bytes([32000 % 256, 32000 // 256]))
while at >= 0: raw[at] = 1; at = raw.find(bytes([32000 % 256, 32000 // 256]))
open("filter.h5", "wb").write(raw)
with h5py.File("lzf.h5", "w") as f:
    a = (np.arange(6000) // 7 % 50).astype("f4").reshape(60, 100)
    f.create_dataset("v", data=a, chunks=(16, 30), compression="lzf", shuffle=True)
    f.create_dataset("plain", data=a, chunks=(60, 100), compression="lzf"); f["same"] = a
with h5py.File("many.h5", "w", libver="latest") as f:
    for i in range(100001): f.id.links.create_soft(b"%d" % i, b"/x")
)",
              "h5py, numpy"))
    GTEST_SKIP() << "python3-h5py is not installed";
  const auto expect = [&](const std::string& name, const std::string& words) {
    const std::string found = complaint(name);
    EXPECT_TRUE(test::says(found, words)) << name << ": " << found;
    EXPECT_TRUE(test::says(found, name));
  };
  put("short.npy", get("a.npy").substr(0, 500));
  expect("short.npy", "the file ends early: 100 values of float64 would make 928 bytes, and it has 500");
  put("header.npy", get("a.npy").substr(0, 60));
  expect("header.npy", "ends within its header");
  std::string huge = get("a.npy");
  huge.replace(huge.find("(100,)"), 6, "(9999999999999,9999999,)");
  put("huge.npy", huge);
  expect("huge.npy", "the header claims 9999999999999 x 9999999 values, more than any machine holds");
  expect("c.npy", "its numbers are complex (\"<c8\")");
  expect("r.npy", "it holds records of several numbers");
  expect("o.npy", "numpy's type \"<U1\", not numbers");
  put("short.npz", get("a.npz").substr(0, get("a.npz").size() - 30));
  expect("short.npz", "it was not written completely");
  std::string changed = get("a.npz");
  changed[200] = static_cast<char>(changed[200] ^ 1);
  put("changed.npz", changed);
  expect("changed.npz", "damaged");
  put("short.h5", get("a.h5").substr(0, 3000));
  expect("short.h5", "cannot be read as HDF5: H5Fopen: ");
  EXPECT_EQ(
      open("filter.h5")->unread().at("/v").find("it is packed with the HDF5 filter 32001 (lzf), which this build"), 0u);
  for (const char* name : {"v", "plain"}) EXPECT_EQ(values("lzf.h5", name), values("lzf.h5", "same")) << name;
  expect("many.h5", "cannot be read as HDF5: it holds more than 100000 groups and arrays");
  put("old.nc", "CDF\x01 and so on");
  expect("old.nc", "old.nc: the file ends within its header");
  put("empty.npy", "");
  expect("empty.npy", "the file is empty");
  put("text.npy", "1 2 3\n");
  expect("text.npy", "not a file that simreel reads");
  expect("none.npy", "there is no such file");
}

TEST_F(ArrayFiles, ArraysThatWereNotPackedByNumpyAreBoundedToo) {
  // An archive that claims more bytes than its few can hold.
  if (!python("np.savez_compressed('a.npz', a=np.zeros(100000))\n")) GTEST_SKIP() << "python3-numpy is not installed";
  std::string bytes = get("a.npz");
  const std::size_t entry = bytes.find("PK\1\2");
  ASSERT_NE(entry, std::string::npos);
  bytes.replace(entry + 24, 4, "\xff\xff\xff\x7f");  // the size of what is packed
  put("b.npz", bytes);
  const std::string words = complaint("b.npz");
  EXPECT_TRUE(test::says(words, "b.npz:a: the archive is damaged: "));
  EXPECT_TRUE(test::says(words, " bytes are to become 2147483647, and deflate packs at most 1032 to 1"));
}

TEST_F(ArrayFiles, APackedArrayIsUnpackedOnceForItsParts) {
  if (!python("np.savez_compressed('a.npz', a=np.arange(100000.0).reshape(10, 10000))\n"))
    GTEST_SKIP() << "python3-numpy is not installed";
  const auto file = open("a.npz");
  std::vector<double> row(10000);
  const auto read = [&](std::uint64_t first) {
    const std::uint64_t start[] = {first, 0}, count[] = {1, 10000};
    file->read(file->at("a"), start, count, reinterpret_cast<std::byte*>(row.data()));
    return row[1];
  };
  EXPECT_EQ(read(9), 90001);
  // What is packed becomes unreadable, and is not needed any more.
  std::fstream packed(folder_ / "a.npz", std::ios::binary | std::ios::in | std::ios::out);
  packed.seekp(200) << std::string(400, '\xff');
  packed.close();
  ASSERT_NE(complaint("a.npz"), "");
  EXPECT_EQ(read(3), 30001);
}

// Damage behind the header is found where the values are read.
TEST_F(ArrayFiles, PackedArraysAreReadToTheirChecksum) {
  if (!python(R"(
import io, zipfile
a = np.random.default_rng(1).random((64, 1000)); b = a.astype(">f4")
np.savez_compressed("a.npz", a=a, b=b, f=np.asfortranarray(a)); np.save("a.npy", a); np.save("b.npy", b)
one = io.BytesIO(); np.save(one, a)
with zipfile.ZipFile("more.npz", "w", zipfile.ZIP_DEFLATED) as f: f.writestr("a.npy", one.getvalue() + bytes(200000))
raw = bytearray(open("a.npz", "rb").read()); raw[300000] ^= 1
open("damaged.npz", "wb").write(raw)
)"))
    GTEST_SKIP() << "python3-numpy is not installed";
  EXPECT_EQ(values("a.npz", "a"), values("a.npy", ""));
  EXPECT_EQ(values("a.npz", "f"), values("a.npy", ""));
  EXPECT_EQ(values("a.npz", "b"), values("b.npy", ""));
  EXPECT_TRUE(
      test::says(complaint("more.npz"), "more.npz:a: the archive is damaged: 200000 bytes follow the 64 x 1000"));
  EXPECT_EQ(open("damaged.npz")->find("a")->extents, (Extents{64, 1000}));
  EXPECT_TRUE(test::says(complaint("damaged.npz"), "\"a.npy\" is damaged: it does not unpack"));
}

TEST_F(ArrayFiles, NumbersAboutAWholeVtkFileArePassedOver) {
  // tests/data/make.py wrote it with VTK: TIME and CYCLE before the points, with names of components.
  const std::filesystem::path path = test::root() / "tests/data/vtk_field.vtk";
  const auto file = open_array_file(path);
  ASSERT_EQ(file->arrays().size(), 2u);
  EXPECT_EQ(file->at("rho").extents, (Extents{1, 3, 4}));
  EXPECT_EQ(file->at("vel").extents, (Extents{1, 3, 4, 3}));
  for (const auto& [name, count] : {std::pair("rho", 12u), std::pair("vel", 36u)})
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(file->values(file->at(name), 100)[i], static_cast<double>(i) / 8) << name;
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string bytes = test::text_of(path.string());
    bytes.replace(bytes.find(from), from.size(), to);
    put("x.vtk", bytes);
    return complaint("x.vtk");
  };
  EXPECT_TRUE(
      test::says(changed("TIME 1 1 double", "TIME 1 9999999999999999999 double"), "\"TIME\": the file ends early"));
  EXPECT_TRUE(test::says(changed("TIME 1 1 double", "TIME 1 1 variant"),
                         "1 values of type \"variant\" are not what simreel reads"));
  EXPECT_TRUE(test::says(changed("rho 1 12", "rho 1 11"), "\"rho\": it has 11 tuples, and DIMENSIONS ask for 12"));
}

// tests/data/make.py wrote them with VTK.
TEST_F(ArrayFiles, VtkImagesInXmlAreRead) {
  for (const std::string kind : {"raw", "appended", "inline", "plain", "rawzlib", "oneblock"}) {
    SCOPED_TRACE(kind);
    const std::filesystem::path path = test::root() / "tests/data" / fmt::format("vtk_{}.vti", kind);
    const auto file = open_array_file(path);
    const ArrayInfo& rho = file->at("rho");
    EXPECT_EQ(rho.extents, (Extents{1, 3, 4}));
    EXPECT_EQ(file->at("rho").steps[1].step, 2);
    const std::vector<double> values = file->values(rho, 100);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(values[i], static_cast<double>(i) / 8);
    const std::string whole = test::text_of(path.string());
    const bool appended = whole.find("AppendedData") != std::string::npos;
    put("short.vti", whole.substr(0, whole.size() - (appended ? 60 : 260)));
    EXPECT_NE(complaint("short.vti"), "");
  }
}

TEST_F(ArrayFiles, PackedSizesOfVtkImagesThatWrapAreRefused) {
  const std::string whole = test::text_of((test::root() / "tests/data/vtk_rawzlib.vti").string());
  // The number of blocks, two sizes, and the packed size of each block, 64 bits each.
  const std::size_t first = whole.find('_', whole.find("<AppendedData")) + 1 + 3 * 8;
  for (const std::string low : {"\xf8", "\x01", "\xff"})
    for (const std::size_t block : {std::size_t{0}, std::size_t{1}}) {
      std::string bytes = whole;
      bytes.replace(first + 8 * block, 8, low + std::string(7, '\xff'));
      put("x.vti", bytes);
      EXPECT_TRUE(test::says(complaint("x.vti"), "x.vti:rho: the file ends early"));
    }
}

// Changes of few bytes must give an error or values, and nothing else. SIMREEL_FUZZ_SECONDS makes it longer.
TEST_F(ArrayFiles, DamagedHeadersDoNoHarm) {
  if (!python(R"(
a = np.arange(60.0).reshape(3, 4, 5)
np.save("a.npy", a); np.save("f.npy", np.asfortranarray(a.astype(">f4"))); np.save("h.npy", a.astype("f2"))
np.savez("s.npz", a=a, b=a.astype("i2")); np.savez_compressed("c.npz", a=a, b=a > 3)
open("v.vtk", "wb").write(b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 5 4 3\n"
    b"SPACING 1 2 1\nPOINT_DATA 60\nSCALARS data float 1\nLOOKUP_TABLE default\n" + a.astype(">f4").tobytes() + b"\n")
)"))
    GTEST_SKIP() << "python3-numpy is not installed";
  const char* const wish = std::getenv("SIMREEL_FUZZ_SECONDS");
  const double seconds = wish == nullptr ? 0 : std::atof(wish);
  const auto start = std::chrono::steady_clock::now();
  const auto lasts = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds;
  };
  for (const std::string name : {"raw.vti", "appended.vti", "inline.vti", "rawzlib.vti", "oneblock.vti", "field.vtk"})
    put(name, test::text_of((test::root() / "tests/data" / ("vtk_" + name)).string()));
  std::mt19937_64 random(1);
  int read = 0, refused = 0;
  for (int round = 0; round < 225 || lasts(); ++round)
    for (const std::string name : {"a.npy", "f.npy", "h.npy", "s.npz", "c.npz", "v.vtk", "field.vtk", "raw.vti",
                                   "appended.vti", "inline.vti", "rawzlib.vti", "oneblock.vti"}) {
      std::string bytes = get(name);
      for (std::uint64_t changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
        const std::size_t head = std::min<std::size_t>(bytes.size(), name.find(".vt") != std::string::npos ? 900 : 200);
        const std::size_t at = random() % 3 == 0 ? bytes.size() - 1 - random() % head : random() % head;
        switch (random() % 6) {
          case 0: bytes[at] = static_cast<char>(random()); break;
          case 1: bytes.resize(at); break;
          case 2: bytes.insert(at, 1, static_cast<char>(random())); break;
          case 3: bytes.erase(at, 1 + random() % 4); break;
          case 4: bytes.replace(at, 8, std::string(1, static_cast<char>(random())) + std::string(7, '\xff')); break;
          default: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
        }
      }
      put("x.bin", bytes);
      (complaint("x.bin").empty() ? read : refused) += 1;
    }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 10);
}

}  // namespace
}  // namespace simreel
