#pragma once
// The executors that a parity test runs on.

#include "exec/executor.h"

#include "tests/support/test.h"

namespace simreel::test {

// The CPU with one thread, and with three, among which most rows are divided unevenly.
inline std::vector<Executor> cpu_executors() {
  std::vector<Executor> executors;
  for (const int threads : {1, 3}) executors.push_back(Executor::cpu(threads));
  return executors;
}

// The same and, where there is one, the GPU.
inline std::vector<Executor> executors() {
  std::vector<Executor> all = cpu_executors();
  if (!cuda_devices().empty()) all.push_back(Executor::cuda());
  return all;
}

}  // namespace simreel::test

// In a test that is about the GPU: says so, and ends the test, where there is none.
#define SKIP_WITHOUT_GPU() \
  if (simreel::cuda_devices().empty()) GTEST_SKIP() << "no CUDA device on this machine"
