#pragma once
// PTX text that the driver compiles for the device of an executor, and launches of its kernels. The driver is asked by
// its own interface, which is opened when the program runs: no library of CUDA holds a compiler that it would need.

#include <memory>
#include <string>

#include "exec/executor.h"

namespace simreel {

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
