#include "exec/domain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simreel {
namespace {

int owner_of(const std::vector<Domain>& domains, int row_of_grid) {
  const auto found = std::ranges::find_if(domains, [=](const Domain& d) { return row_of_grid < d.first + d.count; });
  return static_cast<int>(found - domains.begin());
}

// The halo of a rank as runs of one owner each.
std::vector<RowRun> halo_of(const std::vector<Domain>& domains, int rank) {
  const Domain& own = domains[static_cast<std::size_t>(rank)];
  std::vector<RowRun> runs;
  for (int row = 0; row < own.rows(); ++row) {
    if (row == own.below) row += own.count;
    if (row == own.rows()) break;
    const int there = own.row_of_grid(row), owner = owner_of(domains, there);
    const bool follows = !runs.empty() && runs.back().peer == owner && runs.back().row + runs.back().count == row &&
                         runs.back().row_of_grid + runs.back().count == there;
    if (follows)
      ++runs.back().count;
    else
      runs.push_back({owner, row, there, 1});
  }
  return runs;
}

}  // namespace

std::vector<Domain> Domain::cut(int rows, int ranks, int halo, bool wraps) {
  const auto edge = [&](int rank) {
    const std::int64_t units = max_ranks(rows);
    return std::min(static_cast<int>(units * rank / ranks) * unit, rows);
  };
  std::vector<Domain> domains;
  for (int rank = 0; rank < ranks; ++rank) {
    Domain d;
    d.whole = rows;
    d.first = edge(rank);
    d.count = edge(rank + 1) - d.first;
    d.wraps = wraps;
    if (ranks > 1) {
      d.below = wraps ? halo : std::min(halo, d.first);
      d.above = wraps ? halo : std::min(halo, rows - d.first - d.count);
    }
    domains.push_back(d);
  }
  return domains;
}

int Domain::row_of_grid(int row) const { return ((start() + row) % whole + whole) % whole; }

HaloRuns halo_runs(const std::vector<Domain>& domains, int rank) {
  const Domain& own = domains[static_cast<std::size_t>(rank)];
  HaloRuns runs{{}, halo_of(domains, rank)};
  for (int peer = 0; peer < static_cast<int>(domains.size()); ++peer)
    for (const RowRun& wanted : halo_of(domains, peer))
      if (wanted.peer == rank)
        runs.sends.push_back({peer, own.below + wanted.row_of_grid - own.first, wanted.row_of_grid, wanted.count});
  return runs;
}

}  // namespace simreel
