#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "compare/comparison.h"
#include "compare/hash_list.h"
#include "error.h"
#include "sink/part_file.h"
#include "sink/pattern.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

struct CompareArguments {
  std::string expected, actual, difference;
  Tolerance tolerance;
  bool json = false, overwrite = false;

  bool any_limit() const {
    return tolerance.max_diff > 0 || tolerance.max_pixels > 0 || tolerance.min_psnr || tolerance.perceptual();
  }
};

double number_of(const char* option, const std::string& text, double low, double high) {
  const bool share = high == 1 && text.ends_with('%');
  const char* const end = text.data() + text.size() - (share ? 1 : 0);
  double value = 0;
  const auto [after, error] = std::from_chars(text.data(), end, value);
  if (share) value /= 100;
  if (error != std::errc() || after != end || !(value >= low && value <= high)) {
    throw UsageError(fmt::format("{} {}: a number from {} to {} is expected", option, text, low, high));
  }
  return value;
}

int exit_code(bool different) { return static_cast<int>(different ? ExitCode::different : ExitCode::done); }

int compare_hashes(const CompareArguments& arguments) {
  if (arguments.any_limit() || !arguments.difference.empty()) {
    throw UsageError(
        fmt::format("{}: hashes are equal or not; limits and --diff need pictures or videos", arguments.expected));
  }
  const std::vector<FrameHash> expected = read_hashes(arguments.expected), actual = read_hashes(arguments.actual);
  const std::vector<std::int64_t> differing =
      differing_frames(expected, actual, fmt::format("{} and {}", arguments.expected, arguments.actual));
  if (arguments.json) {
    const nlohmann::ordered_json result = {{"expected", arguments.expected},
                                           {"actual", arguments.actual},
                                           {"kind", "hashes"},
                                           {"within_tolerance", differing.empty()},
                                           {"frames", expected.size()},
                                           {"identical", expected.size() - differing.size()},
                                           {"different", differing.size()},
                                           {"differing_frames", differing}};
    fmt::print("{}\n", result.dump(2));
  } else if (differing.empty()) {
    fmt::print("identical: {} frame hashes\n", expected.size());
  } else {
    fmt::print("different: {} of {} frame hashes; the first is frame {}\n", differing.size(), expected.size(),
               differing.front());
  }
  return exit_code(!differing.empty());
}

// JSON has no infinity: the PSNR of what is identical is null.
nlohmann::ordered_json json_of(const DifferingPair& pair) {
  const Metrics& m = pair.metrics;
  return {{"name", pair.name},
          {"within_tolerance", pair.exceeded.empty()},
          {"exceeded", pair.exceeded},
          {"max_diff", m.max_diff},
          {"mean_diff", m.mean_diff},
          {"differing_pixels", m.differing_share},
          {"rmse", m.rmse},
          {"psnr", m.psnr},
          {"ssim", m.ssim},
          {"flip", m.flip},
          {"first", {m.first_x, m.first_y}},
          {"box", {m.differing.x, m.differing.y, m.differing.width, m.differing.height}}};
}

void print_json(const CompareArguments& arguments, ComparedKind kind, const Comparison& comparison) {
  const char* const name = kind == ComparedKind::picture  ? "picture"
                           : kind == ComparedKind::folder ? "folder"
                                                          : "video";
  nlohmann::ordered_json result = {{"expected", arguments.expected},
                                   {"actual", arguments.actual},
                                   {"kind", name},
                                   {"within_tolerance", comparison.differing == 0},
                                   {"frames", comparison.pairs},
                                   {"identical", comparison.identical},
                                   {"different", comparison.differing},
                                   {"worst", nullptr},
                                   {"differing_frames", nlohmann::ordered_json::array()}};
  if (!comparison.worst.name.empty()) result["worst"] = json_of(comparison.worst);
  for (const DifferingPair& pair : comparison.kept) result["differing_frames"].push_back(json_of(pair));
  fmt::print("{}\n", result.dump(2));
}

void print_text(ComparedKind kind, const Comparison& comparison) {
  const bool one = kind == ComparedKind::picture;
  if (comparison.identical == comparison.pairs) {
    if (one) {
      fmt::print("identical\n");
    } else {
      fmt::print("identical: {} frames\n", comparison.pairs);
    }
    return;
  }
  if (one) {
    fmt::print("{}\n", comparison.differing > 0 ? "different" : "within the tolerance");
  } else {
    fmt::print("{}: of {} frames {} are identical, {} within the tolerance, {} over it\n",
               comparison.differing > 0 ? "different" : "within the tolerance", comparison.pairs, comparison.identical,
               comparison.pairs - comparison.identical - comparison.differing, comparison.differing);
    if (comparison.differing > 0) fmt::print("first over      {}\n", comparison.first.name);
    fmt::print("worst           {}\n", comparison.worst.name);
  }
  if (comparison.differing > 0) fmt::print("because         {}\n", comparison.worst.exceeded);
  const Metrics& m = comparison.worst.metrics;
  const double pixels = double(comparison.worst_expected.pixels.size());
  fmt::print("pixels          {:.0f} of {:.0f} differ ({:.4g}%)\n", m.differing_share * pixels, pixels,
             100 * m.differing_share);
  fmt::print("first pixel     x {}, y {} from the upper left; all in {} x {} pixels from x {}, y {}\n", m.first_x,
             m.first_y, m.differing.width, m.differing.height, m.differing.x, m.differing.y);
  fmt::print("max difference  {} of 255\n", m.max_diff);
  fmt::print("mean difference {:.6g}\n", m.mean_diff);
  fmt::print("RMSE            {:.6g}\n", m.rmse);
  fmt::print("PSNR            {:.2f} dB\n", m.psnr);
  fmt::print("SSIM            {:.6f}\n", m.ssim);
  fmt::print("FLIP            {:.6f}\n", m.flip);
}

// Before work starts: the difference can be written and replaces none of what is compared.
void check_difference(const CompareArguments& arguments) {
  const std::string& name = arguments.difference;
  if (extension_of(name) != ".png") throw UsageError(fmt::format("--diff {}: a PNG; name it x.png", name));
  for (const std::string& compared : {arguments.expected, arguments.actual}) {
    std::error_code ignored;
    if (fs::equivalent(name, compared, ignored)) {
      throw UsageError(fmt::format("--diff {}: this is one of the pictures to compare; choose another name", name));
    }
  }
  const PartFile trial(name, arguments.overwrite);
}

int run(const CompareArguments& arguments) {
  const ComparedKind kind = compared_kind(arguments.expected);
  if (kind == ComparedKind::hashes && compared_kind(arguments.actual) == kind) return compare_hashes(arguments);
  const std::unique_ptr<PicturePairs> pairs = open_pairs(arguments.expected, arguments.actual);
  if (!arguments.difference.empty()) check_difference(arguments);
  const Comparison comparison = compare_pairs(*pairs, arguments.tolerance, arguments.json);
  if (!comparison.left_over.empty()) {
    throw UsageError(fmt::format("{}; of the first {}, {} are identical and {} {}", comparison.left_over,
                                 comparison.pairs, comparison.identical, comparison.differing,
                                 comparison.differing == 0
                                     ? "differ beyond the tolerance"
                                     : "differ beyond the tolerance, first " + comparison.first.name));
  }
  if (arguments.json) {
    print_json(arguments, kind, comparison);
  } else {
    print_text(kind, comparison);
  }
  if (!arguments.difference.empty() && !comparison.worst.name.empty()) {
    write_picture(arguments.difference, difference_picture(comparison.worst_expected, comparison.worst_actual));
  }
  return exit_code(comparison.differing > 0);
}

}  // namespace

void add_compare(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("compare", "Tell whether pictures, folders of them, videos or frame hashes are the same");
  const auto arguments = std::make_shared<CompareArguments>();
  Tolerance& tolerance = arguments->tolerance;
  command->add_option("expected", arguments->expected, "x.png, a folder of PNGs, x.hashes, or x.mp4, .mkv, .mov, .y4m")
      ->required();
  command->add_option("actual", arguments->actual, "Another of the same kind")->required();
  command->add_option("--max-diff", tolerance.max_diff, "Let channels differ by this many of 255 levels")
      ->type_name("N")
      ->check(CLI::Range(0, 255));
  const auto add_number = [command](const char* option, const char* type, double low, double high, auto& target,
                                    const char* help) {
    command
        ->add_option_function<std::string>(
            option, [=, &target](const std::string& text) { target = number_of(option, text, low, high); }, help)
        ->type_name(type);
  };
  add_number("--max-pixels", "SHARE", 0, 1, tolerance.max_pixels,
             "Let this share of the pixels differ by more: 0.01 or 1%");
  add_number("--min-psnr", "DB", 0, 1000, tolerance.min_psnr, "Let pictures differ down to this PSNR");
  add_number("--min-ssim", "S", -1, 1, tolerance.min_ssim, "Let pictures differ down to this SSIM (1: equal)");
  add_number("--max-flip", "F", 0, 1, tolerance.max_flip, "Let pictures differ up to this mean FLIP error (0: equal)");
  command->add_option("--diff", arguments->difference, "Draw the worst difference in false colour")->type_name("x.png");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the picture of the difference if it exists");
  command->add_flag("--json", arguments->json, "Print JSON, with the metrics of every differing frame");
  command->footer(
      "Exit codes: 0 the same within the tolerance, which is identical unless an option says otherwise;\n"
      "4 different; 2 cannot be compared.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
