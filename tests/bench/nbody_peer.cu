// The peer that the N-body kernels are measured against: the design of CUDA's own sample - a thread a body, tiles of
// 256 bodies in shared memory, the hardware's reciprocal root - in our own words, built with -ftz=true, without which
// it is slower. Only forces are timed, not the step that simreel's figures include.
//   nbody_peer [BODIES...]        BODIES are multiples of 256; default 16384 262144
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int tile = 256;
constexpr float softening2 = 0.01f * 0.01f;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "nbody_peer: %s\n", cudaGetErrorString(code));
  std::exit(1);
}

__global__ void accelerations(const float4* __restrict__ position, float4* acceleration, int bodies) {
  __shared__ float4 source[tile];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 a = position[i];
  float x = 0, y = 0, z = 0;
  for (int start = 0; start < bodies; start += tile) {
    source[threadIdx.x] = position[start + threadIdx.x];
    __syncthreads();
#pragma unroll 32
    for (int j = 0; j < tile; ++j) {
      const float4 b = source[j];
      const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening2);
      const float s = b.w * inverse * inverse * inverse;
      x += dx * s;
      y += dy * s;
      z += dz * s;
    }
    __syncthreads();
  }
  acceleration[i] = make_float4(x, y, z, 0);
}

// Relative to double precision, root mean square over some bodies.
double error_of(const std::vector<float4>& position, const std::vector<float4>& found) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < position.size(); i += position.size() / 64) {
    double x = 0, y = 0, z = 0;
    for (const float4& b : position) {
      const double dx = double(b.x) - double(position[i].x), dy = double(b.y) - double(position[i].y),
                   dz = double(b.z) - double(position[i].z);
      const double r2 = dx * dx + dy * dy + dz * dz + double(softening2), s = double(b.w) / (r2 * std::sqrt(r2));
      x += dx * s;
      y += dy * s;
      z += dz * s;
    }
    const double ex = double(found[i].x) - x, ey = double(found[i].y) - y, ez = double(found[i].z) - z;
    error += ex * ex + ey * ey + ez * ez;
    size += x * x + y * y + z * z;
  }
  return std::sqrt(error / size);
}

void measure(int bodies) {
  std::vector<float4> position(static_cast<std::size_t>(bodies)), found(position.size());
  std::srand(1);
  const auto unit = [] { return static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX); };
  for (float4& q : position)
    q = make_float4(2 * unit() - 1, 2 * unit() - 1, 2 * unit() - 1, 1 / static_cast<float>(bodies));
  float4 *on_device, *acceleration;
  const std::size_t bytes = position.size() * sizeof(float4);
  check(cudaMalloc(&on_device, bytes));
  check(cudaMalloc(&acceleration, bytes));
  check(cudaMemcpy(on_device, position.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t start, end;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  const int launches = std::max(1, static_cast<int>(3e11 / bodies / bodies));
  std::vector<double> seconds;
  for (int run = 0; run < 6; ++run) {
    check(cudaEventRecord(start));
    for (int launch = 0; launch < launches; ++launch)
      accelerations<<<static_cast<unsigned>(bodies / tile), tile>>>(on_device, acceleration, bodies);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, end));
    if (run > 0) seconds.push_back(1e-3 * double(milliseconds) / launches);  // the first one warms up
  }
  check(cudaMemcpy(found.data(), acceleration, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(on_device));
  check(cudaFree(acceleration));
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  std::printf("%9d  %-33s%14.5g%12.4g%18.5g%12.1e\n", bodies, "peer (CUDA sample's design)", 1 / median, 1e3 * median,
              1e-9 * bodies * bodies / median, error_of(position, found));
}

}  // namespace

int main(int count, char** arguments) {
  std::printf("%9s  %-33s%14s%12s%18s%12s\n", "bodies", "", "forces/s", "ms", "Ginteractions/s", "error");
  if (count == 1) {
    measure(16384);
    measure(262144);
  }
  for (int i = 1; i < count; ++i) measure(std::max(1, std::atoi(arguments[i]) / tile) * tile);
}
