#pragma once
// What rank 0 tells the other ranks of a RankedSolver (ranked.h).

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/communicator.h"
#include "kernels/raster/field.h"

namespace simreel {

enum class Order {
  step,
  view,
  colors,
  draw,
  extremes,
  spread,
  diagnose,
  finite,
  force_error,
  save,
  load,
  end,
  // For processes. SavedPieces, and Source::save that keeps pieces:
  shares,
  keep,
  write,
  written,
  // What they compute next, what memory they have, and that there is nothing more.
  create,
  survey,
  leave
};

// What rank 0 tells the others.
struct Command {
  Order order = Order::end;
  std::int64_t number = 0;                 // of steps, colours, the field, a checkpoint, or a Backend
  const Checkpoint* checkpoint = nullptr;  // to load; of rank 0, so other processes must not read it
  FieldPicture picture = {};
};

// Throws the error of the rank that failed first, as UsageError or RuntimeError, with that rank's number and host in
// front unless it is rank 0.
[[noreturn]] void rethrow_failure(const Communicator::Failure&);

// Tells the other ranks a command, and does rank 0's own share of it. Throws what that throws, and errors of others.
template <class Action>
std::invoke_result_t<const Action&> tell(const Communicator& ranks, Command command, const Action& local) {
  try {
    ranks.broadcast(&command, sizeof command);
    return local();
  } catch (const RankFailed&) {
    rethrow_failure(ranks.failure());
  } catch (...) {
    ranks.fail(std::current_exception());
    throw;
  }
}

// Whether all processes read the same files: those of a scene may lie on each host. For rank 0: throws UsageError if
// another rank has other contents under one of these names; the others tell theirs. Reads the files. Collective, with
// the same names on all ranks.
void refuse_other_inputs(const Communicator&, const std::vector<std::string>& files);

}  // namespace simreel
