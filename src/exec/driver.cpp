#include "exec/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace simreel {
namespace {

// The kernels of all solvers as machine code for one GPU, with room to grow. The driver's own default was 256 MiB until
// CUDA 12, where other programs may push them out.
constexpr std::int64_t kernel_bytes = std::int64_t{64} << 20, ample_bytes = std::int64_t{1} << 30;

std::string dotted(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

// One entry of CMAKE_CUDA_ARCHITECTURES: "90a-real".
struct Architecture {
  int major = 0, minor = 0;
  bool exact = false;                    // 90a: for this GPU only
  bool machine_code = true, ptx = true;  // PTX is what the driver compiles
};

Architecture architecture_of(std::string_view text) {
  Architecture result;
  int number = 0;
  const char* const end = text.data() + text.size();
  const char* const after = std::from_chars(text.data(), end, number).ptr;
  result.major = number / 10;
  result.minor = number % 10;
  const std::string_view rest(after, static_cast<std::size_t>(end - after));
  result.exact = rest.starts_with('a');
  if (rest.ends_with("-real")) result.ptx = false;
  if (rest.ends_with("-virtual")) result.machine_code = false;
  return result;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Of CUDA's driver; 0 is success.
struct Driver {
  int (*load)(void** module, const void* image, unsigned options, const int* option, void** values) = nullptr;
  int (*unload)(void* module) = nullptr;
  int (*function)(void** function, void* module, const char* name) = nullptr;
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                CUstream_st*, void** arguments, void** extra) = nullptr;
  int (*name)(int error, const char** text) = nullptr;

  Driver() {
    // Stays open: the runtime holds it too.
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return;
    const auto find = [&](auto& found, const char* symbol) {
      found = reinterpret_cast<std::remove_reference_t<decltype(found)>>(::dlsym(library, symbol));
      return found != nullptr;
    };
    complete = find(load, "cuModuleLoadDataEx") && find(unload, "cuModuleUnload") &&
               find(function, "cuModuleGetFunction") && find(launch, "cuLaunchKernel") && find(name, "cuGetErrorName");
  }
  bool complete = false;

  std::string word(int error) const {
    const char* text = nullptr;
    name(error, &text);
    return text ? text : "error " + std::to_string(error);
  }
};

const Driver& driver() {
  static const Driver one;
  return one;
}

}  // namespace

std::string old_driver_text(int driver, int runtime) {
  if (driver == 0 || driver / 1000 >= runtime / 1000) return "";
  return fmt::format("the NVIDIA driver supports CUDA {}, this build needs {} (driver {} or later)", dotted(driver),
                     dotted(runtime / 1000 * 1000), runtime < 13000 ? 525 : 580);
}

KernelOrigin kernel_origin(int major, int minor, std::string_view architectures) {
  KernelOrigin result = KernelOrigin::nowhere;
  while (!architectures.empty()) {
    const std::string_view text = architectures.substr(0, architectures.find_first_of(",;"));
    architectures.remove_prefix(std::min(architectures.size(), text.size() + 1));
    if (text == "all" || text == "all-major" || text == "native") return KernelOrigin::program;
    const Architecture has = architecture_of(text);
    const bool same = has.major == major && has.minor == minor;
    // Machine code runs on later GPUs of the same major version, PTX on all later ones.
    if (has.machine_code && (same || (!has.exact && has.major == major && has.minor < minor)))
      return KernelOrigin::program;
    if (has.ptx && (same || (!has.exact && (has.major < major || (has.major == major && has.minor < minor)))))
      result = KernelOrigin::driver;
  }
  return result;
}

bool KernelCache::keeps_all_kernels() const {
  return !off && !folder.empty() && (max_bytes == 0 || max_bytes >= kernel_bytes);
}

KernelCache kernel_cache() {
  KernelCache cache;
  const std::string off = environment("CUDA_CACHE_DISABLE"), max = environment("CUDA_CACHE_MAXSIZE");
  cache.off = !off.empty() && off != "0";
  std::from_chars(max.data(), max.data() + max.size(), cache.max_bytes);
  cache.folder = environment("CUDA_CACHE_PATH");
  const std::string home = environment("HOME");
  if (cache.folder.empty() && !home.empty()) cache.folder = home + "/.nv/ComputeCache";
  return cache;
}

void enlarge_kernel_cache() { ::setenv("CUDA_CACHE_MAXSIZE", fmt::format("{}", ample_bytes).c_str(), 0); }

std::string compiling_text(const DeviceInfo& device, const KernelCache& cache) {
  const std::string why =
      fmt::format("this program holds none for compute capability {}.{}, so the driver compiles them, for 10 to 20 s",
                  device.capability_major, device.capability_minor);
  if (cache.keeps_all_kernels())
    return fmt::format("compiling kernels for {}, once: {} at the first start, and keeps them in {}", device.name, why,
                       cache.folder);
  const std::string again = cache.off ? "CUDA_CACHE_DISABLE turns its cache off"
                            : cache.folder.empty()
                                ? "its cache has no folder; set HOME or CUDA_CACHE_PATH"
                                : fmt::format("CUDA_CACHE_MAXSIZE={} is too small for them; leave it unset, or set {}",
                                              cache.max_bytes, ample_bytes);
  return fmt::format("compiling kernels for {}, at every start: {}, and {}", device.name, why, again);
}

int device_or_any(Wanted wanted, int number) {
  return wanted == Wanted::automatic && (number == 0 || cuda_devices().empty()) ? -1 : number;
}

Executor open_executor(Wanted wanted, int device, int threads, const Log& log) {
  if (wanted == Wanted::cpu) return Executor::cpu(threads);
  const bool must = wanted == Wanted::cuda || device >= 0;
  const std::vector<DeviceInfo> devices = cuda_devices();
  const auto index = static_cast<std::size_t>(std::max(device, 0));
  std::string problem = devices.empty() ? driver_problem() : "";
  if (index < devices.size()) {
    const DeviceInfo& chosen = devices[index];
    const KernelOrigin origin =
        kernel_origin(chosen.capability_major, chosen.capability_minor, compiled_architectures());
    if (origin == KernelOrigin::nowhere) {
      problem = fmt::format("this build has no kernels for {} (compute capability {}.{}), only for {}", chosen.name,
                            chosen.capability_major, chosen.capability_minor, compiled_architectures());
    } else if (origin == KernelOrigin::driver) {
      const KernelCache cache = kernel_cache();
      tell(log, cache.keeps_all_kernels() ? LogLevel::info : LogLevel::warning, compiling_text(chosen, cache));
    }
  }
  if (must && !problem.empty())
    throw UsageError(fmt::format("{}; {}, or ", problem,
                                 devices.empty() ? "install a newer driver" : "build simreel on this machine"),
                     Hint::cpu);
  if (!must && !problem.empty()) tell(log, LogLevel::warning, problem + ": computing on the CPU");
  if (!must && (devices.empty() || !problem.empty())) return Executor::cpu(threads);
  return Executor::cuda(std::max(device, 0), threads);
}

std::unique_ptr<DriverModule> DriverModule::load(const Executor& executor, const std::string& ptx, std::string& why) {
  if (executor.backend() != Backend::cuda || !driver().complete) {
    why = "libcuda.so.1 cannot be opened";
    return nullptr;
  }
  executor.wait();  // makes the device's context current
  // All optimisation takes 6 s for 1.5 MB of straight code, and the first level 0.7 s for as few registers.
  constexpr std::size_t long_text = 200'000;
  constexpr int error_log = 5, error_log_bytes = 6, optimisation = 7;
  std::vector<char> log(4096, '\0');
  const int options[] = {error_log, error_log_bytes, optimisation};
  // The driver takes numbers as pointers.
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1),  // NOLINT(performance-no-int-to-ptr)
                    reinterpret_cast<void*>(std::uintptr_t{1})};          // NOLINT(performance-no-int-to-ptr)
  void* module = nullptr;
  if (const int error = driver().load(&module, ptx.c_str(), ptx.size() > long_text ? 3 : 2, options, values);
      error != 0) {
    const std::string_view said(log.data());
    why = driver().word(error);
    if (!said.empty()) why += ": " + std::string(said.substr(0, said.find('\n')));
    return nullptr;
  }
  return std::unique_ptr<DriverModule>(new DriverModule(module));
}

DriverModule::~DriverModule() { driver().unload(module_); }

DriverModule::Kernel DriverModule::kernel(const char* name) const {
  void* function = nullptr;
  if (const int error = driver().function(&function, module_, name); error != 0)
    throw RuntimeError("cuModuleGetFunction {}: {}", name, driver().word(error));
  return static_cast<Kernel>(function);
}

void DriverModule::launch(const Executor& executor, Kernel kernel, unsigned blocks_x, unsigned blocks_y,
                          unsigned threads_x, unsigned threads_y, void** arguments) const {
  const int error =
      driver().launch(kernel, blocks_x, blocks_y, 1, threads_x, threads_y, 1, 0, executor.stream(), arguments, nullptr);
  if (error != 0) throw RuntimeError("cuLaunchKernel: {}", driver().word(error));
}

}  // namespace simreel
