#include "ranks/orders.h"

#include <fmt/format.h>

#include <new>
#include <span>

#include "base/error.h"
#include "files/checksum.h"

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

void refuse_other_inputs(const Communicator& ranks, const std::vector<std::string>& files) {
  if (files.empty()) return;
  std::vector<std::uint64_t> own;
  for (const std::string& file : files) own.push_back(checksum_of(file).value_or(Checksum()).hash);
  const std::vector<std::uint64_t> all = ranks.gather(std::span<const std::uint64_t>(own));
  if (ranks.rank() != 0) return;
  for (std::size_t i = own.size(); i < all.size(); ++i)
    if (all[i] != own[i % own.size()])
      throw UsageError(
          "{}: rank {} has other contents under this name than rank 0; copy the file to all hosts, or keep "
          "it where all see it",
          files[i % files.size()], i / own.size());
}

}  // namespace simreel
