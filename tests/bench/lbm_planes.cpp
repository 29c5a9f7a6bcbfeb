// How the speed of a flow that fills a GPU's memory bus depends on the distance of its planes: lbm_layout chooses it,
// and docs/design/ranks.md says what came out. The flow is a channel without obstacles in float, two steps a pass.
//   lbm_planes NX NY [open]      a line for each distance, 64 KiB apart within 2 MiB: bytes beyond a multiple of 2 MiB,
//                                and microseconds a step; the first line is of lbm_layout's own distance
//   open: of a rank between two others, so that there are no tiles at the lower and upper side

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "exec/buffer.h"
#include "kernels/lbm/fused.h"

namespace simreel {
namespace {

constexpr std::size_t step = 64 << 10, period = 2 << 20;
constexpr double velocity = 0.05;

class Channel {
 public:
  Channel(const Executor& executor, int nx, int ny, bool open) : executor_(executor) {
    p_.nx = nx;
    p_.ny = ny;
    lbm_layout(p_, sizeof(float), Backend::cuda);
    p_.left = LbmSide::inlet;
    p_.right = LbmSide::outlet;
    p_.bottom = p_.top = LbmSide::wall;
    p_.open_below = p_.open_above = open;
    p_.velocity = static_cast<float>(velocity);
    lbm_set_rates(p_, LbmCollision::bgk, 0.02, 0.25);
    std::vector<std::int8_t> cell(p_.pitch * static_cast<std::size_t>(ny), lbm_plain);
    std::vector<std::uint32_t> edge;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) continue;
        const std::size_t place = static_cast<std::size_t>(y) * p_.pitch + static_cast<std::size_t>(x);
        cell[place] = lbm_edge;
        edge.push_back(static_cast<std::uint32_t>(place));
      }
    cell_ = Buffer<std::int8_t>(executor, cell.size());
    cell_.upload(cell.data());
    edge_ = Buffer<std::uint32_t>(executor, edge.size());
    edge_.upload(edge.data());
    cells_.cell = cell_.data();
    cells_.edge = edge_.data();
    cells_.edges = static_cast<std::uint32_t>(edge.size());
    tiles_ = lbm_tile_lists<float, float>(executor, p_, {0, ny}, cell.data());
    for (Buffer<float>& state : state_) state = Buffer<float>(executor, 9 * (rounded() + period) / sizeof(float));
  }

  std::size_t distance() const { return p_.plane * sizeof(float); }
  // The least distance that is a multiple of the period.
  std::size_t rounded() const {
    const std::size_t bytes = p_.pitch * static_cast<std::size_t>(p_.ny) * sizeof(float);
    return (bytes + period - 1) / period * period;
  }

  // Microseconds a step, the median of three runs.
  double time(std::size_t distance) {
    p_.plane = distance / sizeof(float);
    for (Buffer<float>& state : state_) lbm_start(executor_, p_, cells_, LbmInitial::uniform, velocity, state.data());
    const int passes = std::clamp(static_cast<int>(1.5e9 / p_.nx / p_.ny), 5, 200);
    run(passes);  // warms up
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run(passes);
      const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
      times.push_back(taken.count() / (4 * passes));
    }
    std::ranges::sort(times);
    return times[1];
  }

 private:
  void run(int pairs) {
    for (int i = 0; i < pairs; ++i)
      for (const int from : {0, 1})
        lbm_fused_step(executor_, p_, cells_, tiles_, Share::all, state_[from].data(), state_[1 - from].data());
    executor_.wait();
  }

  const Executor& executor_;
  LbmParams<float> p_;
  Buffer<std::int8_t> cell_;
  Buffer<std::uint32_t> edge_;
  LbmCells cells_;
  LbmTileLists tiles_;
  Buffer<float> state_[2];
};

}  // namespace
}  // namespace simreel

int main(int argc, char** argv) {
  const int nx = argc > 2 ? std::atoi(argv[1]) : 0, ny = argc > 2 ? std::atoi(argv[2]) : 0;
  const bool open = argc > 3 && std::string_view(argv[3]) == "open";
  if (nx < 3 || ny < 3 || argc > (open ? 4 : 3)) {
    std::fputs("usage: lbm_planes NX NY [open]\n", stderr);
    return 2;
  }
  if (simreel::cuda_devices().empty()) {
    std::fputs("lbm_planes: no CUDA device on this machine\n", stderr);
    return 1;
  }
  const simreel::Executor executor = simreel::Executor::cuda();
  simreel::Channel channel(executor, nx, ny, open);
  const auto print = [](std::size_t distance, double microseconds) {
    std::printf("%zu %.2f\n", distance % simreel::period, microseconds);
    std::fflush(stdout);
  };
  const std::size_t own = channel.distance(), rounded = channel.rounded();
  print(own, channel.time(own));
  // As lbm_layout, 640 bytes more: without them lines of all planes fall into the same sets of a cache.
  for (std::size_t more = 640; more < simreel::period; more += simreel::step)
    print(rounded + more, channel.time(rounded + more));
  return 0;
}
