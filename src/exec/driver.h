#pragma once
// What may keep this program from a GPU: a driver that is too old for CUDA's runtime, and kernels that the
// driver must compile first. The texts depend on numbers only, so that they are tested without a GPU.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "exec/executor.h"

namespace simreel {

enum class Wanted { automatic, cpu, cuda };

// The executor for a user's choice; `device` -1 is not given, and with one `automatic` is `cuda`. Without a usable GPU
// `automatic` computes on the CPU and tells why, if there is a driver. Tells if the driver has to compile the kernels.
// Throws what Executor::cuda throws, and UsageError if the program has no kernels for the device.
Executor open_executor(Wanted, int device, int threads, const Log&);

// `device` for open_executor where a caller always has a number: -1 if that is no wish, since `automatic` with the
// default number 0, or without any GPU, must not make an error of a machine without a usable one.
int device_or_any(Wanted, int number);

// Why cuda_devices() is empty although there is a driver; empty otherwise, and in a build without CUDA.
std::string driver_problem();

// "the NVIDIA driver supports CUDA 12.4, this build needs 13.0 (driver 580 or later)", from versions as CUDA numbers
// them: 12040 is 12.4, 0 no driver. Empty if the driver suffices for the runtime, of CUDA 12 or 13, which is so from
// the same major version on.
std::string old_driver_text(int driver, int runtime);

// Where the kernels for a device come from.
enum class KernelOrigin {
  program,  // machine code, compiled in
  driver,   // compiled by the driver at the first start
  nowhere,  // the device is older than all that is compiled in
};

// `architectures` as in CMAKE_CUDA_ARCHITECTURES: "75-virtual;90-real".
KernelOrigin kernel_origin(int capability_major, int capability_minor, std::string_view architectures);

// The error of a CUDA call of this thread that was not checked, which is cleared: the next check would take it for its
// own. Empty where there is none, and without CUDA.
std::string unchecked_cuda_error();

// The version of the linked runtime: "12.9"; empty without CUDA.
std::string cuda_runtime();

// Of this program.
std::string_view compiled_architectures();

// Where the driver keeps what it compiles, as its environment variables say.
struct KernelCache {
  bool off = false;            // CUDA_CACHE_DISABLE=1
  std::int64_t max_bytes = 0;  // CUDA_CACHE_MAXSIZE; 0: the driver's default
  std::string folder;          // CUDA_CACHE_PATH, or ~/.nv/ComputeCache; empty without a home

  bool keeps_all_kernels() const;
};

KernelCache kernel_cache();

// Makes the driver's cache large enough for all kernels, unless the user chose its size. Changes the environment, so
// call it before the first CUDA call and the first thread.
void enlarge_kernel_cache();

// "compiling kernels for NVIDIA A100, once ...", or why it is not once.
std::string compiling_text(const DeviceInfo&, const KernelCache&);

// PTX text that the driver compiles for the device of an executor, and launches of its kernels. The driver is asked by
// its own interface, which is opened when the program runs: no library of CUDA holds a compiler that it would need.

class DriverModule {
 public:
  // Null, with the reason, where the driver does not compile the text. The executor's device must be that of the
  // thread.
  static std::unique_ptr<DriverModule> load(const Executor&, const std::string& ptx, std::string& why);
  ~DriverModule();

  using Kernel = struct DriverKernel*;
  Kernel kernel(const char* name) const;  // throws RuntimeError if there is none
  // Asynchronous. `arguments` point to the values. Throws RuntimeError with the driver's word for what is wrong.
  void launch(const Executor&, Kernel, unsigned blocks_x, unsigned blocks_y, unsigned threads_x, unsigned threads_y,
              void** arguments) const;

 private:
  explicit DriverModule(void* module) : module_(module) {}
  void* module_;
};

}  // namespace simreel
