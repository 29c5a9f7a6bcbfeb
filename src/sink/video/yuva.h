#pragma once
// Pictures with alpha for encoders of Y'CbCr. Internal to the video sink.

#include "sink/video/av.h"

namespace simreel {

// Fills `to`, in YUVA420P or YUVA444P10, from RGBA of the same size: BT.709 in limited range, chroma sited left, alpha
// in full range and not multiplied into the colours. Halved chroma is a mean in which a pixel counts as much as it is
// seen, so nothing of a transparent colour reaches the edges.
void fill_yuva(const AVFrame& rgba, AVFrame& to);

}  // namespace simreel
