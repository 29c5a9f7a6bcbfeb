#pragma once
// The table of outputs: one row for each kind of name that -o takes. The help, `simreel info`, docs/outputs.md,
// `simreel compare` and the errors come from it; a new container or extension is a row here.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sink/open.h"
#include "sink/sink.h"

namespace simreel {

class AnimatedFormat;
class EncoderPlan;

// The contents of an output.
enum class Content { video, picture, page, state, diagnostics, hashes, nothing };

// The layout of a file of encoded video.
struct Container {
  std::string_view muxer = {};  // libav's name; empty: `animated` writes it
  std::string_view codec = {};  // default; empty: no encoder is needed, the output is not of this kind
  bool mp4_family = false;      // written as fragments, copied to a file with its index in front at the end, see
                                // StreamInfo::copied_on_stop
  std::unique_ptr<AnimatedFormat> (*animated)(const EncoderPlan&, const Tags&) = nullptr;
  int max_fps = 0;  // more frames a second are not shown as such by players, so one of several is written; 0: any
};

struct SinkKind {
  std::string_view pattern;  // "x.mp4", "x/%06d.png", "-", "null:"
  std::string_view summary;  // a short description
  std::string_view details;  // further description for docs/outputs.md, in Markdown; may be empty
  Content content;
  OpenSink* open;
  Container container = {};

  std::string extension() const;  // ".mp4"; empty for "-" and "null:"
  bool numbered() const;          // one file per frame
  bool shows_pictures() const;    // or they are data, or nothing
  bool accepts(const std::string& target) const;
};
std::span<const SinkKind> sink_kinds();

// The first row with the extension of this name; null if there is none.
const SinkKind* kind_by_extension(const std::string& name);

// The first row that accepts this output. Throws UsageError, with the nearest name that one accepts.
const SinkKind& kind_of(const std::string& target);

// Each pattern once: "x.mp4, x.mov, ...".
std::string output_patterns();
// The extensions of the files with these contents, each once, separated by spaces: ".mp4 .mov ...".
std::string extensions_of(Content);
// The table for docs/outputs.md, one line per row.
std::string outputs_markdown();

}  // namespace simreel
