// gray_scott OUTPUT...: a simulation of one's own, whose frames become a video. Two substances react and diffuse (Gray
// and Scott 1984): u + 2 v -> 3 v, with u fed and v removed.

#include <simreel/simreel.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int nx = 256, ny = 144, frames = 200, steps_per_frame = 20;
constexpr float feed = 0.037f, kill = 0.06f, spread_u = 0.2097f, spread_v = 0.105f;

struct State {
  std::vector<float> u = std::vector<float>(nx * ny, 1.0f), v = std::vector<float>(nx * ny, 0.0f);
};

// The difference between a cell and its neighbours; the grid closes around.
float laplacian(const std::vector<float>& a, int x, int y) {
  const int left = (x + nx - 1) % nx, right = (x + 1) % nx, below = (y + ny - 1) % ny * nx, above = (y + 1) % ny * nx;
  return a[y * nx + left] + a[y * nx + right] + a[below + x] + a[above + x] - 4 * a[y * nx + x];
}

void step(const State& now, State& next) {
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const int i = y * nx + x;
      const float reaction = now.u[i] * now.v[i] * now.v[i];
      next.u[i] = now.u[i] + spread_u * laplacian(now.u, x, y) - reaction + feed * (1 - now.u[i]);
      next.v[i] = now.v[i] + spread_v * laplacian(now.v, x, y) + reaction - (feed + kill) * now.v[i];
    }
}

int fail(simreel_error* error) {
  std::fprintf(stderr, "%s\n", simreel_error_message(error));
  simreel_error_free(error);
  return 1;
}

int main(int argc, char** argv) {
  State now, next;
  for (int y = 62; y < 82; ++y)
    for (int x = 108; x < 148; ++x) now.v[y * nx + x] = 0.5f, now.u[y * nx + x] = 0.25f;

  simreel_error* error = nullptr;
  simreel_video* video = simreel_video_open(argv + 1, static_cast<size_t>(std::max(argc - 1, 0)),
                                            "[view]\nsize = [1280, 720]\nrange = [0, 0.4]\ncolormap = \"magma\"\n"
                                            "[figure]\ncolorbar = \"right\"\nlabel = \"$v$\"\n",
                                            nullptr, &error);
  if (video == nullptr) return fail(error);
  const int64_t shape[] = {ny, nx};
  for (int frame = 0; frame < frames; ++frame) {
    const simreel_array field = {sizeof field, now.v.data(), SIMREEL_FLOAT32, 2, shape, nullptr, SIMREEL_HOST};
    if (simreel_video_write(video, &field, frame * steps_per_frame, &error) != SIMREEL_DONE) break;
    for (int i = 0; i < steps_per_frame; ++i) step(now, next), std::swap(now, next);
  }
  if (error != nullptr) return simreel_video_abandon(video), fail(error);
  return simreel_video_close(video, nullptr, &error) == SIMREEL_DONE ? 0 : fail(error);
}
