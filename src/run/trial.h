#pragma once
// What a run takes on this machine, from a trial of it: a few of its frames are computed, drawn, and written to a
// folder for temporary files, which is removed.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "run/duration.h"
#include "run/prepared_run.h"

namespace simreel {

// Seconds.
struct Cost {
  double seconds = 0;  // on this machine when it is idle
  double cpu = 0;      // of all cores

  Cost operator*(double times) const { return {seconds * times, cpu * times}; }
  Cost operator+(const Cost& other) const { return {seconds + other.seconds, cpu + other.cpu}; }
  Cost operator-(const Cost& other) const { return {seconds - other.seconds, cpu - other.cpu}; }
};

struct Trial {
  double part = 1;           // of the updates of a step that was computed; from less the rest is extrapolated
  double drawn = 1;          // of the pixels of a picture; the same
  int frames = 0;            // that were drawn
  std::int64_t reached = 0;  // past the last frame that they may be of
  Cost start;                // of the program, of the GPU and its kernels, of the run's memory and threads
  Cost step;                 // of the solver, or a frame of data
  Cost measure;              // of a frame in a pass before the video
  Cost draw, picture;        // of a frame, and what one of the outputs takes in addition
  struct Output {
    double cpu_first = 0, cpu_next = 0;      // of the first frame of a segment, and of each other
    double bytes_first = 0, bytes_next = 0;  // of them in the file
    double head = 0;                         // of a file, and in bytes_first
    double segment = 1, every = 1;           // frames; of `every` frames of the run one is written
    double cores = 1;                        // that it can keep busy
    bool single = false;                     // it has but one frame
    bool shows = true;                       // pictures, or it has data
    SinkTraits::Encoded encoded;
  };
  std::vector<Output> outputs;  // those of the run
};

// Takes about a second. `stop` ends it early. Nullopt where the run cannot be tried: of no known length, of several
// processes, or where `check` has done so much before (Effort, two seconds of cores) that a trial would be too long.
std::optional<Trial> try_run(PreparedRun&, const std::function<bool()>& stop);

// The bytes of a file over those of which each of `sizes`, of bursts of frames in even distances over the first
// `reached` of all, stands for its part, and the last one for what comes later: a power of the time through the first
// and the last of them, from 0 to that of waves that spread over an area, and at most four times the last.
double later_bytes(const std::vector<double>& sizes, double reached);

// Of the whole run.
struct Estimate {
  double seconds = 0;
  double cpu = 0;                       // seconds of all cores
  double start = 0;                     // seconds before the first step, as Trial::start
  double simulation = 0, pictures = 0;  // seconds of them alone
  double files = 0;                     // and of encoding and writing the output that takes the longest
  double memory = 0;                    // less than planned, bytes: what is encoded need not be noise
  std::vector<double> bytes;            // of each output
};
Estimate extrapolated(const Trial&, const Work&, int cores);

}  // namespace simreel
