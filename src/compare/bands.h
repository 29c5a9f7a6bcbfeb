#pragma once
// Pictures are processed in bands of rows, on all threads of oneTBB, so memory use is small and cached for any size.
// The bands do not depend on the number of threads, so results that are folded in the order of bands have the same bits
// for any number.

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace simreel {

inline constexpr int rows_of_band = 64;

// Calls body(top, rows), which returns a Result, for each band of a picture and returns the results from the top. Only
// the last band may be shorter than the others. Exceptions pass through.
template <class Result, class Body>
std::vector<Result> for_each_band(int height, const Body& body) {
  std::vector<Result> results(static_cast<std::size_t>((height + rows_of_band - 1) / rows_of_band));
  oneapi::tbb::parallel_for(std::size_t{0}, results.size(), [&](std::size_t band) {
    const int top = static_cast<int>(band) * rows_of_band;
    results[band] = body(top, std::min(rows_of_band, height - top));
  });
  return results;
}

// The sum of body(top, rows) over the bands.
template <class Body>
double sum_of_bands(int height, const Body& body) {
  const std::vector<double> sums = for_each_band<double>(height, body);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace simreel
