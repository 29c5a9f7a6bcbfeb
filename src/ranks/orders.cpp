#include "ranks/orders.h"

#include <fmt/format.h>

#include <new>
#include <string>

#include "base/error.h"

namespace simreel {

void rethrow_failure(const Communicator::Failure& failure) {
  const auto text = [&](const std::exception& error) {
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    const std::string what = memory ? "out of memory" : error.what();
    return failure.rank == 0 ? what : fmt::format("{}: {}", Communicator::name_of(failure.rank, failure.host), what);
  };
  try {
    std::rethrow_exception(failure.error);
  } catch (const UsageError& error) {
    throw UsageError(text(error));
  } catch (const std::exception& error) {
    throw RuntimeError(text(error));
  }
}

}  // namespace simreel
