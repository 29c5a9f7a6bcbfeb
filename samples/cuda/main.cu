// device_field OUTPUT...: a field that never leaves the GPU. A kernel writes it on a stream of its own, and simreel
// reads it there: its picture is drawn on the same GPU, and only frames, or what h264_fast makes of them, cross the
// bus.

#include <cuda_runtime.h>
#include <simreel/simreel.h>

#include <cstdio>

constexpr int nx = 960, ny = 540, frames = 120;

__global__ void rings(float* field, float time) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  if (x >= nx) return;
  const float dx = static_cast<float>(x - nx / 2), dy = static_cast<float>(y - ny / 2);
  field[y * nx + x] = sinf(0.1f * sqrtf(dx * dx + dy * dy) - 6 * time);
}

int fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  return 1;
}

int main(int argc, char** argv) {
  float* field = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMalloc(&field, nx * ny * sizeof(float)) != cudaSuccess) return fail("no GPU that CUDA can use");
  if (cudaStreamCreate(&stream) != cudaSuccess) return fail("no stream");

  simreel_error* error = nullptr;
  simreel_device device = {sizeof device, SIMREEL_CUDA, 0, 0, 1};
  simreel_video* video = simreel_video_open(argv + 1, static_cast<size_t>(argc - 1),
                                            "[view]\nrange = [-1, 1]\ncolormap = \"RdBu_r\"\n", &device, &error);
  if (video == nullptr) return fail(simreel_error_message(error));
  simreel_video_set_stream(video, stream);  // the work of this stream is waited for, on the GPU

  const int64_t shape[] = {ny, nx};
  const simreel_array array = {sizeof array, field, SIMREEL_FLOAT32, 2, shape, nullptr, SIMREEL_GPU};
  for (int frame = 0; frame < frames && error == nullptr; ++frame) {
    rings<<<dim3((nx + 255) / 256, ny), 256, 0, stream>>>(field, static_cast<float>(frame) / 60);
    simreel_video_write(video, &array, frame / 60.0, &error);  // then the field may be written again
  }
  if (error != nullptr) return simreel_video_abandon(video), fail(simreel_error_message(error));
  if (simreel_video_close(video, nullptr, &error) != SIMREEL_DONE) return fail(simreel_error_message(error));
  cudaStreamDestroy(stream);
  cudaFree(field);
  return 0;
}
