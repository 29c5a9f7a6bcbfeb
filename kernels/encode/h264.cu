#include "kernels/encode/h264.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "exec/buffer.h"
#include "exec/graph.h"
#include "kernels/encode/bit_string.h"
#include "kernels/encode/cabac_tables.h"
#include "kernels/encode/deblock.h"
#include "kernels/encode/deblock_rows.h"
#include "kernels/encode/inter.h"
#include "kernels/encode/intra.h"
#include "kernels/encode/pack.h"
#include "kernels/encode/parameter_sets.h"
#include "kernels/encode/slice.h"
#include "kernels/encode/split.h"

namespace simreel {
namespace {

using namespace h264;

constexpr std::uint8_t key_nal_header = 0x65, nal_header = 0x61;
constexpr std::size_t slack = 64;  // bytes after the planes, which a read of a whole word may reach

std::size_t macroblocks(Size size) {
  return static_cast<std::size_t>(macroblocks_along(size.width)) *
         static_cast<std::size_t>(macroblocks_along(size.height));
}

// What is added to the QP of a picture, by its number in its group. All pictures are made from the key picture, and the
// next ones from every fourth, so that these are worth more bits.
int qp_step(int number) { return number == 0 ? -6 : number % 4 == 0 ? -1 : 1; }

// Picture::lambda: a bit is worth 2^(QP / 6) / 12.5.
std::uint32_t lambda_of(int qp) {
  static constexpr std::uint8_t sixths[] = {64, 72, 81, 91, 102, 114};  // 64 * 2^(k / 6)
  return ((static_cast<std::uint32_t>(sixths[qp % 6]) << (qp / 6)) + 50) / 100;
}

// A plane of a picture, extended to whole macroblocks by repeating its last column and row; four pixels a call.
struct Extend {
  const std::uint8_t* from;
  std::uint8_t* to;
  int width, height, to_width;

  HD void operator()(int four, int y) const {
    const std::uint8_t* const row = from + static_cast<std::ptrdiff_t>(y < height ? y : height - 1) * width;
    std::uint32_t pixels = 0;
    for (int k = 0; k < 4; ++k) {
      const int x = 4 * four + k;
      pixels |= static_cast<std::uint32_t>(row[x < width ? x : width - 1]) << (8 * k);
    }
    store_four(to + static_cast<std::ptrdiff_t>(y) * to_width + 4 * four, pixels);
  }

  void span(int x0, int x1, int y) const {
    const std::uint8_t* const row = from + static_cast<std::ptrdiff_t>(y < height ? y : height - 1) * width;
    std::uint8_t* const out = to + static_cast<std::ptrdiff_t>(y) * to_width;
    const int begin = 4 * x0, end = 4 * x1, copied = std::clamp(width, begin, end);
    std::copy(row + begin, row + copied, out + begin);
    std::fill(out + copied, out + end, row[width - 1]);
  }
};

void extend(const Executor& executor, Size size, const std::uint8_t* from, std::uint8_t* to) {
  for (int plane = 0; plane < 3; ++plane) {
    const int part = plane ? 2 : 1;
    const Extend body{from, to, size.width / part, size.height / part, 16 * macroblocks_along(size.width) / part};
    const int rows = 16 * macroblocks_along(size.height) / part;
    parallel_for(executor, "extend a picture to macroblocks", {body.to_width / 4, rows}, body);
    from += static_cast<std::ptrdiff_t>(body.width) * body.height;
    to += static_cast<std::ptrdiff_t>(body.to_width) * rows;
  }
}

// Integers that are zero when a picture begins: Change, the progress of a wave of macroblocks, that of deblocking.
struct Scratch {
  static constexpr std::size_t wave = 4;
  std::size_t deblock, count;

  explicit Scratch(std::size_t rows) : deblock(wave + rows + 1), count(deblock + rows + 4) {}
};
static_assert(sizeof(Change) <= Scratch::wave * sizeof(int));

struct Counts {
  std::size_t pixels, reference, chroma_reference, macroblocks, rows;

  explicit Counts(Size size) : macroblocks(simreel::macroblocks(size)) {
    const auto width = static_cast<std::size_t>(macroblocks_along(size.width)),
               height = static_cast<std::size_t>(macroblocks_along(size.height));
    pixels = 384 * macroblocks + slack;
    reference = 4 * (16 * width + 2 * border) * (16 * height + 2 * border) + slack;
    chroma_reference = 2 * (8 * width + 2 * chroma_border) * (8 * height + 2 * chroma_border) + slack;
    rows = height;
  }
};

SlotHead head_of(const std::byte* slot) {
  SlotHead head;
  std::memcpy(&head, slot, sizeof head);
  return head;
}

}  // namespace

struct H264Encoder::State {
  State(const Executor& where, const H264Options& given)
      : executor(where), options(given), size(padded(given.size, PixelLayout::yuv420p)), n(size) {
    Picture& p = picture;
    p.width = macroblocks_along(size.width), p.height = macroblocks_along(size.height);
    p.decoded = decoded.data(), p.reference = reference.data(), p.chroma_reference = chroma_reference.data();
    p.centre = vectors[0].data(), p.found = vectors[1].data(), p.vector = vectors[2].data(), spare = vectors[3].data();
    p.quarter = quarters.data(), p.cost = costs.data(), p.mode = modes.data(),
    p.change = reinterpret_cast<Change*>(scratch.data()), p.block_mode = block_modes.data();
    p.level = levels.data(), p.counts = counts.data(), p.edges = edges.data(), p.record = records.data();
    p.record_words = record_words.data(), p.row_words = row_words.data(), p.start = starts.data();
    // The rest is written before it is read.
    reference.clear();
    chroma_reference.clear();
    extended.clear();
    if (executor.backend() == Backend::cuda) aside.emplace(executor.beside());
  }

  void encode(const std::byte* planes, bool key, std::byte* slot);
  int qp_of(int index) const { return std::clamp(options.quality + qp_step(index), 0, 51); }
  void begin(const std::byte* planes, bool key);
  void encode_key();
  void encode_motion();
  void find_edges();
  void deblock();
  void write(const Executor& writer, std::byte* slot);
  int* progress(std::size_t at) { return scratch.data() + at; }

  const Executor& executor;
  std::optional<Executor> aside;  // of a GPU: writes a picture while it is deblocked
  Event coded, written;
  Graph graph[2];  // of a picture with motion that is deblocked, and of one that is not
  H264Options options;
  Size size;  // padded to even sides
  Counts n;
  Picture picture{};
  Vector* spare = nullptr;
  int number = 0;      // of the next picture in its group
  int key_number = 0;  // of the next key picture in the segment

  Buffer<std::uint8_t> extended{executor, n.pixels}, decoded{executor, n.pixels}, reference{executor, n.reference},
      chroma_reference{executor, n.chroma_reference};
  Buffer<Vector> vectors[4]{
      {executor, n.macroblocks}, {executor, n.macroblocks}, {executor, n.macroblocks}, {executor, n.macroblocks}};
  Buffer<Vector> quarters{executor, 4 * n.macroblocks};
  Buffer<std::uint32_t> costs{executor, n.macroblocks}, record_words{executor, n.macroblocks},
      row_words{executor, n.rows}, starts{executor, n.macroblocks};
  Buffer<Mode> modes{executor, n.macroblocks};
  Buffer<std::uint8_t> block_modes{executor, 16 * n.macroblocks};
  Buffer<std::uint32_t> edges{executor, edge_words* n.macroblocks};
  Buffer<std::int16_t> levels{executor, n.macroblocks* level_blocks * 16};
  Buffer<std::uint8_t> counts{executor, n.macroblocks * 24};
  Buffer<std::uint8_t> records{executor, n.macroblocks* max_record_bytes};
  Scratch scratch_places{n.rows};
  Buffer<int> scratch{executor, scratch_places.count};
};

bool H264Encoder::accepts(Size size) {
  constexpr int longest = 8192;
  return size.width >= 1 && size.height >= 1 && size.width <= longest && size.height <= longest &&
         macroblocks(size) <= 139264;
}

std::size_t H264Encoder::memory_bytes(Size size) {
  const Counts n(size);
  constexpr std::size_t a_macroblock = 8 * sizeof(Vector) + (3 + edge_words) * sizeof(std::uint32_t) + sizeof(Mode) +
                                       level_blocks * 16 * sizeof(std::int16_t) + 16 + 24 + max_record_bytes;
  constexpr std::size_t buffers = 20, alignment = 256;
  return 2 * n.pixels + n.reference + n.chroma_reference + n.macroblocks * a_macroblock +
         n.rows * sizeof(std::uint32_t) + Scratch(n.rows).count * sizeof(int) + buffers * alignment;
}

std::size_t H264Encoder::slot_bytes(Size size) {
  return sizeof(SlotHead) + macroblocks(size) * (sizeof(Mode) + max_record_bytes);
}

H264Encoder::H264Encoder(const Executor& executor, const H264Options& options) {
  if (!accepts(options.size) || options.fps_numerator < 1 || options.fps_denominator < 1 || options.quality < 0 ||
      options.quality > 51)
    throw std::invalid_argument("H264Encoder: options out of range");
  state_ = std::make_unique<State>(executor, options);
}
H264Encoder::H264Encoder(H264Encoder&&) noexcept = default;
H264Encoder& H264Encoder::operator=(H264Encoder&&) noexcept = default;
H264Encoder::~H264Encoder() = default;

std::vector<std::uint8_t> H264Encoder::parameter_sets() const {
  const H264Options& options = state_->options;
  return h264_parameter_sets(state_->size, options.fps_numerator, options.fps_denominator, options.quality);
}

void H264Encoder::reset() { state_->number = state_->key_number = 0; }

void H264Encoder::encode(const std::byte* planes, bool key, std::byte* slot, Event& done) {
  State& s = *state_;
  const auto submit = [&] { s.encode(planes, key, slot); };
  // A key picture is few launches, and other ones.
  if (!s.options.graphs || key || s.number == 0)
    submit();
  else
    s.graph[s.qp_of(s.number) < min_deblocked_qp].submit(s.executor, submit);
  s.executor.record(done);
}

void H264Encoder::State::encode(const std::byte* planes, bool key, std::byte* slot) {
  begin(planes, key);
  if (picture.intra)
    encode_key();
  else
    encode_motion();
  find_edges();
  if (aside) {
    executor.record(coded);
    aside->wait_for(coded);
    deblock();
    write(*aside, slot);
    aside->record(written);
    executor.wait_for(written);
  } else {
    deblock();
    write(executor, slot);
  }
}

void H264Encoder::State::begin(const std::byte* planes, bool key) {
  scratch.clear();
  if (key) number = 0;
  Picture& p = picture;
  p.intra = number == 0;
  p.color = number & 3;
  p.qp = qp_of(number);
  p.chroma_qp = chroma_qp_of(p.qp);
  p.lambda = lambda_of(p.qp);
  const auto* const pixels = reinterpret_cast<const std::uint8_t*>(planes);
  if (size.width % 16 == 0 && size.height % 16 == 0) {
    p.source = pixels;
  } else {
    extend(executor, size, pixels, extended.data());
    p.source = extended.data();
  }

  BitString header;
  header.unsigned_golomb(0);                // first macroblock
  header.unsigned_golomb(p.intra ? 7 : 5);  // all slices are I, or P
  header.unsigned_golomb(0);                // picture parameter set
  header.put(static_cast<std::uint32_t>(number) & 15, 4);
  if (p.intra) {
    header.unsigned_golomb(static_cast<std::uint32_t>(key_number++) & 1);  // differs from the one before
    header.put(0, 2);                                                      // no output before, no long-term reference
  } else {
    header.put(0, 1);  // as many references as there are
    header.put(0, 1);  // in their order
    header.put(0, 1);  // sliding window
    header.unsigned_golomb(cabac_init_idc);
  }
  header.signed_golomb(p.qp - 26);
  header.unsigned_golomb(0);  // deblocking,
  header.signed_golomb(0);    // neither more
  header.signed_golomb(0);    // nor less than usual
  p.header = 0, p.header_bits = header.count();
  for (int i = 0; i < header.count(); ++i)
    p.header = p.header << 1 | (header.bytes()[static_cast<std::size_t>(i / 8)] >> (7 - i % 8) & 1);
  ++number;
}

void H264Encoder::State::encode_key() {
  for_teams_in_wave(executor, "encode a key picture", picture.width, picture.height, progress(Scratch::wave),
                    IntraWave{picture});
}

void H264Encoder::State::encode_motion() {
  Picture& p = picture;
  std::swap(p.centre, p.vector);  // the vectors of the picture before
  parallel_for(executor, "half pixels", {p.pitch(), (p.luma_height() + 2 * border) / LumaPlanes::rows}, LumaPlanes{p});
  parallel_for(executor, "chroma of the reference", {p.chroma_pitch() / 4, 2 * (8 * p.height + 2 * chroma_border)},
               ChromaPlanes{p});
  for_teams(executor, "motion search", p.count(), Search{p});
  // Three passes; each keeps the vectors before it, from which the next one sees where nothing has changed.
  Vector *const first = p.found, *const second = p.vector, *const third = spare;
  for_teams(executor, "smooth motion", p.count(), Smooth{p, nullptr, first, second});
  for_teams(executor, "smooth motion", p.count(), Smooth{p, first, second, third});
  for_teams(executor, "smooth motion", p.count(), Smooth{p, second, third, first});
  p.vector = first, p.found = third, spare = second;
  for_teams(executor, "split motion", p.count(), Split{p});
  for_teams(executor, "inter macroblocks", p.count(), Inter{p});
  for_teams_in_wave(executor, "intra macroblocks after a cut", p.width, p.height, progress(Scratch::wave),
                    IntraWave{p});
  constexpr int colors = 2;  // of four in a picture: more would gain little
  for (int k = 0; k < colors; ++k)
    for_teams(executor, "intra macroblocks", IntraColor::count(p), IntraColor{p, (p.color + k) & 3});
}

void H264Encoder::State::find_edges() {
  if (executor.backend() == Backend::cpu || picture.qp < min_deblocked_qp) return;
  for_teams(executor, "strengths of edges", picture.count(), EdgeStrengths{picture});
}

void H264Encoder::State::deblock() {
  if (picture.qp < min_deblocked_qp) return;
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    deblock_on_device(executor, picture, progress(scratch_places.deblock));
    return;
  }
#endif
  for_teams_in_wave(executor, "deblock", picture.width, picture.height, progress(scratch_places.deblock),
                    Deblock{picture});
}

void H264Encoder::State::write(const Executor& writer, std::byte* slot) {
  const Picture& p = picture;
  auto* const to = reinterpret_cast<std::uint32_t*>(slot);
  for_teams(writer, "pack macroblocks", p.count(), Pack{p});
  for_teams(writer, "sum records", p.height, JoinRow{p});
  for_teams(writer, "place records", p.height, PlaceRow{p, to});
  for_teams(writer, "deliver records", p.count(), Deliver{p, to});
}

std::vector<std::uint8_t> H264Encoder::packet(const std::byte* slot) {
  const CodedSlice slice = code_slice(slot);
  std::vector<std::uint8_t> bytes;
  append_nal_unit(bytes, is_key(slot) ? key_nal_header : nal_header, slice.bytes.data(), slice.bytes.size());
  const SlotHead head = head_of(slot);
  const auto nal_bytes = static_cast<std::int64_t>(bytes.size()) - 4;
  for (auto words = cabac_zero_words(nal_bytes, slice.bins, std::int64_t{head.width} * head.height); words > 0; --words)
    bytes.insert(bytes.end(), {0, 0, 3});
  return bytes;
}

bool H264Encoder::is_key(const std::byte* slot) { return head_of(slot).intra != 0; }

std::size_t H264Encoder::filled_bytes(const std::byte* slot) {
  const SlotHead head = head_of(slot);
  return sizeof head + std::size_t{head.width} * head.height * sizeof(Mode) + std::size_t{head.words} * 4;
}

std::vector<std::uint8_t> H264Encoder::reconstruction() const {
  const State& s = *state_;
  const std::vector<std::uint8_t> coded = s.decoded.download();
  std::vector<std::uint8_t> planes;
  const std::uint8_t* from = coded.data();
  for (int plane = 0; plane < 3; ++plane) {
    const int part = plane ? 2 : 1, pitch = 16 * s.picture.width / part;
    for (int y = 0; y < s.size.height / part; ++y)
      planes.insert(planes.end(), from + static_cast<std::ptrdiff_t>(y) * pitch,
                    from + static_cast<std::ptrdiff_t>(y) * pitch + s.size.width / part);
    from += static_cast<std::ptrdiff_t>(pitch) * (16 * s.picture.height / part);
  }
  return planes;
}

}  // namespace simreel
