#pragma once
// A copy of a field that outlives the source's next frame.

#include <cstdint>

#include "exec/buffer.h"
#include "exec/executor.h"
#include "kernels/base/view.h"

namespace simreel {

class Snapshot {
 public:
  // Executor memory for a field with these cells, at most.
  static std::size_t memory_bytes(std::size_t cells) { return cells * (sizeof(double) + 1); }

  // Of a field; its outline must live as long as the copy.
  void take(const Executor&, const View&);
  const View& view() const { return view_; }

 private:
  Buffer<float> floats_;
  Buffer<double> doubles_;
  Buffer<std::int8_t> cells_;
  View view_;
};

}  // namespace simreel
