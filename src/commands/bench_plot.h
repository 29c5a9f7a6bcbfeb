#pragma once
// The measurements of `simreel bench` as a plot: milliseconds a step over what is swept, a line for each kernel, with
// logarithmic axes.

#include <string>
#include <vector>

#include "commands/bench.h"

namespace simreel {

// Throws UsageError for an output that no plot or table is written to, that exists, or if nothing that has a size is
// swept: to be called before the first measurement. x.pdf, x.svg, x.eps, x.tex and x.png are plots, x.csv is the table.
void check_bench_outputs(const std::vector<std::string>& outputs, const std::vector<BenchCase>&, bool overwrite);

// Writes them.
void write_bench(const std::vector<std::string>& outputs, const std::vector<Measurement>&, bool overwrite);

}  // namespace simreel
