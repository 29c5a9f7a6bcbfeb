#pragma once
// Pictures: a PNG a frame, or one of the last frame.

#include <cstddef>
#include <memory>
#include <string>

#include "base/pixels.h"
#include "sink/origin.h"
#include "sink/sink.h"

namespace simreel {

// A whole PNG file. `layout` is rgb or rgba, of 8 or of 16 bits a channel; each tag becomes an uncompressed iTXt chunk.
// Of the filters none, sub and up the one is taken that makes a sample of the rows smallest. The bytes depend on
// nothing but the arguments and libdeflate. Throws UsageError for more than 2 GiB of pixels and RuntimeError where
// memory runs out. Any thread may call it.
std::string encode_png(Size, PixelLayout layout, const std::byte* pixels, const Tags&);

// Throws UsageError, with `place` in front, where encode_png would.
void refuse_large_png(Size, PixelLayout, const std::string& place);

// "x/%06d.png": each frame's file appears when it is complete; a thread a core encodes them. Throws UsageError where
// any file of the planned frames is there.
std::unique_ptr<Sink> open_png_sequence(const std::string& target, const OutputOptions&, const StreamInfo&,
                                        Opening = Opening::real);
// "x.png": the last frame, written by `finish`.
std::unique_ptr<Sink> open_png(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
