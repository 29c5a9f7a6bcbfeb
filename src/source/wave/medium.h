#pragma once
// What makes the cells of a wave differ: obstacles, speeds, sides, layers and sources, from the options to the arrays
// of kernels/wave/medium.h.

#include <cstdint>
#include <memory>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "kernels/wave/medium.h"
#include "ranks/slab.h"
#include "source/wave/options.h"

namespace simreel {

template <class Real>
class Medium {
 public:
  // `grid` as wave_params gives it for the largest speed, and the part of it that `domain` says; `geometry` is that of
  // the whole grid, empty without obstacles.
  Medium(const Executor&, const WaveOptions&, const WaveParams<Real>& grid, const Domain& domain, LbmGeometry geometry,
         std::uint64_t seed);
  Medium& operator=(Medium&&) = delete;

  // Executor memory that the constructor allocates, of a grid or a part of it, and the size of `save` of a whole grid.
  static std::size_t bytes(const Executor&, const WaveOptions&, const WaveParams<Real>& grid);
  static std::size_t saved_bytes(const WaveOptions&, const WaveParams<Real>& grid);

  // Steps that one pass can take, of so many that are wanted.
  int pass_steps(int wanted) const { return pass_ ? wanted : 1; }
  // Advances so many steps, at most pass_steps, from step `step` on.
  void advance(std::int64_t step, int steps, const WaveState<Real>& from, const WaveState<Real>& to,
               Real* plain_scratch);

  // What a halo has of the layers' memories.
  void add_rows(const RowRun&, std::vector<Transfer>&);

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

  void save(Checkpoint&, const Slab&) const;
  void load(const Checkpoint&, const Slab&);

 private:
  static constexpr int memories = 4;

  void set_links();
  WaveMarks marks() const;
  void place_sources(double time);
  void hear_sources(std::int64_t step, int steps);
  WaveMemory<Real> memory(int turn);
  // The slots of the memories along y that belong to rows of the grid: calls use(first slot, number of slots).
  template <class Use>
  void for_slots(int row_of_grid, int count, const Use& use) const;
  // Calls use(name, bytes of all ranks, own pieces) for each memory that exists.
  template <class Use>
  void for_memories(const Use& use) const;

  const Executor& executor_;
  const WaveOptions options_;
  const Domain domain_;
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
  Buffer<Real> memory_[2][memories];  // x_face, x_cell, y_face, y_cell, of the two states
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
