#pragma once
// Passes of equations evaluated plainly, one cell at a time, and the sides that tests give to engines.

#include "exec/buffer.h"
#include "kernels/base/formula_value.h"
#include "kernels/pde/cell.h"
#include "kernels/pde/engine.h"
#include "tests/support/test.h"

namespace simreel::test {

// Left, right, bottom, top; each from place -halo on.
template <class Real>
struct HostSides {
  struct Side {
    std::vector<Real> factor, offset;
    std::size_t stride = 0;
  };
  Side side[4];

  // `rule`: 0: mirrors cells, 1: values, 2: anything. value(): a random number.
  template <class Value>
  void set(std::size_t number, const PdeGrid& grid, int rule, const Value& value) {
    Side& to = side[number];
    to.stride = static_cast<std::size_t>(std::max(grid.nx, grid.ny) + 2 * grid.halo);
    for (std::size_t k = 0; k < to.stride * static_cast<std::size_t>(grid.halo); ++k) {
      to.factor.push_back(rule == 0 ? Real(1) : rule == 1 ? Real(-1) : value());
      to.offset.push_back(rule == 0 ? Real(0) : value());
    }
    if (number < 2 || !grid.periodic_x) return;
    for (int depth = 0; depth < grid.halo; ++depth)
      for (int place = -grid.halo; place < grid.nx + grid.halo; ++place)
        for (std::vector<Real>* values : {&to.factor, &to.offset}) {
          const auto at = values->begin() + static_cast<std::ptrdiff_t>(to.stride) * depth + grid.halo;
          at[place] = at[(place % grid.nx + grid.nx) % grid.nx];
        }
  }
};

template <class Real>
struct DeviceSides {
  std::vector<Buffer<Real>> memory;
  PdeSides<Real> sides;

  DeviceSides(const Executor& executor, const PdeGrid& grid, const HostSides<Real>& host) {
    PdeSide<Real>* const targets[] = {&sides.left, &sides.right, &sides.bottom, &sides.top};
    for (int i = 0; i < 4; ++i) {
      const auto& side = host.side[i];
      if (side.factor.empty() || (i < 2 ? grid.periodic_x : grid.periodic_y)) continue;
      for (const std::vector<Real>* values : {&side.factor, &side.offset}) {
        memory.emplace_back(executor, values->size());
        memory.back().upload(values->data());
      }
      *targets[i] = {memory[memory.size() - 2].data() + grid.halo, memory.back().data() + grid.halo, side.stride};
    }
  }
};

// Of a whole grid.
template <class Real>
class Reference {
 public:
  Reference(const PdePass& pass, const PdeGrid& grid, const std::vector<std::vector<Real>>& inputs,
            const HostSides<Real>& sides, const std::vector<double>& uniforms, std::uint64_t seed, std::uint64_t number)
      : pass_(pass), grid_(grid), inputs_(inputs), sides_(sides), uniforms_(uniforms), seed_(seed), number_(number) {}

  // Of cells of a grid, beyond its sides too.
  Real beyond(const std::vector<Real>& cells, int x, int y) const {
    const int nx = grid_.nx, ny = grid_.ny;
    const auto clamped = [](int place, int count) { return place < 0 ? 0 : place < count ? place : count - 1; };
    if (y < 0 || y >= ny) {
      if (grid_.periodic_y) return beyond(cells, x, (y % ny + ny) % ny);
      const int depth = y < 0 ? -1 - y : y - ny, inside = clamped(y < 0 ? depth : ny - 1 - depth, ny);
      const int place = grid_.periodic_x ? (x % nx + nx) % nx : x;
      return by_rule(sides_.side[y < 0 ? 2 : 3], depth, place, beyond(cells, x, inside));
    }
    if (x < 0 || x >= nx) {
      if (grid_.periodic_x) return beyond(cells, (x % nx + nx) % nx, y);
      const int depth = x < 0 ? -1 - x : x - nx, inside = clamped(x < 0 ? depth : nx - 1 - depth, nx);
      return by_rule(sides_.side[x < 0 ? 0 : 1], depth, y, beyond(cells, inside, y));
    }
    return cells[y * nx + x];
  }

  Real value(int number, int x, int y) const {
    const auto key = std::tuple(number, x, y);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    return known_[key] = fresh(pass_.nodes[number], x, y);
  }

 private:
  Real by_rule(const typename HostSides<Real>::Side& side, int depth, int place, Real inside) const {
    if (side.factor.empty()) return inside;
    const std::size_t at = static_cast<std::size_t>(depth) * side.stride + static_cast<std::size_t>(place + grid_.halo);
    return std::fma(side.factor[at], inside, side.offset[at]);
  }
  Real array(int number, int x, int y) const {
    if (number < pass_.inputs) return beyond(inputs_[number], x, y);
    return value(pass_.intermediates[number - pass_.inputs], x, y);
  }

  Real fresh(const PdeNode& n, int x, int y) const {
    const int column = grid_.periodic_x ? (x % grid_.nx + grid_.nx) % grid_.nx : x;
    const int row = grid_.periodic_y ? (y % grid_.ny + grid_.ny) % grid_.ny : y;
    const auto at = [&](int ox, int oy) { return array(n.index, x + ox, y + oy); };
    const auto across = [&] { return (at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1)); };
    const auto corners = [&] { return (at(-1, -1) + at(1, -1)) + (at(-1, 1) + at(1, 1)); };
    const Real factor = static_cast<Real>(n.value);
    switch (n.kind) {
      case PdeKind::constant: return factor;
      case PdeKind::uniform: return static_cast<Real>(uniforms_[n.index]);
      case PdeKind::column: return static_cast<Real>(column);
      case PdeKind::row: return static_cast<Real>(row);
      case PdeKind::load: return at(n.ox, n.oy);
      case PdeKind::normal: return static_cast<Real>(pde_normal(seed_, number_, n.index, column, row));
      case PdeKind::laplacian: return factor * (across() - 4 * at(0, 0));
      case PdeKind::laplacian_nine:
        return factor * std::fma(Real(-20), at(0, 0), std::fma(Real(4), across(), corners()));
      case PdeKind::bilaplacian: {
        const Real far = (at(-2, 0) + at(2, 0)) + (at(0, -2) + at(0, 2));
        return factor * std::fma(Real(20), at(0, 0), std::fma(Real(-8), across(), std::fma(Real(2), corners(), far)));
      }
      case PdeKind::slope_x: return factor * (at(1, 0) - at(-1, 0));
      case PdeKind::slope_y: return factor * (at(0, 1) - at(0, -1));
      case PdeKind::apply: break;
    }
    const int count = formula_operands(n.function);
    return formula_apply(n.function, value(n.a, x, y), count > 1 ? value(n.b, x, y) : Real(0),
                         count > 2 ? value(n.c, x, y) : Real(0), seed_);
  }

  const PdePass& pass_;
  const PdeGrid& grid_;
  const std::vector<std::vector<Real>>& inputs_;
  const HostSides<Real>& sides_;
  const std::vector<double>& uniforms_;
  std::uint64_t seed_, number_;
  mutable std::map<std::tuple<int, int, int>, Real> known_;
};

}  // namespace simreel::test
