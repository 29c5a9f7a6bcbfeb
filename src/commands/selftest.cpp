#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/embedded_scenes.h"
#include "compare/picture.h"
#include "compare/video.h"
#include "exec/driver.h"
#include "exec/machine.h"
#include "golden/capture.h"
#include "run/prepared_run.h"
#include "run/render_loop.h"
#include "scene/scene_text.h"
#include "sink/video/video.h"

namespace simreel {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t frames = 3;
constexpr std::uintmax_t room = 16 << 20;  // for any of their files
constexpr std::string_view solvers[] = {"wave", "lbm", "nbody", "pde"};

Scene small_scene(std::string_view solver, std::vector<std::string> more = {}) {
  more.insert(more.end(), {fmt::format("animation.frames={}", frames), "animation.steps_per_frame=10",
                           "animation.fps=50", "view.size=[320,180]", "golden.frames=[0]"});
  if (solver == "lbm") more.emplace_back("animation.start=0");
  if (solver == "nbody") more.emplace_back("solver.bodies=1024");
  Scene scene = parse_made_scene(std::string(new_scene(solver)), "selftest", more, check_solver);
  complete_scene(scene);
  return scene;
}

std::string last_hash(std::string_view solver, const Executor& executor) {
  Scene scene = small_scene(solver);
  const SolverPlan plan = plan_run(scene);
  return capture(scene, plan, executor, [] { return 0; }).hashes.back().digits;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? fmt::format("{}={}", name, value) : fmt::format("no {}", name);
}

// What of the environment changes a run.
std::string environment() {
  constexpr std::string_view names[] = {"HOME=", "LANG=", "LC_", "LD_LIBRARY_PATH=", "SIMREEL_", "TMPDIR="};
  std::vector<std::string_view> found;
  for (char** entry = environ; *entry; ++entry)
    if (std::ranges::any_of(names, [&](std::string_view name) { return std::string_view(*entry).starts_with(name); }))
      found.emplace_back(*entry);
  std::ranges::sort(found);
  return fmt::format("{}", fmt::join(found, ", "));
}

// "Debian GNU/Linux 12 (bookworm)".
std::string distribution() {
  constexpr std::string_view key = "PRETTY_NAME=\"";
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return line.substr(key.size(), line.rfind('"') - key.size());
  return "an unknown distribution";
}

// A folder of its own that goes with everything in it.
struct Folder {
  fs::path path;
  Folder() {
    std::error_code problem;
    path = fs::temp_directory_path(problem) / fmt::format("simreel-selftest-{}", process_number());
    const bool made = !problem && fs::create_directory(path, problem);
    if (problem)
      throw RuntimeError("no temporary folder ({}): {}; set TMPDIR to a folder that can be written to",
                         environment("TMPDIR"), problem.message());
    if (!made) throw RuntimeError("{}: is there already; remove it", path.string());
  }
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

void print_machine() {
  utsname system{};
  uname(&system);
  const std::string processor = processor_name();
  std::array<char, 64> glibc{};
  confstr(_CS_GNU_LIBC_VERSION, glibc.data(), glibc.size());
  std::error_code no_proc;
  const fs::path program = fs::read_symlink("/proc/self/exe", no_proc);
  fmt::print("{}\nprogram   {}\nsystem    {} {} {}, {}, {}\ncpu       {}, {} cores\nmemory    {} available\n",
             version_text(), no_proc ? "unknown" : program.string(), system.sysname, system.release, system.machine,
             distribution(), glibc.data(), processor.empty() ? "unknown" : processor, usable_cores(),
             format_bytes(static_cast<double>(host_memory_available())));
  if (const std::string group = control_group(); !group.empty()) fmt::print("group     {}\n", group);
  std::string driver = "none";
  std::ifstream module("/proc/driver/nvidia/version");
  std::getline(module, driver);
  const std::string problem = driver_problem();
  fmt::print("driver    {}\n", problem.empty() ? driver : problem);
  for (const DeviceInfo& device : cuda_devices())
    fmt::print("gpu       {}: {}, compute capability {}.{}, {}\n", device.index, device.name, device.capability_major,
               device.capability_minor, format_bytes(static_cast<double>(device.memory_bytes)));
  fmt::print("variables {}\n", environment());
}

class Selftest {
 public:
  int run() {
    print_machine();
    std::optional<Executor> cpu, cuda;
    check("threads", [&] {
      cpu = Executor::cpu();
      return fmt::format("{}", cpu->threads());
    });
    if (!cuda_devices().empty() && driver_problem().empty())
      check("gpu", [&] {
        cuda = open_executor(Wanted::cuda, 0, 0, {});
        return cuda->name();
      });
    for (const std::string_view solver : solvers) {
      std::string expected;
      check(fmt::format("{} on the CPU", solver), [&] { return expected = last_hash(solver, *cpu); });
      if (cuda)
        check(fmt::format("{} on the GPU", solver), [&] {
          const std::string hash = last_hash(solver, *cuda);
          if (hash != expected) throw RuntimeError("{}, other bits than on the CPU", hash);
          return hash;
        });
    }
    check("disk", [&] {
      folder_.emplace();
      const std::uintmax_t free = fs::space(folder_->path).available;
      const std::string text =
          fmt::format("{} free in {}", format_bytes(static_cast<double>(free)), folder_->path.parent_path().string());
      if (free >= room) return text;
      folder_.reset();
      throw RuntimeError("{}, so no output was tried; set TMPDIR to a folder with room", text);
    });
    if (folder_) check_outputs(cuda ? *cuda : *cpu);
    fmt::print("{}\n", failed_ == 0 ? "all is well" : fmt::format("{} of these failed", failed_));
    return static_cast<int>(failed_ == 0 ? ExitCode::done : ExitCode::failed);
  }

 private:
  template <class Work>
  void check(const std::string& name, const Work& work, bool may_lack = false) {
    try {
      const std::string said = work();
      fmt::print("{:<18} ok      {}\n", name, said);
    } catch (const std::exception& error) {
      if (may_lack && dynamic_cast<const UsageError*>(&error))
        return fmt::print("{:<18} not available: {}\n", name, error.what());
      ++failed_;
      fmt::print("{:<18} FAILED  {}\n", name, error.what());
    }
    std::fflush(stdout);
  }

  void check_outputs(const Executor& executor) {
    for (const char* name : {"x.png", "x.h5", "x.pdf"}) check(name, [&] { return written(name, "", executor); });
    for (const VideoCodec& codec : video_codecs()) {
      if (codec.name == "h264_nvenc" && (!codec.available || executor.backend() == Backend::cpu))
        continue;  // another one takes its place
      check(
          codec.name,
          [&] {
            return written(codec.name + codec.containers[0], codec.name, executor) +
                   (codec.program.empty() ? "" : " by " + codec.program);
          },
          codec.name != default_codec() && (!codec.available || !codec.program.empty()));
    }
  }

  // Writes a file, and decodes it where it is a picture or a video.
  std::string written(const std::string& name, const std::string& codec, const Executor& executor) const {
    const std::string file = (folder_->path / name).string();
    std::vector<std::string> overrides;
    if (!codec.empty()) overrides.push_back("output.codec=" + codec);
    Scene scene = small_scene("wave", overrides);
    SolverPlan plan = plan_run(scene);
    PreparedRun run(std::move(scene), std::move(plan), executor, {.outputs = {file}});
    run.open_outputs();
    render({.run = run});
    std::string size = format_bytes(static_cast<double>(fs::file_size(file)));
    if (file.ends_with(".png")) static_cast<void>(read_picture(file));
    if (codec.empty()) return size;
    if (codec == "webp") return size + ", not read again";  // FFmpeg 5.1 does not read animated WebP
    VideoReader video(file);
    std::int64_t read = 0;
    while (video.next()) ++read;
    if (read != frames) throw RuntimeError("{} of {} frames can be read", read, frames);
    return size;
  }

  std::optional<Folder> folder_;
  int failed_ = 0;
};

}  // namespace

void add_selftest(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("selftest", "Try solvers, GPU, encoders and disk, and print what a report of a bug needs");
  command->callback([&chosen] { chosen = [] { return Selftest().run(); }; });
}

}  // namespace simreel
