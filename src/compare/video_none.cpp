// In a build without FFmpeg's libraries: no reader comes to be.

#include "base/error.h"
#include "compare/video.h"

namespace simreel {

struct VideoReader::State {
  std::string name;
};

VideoReader::VideoReader(const std::filesystem::path& path) {
  throw UsageError("{}: this build cannot read videos; configure with -DSIMREEL_VIDEO=ON", path.string());
}
VideoReader::~VideoReader() = default;

const std::string& VideoReader::name() const { return state_->name; }
std::string VideoReader::frame_rate() const { return ""; }
bool VideoReader::rotated() const { return false; }
bool VideoReader::next() { return false; }
std::int64_t VideoReader::index() const { return 0; }
Size VideoReader::size() const { return {}; }
bool VideoReader::rounded() const { return false; }
bool VideoReader::matrix_named() const { return false; }
Picture VideoReader::picture() { return {}; }
void VideoReader::prepare_rows() {}
const Color* VideoReader::row(int, Color*) const { return nullptr; }
bool VideoReader::stored_alike(const VideoReader&) const { return false; }
bool VideoReader::row_stored_alike(const VideoReader&, int) const { return false; }
bool VideoReader::same_layout(const VideoReader&) const { return false; }

}  // namespace simreel
