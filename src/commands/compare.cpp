#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "base/version.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/json.h"
#include "compare/comparison.h"
#include "compare/hash_list.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/outputs.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

struct CompareArguments {
  std::string expected, actual, difference;
  Tolerance tolerance;
  bool json = false, overwrite = false, only_visible = false;

  bool any_limit() const {
    return tolerance.max_diff > 0 || tolerance.max_pixels > 0 || tolerance.min_psnr || tolerance.perceptual().any();
  }
};

double number_of(const char* option, const std::string& text, double low, double high) {
  const std::optional<double> value = high == 1 || !text.ends_with('%') ? number_or_percentage(text) : std::nullopt;
  if (!value || !(*value >= low && *value <= high))
    throw UsageError("{} {}: a number from {} to {} is expected{}", option, text, low, high,
                     low == 0 && high == 1 ? ", or a percentage: \"1%\"" : "");
  return *value;
}

int exit_code(bool different) { return static_cast<int>(different ? ExitCode::different : ExitCode::done); }

void refuse_limits(const CompareArguments& arguments, const char* what) {
  if (arguments.any_limit() || arguments.only_visible || !arguments.difference.empty())
    throw UsageError("{}: {} are equal or not; limits and --diff need pictures or videos", arguments.expected, what);
}

int compare_hashes(const CompareArguments& arguments) {
  refuse_limits(arguments, "hashes");
  const std::vector<FrameHash> expected = read_hashes(arguments.expected), actual = read_hashes(arguments.actual);
  const HashDifferences hashes = compare_hash_lists(expected, actual);
  const std::vector<std::int64_t>& differing = hashes.differing;
  const std::size_t pairs = expected.size() - hashes.missing.size();
  const bool different = !differing.empty() || !hashes.missing.empty() || !hashes.extra.empty();
  if (arguments.json) {
    const nlohmann::ordered_json result = {{"version", version},
                                           {"expected", arguments.expected},
                                           {"actual", arguments.actual},
                                           {"kind", "hashes"},
                                           {"within_tolerance", !different},
                                           {"frames", pairs},
                                           {"identical", pairs - differing.size()},
                                           {"different", differing.size()},
                                           {"missing", hashes.missing},
                                           {"extra", hashes.extra},
                                           {"differing_frames", differing}};
    print_result(result);
    return exit_code(different);
  }
  if (!different) fmt::print("identical: {} frame hashes\n", pairs);
  if (!differing.empty())
    fmt::print("different: {} of {} frame hashes; the first is frame {}\n", differing.size(), pairs, differing.front());
  if (!hashes.missing.empty() || !hashes.extra.empty()) {
    const auto named = [](const std::vector<std::int64_t>& frames, const char* side) {
      if (frames.empty()) return std::string();
      return fmt::format("; only the {} has {}, the first is frame {}", side, frames.size(), frames[0]);
    };
    fmt::print("different: the frames are not the same: {} and {} of them{}{}\n", expected.size(), actual.size(),
               named(hashes.missing, "first"), named(hashes.extra, "second"));
  }
  return exit_code(different);
}

int compare_pages(const CompareArguments& arguments) {
  refuse_limits(arguments, "pages");
  const std::string where = page_difference(arguments.expected, arguments.actual);
  if (arguments.json)
    print_result(nlohmann::ordered_json{{"version", version},
                                        {"expected", arguments.expected},
                                        {"actual", arguments.actual},
                                        {"kind", kind_word(ComparedKind::page)},
                                        {"within_tolerance", where.empty()},
                                        {"first", where}});
  else
    fmt::print("{}\n", where.empty() ? "identical" : "different: " + where);
  return exit_code(!where.empty());
}

// JSON has no infinity: the PSNR of identical pictures is null.
nlohmann::ordered_json json_of(const DifferingPair& pair) {
  nlohmann::ordered_json result = {
      {"name", pair.name}, {"within_tolerance", pair.exceeded.empty()}, {"exceeded", pair.exceeded}};
  if (!pair.metrics) return result;  // of two sizes
  const Metrics& m = *pair.metrics;
  const nlohmann::ordered_json metrics = {
      {"max_diff", m.max_diff},
      {"mean_diff", m.mean_diff},
      {"differing_pixels", m.differing_share},
      {"rmse", m.rmse},
      {"psnr", m.psnr},
      {"ssim", m.ssim},
      {"flip", m.flip},
      {"first", {m.first_x, m.first_y}},
      {"box", {m.differing.x, m.differing.y, m.differing.width, m.differing.height}}};
  result.update(metrics);
  return result;
}

// The limits that were given; with none of them nothing may differ.
nlohmann::ordered_json json_of(const Tolerance& tolerance) {
  nlohmann::ordered_json result = {{"max_diff", tolerance.max_diff}, {"max_pixels", tolerance.max_pixels}};
  if (tolerance.min_psnr) result["min_psnr"] = *tolerance.min_psnr;
  if (tolerance.min_ssim) result["min_ssim"] = *tolerance.min_ssim;
  if (tolerance.max_flip) result["max_flip"] = *tolerance.max_flip;
  return result;
}

void print_json(const CompareArguments& arguments, ComparedKind kind, const Comparison& comparison) {
  nlohmann::ordered_json result = {{"version", version},
                                   {"expected", arguments.expected},
                                   {"actual", arguments.actual},
                                   {"kind", kind_word(kind)},
                                   {"tolerance", json_of(arguments.tolerance)},
                                   {"within_tolerance", !comparison.different()},
                                   {"frames", comparison.pairs},
                                   {"identical", comparison.identical},
                                   {"identical_in_8_bits_only", comparison.rounded},
                                   {"different", comparison.differing},
                                   {"missing", comparison.left_over.missing},
                                   {"extra", comparison.left_over.extra},
                                   {"notes", comparison.notes},
                                   {"worst", nullptr},
                                   {"differing_frames", nlohmann::ordered_json::array()}};
  if (!comparison.worst.name.empty()) result["worst"] = json_of(comparison.worst);
  for (const DifferingPair& pair : comparison.kept) result["differing_frames"].push_back(json_of(pair));
  print_result(result);
}

// Pixels of the worst pair that are transparent in both pictures and differ.
std::int64_t hidden_differences(const Comparison& comparison) {
  std::int64_t count = 0;
  const std::vector<Color>&expected = comparison.worst_expected.pixels, &actual = comparison.worst_actual.pixels;
  for (std::size_t i = 0; i < expected.size(); ++i)
    count += expected[i].a == 0 && actual[i].a == 0 && expected[i] != actual[i];
  return count;
}

void print_text(ComparedKind kind, const Comparison& comparison) {
  const bool one = kind == ComparedKind::picture;
  const bool equal_pairs = comparison.identical == comparison.pairs;
  if (equal_pairs && !comparison.different()) {
    fmt::print("identical{}{}\n", comparison.rounded > 0 ? " in 8 bits" : "",
               one ? "" : fmt::format(": {} frames", comparison.pairs));
    return;
  }
  const char* const verdict = comparison.different() ? "different" : "within the tolerance";
  if (one) {
    fmt::print("{}\n", verdict);
  } else {
    fmt::print("{}: of {} frames {} are identical, {} within the tolerance, {} over it\n", verdict, comparison.pairs,
               comparison.identical, comparison.pairs - comparison.identical - comparison.differing,
               comparison.differing);
    if (comparison.left_over.any()) fmt::print("{}\n", comparison.left_over.text);
    if (comparison.differing > 0) fmt::print("first over      {}\n", comparison.first.name);
  }
  const bool by_size = comparison.differing > 0 && !comparison.first.metrics;
  if (by_size) fmt::print("because         {}\n", comparison.first.exceeded);
  if (!comparison.worst.metrics) return;
  if (!one) fmt::print("worst           {}\n", comparison.worst.name);
  if (!comparison.worst.exceeded.empty()) fmt::print("because         {}\n", comparison.worst.exceeded);
  const Metrics& m = *comparison.worst.metrics;
  fmt::print("pixels          {} of {} differ ({})\n", m.pixels_over(0), m.pixels(), percent(m.differing_share));
  fmt::print("first pixel     x {}, y {} from the upper left; all in {} x {} pixels from x {}, y {}\n", m.first_x,
             m.first_y, m.differing.width, m.differing.height, m.differing.x, m.differing.y);
  if (const std::int64_t hidden = hidden_differences(comparison); hidden > 0)
    fmt::print("transparent     {} of these are transparent in both, so nobody sees them; --visible lets them pass\n",
               hidden);
  fmt::print("max difference  {} of 255\n", m.max_diff);
  fmt::print("mean difference {:.6g}\n", m.mean_diff);
  fmt::print("RMSE            {:.6g}\n", m.rmse);
  fmt::print("PSNR            {:.2f} dB\n", m.psnr);
  fmt::print("SSIM            {:.6f}\n", m.ssim);
  fmt::print("FLIP            {:.6f}\n", m.flip);
}

// Checks before work starts that the difference can be written and does not replace any input.
void check_difference(const CompareArguments& arguments) {
  const std::string& name = arguments.difference;
  if (extension_of(name) != ".png") throw UsageError("--diff {}: a PNG; name it x.png", name);
  const fs::path folder = folder_of(name);
  for (const std::string& compared : {arguments.expected, arguments.actual}) {
    std::error_code ignored;
    if (fs::equivalent(name, compared, ignored))
      throw UsageError("--diff {}: this is one of the pictures to compare; choose another name", name);
    if (fs::equivalent(folder, compared, ignored))
      throw UsageError("--diff {}: this is inside a folder to compare; choose another place", name);
  }
  const PartFile trial(name, arguments.overwrite);
}

// Removes the picture of an earlier comparison if there is nothing to draw.
void write_difference(const std::string& name, const Comparison& comparison) {
  if (!comparison.worst.name.empty()) {
    write_picture(name, difference_picture(comparison.worst_expected, comparison.worst_actual));
    return;
  }
  const char* const why =
      comparison.different() ? "no two pictures of one size differ" : "there is no difference to draw";
  std::error_code error;
  const bool removed = fs::remove(name, error);
  if (error) throw RuntimeError("{}; {} cannot be deleted: {}", why, name, error.message());
  if (removed) {
    say(fmt::format("{}; {} was deleted", why, name));
  } else if (comparison.different()) {
    say(fmt::format("{}, so {} was not drawn", why, name));
  }
}

int run(const CompareArguments& arguments) {
  const ComparedKind kind = compared_kind(arguments.expected);
  const bool alike = compared_kind(arguments.actual) == kind;
  if (kind == ComparedKind::hashes && alike) return compare_hashes(arguments);
  if (kind == ComparedKind::page && alike) return compare_pages(arguments);
  const std::unique_ptr<PicturePairs> pairs = open_pairs(arguments.expected, arguments.actual, arguments.only_visible);
  if (!arguments.difference.empty()) check_difference(arguments);
  const Comparison comparison = compare_pairs(*pairs, arguments.tolerance, arguments.json);
  if (!arguments.difference.empty()) write_difference(arguments.difference, comparison);
  if (arguments.json) {
    print_json(arguments, kind, comparison);
  } else {
    print_text(kind, comparison);
    for (const std::string& note : comparison.notes) fmt::print("note            {}\n", note);
  }
  return exit_code(comparison.different());
}

}  // namespace

void add_compare(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand(
      "compare", "Compare two pictures, folders of pictures, videos, pages or lists of frame hashes");
  const auto arguments = std::make_shared<CompareArguments>();
  Tolerance& tolerance = arguments->tolerance;
  command
      ->add_option(
          "expected", arguments->expected,
          fmt::format("x.png, x.jpg, a folder of them, x.hashes, a page (x.svg, x.pdf ...), or a video ({} ...)",
                      extensions_of(Content::video)))
      ->required();
  command->add_option("actual", arguments->actual, "Another of the same kind")->required();
  add_option(*command, "--max-diff", tolerance.max_diff, "N", "Let channels differ by this many of 255 levels")
      ->check(within(0, 255));
  const auto add_number = [command](const char* option, const char* type, double low, double high, auto& target,
                                    const char* help) {
    command
        ->add_option_function<std::string>(
            option, [=, &target](const std::string& text) { target = number_of(option, text, low, high); }, help)
        ->type_name(type);
  };
  add_number("--max-pixels", "SHARE", 0, 1, tolerance.max_pixels,
             "Let this share of the pixels differ by more than that: 0.01 or 1%");
  add_number("--min-psnr", "DB", 0, 1000, tolerance.min_psnr, "Let pictures differ down to this PSNR");
  add_number("--min-ssim", "S", -1, 1, tolerance.min_ssim, "Let pictures differ down to this SSIM (1: equal)");
  add_number("--max-flip", "F", 0, 1, tolerance.max_flip, "Let pictures differ up to this mean FLIP error (0: equal)");
  command->add_flag("--visible", arguments->only_visible,
                    "Let colours differ where both pictures are transparent (alpha 0)");
  add_option(*command, "--diff", arguments->difference, "x.png", "Draw the worst difference in false colour");
  command->add_flag("--overwrite", arguments->overwrite,
                    "Replace the picture of --diff if it exists; delete it if nothing differs");
  command->add_flag("--json", arguments->json, "Print JSON, with the metrics of every differing frame");
  command->footer(
      "Exit codes: 0 the same within the tolerance, which is identical unless an option says otherwise;\n"
      "4 different, also in size or number of pictures; 2 cannot be compared.\n"
      "Two 16-bit PNGs are compared in 16 bits: a difference below one of 255 levels counts as one level, and SSIM "
      "and\n"
      "FLIP use 8 bits. Against an 8-bit PNG, and in videos, more than 8 bits are compared rounded to 8, and the "
      "result\n"
      "says so. Frames of videos are compared one by one as they are stored: differing frame rates and rotations are\n"
      "noted but not applied; a video that names no colour matrix is assumed to be BT.709.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
