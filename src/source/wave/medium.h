#pragma once
// What makes the cells of a wave differ: obstacles, speeds, sides, layers and sources, from the options to the arrays
// of kernels/wave/medium.h.

#include <cstdint>
#include <memory>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "kernels/wave/medium.h"
#include "source/wave/options.h"

namespace simreel {

template <class Real>
class Medium {
 public:
  // `grid` as wave_params gives it for the largest speed; `geometry` is empty without obstacles.
  Medium(const Executor&, const WaveOptions&, const WaveParams<Real>& grid, LbmGeometry geometry, std::uint64_t seed);
  Medium(const Medium&) = delete;
  Medium& operator=(const Medium&) = delete;

  // Executor memory that the constructor allocates.
  static std::size_t bytes(const Executor&, const WaveOptions&, const WaveParams<Real>& grid);
  static std::size_t saved_bytes(const WaveOptions&, const WaveParams<Real>& grid);

  // Advances from step `step` on, and no more than `most` steps in this pass; returns how many.
  int advance(std::int64_t step, int most, const WaveState<Real>& from, const WaveState<Real>& to, Real* plain_scratch);

  const WaveMedium<Real>& kernels() const { return medium_; }
  // For views; null without obstacles.
  const std::int8_t* cell() const { return cell_.data(); }
  const Outline* outline() const { return cell_.size() > 0 ? &geometry_.outline : nullptr; }
  // Host copies, for initial states.
  const std::vector<Real>& coupling() const { return coupling_host_; }
  const std::vector<std::uint8_t>& links() const { return links_host_; }
  // Of what is added to the wave: less in absorbing layers.
  WaveWeights<Real> weights() const { return {column_weights_.data(), row_weights_.data()}; }
  void forget_host_copies();

  void save(Checkpoint&) const;
  void load(const Checkpoint&);

 private:
  void set_links();
  WaveMarks marks() const;
  void place_sources(double time);
  void hear_sources(std::int64_t step, int steps);
  WaveMemory<Real> memory(int turn);

  const Executor& executor_;
  const WaveOptions options_;
  LbmGeometry geometry_;
  std::uint64_t seed_;
  WaveMedium<Real> medium_;
  std::vector<Real> coupling_host_;
  std::vector<std::uint8_t> links_host_;
  Buffer<Real> coupling_;
  Buffer<std::uint8_t> links_;
  Buffer<std::int8_t> cell_;
  Buffer<WaveDepth<Real>> depth_;
  Buffer<Real> column_weights_, row_weights_;
  Buffer<Real> memory_[2][4];  // x_face, x_cell, y_face, y_cell, of the two states
  int current_ = 0;
  std::unique_ptr<WaveMediumPass<Real>> pass_;

  bool moving_ = false;  // a source moves
  Buffer<WaveDriven> driven_cells_;
  Buffer<std::uint32_t> driven_rows_;
  Buffer<WaveShare<Real>> shares_;
  Buffer<Real> values_;
  Buffer<std::uint8_t> hard_;
  std::int64_t heard_from_ = 0, heard_to_ = 0;  // the steps that values_ has
};

}  // namespace simreel
