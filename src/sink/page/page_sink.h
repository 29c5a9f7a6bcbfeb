#pragma once
// Frames as pages of vectors: the last one, written by `finish` ("x.pdf", "x.svg"), or a file of each ("x/%06d.pdf").

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_pdf(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);
// "x.tex" and the images that it shows, "x-picture.png".
std::unique_ptr<Sink> open_tex(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);
std::unique_ptr<Sink> open_eps(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);
// Throws UsageError in a build without PNG, which its pictures are.
std::unique_ptr<Sink> open_svg(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
