#include "exec/module.h"

#include <dlfcn.h>

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace simreel {
namespace {

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
