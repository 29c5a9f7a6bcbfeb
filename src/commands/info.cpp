#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "build_info.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/json.h"
#include "commands/scene_arguments.h"
#include "exec/driver.h"
#include "exec/machine.h"
#include "figure/colormap_strip.h"
#include "raster/color/colormap.h"
#include "sink/outputs.h"
#include "sink/sink.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

// The optional libraries that this build lacks: "VIDEO", ...
std::vector<std::string> left_out() { return {std::begin(build_info::left_out), std::end(build_info::left_out) - 1}; }

// By KernelOrigin.
constexpr const char* origin_words[] = {"compiled in", "compiled by the driver at the first start",
                                        "not in this build"};

nlohmann::ordered_json collect() {
  nlohmann::ordered_json result = {{"version", version},
                                   {"build",
                                    {{"type", build_info::type},
                                     {"compiler", build_info::compiler},
                                     {"cuda", build_info::cuda},
                                     {"cuda_architectures", build_info::cuda_architectures},
                                     {"vector_isa", build_info::vector_isa},
                                     {"left_out", left_out()}}},
                                   {"cpu", processor_name()},
                                   {"cpu_threads", Executor::cpu().threads()}};
  result["gpu_problem"] = driver_problem();
  result["gpus"] = nlohmann::json::array();
  for (const DeviceInfo& device : cuda_devices())
    result["gpus"].push_back(
        {{"index", device.index},
         {"name", device.name},
         {"capability", fmt::format("{}.{}", device.capability_major, device.capability_minor)},
         {"multiprocessors", device.multiprocessors},
         {"memory_bytes", device.memory_bytes},
         {"kernels", origin_words[static_cast<int>(
                         kernel_origin(device.capability_major, device.capability_minor, compiled_architectures()))]}});
  for (const VideoCodec& codec : video_codecs())
    result["codecs"].push_back({{"name", codec.name},
                                {"encoder", codec.encoder},
                                {"containers", codec.containers},
                                {"available", codec.available},
                                {"program", codec.program}});
  for (const SinkKind& kind : sink_kinds())
    result["outputs"].push_back({{"pattern", kind.pattern}, {"summary", kind.summary}});
  return result;
}

struct InfoArguments {
  bool json = false, markdown = false;
};

int run(const InfoArguments& arguments) {
  if (arguments.markdown) {
    fmt::print("{}\n{}\n{}", outputs_markdown(), codecs_markdown(), options_markdown());
    return 0;
  }
  const nlohmann::ordered_json info = collect();
  if (arguments.json) {
    print_result(info);
    return 0;
  }
  const auto& build = info["build"];
  fmt::print("simreel {}\n", version);
  fmt::print("build    {}, {}, CPU loops for {}, CUDA {}\n", build_info::type, build_info::compiler,
             build_info::vector_isa,
             build["cuda"].get<bool>() ? fmt::format("on (architectures {})", build_info::cuda_architectures) : "off");
  for (const std::string& name : left_out())
    fmt::print("without  {0} (configure with -DSIMREEL_{0}=ON to have it)\n", name);
  const std::string processor = info["cpu"].get<std::string>(), problem = info["gpu_problem"].get<std::string>();
  const int threads = info["cpu_threads"].get<int>();
  fmt::print("cpu      {} thread{}{}\n", threads, threads == 1 ? "" : "s", processor.empty() ? "" : ", " + processor);
  if (const std::string group = control_group(); !group.empty())
    fmt::print("group    {} (limits of the control group)\n", group);
  if (info["gpus"].empty()) fmt::print("gpu      none {}\n", problem.empty() ? "found" : "can be used: " + problem);
  for (const auto& gpu : info["gpus"])
    fmt::print("gpu      {}: {}, compute capability {}, {} multiprocessors, {}, kernels {}\n", gpu["index"].get<int>(),
               gpu["name"].get<std::string>(), gpu["capability"].get<std::string>(), gpu["multiprocessors"].get<int>(),
               format_bytes(gpu["memory_bytes"].get<double>()), gpu["kernels"].get<std::string>());
  for (const auto& codec : info["codecs"])
    fmt::print("codec    {:<10} {} in {}{}\n", codec["name"].get<std::string>(), codec["encoder"].get<std::string>(),
               fmt::join(codec["containers"].get<std::vector<std::string>>(), " "),
               codec["encoder"] == "simreel"    ? "  (on the GPU or CPU that draws; the same bytes on both)"
               : codec["program"] != ""         ? fmt::format("  (by {})", codec["program"].get<std::string>())
               : codec["available"].get<bool>() ? ""
                                                : "  (not available; simreel selftest tells the way out)");
  for (const auto& output : info["outputs"])
    fmt::print("output   {:<12} {}\n", output["pattern"].get<std::string>(), output["summary"].get<std::string>());
  return 0;
}

struct ColormapArguments {
  std::string output;
  bool overwrite = false;
};

void write_strip(const ColormapArguments& arguments) {
  const ColormapStrip image = draw_colormap_strip();
  StreamInfo info;
  info.size = image.size;
  info.frames = 1;
  info.alpha = true;
  info.title = "simreel colormaps";
  info.overwrite = arguments.overwrite;
  const std::vector<std::unique_ptr<Sink>> sinks = open_sinks({arguments.output}, OutputOptions{}, info);
  if (sinks.front()->traits().layout != PixelLayout::rgba)
    throw UsageError("{}: the strip of colormaps is a picture; name it x.png", arguments.output);
  Frame frame;
  frame.pixels = reinterpret_cast<const std::byte*>(image.pixels.data());
  sinks.front()->write(frame);
  sinks.front()->finish();
}

int run(const ColormapArguments& arguments) {
  if (!arguments.output.empty()) {
    write_strip(arguments);
    return 0;
  }
  for (const ColormapInfo& map : list_colormaps()) fmt::print("{:<10} {}\n", map.name, map.origin);
  fmt::print("\nA trailing _r reverses a map. A path to a CSV file with columns r,g,b works as well.\n");
  return 0;
}

}  // namespace

std::string control_group() {
  const GroupLimits limits = group_limits();
  std::string text;
  if (limits.cores) text = fmt::format("{} core{}", *limits.cores, *limits.cores == 1 ? "" : "s");
  if (limits.memory)
    text += fmt::format("{}{} of memory, {} of it free", text.empty() ? "" : ", ",
                        format_bytes(static_cast<double>(*limits.memory)),
                        format_bytes(static_cast<double>(*limits.available)));
  return text;
}

std::string version_text() {
  std::string text = fmt::format("simreel {}\ncommit {}\nbuilt {} by {}, loops for {}\n", version, build_commit(),
                                 build_info::type, build_info::compiler, build_info::vector_isa);
  text += build_info::cuda ? fmt::format("CUDA {}, runtime {}, for {}\n", build_info::cuda_release, cuda_runtime(),
                                         build_info::cuda_architectures)
                           : "without CUDA\n";
  const std::string ffmpeg = ffmpeg_in_words();
  return text + fmt::format("with {}{}{}", ffmpeg, ffmpeg.empty() ? "" : ", ", build_info::libraries);
}

void add_info(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("info", "Show the version, how it was built, GPUs, encoders and outputs");
  const auto arguments = std::make_shared<InfoArguments>();
  CLI::Option* const json = command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--markdown", arguments->markdown, "Print the outputs and codecs as the tables of docs/outputs.md")
      ->excludes(json);
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

void add_colormaps(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("colormaps", "List the colormaps, or draw them");
  const auto arguments = std::make_shared<ColormapArguments>();
  add_option(*command, "-o,--output", arguments->output, "x.png", "Draw all of them into this PNG");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the picture if it exists");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
