// No option of an encoder that a scene gives opens a file. Every option that the linked libraries know is tried.

#include "base/text.h"
#include "sink/video/codecs.h"
#include "tests/support/sink_fixture.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace simreel {
namespace {

// The names that x264_param_parse of libx264 164 and x265_param_parse of libx265 3.5 compare with: `strings` of the
// libraries, beside `x264 --fullhelp` and `x265 --fullhelp`; those of aom_codec_set_option of libaom 3.6, beside
// `aomenc --help`.
constexpr std::string_view x264_names =
    "8x8dct alternative-transfer analyse annexb aq-mode aq-strength asm aud avcintra-class avcintra-flavor b-adapt "
    "b-bias b-pyramid bff bframes bitrate bluray-compat cabac cabac-idc chroma-me chroma-qp-offset chromaloc cll "
    "colormatrix colorprim constrained-intra cplxblur cpu-independent cqm cqm4 cqm4i cqm4ic cqm4iy cqm4p cqm4pc cqm4py "
    "cqm8 cqm8i cqm8p cqmfile crf crf-max crop-rect dct-decimate deadzone-inter deadzone-intra deblock direct "
    "direct-pred dpb-size dump-yuv fake-interlaced fast-pskip filler filter force-cfr fps frame-packing frameref "
    "fullrange global-header input-csp interlaced intra-refresh ip-factor ipratio keyint keyint-min level level-idc "
    "log "
    "lookahead-threads mastering-display mbtree me me-range merange min-keyint mixed-refs mv-range mv-range-thread "
    "mvrange mvrange-thread n-deterministic nal-hrd nr opencl opencl-clbin opencl-device open-gop overscan partitions "
    "pass pb-factor pbratio pic-struct psnr psy psy-rd qblur qcomp qp qp-max qp-min qp-step qp_constant qpfile qpmax "
    "qpmin qpstep ratetol rc-lookahead ref repeat-headers sar scenecut slice-max-mbs slice-max-size slice-min-mbs "
    "sliced-threads slices slices-max ssim stats stitchable subme subq sync-lookahead tcfile-in tff threads timebase "
    "transfer trellis vbv-bufsize vbv-init vbv-maxrate vfr-input videoformat weight-b weightb weightp zones";
constexpr std::string_view x265_names =
    "abr-ladder allow-non-conformance amp analysis-load analysis-load-reuse-level analysis-reuse-file "
    "analysis-reuse-level analysis-reuse-mode analysis-save analysis-save-reuse-level analyze-src-pics annexb aq-mode "
    "aq-motion aq-strength asm atc-sei aud b-adapt b-intra b-pyramid bframe-bias bframes bitrate cbqpoffs chromaloc "
    "chunk-end chunk-start cip cll colormatrix colorprim const-vbv constrained-intra copy-pic cplxblur crf crf-max "
    "crf-min crop-rect crqpoffs csv csv-log-level ctu ctu-info cu-lossless cu-stats cutree deblock dhdr10-info "
    "dhdr10-opt display-window dither dolby-vision-profile dolby-vision-rpu dup-threshold dynamic-rd dynamic-refine "
    "early-skip fades fast-intra field force-flush fps frame-dup frame-threads frames gop-lookahead hash hdr hdr-opt "
    "hdr10 hdr10-opt hevc-aq high-tier hist-scenecut hist-threshold hme hme-range hme-search hrd hrd-concat "
    "idr-recovery-sei info input input-csp input-depth input-res interlace intra-refresh ip-factor ipratio keyint "
    "lambda-file level-idc lft limit-modes limit-refs limit-sao limit-tu log log-level log2-max-poc-lsb "
    "lookahead-slices lookahead-threads lossless lowpass-dct masking-strength master-display max-ausize-factor max-cll "
    "max-luma max-merge max-tu-size max-vbv-fullness me merange min-cu-size min-keyint min-luma min-vbv-fullness "
    "multi-pass-opt-analysis multi-pass-opt-distortion multi-pass-opt-rps nalu-file nr-inter nr-intra numa-pools "
    "open-gop opt-cu-delta-qp opt-qp-pps opt-ref-list-length-pps output output-depth overscan pass pb-factor pbratio "
    "pic-struct pme pmode pools preset profile psnr psy-rd psy-rdoq qblur qcomp qg-size qp qp-adaptation-range qpfile "
    "qpmax qpmin qpstep radl range rc-grain rc-lookahead rd rd-refine rdoq-level rdpenalty recon recon-depth "
    "recon-y4m-exec rect ref refine-analysis-type refine-ctu-distortion refine-inter refine-intra refine-mv "
    "repeat-headers rskip rskip-edge-threshold sao sao-non-deblock sar scale-factor scaling-list scenecut "
    "scenecut-aware-qp scenecut-bias seek selective-sao signhide single-sei slices slow-firstpass splice splitrd-skip "
    "ssim ssim-rd stats strict-cbr strong-intra-smoothing subme svt temporal-layers temporal-mvp total-frames transfer "
    "tskip tskip-fast tu-inter-depth tu-intra-depth tune uhd-bd vbv-bufsize vbv-end vbv-end-fr-adj vbv-init "
    "vbv-live-multi-pass vbv-maxrate videoformat vui-hrd-info vui-timing-info weightb weightp wpp zonefile zones";
constexpr std::string_view aom_names =
    "auto-intra-tools-off color-primaries film-grain-table film-grain-test frame-boost mtu-size partition-info-path "
    "passes second-pass-log target-seq-level-idx timing-info tune tune-content two-pass-input two-pass-output "
    "use-16bit-internal vmaf-model-path rate-distribution-info";

class EncoderFilesTest : public SinkTest {
 protected:
  void SetUp() override {
    put(path("scene"), "precious");
    std::filesystem::current_path(folder_.path());  // some encoders name files themselves: x264_2pass.log
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  // Checks a video with this option and returns whether it is refused.
  bool refused(const Codec& codec, const std::string& option, const std::string& value) {
    options_.codec = codec.name;
    options_.options = {{option, value}};
    testing::internal::CaptureStderr();
    const std::string file = path("made" + std::string(codec.containers.front()));
    const bool refused = !test::thrown([&] { check_sinks({file}, options_, info_); }).empty();
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(files(), std::vector<std::string>{"scene"}) << codec.name << ": " << option << " = " << value;
    EXPECT_EQ(contents(path("scene")), "precious") << codec.name << ": " << option << " = " << value;
    return refused;
  }

  static std::vector<std::string> words(std::string_view list) {
    std::istringstream in{std::string(list)};
    return {std::istream_iterator<std::string>(in), {}};
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

void add_options(std::set<std::string>& names, const void* owner) {
  for (const AVOption* option = nullptr; (option = av_opt_next(owner, option));) names.insert(option->name);
  void* child = nullptr;
  while ((child = av_opt_child_next(const_cast<void*>(owner), child))) add_options(names, child);
}

TEST_F(EncoderFilesTest, NoOptionThatLibavKnowsOpensAFile) {
  for (const Codec& codec : codecs()) {
    const AVCodec* const encoder = avcodec_find_encoder_by_name(std::string(codec.encoder).c_str());
    if (!encoder || !codec.fallback.empty()) continue;
    std::set<std::string> names;
    add_options(names, owned(avcodec_alloc_context3(encoder)).get());
    for (const char* muxer : {"mp4", "mov", "matroska", "webm", "gif", "apng", "webp"}) {
      AVFormatContext* context = nullptr;
      if (avformat_alloc_output_context2(&context, nullptr, muxer, nullptr) >= 0) add_options(names, context);
      avformat_free_context(context);
    }
    EXPECT_GT(names.size(), 200u);
    for (const std::string& name : names) refused(codec, name, path("scene"));
    for (const char* flags : {"+pass1", "+pass2", "pass1", "+psnr"}) refused(codec, "flags", flags);
  }
}

TEST_F(EncoderFilesTest, NoParameterOfAnEncoderOpensAFile) {
  for (const auto& [name, option, own] : {std::tuple{"h264", "x264-params", x264_names},
                                          {"h265", "x265-params", x265_names},
                                          {"av1", "aom-params", aom_names}}) {
    const Codec& codec = *std::ranges::find(codecs(), name, &Codec::name);
    for (const std::string& parameter : words(own)) {
      const std::string file = path("scene");
      refused(codec, option, parameter + "=" + file);
      // What one value can say may need another: stats= is opened in a first pass.
      if (is_among(parameter, codec.allowed_parameters)) continue;
      std::string other = parameter;
      std::ranges::replace(other, '-', '_');
      for (const std::string& text :
           {parameter + "=1", "no-" + parameter + "=1", other + "=1", "me='" + file + "':" + parameter + "=x",
            "ref=1\\:" + parameter + "=1:" + parameter + "=1"})
        EXPECT_TRUE(refused(codec, option, text)) << text;
    }
  }
  EXPECT_TRUE(refused(codecs().front(), "x264opts", "dump-yuv=" + path("scene")));
  EXPECT_TRUE(refused(codecs().front(), "x264-params", "pass=1:stats=" + path("scene")));
}

TEST_F(EncoderFilesTest, RefusalsNameTheEntryAndTheList) {
  options_.options = {{"x264-params", "keyint=5:dump-yuv=" + path("scene")}};
  options_.given["options.x264-params"] = {"s.toml", 7, 1};
  const std::string message = usage_error({path("a.mp4")});
  EXPECT_TRUE(message.starts_with("s.toml:7:1: [output.options] x264-params = ")) << message;
  EXPECT_TRUE(test::says(message, "\"dump-yuv\" is not an option that a scene may give"));
  EXPECT_TRUE(test::says(message, "docs/outputs.md lists those"));
}

}  // namespace
}  // namespace simreel
