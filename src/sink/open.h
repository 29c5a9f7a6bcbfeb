#pragma once
// What opens the outputs of one file or folder each; the head of that file says what it writes.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

using OpenSink = std::unique_ptr<Sink>(const std::string& target, const OutputOptions&, const StreamInfo&, Opening);

OpenSink open_csv, open_npz;                      // data/
OpenSink open_pdf, open_svg, open_eps, open_tex;  // page/page_sink.cpp; x.tex with its images, "x-picture.png"
OpenSink open_y4m;                                // raw/; the standard output, too
OpenSink open_null;

}  // namespace simreel
