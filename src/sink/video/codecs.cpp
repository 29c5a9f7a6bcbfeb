#include "sink/video/codecs.h"

#include <array>

#include "sink/animated/palette.h"

namespace simreel {
namespace {

using Option = std::pair<std::string_view, std::string_view>;

constexpr PixelFormat yuv420p = {"yuv420p", PixelLayout::yuv420p, AV_PIX_FMT_YUV420P};
constexpr PixelFormat yuv444p = {"yuv444p", PixelLayout::yuv444p, AV_PIX_FMT_YUV444P};
constexpr PixelFormat yuv420p10 = {"yuv420p10", PixelLayout::yuv420p10, AV_PIX_FMT_YUV420P10};
constexpr PixelFormat yuv422p10 = {"yuv422p10", PixelLayout::yuv422p10, AV_PIX_FMT_YUV422P10};
constexpr PixelFormat yuv444p10 = {"yuv444p10", PixelLayout::yuv444p10, AV_PIX_FMT_YUV444P10};
constexpr PixelFormat rgb = {"rgb", PixelLayout::bgr0, AV_PIX_FMT_BGR0};
constexpr PixelFormat rgb24 = {"rgb", PixelLayout::rgb, AV_PIX_FMT_RGB24};
constexpr PixelFormat rgba = {"rgba", PixelLayout::rgba, AV_PIX_FMT_RGBA};
constexpr PixelFormat rgb_as_bgra = {"rgb", PixelLayout::rgb, AV_PIX_FMT_RGB24, AV_PIX_FMT_BGRA};
constexpr PixelFormat rgba_as_bgra = {"rgba", PixelLayout::rgba, AV_PIX_FMT_RGBA, AV_PIX_FMT_BGRA};
// Of a weak alpha even small errors show, as speckle.
constexpr PixelFormat rgba_as_yuva420p = {"rgba", PixelLayout::rgba, AV_PIX_FMT_RGBA, AV_PIX_FMT_YUVA420P, 15};
constexpr PixelFormat rgba_as_yuva444p10 = {"rgba", PixelLayout::rgba, AV_PIX_FMT_RGBA, AV_PIX_FMT_YUVA444P10};
constexpr PixelFormat indexed = {"rgb", PixelLayout::rgb, AV_PIX_FMT_RGB24, AV_PIX_FMT_PAL8};

// QuickTime and browsers play 8-bit 4:2:0 only.
constexpr std::array all_yuv = {yuv420p, yuv444p, yuv420p10, yuv422p10, yuv444p10};
constexpr std::array web_pixels = {yuv420p, yuv444p, yuv420p10, yuv444p10};
constexpr std::array vp9_pixels = {yuv420p, yuv444p, yuv420p10, yuv444p10, rgba_as_yuva420p};
constexpr std::array prores_pixels = {yuv422p10, yuv444p10, rgba_as_yuva444p10};
constexpr std::array ffv1_pixels = {rgb, rgba_as_bgra, yuv420p, yuv444p, yuv420p10, yuv422p10, yuv444p10};
constexpr std::array nvenc_pixels = {yuv420p};
constexpr std::array own_pixels = {yuv420p};
constexpr std::array gif_pixels = {indexed};
constexpr std::array webp_pixels = {rgb_as_bgra, rgba_as_bgra};
constexpr std::array apng_pixels = {rgb24, rgba};

constexpr std::array<std::string_view, 3> mpeg_containers = {".mp4", ".mov", ".mkv"};
constexpr std::array<std::string_view, 3> web_containers = {".webm", ".mp4", ".mkv"};
constexpr std::array<std::string_view, 2> prores_containers = {".mov", ".mkv"};
constexpr std::array<std::string_view, 1> ffv1_containers = {".mkv"};
constexpr std::array<std::string_view, 1> gif_containers = {".gif"};
constexpr std::array<std::string_view, 1> webp_containers = {".webp"};
constexpr std::array<std::string_view, 1> apng_containers = {".apng"};

// Without this x264 makes different decisions on CPUs with different vector units.
constexpr std::array h264_options = {Option{"x264-params", "cpu-independent=1"}};
// More bits for even areas and for chroma: x264 would quantise slow, dark gradients to one level a block, which shows
// as squares of 8 x 8 pixels.
constexpr std::array h264_untuned_options = {Option{"aq-strength", "1.5"}, Option{"chromaoffset", "-3"}};
// Waves of one frequency come again after some frames. veryfast refers to one frame, which takes as long and twice as
// many bytes of them.
constexpr std::array h264_usual_options = {Option{"refs", "3"}};
constexpr std::array h265_options = {Option{"x265-params", "pools=4:open-gop=0:log-level=error"}};
// For such pictures libx265 3.5 writes beyond the end of its tables for cutree.
constexpr std::array small_h265_options = {Option{"x265-params", "pools=4:open-gop=0:log-level=error:cutree=0"}};
constexpr std::array av1_options = {Option{"cpu-used", "6"}, Option{"row-mt", "1"}, Option{"tile-columns", "1"}};
// A tile has at least 64 columns, and the encoder refuses more tiles than fit.
constexpr std::array narrow_av1_options = {Option{"tile-columns", "0"}};
constexpr std::array vp9_options = {Option{"b", "0"}, Option{"deadline", "good"}, Option{"cpu-used", "4"},
                                    Option{"row-mt", "1"}, Option{"tile-columns", "2"}};
constexpr std::array prores_options = {Option{"vendor", "apl0"}};  // some editors accept no other
constexpr std::array nvenc_options = {Option{"rc", "vbr"}, Option{"b", "0"}};
// Version 3 with a checksum per slice, so that damage is detected and confined to its slice.
constexpr std::array ffv1_options = {Option{"level", "3"}, Option{"slices", "16"}, Option{"slicecrc", "1"}};

constexpr std::array png_options = {Option{"pred", "up"}, Option{"compression_level", "3"}};

// x264.h: x264_preset_names, x264_tune_names, x264_profile_names.
constexpr std::array<std::string_view, 10> x264_presets = {"ultrafast", "superfast", "veryfast", "faster",   "fast",
                                                           "medium",    "slow",      "slower",   "veryslow", "placebo"};
constexpr std::array<std::string_view, 8> x264_tunes = {"film", "animation", "grain",      "stillimage",
                                                        "psnr", "ssim",      "fastdecode", "zerolatency"};
constexpr std::array<std::string_view, 6> x264_profiles = {"baseline", "main", "high", "high10", "high422", "high444"};
constexpr std::array x264_words = {Codec::Words{"preset", x264_presets, ""}, Codec::Words{"tune", x264_tunes, ",./-+"},
                                   Codec::Words{"profile", x264_profiles, ""}};
// x265.h: x265_preset_names (those of x264), x265_tune_names.
constexpr std::array<std::string_view, 6> x265_tunes = {"psnr",        "ssim",       "grain",
                                                        "zerolatency", "fastdecode", "animation"};
constexpr std::array x265_words = {Codec::Words{"preset", x264_presets, ""}, Codec::Words{"tune", x265_tunes, ""}};
// Lookahead, B-frames and references of each preset (x264 --fullhelp).
constexpr std::array x264_waiting = {1, 4, 14, 25, 35, 46, 58, 71, 84, 92};

// With few threads x264 looks ahead on one, which cannot keep up with large pictures. The files grow by less than 0.5
// %.
constexpr std::array x264_large = {Codec::Large{1920 * 1080, 8}, Codec::Large{3840 * 2160, 12}};

constexpr std::string_view x264_allowed =
    "8x8dct aq-mode aq-strength aud b-bias b-pyramid b_strategy bluray-compat chromaoffset coder cplxblur crf crf_max "
    "deblock direct-pred fast-pskip forced-idr intra-refresh mbtree me_method mixed-refs motion-est nal-hrd "
    "noise_reduction partitions preset profile psy psy-rd qp rc-lookahead sc_threshold slice-max-size tune weightb "
    "weightp wpredp x264-params";
constexpr std::string_view x264_parameters =
    "8x8dct analyse aq-mode aq-strength aud b-adapt b-bias b-pyramid bframes bitrate bluray-compat cabac cabac-idc "
    "chroma-me chroma-qp-offset constrained-intra cplxblur cpu-independent crf crf-max dct-decimate deadzone-inter "
    "deadzone-intra deblock direct direct-pred dpb-size fast-pskip filter frameref intra-refresh ipratio keyint level "
    "lookahead-threads mbtree me merange min-keyint mixed-refs mvrange mvrange-thread nal-hrd nr partitions pbratio "
    "psy psy-rd qblur qcomp qp qpmax qpmin qpstep ratetol rc-lookahead ref scenecut slice-max-mbs slice-max-size "
    "slice-min-mbs sliced-threads slices slices-max subme sync-lookahead threads trellis vbv-bufsize vbv-init "
    "vbv-maxrate weightb weightp";
constexpr std::string_view x265_allowed = "crf forced-idr preset profile qp tune x265-params";
constexpr std::string_view x265_parameters =
    "amp aq-mode aq-motion aq-strength aud b-adapt b-intra b-pyramid bframe-bias bframes bitrate cbqpoffs const-vbv "
    "constrained-intra cplxblur crf crf-max crf-min crqpoffs ctu cu-lossless deblock dynamic-rd early-skip fades "
    "fast-intra frame-threads gop-lookahead hevc-aq high-tier hist-scenecut hist-threshold hme hme-range hme-search "
    "intra-refresh ipratio keyint level-idc limit-modes limit-refs limit-sao limit-tu log-level lookahead-slices "
    "lookahead-threads lossless max-merge max-tu-size me merange min-cu-size min-keyint nr-inter nr-intra numa-pools "
    "pbratio pme pmode pools psy-rd psy-rdoq qblur qcomp qg-size qp qp-adaptation-range qpmax qpmin qpstep radl "
    "rc-grain rc-lookahead rd rd-refine rdoq-level rdpenalty rect ref rskip rskip-edge-threshold sao sao-non-deblock "
    "scenecut scenecut-bias selective-sao signhide slices splitrd-skip ssim-rd strict-cbr strong-intra-smoothing subme "
    "temporal-mvp tskip tskip-fast tu-inter-depth tu-intra-depth vbv-bufsize vbv-init vbv-maxrate weightb weightp wpp";
constexpr std::string_view av1_allowed =
    "aom-params aq-mode arnr-max-frames arnr-strength auto-alt-ref cpu-used crf denoise-block-size denoise-noise-level "
    "drop-threshold enable-1to4-partitions enable-ab-partitions enable-angle-delta enable-cdef enable-cfl-intra "
    "enable-diff-wtd-comp enable-dist-wtd-comp enable-dual-filter enable-filter-intra enable-flip-idtx "
    "enable-global-motion enable-interinter-wedge enable-interintra-comp enable-interintra-wedge "
    "enable-intra-edge-filter enable-intrabc enable-masked-comp enable-obmc enable-onesided-comp enable-paeth-intra "
    "enable-palette enable-rect-partitions enable-reduced-reference-set enable-ref-frame-mvs enable-restoration "
    "enable-smooth-interintra enable-smooth-intra enable-tx64 error-resilience frame-parallel lag-in-frames "
    "maxsection-pct minsection-pct overshoot-pct reduced-tx-type-set row-mt static-thresh tile-columns tile-rows tiles "
    "tune undershoot-pct usage use-inter-dct-only use-intra-dct-only use-intra-default-tx-only";
constexpr std::string_view aom_parameters =
    "arnr-maxframes arnr-strength bias-pct cdf-update-mode cq-level delta-lf-mode deltaq-mode deltaq-strength "
    "disable-trellis-quant enable-chroma-deltaq enable-keyframe-filtering enable-qm enable-tpl-model "
    "enable-tx-size-search enable-warped-motion gf-max-pyr-height gf-min-pyr-height loopfilter-control max-gf-interval "
    "max-intra-rate max-partition-size max-reference-frames min-gf-interval min-partition-size noise-sensitivity "
    "qm-max qm-min quant-b-adapt sb-size sharpness tune-content";
constexpr std::string_view vp9_allowed =
    "aq-mode arnr-maxframes arnr-strength arnr-type arnr_max_frames arnr_strength arnr_type auto-alt-ref "
    "corpus-complexity cpu-used crf deadline drop-threshold enable-tpl error-resilient frame-parallel lag-in-frames "
    "lossless max-intra-rate noise-sensitivity overshoot-pct quality rc_lookahead row-mt sharpness speed static-thresh "
    "tile-columns tile-rows tune tune-content undershoot-pct";
constexpr std::string_view nvenc_allowed =
    "2pass aq-strength aud b_adapt b_ref_mode bluray-compat cbr coder constrained-encoding cq dpb_size forced-idr "
    "init_qpB init_qpI init_qpP intra-refresh ldkfs multipass no-scenecut nonref_p preset profile qp qp_cb_offset "
    "qp_cr_offset rc rc-lookahead single-slice-intra-refresh spatial-aq spatial_aq strict_gop surfaces temporal-aq "
    "temporal_aq tune weighted_pred zerolatency";

constexpr std::size_t mebibyte = std::size_t{1} << 20;

constexpr std::array table = {
    Codec{.name = "h264",
          .encoder = "libx264",
          .other_names = "avc avc1 x264 h.264 mpeg4 mpeg-4",
          .containers = mpeg_containers,
          .pixel_formats = all_yuv,
          .quality = {"crf", 18, 0, 51},
          .preset = "veryfast",
          .allowed = x264_allowed,
          .allowed_parameters = x264_parameters,
          .words = x264_words,
          .memory = {42 * mebibyte, 32, 2.2, x264_waiting},
          .thread_type = FF_THREAD_FRAME,
          .threads = 4,
          .large = x264_large,
          .threads_per_core = 2,
          .options = h264_options,
          .untuned = h264_untuned_options,
          .usual = h264_usual_options,
          .by_program = true,
          .note = "presets as x264 names them"},
    Codec{.name = "h264_fast",
          .encoder = own_encoder,
          .containers = mpeg_containers,
          .pixel_formats = own_pixels,
          .quality = {"quality", 32, 0, 51},
          .note = "encoded where pictures are drawn: on the GPU, or on the CPU with the same bytes; see below"},
    Codec{.name = "h265",
          .encoder = "libx265",
          .other_names = "hevc hev1 hvc1 x265 h.265",
          .containers = mpeg_containers,
          .pixel_formats = all_yuv,
          .quality = {"crf", 23, 0, 51},
          .preset = "fast",
          .allowed = x265_allowed,
          .allowed_parameters = x265_parameters,
          .words = x265_words,
          .memory = {55 * mebibyte, 125},
          .threads = 4,
          .reordering = 2,
          .options = h265_options,
          .small = {{64, 64}, small_h265_options},
          .by_program = true,
          .note = "presets as x265 names them"},
    // Not SVT-AV1: its encoder cannot be closed before its first frame, and it prints to standard error.
    Codec{.name = "av1",
          .encoder = "libaom-av1",
          .other_names = "aom libaom av01 av1_nvenc libsvtav1 svtav1 svt-av1",
          .containers = web_containers,
          .pixel_formats = web_pixels,
          .quality = {"crf", 30, 0, 63},
          .allowed = av1_allowed,
          .allowed_parameters = aom_parameters,
          .memory = {40 * mebibyte, 260},
          .pixels_a_second = 7e6,
          .threads = 4,
          .late_header = true,
          .options = av1_options,
          .small = {{65, 0}, narrow_av1_options},
          .note = R"(slower and smaller with a lower `options = { cpu-used = "6" }`)"},
    Codec{.name = "vp9",
          .encoder = "libvpx-vp9",
          .other_names = "vp09 vp8 libvpx",
          .containers = web_containers,
          .pixel_formats = vp9_pixels,
          .quality = {"crf", 31, 0, 63},
          .allowed = vp9_allowed,
          .memory = {67 * mebibyte, 84},
          .threads = 4,
          .options = vp9_options,
          .note = R"(slower and smaller with a lower `options = { cpu-used = "4" }`; `rgba` not in .mp4, )"
                  "and with `quality` 15 by default"},
    Codec{.name = "ffv1",
          .encoder = "ffv1",
          .containers = ffv1_containers,
          .pixel_formats = ffv1_pixels,
          .allowed = "coder context slicecrc",
          // It allocates and writes 37 numbers of 4 bytes per pixel for each picture (libavcodec/ffv1enc.c).
          .memory = {.bytes = 8 * mebibyte, .frames = 1, .pixels = 148},
          .thread_type = FF_THREAD_SLICE,
          .threads = 8,
          .intra_only = true,
          .lossless = true,
          .segment_seconds = 0.25,
          .options = ffv1_options},
    Codec{.name = "prores",
          .encoder = "prores_ks",
          .other_names = "prores_aw apch ap4h prores4444",
          .containers = prores_containers,
          .pixel_formats = prores_pixels,
          .allowed = "alpha_bits bits_per_mb mbs_per_slice profile quant_mat vendor",
          .memory = {10 * mebibyte, 3},
          .thread_type = FF_THREAD_SLICE,
          .threads = 8,
          .intra_only = true,
          .segment_seconds = 0.25,
          .options = prores_options,
          .note = "`yuv422p10` is ProRes 422 HQ, `yuv444p10` ProRes 4444, `rgba` ProRes 4444 with alpha"},
    Codec{.name = "h264_nvenc",
          .encoder = "h264_nvenc",
          .other_names = "nvenc",
          .containers = mpeg_containers,
          .pixel_formats = nvenc_pixels,
          .quality = {"cq", 20, 0, 51},
          .preset = "p4",
          .allowed = nvenc_allowed,
          .memory = {200 * mebibyte, 10},
          .options = nvenc_options,
          .fallback = "h264",
          .note = "needs NVENC; without it becomes `h264`, with a warning"},
    Codec{.name = "gif",
          .encoder = "gif",
          .containers = gif_containers,
          .pixel_formats = gif_pixels,
          .allowed = "gifflags gifimage global_palette",
          .memory = {2 * GifPalette::memory_bytes, 2},
          .two_passes = true},
    // Each picture is independent. libwebp_anim would make one packet of a whole segment.
    Codec{.name = "webp",
          .encoder = "libwebp",
          .containers = webp_containers,
          .pixel_formats = webp_pixels,
          .quality = {"quality", 90, 100, 0},
          .allowed = "cr_size cr_threshold lossless preset quality",
          .memory = {0, 12},
          .intra_only = true,
          .lossless = true,  // with the option of that name
          .segment_seconds = 0.25,
          .note = R"(exact with `options = { lossless = "1" }`)"},
    // Not the encoder apng: it predicts each picture from the previous one in half a dozen ways, keeps the smallest
    // result, and takes ten times as long.
    Codec{.name = "apng",
          .encoder = "png",
          .containers = apng_containers,
          .pixel_formats = apng_pixels,
          .allowed = "dpi dpm pred",
          .memory = {14 * mebibyte, 5},
          .intra_only = true,
          .lossless = true,
          .segment_seconds = 0.25,
          .options = png_options,
          .note = R"(smaller with `options = { compression_level = "9" }`)"},
};

}  // namespace

std::span<const Codec> codecs() { return table; }

bool has_encoder(const Codec& codec) {
  return avcodec_find_encoder_by_name(std::string(codec.encoder).c_str()) != nullptr;
}

}  // namespace simreel
