#include "sink/png.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "error.h"
#include "sink/part_file.h"
#include "sink/pattern.h"

namespace simreel {
namespace {

// For stb: a zlib stream in memory from malloc, or null. Level 1 is ten times faster than stb's own at a smaller size.
unsigned char* compress_zlib(unsigned char* data, int size, int* compressed_size, int /*quality*/) {
  struct Free {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
  };
  thread_local const std::unique_ptr<libdeflate_compressor, Free> compressor(libdeflate_alloc_compressor(1));
  if (!compressor) return nullptr;
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor.get(), std::size_t(size));
  auto* compressed = static_cast<unsigned char*>(std::malloc(bound));
  if (!compressed) return nullptr;
  *compressed_size = int(libdeflate_zlib_compress(compressor.get(), data, std::size_t(size), compressed, bound));
  return compressed;
}

}  // namespace
}  // namespace simreel

#define STBIW_ZLIB_COMPRESS simreel::compress_zlib
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace simreel {
namespace {

// The filter "up" suits smooth fields; trying all five for each row costs three times the rest. Set before any thread
// encodes.
[[maybe_unused]] const int png_filter = stbi_write_force_png_filter = 2;

constexpr std::size_t end_of_header_chunk = 8 + 25;  // the signature, then IHDR with its length, name and checksum

std::string big_endian(std::uint32_t value) {
  return {char(value >> 24), char(value >> 16 & 0xff), char(value >> 8 & 0xff), char(value & 0xff)};
}

// PNG 1.2, 4.2.3.3: keyword, 0, not compressed, method 0, no language, no translated keyword, text.
std::string text_chunk(const std::string& key, const std::string& text) {
  std::string chunk = "iTXt" + key + std::string(5, '\0') + text;
  return big_endian(std::uint32_t(chunk.size() - 4)) + chunk +
         big_endian(libdeflate_crc32(0, chunk.data(), chunk.size()));
}

void refuse_too_large(Size size, PixelLayout layout, const std::string& place) {
  // stb counts bytes in int, filter bytes of the rows and the compressor's slack included.
  const std::size_t bytes = frame_bytes(size, layout) + std::size_t(size.height);
  if (bytes + bytes / 100 + 4096 > INT_MAX) {
    throw UsageError(
        fmt::format("{}: a PNG of {}x{} pixels has {:.1f} GiB of them and 2 GiB are possible; choose a smaller "
                    "[view] size",
                    place, size.width, size.height, double(bytes) / (1 << 30)));
  }
}

class PngSequence : public Sink {
 public:
  PngSequence(FilePattern pattern, const StreamInfo& info)
      : pattern_(std::move(pattern)),
        size_(info.size),
        layout_(info.alpha ? PixelLayout::rgba : PixelLayout::rgb),
        overwrite_(info.overwrite),
        tags_(origin_tags(info)) {
    for (std::int64_t i = 0; i < info.frames; ++i) refuse_existing(pattern_.name(i), overwrite_);
    next_ = std::make_unique<PartFile>(pattern_.name(0), overwrite_);
  }

  std::optional<PixelLayout> layout() const override { return layout_; }

  void write(const Frame& frame) override {
    const std::string png = encode_png(size_, layout_, frame.pixels, tags_);
    const std::filesystem::path path = pattern_.name(frame.index);
    if (!next_) next_ = open(path);
    next_->write(png);
    next_->commit(PartFile::Folder::unsynced);
    next_.reset();
    if (!last_.empty() && last_.parent_path() != path.parent_path()) sync_folder(last_);
    last_ = path;
  }

  void finish() override {
    if (!last_.empty()) sync_folder(last_);
    next_.reset();
  }

 private:
  std::unique_ptr<PartFile> open(const std::filesystem::path& path) const {
    try {
      return std::make_unique<PartFile>(path, overwrite_);
    } catch (const UsageError& error) {
      throw RuntimeError(error.what());  // it was in order before the run, so the user did nothing wrong
    }
  }

  FilePattern pattern_;
  Size size_;
  PixelLayout layout_;
  bool overwrite_;
  Tags tags_;
  std::unique_ptr<PartFile> next_;  // the first one is opened before the run, to see that it can be
  std::filesystem::path last_;
};

class LastPng : public Sink {
 public:
  LastPng(const std::filesystem::path& target, const StreamInfo& info)
      : file_(target, info.overwrite),
        size_(info.size),
        layout_(info.alpha ? PixelLayout::rgba : PixelLayout::rgb),
        tags_(origin_tags(info)) {}

  std::optional<PixelLayout> layout() const override { return layout_; }

  // Which frame is the last is known at the end only: a run may be stopped.
  void write(const Frame& frame) override { pixels_.assign(frame.pixels, frame.pixels + frame_bytes(size_, layout_)); }

  void finish() override {
    if (pixels_.empty()) return;
    file_.write(encode_png(size_, layout_, pixels_.data(), tags_));
    file_.commit();
  }

 private:
  PartFile file_;
  Size size_;
  PixelLayout layout_;
  Tags tags_;
  std::vector<std::byte> pixels_;
};

}  // namespace

std::string encode_png(Size size, PixelLayout layout, const std::byte* pixels, const Tags& tags) {
  refuse_too_large(size, layout, "png");
  const int channels = layout == PixelLayout::rgba ? 4 : 3;
  int length = 0;
  struct Free {
    void operator()(unsigned char* memory) const { std::free(memory); }
  };
  const std::unique_ptr<unsigned char, Free> whole(stbi_write_png_to_mem(reinterpret_cast<const unsigned char*>(pixels),
                                                                         size.width * channels, size.width, size.height,
                                                                         channels, &length));
  if (!whole) throw RuntimeError(fmt::format("png: no memory to encode {}x{} pixels", size.width, size.height));
  const auto* bytes = reinterpret_cast<const char*>(whole.get());
  std::string file(bytes, end_of_header_chunk);
  for (const auto& [key, text] : tags) file += text_chunk(key, text);
  return file.append(bytes + end_of_header_chunk, std::size_t(length) - end_of_header_chunk);
}

std::unique_ptr<Sink> open_png_sequence(const std::string& target, const OutputOptions&, const StreamInfo& info) {
  refuse_too_large(info.size, info.alpha ? PixelLayout::rgba : PixelLayout::rgb, target);
  return std::make_unique<PngSequence>(FilePattern(target), info);
}

std::unique_ptr<Sink> open_png(const std::string& target, const OutputOptions&, const StreamInfo& info) {
  refuse_too_large(info.size, info.alpha ? PixelLayout::rgba : PixelLayout::rgb, target);
  return std::make_unique<LastPng>(FilePattern(target).name(0), info);
}

}  // namespace simreel
