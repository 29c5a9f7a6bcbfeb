#pragma once
// Videos of a running program's arrays, and what `simreel render`, `check`, `figure` and `compare` do, from C++. Link
// simreel::simreel.
//
//   simreel::api::Video video({"x.mp4"}, "[view]\nrange = [0, 1]\n");
//   for (...) video.write({u.data(), rows, columns}, time);
//   video.close();
//
// The library prints nothing, handles no signal, and changes no setting of the process, except that FFmpeg's libraries
// get a log callback the first time they are used (they have one per process; what is not of this library is passed on
// to FFmpeg's own). A program with a callback of its own sets it again after its first video was opened; what encoders
// of this library say then has levels beyond AV_LOG_TRACE, and its error texts lack FFmpeg's words. Runs may go on at
// once in several threads, as long as they write different files.

#include "simreel/simreel.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace simreel::api {

// The version of the library that is linked, "0.1.0".
const char* version() noexcept;

// The scene, an override or an output is wrong. The text begins with the place ("scenes/x.toml:12:5: ...") where there
// is one and names a way out.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file, the device or an encoder failed, or the CPU lacks AVX2 and FMA.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Level { info, warning, error };
enum class Device { automatic, cpu, cuda };  // automatic: a GPU where there is one

struct RenderOptions {
  // Where frames go, named as for `simreel render -o`: "x.mp4", "x/%06d.png", "x.csv", "null:", ... Empty: where the
  // scene says.
  std::vector<std::string> outputs;
  // Keys of the scene to set, as for --set: "view.colormap=magma".
  std::vector<std::string> overrides;

  Device device = Device::automatic;
  int cuda_device = 0;  // its number
  int threads = 0;      // of the CPU; 0: one per core

  bool overwrite = false;  // replace outputs that exist

  // What a user should know, one message without a line end. Called from several threads at once; must not throw.
  std::function<void(Level, std::string_view)> log;
  // Frames done, and frames of the whole run. Called on the thread of `render`.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  // Whether the run is to end early: its outputs are then complete up to there. Asked from several threads, often.
  std::function<bool()> stop;
};

// The text of a scene or a figure that is no file.
struct Text {
  Text(std::string text, std::filesystem::path paths, std::string places = "scene")
      : toml(std::move(text)), folder(std::move(paths)), name(std::move(places)) {}
  std::string toml;
  std::filesystem::path folder;  // where paths in it start; empty: the current one
  std::string name;              // before line and column in messages; empty: they name no place
};

struct RenderResult {
  std::int64_t frames = 0;  // in each output
  double seconds = 0;       // wall time
  bool stopped = false;     // by RenderOptions::stop
  // Why the state ceased to be finite, which ended the run; empty where it did not.
  std::string divergence;
  std::vector<std::string> findings;               // what the solver measured, "Strouhal number 0.1989 ..."
  std::vector<std::string> outputs;                // where the frames are
  std::optional<std::pair<double, double>> range;  // of the colours; nullopt: nothing was drawn
};

// Runs a scene to its end and completes its outputs. Throws UsageError before the first step for everything that can
// be known by then, and Error.
RenderResult render(const std::filesystem::path& scene, const RenderOptions& options = {});
RenderResult render(const Text& scene, const RenderOptions& options = {});  // without outputs: folder / "scene.mp4"

// Throws what `render` would throw before the first step; touches no file. The warnings and remarks that the run would
// log come back.
std::vector<std::string> check(const std::filesystem::path& scene, const RenderOptions& options = {});
std::vector<std::string> check(const Text& scene, const RenderOptions& options = {});

struct FigureOptions {
  // As in RenderOptions.
  Device device = Device::automatic;
  int cuda_device = 0;
  int threads = 0;
  bool overwrite = false;
  std::function<void(Level, std::string_view)> log;
  // Frames done, and frames of all scenes.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  // Whether to give up: nothing is written then.
  std::function<bool()> stop;
};

struct FigureResult {
  std::vector<std::string> outputs;  // empty: nothing was written
  std::string summary;               // "3 panels, 2 runs of scenes, 180.0 x 72.1 mm"
  double seconds = 0;                // wall time
  bool stopped = false;              // by FigureOptions::stop
  std::string divergence;            // why the state of a scene ceased to be finite; empty where it did not
};

// Draws a figure of panels (docs/figures.md), a TOML file, and writes it as "x.pdf", "x.svg", "x.eps" or "x.png": all
// outputs when they are complete, or none. Throws UsageError and Error.
FigureResult figure(const std::filesystem::path& file, const std::vector<std::string>& outputs,
                    const FigureOptions& options = {});
FigureResult figure(const Text& text, const std::vector<std::string>& outputs, const FigureOptions& options = {});

// How much pictures may differ; 0: no limit of that kind. Without limits nothing may.
struct Tolerance {
  int max_diff = 0;       // of a channel, of 255 levels
  double max_pixels = 0;  // the share of pixels that may differ by more than max_diff, 0 to 1
  double min_psnr = 0;    // dB
  double min_ssim = 0;    // 1: equal
  double max_flip = 0;    // 0: equal, 1: the largest
};

struct Comparison {
  bool same = false;  // within the tolerance, and none is missing or extra
  std::int64_t pairs = 0, identical = 0;
  std::int64_t different = 0;           // beyond the tolerance
  std::int64_t missing = 0, extra = 0;  // pictures that only the expected side has, and only the actual one
  // Of the worst pair; 0, 0, infinity, 1, 0 where all are identical; NaN of hashes and pages.
  int max_diff = 0;
  double mean_diff = 0, psnr = 0, ssim = 0, flip = 0;
  std::string first;  // the first pair beyond the tolerance, and why: "frame 12: ..."; empty: none
};

// Compares two pictures, folders of PNG files, videos, pages, or lists of frame hashes. Throws UsageError and Error.
Comparison compare(const std::filesystem::path& expected, const std::filesystem::path& actual,
                   const Tolerance& tolerance = {});

// An array of the caller, which a video reads during the call only.
class Array {
 public:
  // Rows one after the other. T: float, double, bool, or an integer of 1 to 8 bytes.
  template <class T>
  Array(const T* data, std::int64_t rows, std::int64_t columns, simreel_memory memory = SIMREEL_HOST)
      : Array(data, {rows, columns}, {columns, 1}, type_of<T>(), memory) {}
  // One number after the other.
  template <class T>
  Array(const T* data, std::int64_t count, simreel_memory memory = SIMREEL_HOST)
      : Array(data, {count}, {1}, type_of<T>(), memory) {}
  // Any array: as many strides as axes, in elements, 0 and negative ones too. `data`: element [0, 0].
  Array(const void* data, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, simreel_type type,
        simreel_memory memory = SIMREEL_HOST)
      : data_(data), shape_(std::move(shape)), strides_(std::move(strides)), type_(type), memory_(memory) {
    if (shape_.size() != strides_.size()) throw UsageError("an array needs as many strides as axes");
  }

  // For the C interface; valid as long as this object.
  simreel_array in_c() const {
    return {sizeof(simreel_array), data_,           type_,   static_cast<std::int32_t>(shape_.size()),
            shape_.data(),         strides_.data(), memory_, nullptr};
  }

  template <class T>
  static constexpr simreel_type type_of() {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "float, double, bool, or an integer of 1 to 8 bytes");
    if constexpr (std::is_same_v<T, bool>) return SIMREEL_BOOL;
    if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? SIMREEL_FLOAT32 : SIMREEL_FLOAT64;
    constexpr int power = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<simreel_type>((std::is_signed_v<T> ? SIMREEL_INT8 : SIMREEL_UINT8) + power);
  }

 private:
  const void* data_;
  std::vector<std::int64_t> shape_, strides_;
  simreel_type type_;
  simreel_memory memory_;
};

struct VideoOptions {
  // As in RenderOptions.
  Device device = Device::automatic;
  int cuda_device = 0;
  int threads = 0;
  bool overwrite = false;
};

struct VideoResult {
  std::int64_t frames = 0;  // in each output
  double seconds = 0;       // wall time
  std::vector<std::string> outputs;
  std::vector<std::string> remarks;                // what the user should know, warnings too
  std::optional<std::pair<double, double>> range;  // of the colours; nullopt: nothing was drawn
};

// A video of arrays, frame after frame: simreel.h has the details of each function, of the same name with
// "simreel_video_" before it. Used by one thread at a time; several may be written at once. All members but the
// destructor throw UsageError and Error.
class Video {
 public:
  // `outputs` as for RenderOptions; `view`: the tables [view], [camera], [animation], [output] and [figure] of a scene,
  // with "range" of [view] as [low, high] or "first" for fields.
  explicit Video(const std::vector<std::string>& outputs, const std::string& view = "",
                 const VideoOptions& options = {}) {
    std::vector<const char*> names;
    for (const std::string& name : outputs) names.push_back(name.c_str());
    const simreel_device device = {sizeof(simreel_device),
                                   static_cast<std::int32_t>(options.device),
                                   options.cuda_device,
                                   options.threads,
                                   options.overwrite ? 1 : 0,
                                   "overwrite = true",
                                   "Device::cpu",
                                   "view",
                                   nullptr};
    simreel_error* error = nullptr;
    video_.reset(simreel_video_open(names.data(), names.size(), view.c_str(), &device, &error));
    if (!video_) fail(error);
  }

  // A field, rows x columns, row 0 below; or a picture, rows x columns x 3 or 4 of uint8, row 0 above. The array may be
  // overwritten when the call returns.
  void write(const Array& field, double time = 0) {
    const simreel_array array = field.in_c();
    simreel_error* error = nullptr;
    if (simreel_video_write(open(), &array, time, &error) != SIMREEL_DONE) fail(error);
  }

  // `position` n x 3; `velocity` n x 3, or n for what the colours show, or nullptr; `mass` n, or nullptr for 1 each.
  void write_bodies(const Array& position, const Array* velocity = nullptr, const Array* mass = nullptr,
                    double time = 0) {
    const simreel_array at = position.in_c();
    const simreel_array moves = velocity == nullptr ? at : velocity->in_c(),
                        weight = mass == nullptr ? at : mass->in_c();
    simreel_error* error = nullptr;
    if (simreel_video_write_bodies(open(), &at, velocity == nullptr ? nullptr : &moves,
                                   mass == nullptr ? nullptr : &weight, time, &error) != SIMREEL_DONE)
      fail(error);
  }

  // The cudaStream_t whose work comes before arrays on a GPU are read, and the one that reads them.
  void set_stream(void* cuda_stream) { simreel_video_set_stream(open(), cuda_stream); }
  void* stream() const { return simreel_video_stream(open()); }
  std::int64_t frames() const { return simreel_video_frames(open()); }

  // Completes the outputs; the video is closed then, also after an exception. A video without frames leaves no file.
  VideoResult close() {
    simreel_result* left = nullptr;
    simreel_error* error = nullptr;
    open();
    const int code = simreel_video_close(video_.release(), &left, &error);
    if (code != SIMREEL_DONE) fail(error);
    const std::unique_ptr<simreel_result, void (*)(simreel_result*)> owned(left, simreel_result_free);
    VideoResult result;
    result.frames = simreel_result_frames(left);
    result.seconds = simreel_result_seconds(left);
    double low = 0, high = 0;
    if (simreel_result_range(left, &low, &high) != 0) result.range = {low, high};
    for (std::size_t i = 0; const char* text = simreel_result_text(left, SIMREEL_OUTPUT, i); ++i)
      result.outputs.emplace_back(text);
    for (std::size_t i = 0; const char* text = simreel_result_text(left, SIMREEL_REMARK, i); ++i)
      result.remarks.emplace_back(text);
    return result;
  }

  // Ends without completing: what the outputs have so far stays as NAME.part. The destructor of a video that is not
  // closed does so too, as after an exception.
  void abandon() { video_.reset(); }

 private:
  struct Abandon {
    void operator()(simreel_video* video) const { simreel_video_abandon(video); }
  };

  simreel_video* open() const {
    if (!video_) throw UsageError("the video is closed");
    return video_.get();
  }
  [[noreturn]] static void fail(simreel_error* error) {
    const std::unique_ptr<simreel_error, void (*)(simreel_error*)> owned(error, simreel_error_free);
    const std::string text = error == nullptr ? "out of memory" : simreel_error_message(error);
    if (error != nullptr && simreel_error_code(error) == SIMREEL_USAGE) throw UsageError(text);
    throw Error(text);
  }

  std::unique_ptr<simreel_video, Abandon> video_;
};

}  // namespace simreel::api
