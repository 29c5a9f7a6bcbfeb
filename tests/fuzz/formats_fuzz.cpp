// formats_fuzz [CORPUS... -max_total_time=SECONDS]: the readers of other programs' files, fed with what libFuzzer makes
// of examples. Whatever comes in, they read it or throw an error; memory stays within libFuzzer's limit.
// scripts/fuzz_formats builds and runs it, with clang.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "formats/array_file.h"
#include "formats/hdf5_lzf.h"
#include "formats/several_files.h"

namespace simreel {
namespace {

// All values of small arrays, and some of a large one's, as the source reads them.
void read_some(const ArrayFile& file, const ArrayInfo& array) {
  Extents start(array.extents.size(), 0), count(array.extents.size(), 0);
  std::size_t values = 1;
  for (std::size_t i = array.extents.size(); i-- > 0;) {
    constexpr std::size_t max = 1 << 16;
    const std::uint64_t extent = array.extents[i];
    if (extent == 0) return;
    count[i] = extent < max / values ? extent : max / values;
    start[i] = extent - count[i];
    values *= static_cast<std::size_t>(count[i]);
  }
  std::vector<std::byte> to(values * array.element.bytes);
  file.read(array, start, count, to.data());
}

template <class Work>
void attempt(const Work& work) {
  try {
    work();
  } catch (const RuntimeError&) {
  }
}

void read_all(const std::string& path) {
  attempt([&] { read_collection(path); });
  attempt([&] {
    const auto file = open_array_file(path);
    for (const ArrayInfo& array : file->arrays()) {
      attempt([&] { read_some(*file, array); });
      attempt([&] { file->values(array, 1 << 16); });
    }
    for (const char* name : {"time", "/Header/Time", "/Header/MassTable", "simreel", "/x/units", "step"}) {
      attempt([&] { file->attribute(name); });
      attempt([&] { file->text(name); });
      attempt([&] { file->attribute_list(name, 1000); });
    }
  });
}

}  // namespace
}  // namespace simreel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("input", 0);
  if (file < 0 || ::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  std::vector<std::uint8_t> unpacked(1 << 16);
  std::size_t length = 0;
  simreel::hdf5::unpack_lzf(data, size, unpacked.data(), unpacked.size(), length);
  simreel::read_all("/proc/self/fd/" + std::to_string(file));
  return 0;
}
