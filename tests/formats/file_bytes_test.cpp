// Files that another program cuts while they are read, and memory that is not there.

#include "formats/file_bytes.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <new>

#include "base/error.h"
#include "formats/array_file.h"
#include "formats/several_files.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

class FilesOfOthers : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  test::Folder folder_;
};

std::string npy(std::uint64_t values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values) + ",), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + std::string(8 * values, '\0');
}

TEST_F(FilesOfOthers, BytesAreThoseOfTheFileWhereverTheyAreReadFrom) {
  std::string text;
  for (int i = 0; i < 60000; ++i) text += std::to_string(i) + ",";
  const FileBytes file(put("a", text));
  ASSERT_EQ(file.size(), text.size());
  for (const std::uint64_t at : {0, 5, 65530, 65536, 200000, 3, 130000})
    for (const std::uint64_t count : {1, 100, 65536, 100000}) {
      if (at + count > text.size()) continue;
      EXPECT_EQ(file.view(at, count), text.substr(at, count));
      const std::vector<std::byte> bytes = file.bytes(at, count);
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), text.substr(at, count));
    }
  for (const char* number : {",59999,", ",13107,", ",0,", "0,1,", "none"})
    for (const std::size_t from : {std::size_t{0}, std::size_t{65500}})
      EXPECT_EQ(file.find(number, from), std::min(text.find(number, from), text.size())) << number;
}

TEST_F(FilesOfOthers, OneThatBecomesShorterIsAnError) {
  const std::string name = put("a.npy", npy(100000));
  const auto file = open_array_file(name);
  std::filesystem::resize_file(name, 1000);
  try {
    file->values(file->arrays()[0], 1 << 20);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_EQ(std::string(error.what()), name + ": the file became shorter while it was read");
  }
}

// Memory mapped from such a file would end the process with SIGBUS.
TEST_F(FilesOfOthers, CutsInTheMidstOfReadingAreErrors) {
  const std::string data = (test::root() / "tests/data/").string();
  const std::string values(80000 * 8, '1');
  const std::vector<std::string> names = {
      put("a.npy", npy(100000)),
      put("a.vtk",
          "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 400 200 1\n"
          "POINT_DATA 80000\nSCALARS rho double 1\nLOOKUP_TABLE default\n" +
              values + "\n"),
      put("a.vti",
          "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" header_type=\"UInt32\"><ImageData WholeExtent="
          "\"0 399 0 199 0 0\" Spacing=\"1 1 1\"><Piece Extent=\"0 399 0 199 0 0\"><PointData><DataArray type="
          "\"Float64\" Name=\"rho\" format=\"appended\" offset=\"0\"/></PointData></Piece></ImageData>"
          "<AppendedData encoding=\"raw\">_" +
              std::string("\x00\xc4\x09\x00", 4) + values),
      put("a.pvd", "<VTKFile type=\"Collection\"><Collection>" + std::string(100000, ' ') + "<DataSet file=\"x\"/>")};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto size = static_cast<off_t>(std::filesystem::file_size(name));
    std::atomic<bool> over = false;
    std::thread writer([&] {
      const int fd = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
      while (!over)
        if (::ftruncate(fd, 64) != 0 || ::ftruncate(fd, size) != 0) std::abort();
      ::close(fd);
    });
    for (int i = 0; i < 300; ++i) {
      try {
        if (name.ends_with("pvd")) {
          read_collection(name);
        } else {
          const auto file = open_array_file(name);
          file->values(file->arrays()[0], 1 << 20);
        }
      } catch (const RuntimeError&) {
      }
    }
    over = true;
    writer.join();
  }
}

TEST_F(FilesOfOthers, NoMemoryToUnpackIsAnError) {
  const std::string name = (test::root() / "tests/data/vtk_rawzlib.vti").string();
  const auto file = open_array_file(name);
  libdeflate_set_memory_allocator([](std::size_t) -> void* { return nullptr; }, std::free);
  EXPECT_THROW(file->values(file->at("rho"), 100), std::bad_alloc);
  libdeflate_set_memory_allocator(std::malloc, std::free);
  EXPECT_EQ(file->values(file->at("rho"), 100)[8], 1);
}

}  // namespace
}  // namespace simreel
