#include "sink/png.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <spdlog/spdlog.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "error.h"
#include "sink/part_file.h"
#include "sink/pattern.h"

namespace simreel {
namespace fs = std::filesystem;
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

// Beside the pixels: the filtered rows, their compressed form, and the file. Measured with noise, the worst case.
std::size_t encoding_bytes(Size size, PixelLayout layout) { return 3 * frame_bytes(size, layout); }

class PngSequence : public Sink {
 public:
  PngSequence(FilePattern pattern, const StreamInfo& info, Opening opening)
      : pattern_(std::move(pattern)),
        size_(info.size),
        layout_(info.alpha ? PixelLayout::rgba : PixelLayout::rgb),
        overwrite_(info.overwrite),
        tags_(origin_tags(info)) {
    look_for_others(info.frames, opening);
    next_ = std::make_unique<PartFile>(pattern_.name(0), overwrite_, opening);
  }

  std::optional<PixelLayout> layout() const override { return layout_; }
  std::size_t memory_bytes() const override { return encoding_bytes(size_, layout_); }

  void write(const Frame& frame) override {
    const std::string png = encode_png(size_, layout_, frame.pixels, tags_);
    const fs::path path = pattern_.name(frame.index);
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
  // One look into the folder instead of one for each planned frame.
  void look_for_others(std::int64_t frames, Opening opening) const {
    const FilePattern component = pattern_.component();
    std::set<std::int64_t> planned, left;
    std::error_code error;
    for (fs::directory_iterator entry(pattern_.folder(), error), end; !error && entry != end; entry.increment(error)) {
      std::string name = entry->path().filename().string();
      auto index = component.index_of(name);
      if (!index && name.ends_with(".part")) index = component.index_of(name.substr(0, name.size() - 5));
      if (index && *index < frames) planned.insert(*index);
      if (index && *index >= frames && fs::exists(pattern_.name(*index))) left.insert(*index);
    }
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
      throw UsageError(fmt::format("{}: its files cannot be listed: {}", pattern_.folder(), error.message()));
    }
    for (const std::int64_t index : planned) refuse_existing(pattern_.name(index), overwrite_);
    if (!overwrite_ || left.empty() || opening == Opening::trial) return;
    spdlog::warn(
        "{}: {} {} an earlier run {} behind, because this one ends at {}; delete them before a film is made of "
        "all",
        pattern_.name(*left.begin()), left.size(), left.size() == 1 ? "picture of" : "pictures of",
        left.size() == 1 ? "stays" : "stay", pattern_.name(frames - 1));
  }

  std::unique_ptr<PartFile> open(const fs::path& path) const {
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
  fs::path last_;
};

class LastPng : public Sink {
 public:
  LastPng(const fs::path& target, const StreamInfo& info, Opening opening)
      : file_(target, info.overwrite, opening),
        size_(info.size),
        layout_(info.alpha ? PixelLayout::rgba : PixelLayout::rgb),
        tags_(origin_tags(info)) {}

  std::optional<PixelLayout> layout() const override { return layout_; }
  std::size_t memory_bytes() const override { return frame_bytes(size_, layout_) + encoding_bytes(size_, layout_); }

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

std::unique_ptr<Sink> open_png_sequence(const std::string& target, const OutputOptions&, const StreamInfo& info,
                                        Opening opening) {
  refuse_too_large(info.size, info.alpha ? PixelLayout::rgba : PixelLayout::rgb, target);
  return std::make_unique<PngSequence>(FilePattern(target), info, opening);
}

std::unique_ptr<Sink> open_png(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  refuse_too_large(info.size, info.alpha ? PixelLayout::rgba : PixelLayout::rgb, target);
  return std::make_unique<LastPng>(FilePattern(target).name(0), info, opening);
}

}  // namespace simreel
