#pragma once
// Pictures: one PNG per frame, or one of the last frame.

#include <cstddef>
#include <memory>
#include <string>

#include "base/pixels.h"
#include "sink/origin.h"
#include "sink/sink.h"

namespace simreel {

// A whole PNG file. `layout` is rgb or rgba with 8 or 16 bits per channel; each tag becomes an uncompressed iTXt chunk.
// Of the filters none, sub and up, it uses the one that compresses a sample of the rows best. The bytes depend on the
// arguments and libdeflate alone. Throws UsageError for more than 2 GiB of pixels and RuntimeError if memory runs out.
// Any thread may call it. `dpi`: pixels per inch in print, written as a pHYs chunk; 0: not written.
std::string encode_png(Size, PixelLayout layout, const std::byte* pixels, const Tags&, double dpi = 0);

// Throws UsageError, starting with `place`, if encode_png would.
void refuse_large_png(Size, PixelLayout, const std::string& place);

// "x/%06d.png": the file of each frame appears when it is complete; one thread per core encodes them. Throws UsageError
// if any file of the planned frames exists.
std::unique_ptr<Sink> open_png_sequence(const std::string& target, const OutputOptions&, const StreamInfo&,
                                        Opening = Opening::real);
// "x.png": the last frame, written by `finish`.
std::unique_ptr<Sink> open_png(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
