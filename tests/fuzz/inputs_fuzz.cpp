// inputs_fuzz [CORPUS... -max_total_time=SECONDS]: what a stranger's scene or golden folder brings, beside the files of
// formats_fuzz.cpp, fed with what libFuzzer makes of examples. The environment's SIMREEL_FUZZ names the reader.
// Whatever comes in, it is read or refused by an error. scripts/fuzz_inputs builds and runs it, with clang.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/input_image.h"
#include "compare/hash_list.h"
#include "compare/picture.h"
#include "golden/numbers.h"
#include "scene/figure_file.h"
#include "scene/scene.h"
#include "sink/video/encoder_options.h"

namespace simreel {
namespace {

// In memory, under a name that scenes may use.
const std::string& input_file() {
  static const std::string name = "/dev/shm/simreel_fuzz." + std::to_string(::getpid());
  return name;
}

void read_images(const std::string&) {
  std::string reason;
  read_grey_image(input_file(), reason);
  read_color_image(input_file(), reason);
}

void read_goldens(const std::string& text) {
  const auto attempt = [](const auto& work) {
    try {
      work();
    } catch (const UsageError&) {
    }
  };
  attempt([&] { decode_png(text, "x.png"); });
  attempt([&] { compare_hash_lists(read_hashes(input_file()), {{0, "0123456789abcdef"}, {7, "0123456789abcdef"}}); });
  GoldenOptions golden;
  golden.csv = {{"energy", 1e-6}, {"step", 0}};
  attempt([&] { differing_numbers(input_file(), golden, {{"energy", "step"}, {{0, 1}, {0.5, 2}}}); });
}

void read_texts(const std::string& text) {
  parse_scene(text, "x.toml");
  load_figure_file(input_file());
}

// The names of "a=1:b=2".
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names(1);
  bool value = false;
  for (const char c : list) {
    if (c == ':') names.emplace_back();
    value = c == '=' || (value && c != ':');
    if (c != ':' && !value) names.back() += c;
  }
  return names;
}

// Of each line "KEY=VALUE". None of the names that are allowed may be one of a file.
void read_options(const std::string& text) {
  static const std::set<std::string> of_files = {"stats",
                                                 "dump-yuv",
                                                 "csv",
                                                 "analysis-save",
                                                 "analysis-load",
                                                 "passlogfile",
                                                 "qpfile",
                                                 "zonefile",
                                                 "recon",
                                                 "lambda-file",
                                                 "scaling-list",
                                                 "cqmfile",
                                                 "stat_report",
                                                 "analysis-reuse-file",
                                                 "vmaf_model_path"};
  OutputOptions output;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) output.options[line.substr(0, equals)] = line.substr(equals + 1);
    at = end + 1;
  }
  for (const Codec& codec : codecs()) {
    try {
      refuse_what_is_not_allowed(codec, output);
    } catch (const UsageError&) {
      continue;
    }
    for (const auto& [key, value] : output.options) {
      if (of_files.contains(key)) std::abort();
      if (!key.ends_with("-params")) continue;
      for (const std::string& name : names_in(value.c_str()))  // as encoders see it
        if (of_files.contains(name)) std::abort();
    }
  }
}

}  // namespace
}  // namespace simreel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simreel;
  static const std::map<std::string, std::function<void(const std::string&)>> readers = {
      {"images", read_images}, {"goldens", read_goldens}, {"texts", read_texts}, {"options", read_options}};
  static const auto& reader = readers.at(std::getenv("SIMREEL_FUZZ"));
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::ofstream(input_file(), std::ios::binary) << text;
  try {
    reader(text);
  } catch (const UsageError&) {
  }
  return 0;
}
