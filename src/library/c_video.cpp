// include/simreel/simreel.h: videos of the caller's arrays.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>

#include "library/c_guard.h"
#include "library/pushed.h"
#include "simreel/simreel.h"

struct simreel_video {
  simreel::PushedVideo video;
  simreel::OptionNames words;  // of its caller
};

namespace simreel {
namespace {

constexpr std::int64_t max_rows = std::int64_t{1} << 31;

// An array of the caller as rows and columns. Without a second axis there is one column.
StridedArray strided(const simreel_array& array, const std::string& what) {
  if (array.type < SIMREEL_FLOAT16 || array.type > SIMREEL_BOOL)
    throw UsageError("simreel_array.type is {}, which is none", array.type);
  if (array.memory != SIMREEL_HOST && array.memory != SIMREEL_GPU)
    throw UsageError("simreel_array.memory is {}, which is none", array.memory);
  if (array.data == nullptr || array.shape == nullptr) throw UsageError("{} has no data or no shape", what);
  StridedArray result;
  result.data = static_cast<const std::byte*>(array.data);
  result.type = static_cast<Number>(array.type);
  result.rows = array.shape[0];
  result.columns = array.axes == 2 ? array.shape[1] : 1;
  if (result.rows < 1 || result.columns < 1 || result.rows > max_rows / result.columns)
    throw UsageError("{} is {} x {}; it needs 1 to 2^31 values", what, result.rows, result.columns);
  const auto bytes = static_cast<std::int64_t>(bytes_of(result.type));
  result.row_bytes = (array.strides != nullptr ? array.strides[0] : result.columns) * bytes;
  result.column_bytes = (array.strides != nullptr && array.axes == 2 ? array.strides[1] : 1) * bytes;
  return result;
}

simreel_array array_of(const simreel_array* given, const char* what) {
  if (given == nullptr) throw UsageError("{} is NULL", what);
  return copy_of(*given, offsetof(simreel_array, memory), "simreel_array");
}

std::string name_of(const simreel_array& array, const char* otherwise) {
  return array.name != nullptr ? array.name : otherwise;
}

// Pixels of 3 or 4 channels.
PushedFrame picture_frame(simreel_array array, double time) {
  const std::int64_t channels = array.shape == nullptr ? 0 : array.shape[2];
  if (array.type != SIMREEL_UINT8 || (channels != 3 && channels != 4))
    throw UsageError(
        "an array of 3 axes is a picture, [rows, columns, 3 or 4] of uint8; this one is {}{}. Of levels from "
        "0 to 1: (255 * a + 0.5).astype(uint8); of a field with three dimensions write a plane",
        array.shape == nullptr ? "without a shape"
                               : fmt::format("[{}, {}, {}]", array.shape[0], array.shape[1], channels),
        array.type == SIMREEL_UINT8 ? "" : " of another type");
  const std::int64_t packed[] = {array.shape[1] * channels, channels, 1};
  if (array.strides == nullptr) array.strides = packed;
  PushedFrame frame;
  frame.channels = static_cast<int>(channels);
  frame.channel_bytes = array.strides[2];
  array.axes = 2;
  frame.field = strided(array, "the picture");
  constexpr std::int64_t min = 16, max = 16384;  // as of "size" in [view]
  for (const std::int64_t side : {frame.field->rows, frame.field->columns})
    if (side < min || side > max)
      throw UsageError("the picture is {} x {}; each side has {} to {} pixels", frame.field->rows, frame.field->columns,
                       min, max);
  frame.on_gpu = array.memory == SIMREEL_GPU;
  frame.time = time;
  return frame;
}

PushedFrame field_frame(const simreel_array* given, double time) {
  const simreel_array array = array_of(given, "the field");
  if (array.axes == 3) return picture_frame(array, time);
  if (array.axes != 2)
    throw UsageError("the field has {} axes; it needs 2, [rows, columns], or 3, [rows, columns, 3 or 4], for a picture",
                     array.axes);
  PushedFrame frame;
  frame.field = strided(array, "the field");
  constexpr std::int64_t max = 1 << 24;
  if (frame.field->rows > max || frame.field->columns > max)
    throw UsageError("the field is {} x {}; each side has 1 to {} cells", frame.field->rows, frame.field->columns, max);
  frame.on_gpu = array.memory == SIMREEL_GPU;
  frame.time = time;
  return frame;
}

PushedFrame body_frame(const simreel_array* position, const simreel_array* velocity, const simreel_array* mass,
                       double time) {
  const simreel_array at = array_of(position, "position");
  PushedFrame frame;
  frame.on_gpu = at.memory == SIMREEL_GPU;
  frame.time = time;
  frame.position_name = name_of(at, "position");
  const auto part = [&](const simreel_array& array, std::int64_t columns, const std::string& what) {
    if (array.axes < 1 || array.axes > 2) throw UsageError("{} has {} axes; it needs 1 or 2", what, array.axes);
    if (array.memory != at.memory)
      throw UsageError("{} and {} lie in host memory and on a GPU; put both in one place", frame.position_name, what);
    const StridedArray result = strided(array, what);
    const std::int64_t rows = frame.position ? frame.position->rows : result.rows;
    if (result.rows != rows || result.columns != columns)
      throw UsageError("{} is {} x {}; it must be {} x {}", what, result.rows, result.columns, rows, columns);
    return result;
  };
  frame.position = part(at, 3, frame.position_name);
  if (frame.position->rows >= max_rows / 8)
    throw UsageError("there are {} bodies; fewer than {} can be drawn", frame.position->rows, max_rows / 8);
  if (velocity != nullptr) {
    const simreel_array array = array_of(velocity, "velocity");
    frame.velocity_name = name_of(array, array.axes == 1 ? "speed" : "velocity");
    frame.velocity = part(array, array.axes == 1 ? 1 : 3, frame.velocity_name);
  }
  if (mass != nullptr) {
    const simreel_array array = array_of(mass, "mass");
    frame.mass_name = name_of(array, "mass");
    frame.mass = part(array, 1, frame.mass_name);
  }
  return frame;
}

PushedOptions options_of(const simreel_device* given) {
  const simreel_device device = device_of(given);
  const Wanted choices[] = {Wanted::automatic, Wanted::cpu, Wanted::cuda}, wanted = choices[device.backend];
  return {wanted, device_or_any(wanted, device.index), device.threads, device.overwrite != 0,
          device.view_name == nullptr ? "view" : device.view_name};
}

OptionNames caller_words(const simreel_video* video) { return video == nullptr ? words_of(nullptr) : video->words; }

void expect_video(const simreel_video* video) {
  if (video == nullptr) throw UsageError("video is NULL");
  if (!video->video.belongs_here())
    throw UsageError("another process opened this video, and this one is a fork of it; open a video here");
}

}  // namespace
}  // namespace simreel

using namespace simreel;

extern "C" {

simreel_video* simreel_video_open(const char* const* outputs, size_t count, const char* view,
                                  const simreel_device* device, simreel_error** error) {
  std::unique_ptr<simreel_video> opened;
  const OptionNames words = words_of(device);
  guarded(error, words, [&] {
    opened.reset(new simreel_video{
        {texts_of(outputs, count, "output"), view == nullptr ? "" : view, options_of(device)}, words});
  });
  return opened.release();
}

int simreel_video_write(simreel_video* video, const simreel_array* field, double time, simreel_error** error) {
  return guarded(error, caller_words(video), [&] {
    expect_video(video);
    video->video.write(field_frame(field, time));
  });
}

int simreel_video_write_bodies(simreel_video* video, const simreel_array* position, const simreel_array* velocity,
                               const simreel_array* mass, double time, simreel_error** error) {
  return guarded(error, caller_words(video), [&] {
    expect_video(video);
    video->video.write(body_frame(position, velocity, mass, time));
  });
}

int simreel_video_ready(simreel_video* video, double seconds) {
  if (video == nullptr || !video->video.belongs_here()) return 1;  // the call that writes tells the mistake
  constexpr double max = 3600;
  const double patience = seconds > 0 ? std::min(seconds, max) : 0;
  return video->video.ready(std::chrono::duration<double>(patience)) ? 1 : 0;
}

int simreel_video_set_stream(simreel_video* video, void* cuda_stream) {
  if (video == nullptr) return SIMREEL_USAGE;
  video->video.set_stream(static_cast<CUstream_st*>(cuda_stream));
  return SIMREEL_DONE;
}

void* simreel_video_stream(const simreel_video* video) { return video == nullptr ? nullptr : video->video.stream(); }

int64_t simreel_video_frames(const simreel_video* video) { return video == nullptr ? 0 : video->video.frames(); }

int simreel_video_close(simreel_video* video, simreel_result** result, simreel_error** error) {
  if (result != nullptr) *result = nullptr;
  return guarded(error, caller_words(video), [&] {
    if (video == nullptr) return;
    expect_video(video);
    const std::unique_ptr<simreel_video> owned(video);
    owned->video.close();
    if (result == nullptr) return;
    auto left = std::make_unique<simreel_result>();
    left->frames = owned->video.frames();
    left->seconds = owned->video.seconds();
    if (const auto& range = owned->video.range()) left->range = {range->low, range->high};
    if (left->frames > 0) left->texts[SIMREEL_OUTPUT] = owned->video.outputs();
    left->texts[SIMREEL_REMARK] = owned->video.remarks();
    if (left->frames == 0)
      left->texts[SIMREEL_REMARK].push_back(
          fmt::format("no frame was written, so that there is no {}", owned->video.outputs().front()));
    *result = left.release();
  });
}

void simreel_video_abandon(simreel_video* video) {
  if (video != nullptr && video->video.belongs_here()) delete video;  // a fork's copy cannot end threads it has not
}
}
