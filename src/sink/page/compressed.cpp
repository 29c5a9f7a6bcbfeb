#include "sink/page/compressed.h"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace simreel {

std::string compressed(std::string_view bytes) {
  constexpr int level = 6;
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

}  // namespace simreel
