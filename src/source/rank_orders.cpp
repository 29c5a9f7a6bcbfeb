#include "source/rank_orders.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace simreel {

void rethrow_failure(const Communicator::Failure& failure) {
  const auto text = [&](const std::exception& error) {
    if (failure.rank == 0) return std::string(error.what());
    return fmt::format("rank {}{}: {}", failure.rank, failure.host.empty() ? "" : fmt::format(" ({})", failure.host),
                       error.what());
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
