#pragma once
// What the functions of include/simreel/simreel.hpp share: errors, the log and the device.

#include <exception>
#include <new>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/processor.h"
#include "exec/driver.h"
#include "exec/executor.h"
#include "simreel/simreel.hpp"

namespace simreel::api {

// Errors as the public header has them; a UsageError holds that of the program, which the C interface writes otherwise.
template <class Work>
auto translated(const Work& work) {
  try {
    if (const std::string problem = processor_problem(); !problem.empty()) throw Error(problem);
    return work();
  } catch (const Error&) {
    throw;
  } catch (const simreel::UsageError& error) {
    std::throw_with_nested(UsageError(error.text({"overwrite = true", "Device::cpu", ""})));
  } catch (const std::bad_alloc&) {
    throw Error("out of memory");
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

// Of RenderOptions or FigureOptions, which must outlive it.
template <class Options>
Log log_of(const Options& options) {
  if (!options.log) return {};
  return [&options](LogLevel level, std::string_view message) {
    constexpr Level levels[] = {Level::info, Level::warning, Level::error};
    options.log(levels[static_cast<int>(level)], message);
  };
}

template <class Options>
Executor executor_of(const Options& options) {
  const Wanted wanted = options.device == Device::automatic ? Wanted::automatic
                        : options.device == Device::cuda    ? Wanted::cuda
                                                            : Wanted::cpu;
  return open_executor(wanted, device_or_any(wanted, options.cuda_device), options.threads, log_of(options));
}

}  // namespace simreel::api
