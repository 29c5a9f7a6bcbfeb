#pragma once
// Renders scene files from C++: what `simreel render` and `simreel check` do, as functions. Link simreel::simreel.
//
// The library prints nothing, handles no signal, and changes no setting of the process, except that FFmpeg's libraries
// get a log callback the first time they are used (they have one per process; what is not of this library is passed on
// to FFmpeg's own). Runs may go on at once in several threads, as long as they write different files.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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

// Throws what `render` would throw before the first step; touches no file. The warnings and remarks that the run would
// log come back.
std::vector<std::string> check(const std::filesystem::path& scene, const RenderOptions& options = {});

}  // namespace simreel::api
