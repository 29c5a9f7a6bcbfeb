#include "sink/codec.h"

#include <array>

namespace simreel {
namespace {

using Option = std::pair<std::string_view, std::string_view>;

constexpr PixelFormat yuv420p = {"yuv420p", PixelLayout::yuv420p, AV_PIX_FMT_YUV420P};
constexpr PixelFormat yuv444p = {"yuv444p", PixelLayout::yuv444p, AV_PIX_FMT_YUV444P};
constexpr PixelFormat rgb = {"rgb", PixelLayout::bgr0, AV_PIX_FMT_BGR0};

// QuickTime and browsers play 4:2:0 only.
constexpr std::array h264_pixels = {yuv420p, yuv444p};
constexpr std::array<std::string_view, 3> h264_containers = {".mp4", ".mov", ".mkv"};
// x264 takes other decisions on CPUs with other vector units unless it is told not to.
constexpr std::array h264_options = {Option{"x264-params", "cpu-independent=1"}};

// x264.h: x264_preset_names, x264_tune_names, x264_profile_names.
constexpr std::array<std::string_view, 10> x264_presets = {"ultrafast", "superfast", "veryfast", "faster",   "fast",
                                                           "medium",    "slow",      "slower",   "veryslow", "placebo"};
constexpr std::array<std::string_view, 8> x264_tunes = {"film", "animation", "grain",      "stillimage",
                                                        "psnr", "ssim",      "fastdecode", "zerolatency"};
constexpr std::array<std::string_view, 6> x264_profiles = {"baseline", "main", "high", "high10", "high422", "high444"};
constexpr std::array x264_words = {Codec::Words{"preset", x264_presets, ""}, Codec::Words{"tune", x264_tunes, ",./-+"},
                                   Codec::Words{"profile", x264_profiles, ""}};

// Lookahead, B-frames and references of each preset (x264 --fullhelp).
constexpr std::array x264_waiting = {1, 4, 14, 25, 35, 46, 58, 71, 84, 92};

constexpr std::array ffv1_pixels = {rgb, yuv420p, yuv444p};
constexpr std::array<std::string_view, 1> ffv1_containers = {".mkv"};
// Version 3 with checksums in every slice, so that damage is found and stays in its slice.
constexpr std::array ffv1_options = {Option{"level", "3"}, Option{"slices", "16"}, Option{"slicecrc", "1"}};

constexpr std::array table = {
    Codec{"h264",
          "libx264",
          h264_containers,
          h264_pixels,
          {"crf", 20, 0, 51},
          "veryfast",
          x264_words,
          {0, 20, 2.2, x264_waiting},
          FF_THREAD_FRAME,
          false,
          h264_options},
    Codec{"ffv1",
          "ffv1",
          ffv1_containers,
          ffv1_pixels,
          {},
          "",
          {},
          {std::size_t(160) << 20, 24, 0, {}},
          FF_THREAD_SLICE,
          true,
          ffv1_options},
};

constexpr std::array container_table = {
    Container{".mp4", "mp4", "h264", true},
    Container{".mov", "mov", "h264", true},
    Container{".mkv", "matroska", "ffv1", false},
};

}  // namespace

std::span<const Codec> codecs() { return table; }

std::span<const Container> containers() { return container_table; }

}  // namespace simreel
