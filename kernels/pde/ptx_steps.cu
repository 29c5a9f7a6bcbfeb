#include "kernels/pde/ptx_steps.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "kernels/pde/program.h"
#include "kernels/pde/ptx_nodes.h"

namespace simreel {
namespace {

// How far rows lie behind each other in the state that a step reads, whose newest row is row 0.
struct Rows {
  std::vector<int> behind;  // the row of each intermediate that can be computed
  int window = 1;           // rows of a state, or of an intermediate, that are needed at a time,
  int coefficient = 1;      // and of an input that stays the same, after the last of some steps

  Rows(const PdePass& pass, const std::vector<int>& next, int steps) {
    const int reach = pde_reach(pass);
    std::vector<int> oldest(static_cast<std::size_t>(pass.inputs) + pass.intermediates.size(), 0);
    const auto lag = [&](int array) {
      return array < pass.inputs ? 0 : behind[static_cast<std::size_t>(array - pass.inputs)];
    };
    const auto read = [&](int root, int at, bool settle) {
      for (const int node : pde_order(pass, {root})) {
        const PdeNode& n = pass.nodes[static_cast<std::size_t>(node)];
        if (!pde_reads(n.kind)) continue;
        const int deep = n.kind == PdeKind::slope_x ? 0 : pde_reach(n.kind);
        const int up = n.kind == PdeKind::load ? n.oy : deep, down = n.kind == PdeKind::load ? -n.oy : deep;
        if (settle)
          at = std::max(at, lag(n.index) + up);
        else
          oldest[static_cast<std::size_t>(n.index)] = std::max(oldest[static_cast<std::size_t>(n.index)], at + down);
      }
      return at;
    };
    for (const int root : pass.intermediates) behind.push_back(read(root, 0, true));
    for (std::size_t m = 0; m < behind.size(); ++m) read(pass.intermediates[m], behind[m], false);
    for (const int root : pass.outputs) read(root, reach, false);
    for (int a = 0; a < static_cast<int>(oldest.size()); ++a) {
      const int rows = oldest[static_cast<std::size_t>(a)] - lag(a) + 1;
      if (a >= pass.inputs || std::ranges::find(next, a) != next.end())
        window = std::max(window, rows);
      else
        coefficient = std::max(coefficient, rows + (steps - 1) * reach);
    }
    window = std::max(window, 2 * reach);  // beyond a side
  }
  int phases() const { return std::max(window, coefficient); }
};

template <class Real>
class StepsKernel final : public PdePtxNodes<Real> {
 public:
  StepsKernel(const PdePass& pass, const std::vector<int>& next, int uniforms, const PdeStepsForm& form)
      : PdePtxNodes<Real>(pass),
        next_(next),
        uniforms_(uniforms),
        steps_(form.steps),
        cells_(form.cells),
        sides_(form.sides),
        rules_(form.rules),
        reach_(pde_reach(pass)),
        margin_(pde_margin(form, reach_)),
        strip_(pde_strip(form, reach_)),
        rows_(pass, next, form.steps),
        fed_(static_cast<std::size_t>(pass.inputs), -1) {
    for (std::size_t o = 0; o < next.size(); ++o) fed_[static_cast<std::size_t>(next[o])] = static_cast<int>(o);
    read_ = next;
    for (int i = 0; i < pass.inputs; ++i)
      if (fed_[static_cast<std::size_t>(i)] < 0) read_.push_back(i);
  }

  std::optional<std::string> text(std::string_view name) {
    declare();
    begin();
    std::vector<std::string> coming;
    for (std::size_t i = 0; i < read_.size() * static_cast<std::size_t>(cells_); ++i) coming.push_back(t_.value());
    fetch(coming, "%n");
    t_.add("again:");
    for (phase_ = 0; phase_ < rows_.phases(); ++phase_) {
      for (std::size_t a = 0; a < read_.size(); ++a)
        for (int i = 0; i < cells_; ++i)
          move(newest(read_[a], 0, i), coming[a * static_cast<std::size_t>(cells_) + static_cast<std::size_t>(i)]);
      t_.add("add.s32 %n, %n, 1");
      t_.add("min.s32 %r0, %n, %last");
      fetch(coming, "%r0");
      apply_sides(0);
      for (step_ = 1; step_ <= steps_; ++step_) {
        advance();
        if (this->too_long()) return std::nullopt;
      }
      t_.add("done$:", phase_);
      t_.add("add.s32 %age, %age, 1");
      t_.add("setp.gt.s32 %here, %n, %last");
      t_.add("@%here ret");
    }
    t_.add("bra again");
    for (phase_ = 0; phase_ < rows_.phases(); ++phase_) forget();
    return ".visible .entry " + std::string(name) + "(" + arguments_ + ")\n.maxntid " + number(32 * pde_warps) +
           ", 1, 1\n{\n" + registers() + t_.body + "}\n";
  }

 private:
  using Base = PdePtxNodes<Real>;
  using Base::node, Base::pass_, Base::t_, Base::values_;

  static std::string number(int n) { return std::to_string(n); }
  int states() const { return static_cast<int>(next_.size()); }
  void move(const std::string& to, const std::string& from) { t_.add("mov$ $, $", t_.type, to, from); }

  void declare() {
    const auto argument = [&](const std::string& type, const std::string& name) {
      arguments_ += (arguments_.empty() ? "" : ", ") + (".param " + type) + " " + name + "_";
    };
    for (int i = 0; i < pass_.inputs; ++i) argument(".u64", "in" + number(i));
    for (int o = 0; o < states(); ++o) argument(".u64", "out" + number(o));
    for (int k = 1; k <= steps_; ++k)
      for (int u = 0; u < uniforms_; ++u) argument(t_.type, "u" + number(k) + "x" + number(u));
    for (int o = 0; rules_ && o < states(); ++o)
      for (int s = 0; s < 4; ++s) {
        const std::string side = number(o) + "x" + number(s);
        argument(".u64", "factor" + side);
        argument(".u64", "offset" + side);
        argument(".u32", "stride" + side);
      }
    for (const char* const what : {"nx", "ny", "pitch", "from", "to", "y0", "whole_ny", "halo", "rows", "flags"})
      argument(".u32", what);
  }

  std::string registers() const {
    const auto count = [](int of) { return "<" + number(of + 1) + ">"; };
    return "  .reg " + t_.type + " %v" + count(t_.values) + ";\n  .reg .b64 %a" + count(t_.addresses) +
           ", %at, %wide;\n  .reg .b32 %i" + count(t_.integers) + ", %c" + count(cells_) +
           ", %nx, %ny, %pitch, %halo, %flags, %whole_ny, %lane, %x, %first, %n, %last, %age, %wrap, %r0, %r1, %r2, "
           "%low, %high;\n  .reg .pred %p" +
           count(t_.predicates) +
           ", %full, %own, %inside, %left, %right, %bottom, %top, %sided, %here, %periodic_x, %periodic_y;\n";
  }

  void flag(const char* to, int bit) {
    t_.add("and.b32 %r0, %flags, $", bit);
    t_.add("setp.ne.s32 $, %r0, 0", to);
  }

  // Where the warp is. %n: the row of the state before all steps that comes next, %last: the last of them, %age: those
  // that came before; %c: the column of each cell in memory.
  void begin() {
    const int ahead = steps_ * reach_;
    for (const char* const what : {"nx", "ny", "pitch", "halo", "flags", "whole_ny"})
      t_.add("ld.param.u32 %$, [$_]", what, what);
    t_.add(R"(
      mul.lo.s32 %pitch, %pitch, $
      mov.u32 %lane, %tid.x
      mov.u32 %r0, %ctaid.x
      mov.u32 %r1, %tid.y
      mad.lo.s32 %r0, %r0, $, %r1
      mul.lo.s32 %r0, %r0, $
      setp.ge.s32 %here, %r0, %nx
      @%here ret
      sub.s32 %first, %r0, $
      mad.lo.s32 %x, %lane, $, %first
      ld.param.u32 %r0, [from_]
      ld.param.u32 %r1, [rows_]
      mov.u32 %r2, %ctaid.y
      mad.lo.s32 %n, %r2, %r1, %r0
      ld.param.u32 %r2, [to_]
      add.s32 %last, %n, %r1
      min.s32 %last, %last, %r2
      add.s32 %last, %last, $
      sub.s32 %n, %n, $
      mov.u32 %age, 0
      setp.ge.s32 %own, %lane, $
      setp.lt.and.s32 %own, %lane, $, %own
      setp.lt.and.s32 %own, %x, %nx, %own
      add.s32 %r0, %x, $
      setp.le.and.s32 %full, %r0, %nx, %own
      add.s32 %r0, %first, $
      setp.ge.s32 %inside, %first, 0
      setp.le.and.s32 %inside, %r0, %nx, %inside)",
           t_.bytes, pde_warps, strip_, margin_, cells_, ahead - 1, ahead, margin_ / cells_, 32 - margin_ / cells_,
           cells_, 32 * cells_);
    flag("%periodic_x", pde_periodic_x);
    flag("%periodic_y", pde_periodic_y);
    flag("%here", pde_steps_wrap);
    t_.add(R"(
      selp.b32 %wrap, %ny, 0, %here
      neg.s32 %low, %halo
      add.s32 %high, %nx, %halo
      sub.s32 %high, %high, 1)");
    for (int i = 0; i < cells_; ++i) {
      t_.add("min.s32 %c$, $, %high", i, t_.coordinate("%x", i, "%nx", "%periodic_x"));
      t_.add("max.s32 %c$, %c$, %low", i, i);
    }
    t_.add("add.s32 %high, %ny, %halo");
    t_.add("sub.s32 %high, %high, 1");
    if (!sides_) return;
    t_.add(R"(
      add.s32 %r1, %first, $
      setp.lt.s32 %left, %first, 0
      setp.gt.s32 %right, %r1, %nx
      selp.b32 %r0, 0, 1, %periodic_x
      setp.ne.and.s32 %left, %r0, 0, %left
      setp.ne.and.s32 %right, %r0, 0, %right)",
           32 * cells_);
    flag("%bottom", pde_steps_end_below);
    t_.add("setp.lt.and.s32 %bottom, %n, 0, %bottom");
    flag("%top", pde_steps_end_above);
    t_.add(R"(
      setp.ge.and.s32 %top, %last, %ny, %top
      or.pred %sided, %left, %right
      or.pred %here, %bottom, %top
      or.pred %sided, %sided, %here)");
  }

  // Where a row lies from the first of an array.
  std::string row_offset(const std::string& row) {
    const std::string y = t_.integer();
    t_.add(R"(
      mov.b32 $, $
      setp.lt.s32 %here, $, 0
      @%here add.s32 $, $, %wrap
      setp.ge.s32 %here, $, %ny
      @%here sub.s32 $, $, %wrap
      min.s32 $, $, %high
      max.s32 $, $, %low)",
           y, row, y, y, y, y, y, y, y, y, y, y);
    return t_.address("mul.wide.s32", y, "%pitch");
  }
  std::string pointer(const std::string& argument) {
    t_.add("ld.param.u64 %wide, [$_]", argument);
    return t_.address("cvta.to.global.u64", "%wide");
  }

  // The cells of the thread in a row of what is read, the cells of one array after those of the other.
  void fetch(const std::vector<std::string>& to, const std::string& row) {
    const std::string offset = row_offset(row);
    const std::string apart = t_.label("apart"), fetched = t_.label("fetched");
    std::vector<std::string> from;
    for (const int array : read_) {
      const std::string first = pointer("in" + number(array));
      from.push_back(t_.address("add.s64", first, offset));
    }
    const auto cells = static_cast<std::size_t>(cells_);
    const int vector = std::min(cells_, t_.vector);
    t_.add("@!%inside bra $", apart);
    t_.add("mul.wide.s32 %wide, %x, $", t_.bytes);
    for (std::size_t a = 0; a < from.size(); ++a) {
      t_.add("add.s64 %at, $, %wide", from[a]);
      for (int first = 0; first < cells_; first += vector)
        t_.add("ld.global.nc$ $, [%at+$]", t_.type_of(vector),
               t_.list_of(std::span(to).subspan(a * cells + static_cast<std::size_t>(first), vector)),
               first * t_.bytes);
    }
    t_.add("bra $", fetched);
    t_.add("$:", apart);
    for (std::size_t a = 0; a < from.size(); ++a)
      for (int i = 0; i < cells_; ++i) {
        t_.add("mul.wide.s32 %wide, %c$, $", i, t_.bytes);
        t_.add("add.s64 %at, $, %wide", from[a]);
        t_.add("ld.global.nc$ $, [%at]", t_.type, to[a * cells + static_cast<std::size_t>(i)]);
      }
    t_.add("$:", fetched);
  }
  // The register of cell i of array `which` after `step` steps, in the row `behind` the newest of all: array `which` of
  // the states, or of the intermediates after them.
  std::string& at(int step, int which, int behind, int i) {
    const int phases = rows_.phases(), slot = ((phase_ - behind) % phases + phases) % phases;
    std::string& known = kept_[{step, which, slot, i}];
    if (known.empty()) known = t_.value();
    return known;
  }

  // Of an input, before all steps.
  std::string& newest(int input, int behind, int i) {
    const int state = fed_[static_cast<std::size_t>(input)];
    return state >= 0 ? at(0, state, behind, i) : at(-1, input, behind, i);
  }

  // Of another thread.
  std::string shuffled(const std::string& how, const std::string& value, const std::string& lane) {
    const std::string to = t_.value();
    if constexpr (sizeof(Real) == 4) {
      t_.add("shfl.sync.$.b32 $, $, $, -1", how, to, value, lane);
    } else {
      const std::string low = t_.integer(), high = t_.integer();
      t_.add("mov.b64 {$, $}, $", low, high, value);
      t_.add("shfl.sync.$.b32 $, $, $, -1", how, low, low, lane);
      t_.add("shfl.sync.$.b32 $, $, $, -1", how, high, high, lane);
      t_.add("mov.b64 $, {$, $}", to, low, high);
    }
    return to;
  }

  std::string array(int which, int x, int y) override {
    const int lane = x >= 0 ? x / cells_ : -((cells_ - 1 - x) / cells_), i = x - lane * cells_;
    std::string& known = around_[{which, x, y}];
    if (!known.empty()) return known;
    if (lane != 0) {
      const std::string theirs = array(which, i, y);
      // Towards higher lanes for what lies to the left.
      std::string value = shuffled(lane < 0 ? "up" : "down", theirs, number(lane < 0 ? -lane : lane) + clamp(lane));
      return around_[{which, x, y}] = std::move(value);
    }
    if (which >= pass_.inputs) return known = at(step_, states() + which - pass_.inputs, behind_ - y, i);
    if (const int state = fed_[static_cast<std::size_t>(which)]; state >= 0)
      return known = at(step_ - 1, state, behind_ - y, i);
    return known = newest(which, behind_ - y, i);
  }
  static std::string clamp(int lane) { return lane < 0 ? ", 0" : ", 31"; }

  std::string column(int x) override { return t_.coordinate("%x", x, "%nx", "%periodic_x"); }
  std::string row(int y) override {
    t_.add("ld.param.u32 %r1, [y0_]");
    t_.add("add.s32 %r1, %n, %r1");
    return t_.coordinate("%r1", y - behind_ - 1, "%whole_ny", "%periodic_y");
  }
  std::string uniform(int index) override {
    return t_.op("ld.param", "[u" + number(step_) + "x" + number(index) + "_]");
  }

  void base(int behind) {  // of all that is computed from now on
    behind_ = behind;
    values_.clear();
    around_.clear();
  }
  // The row of the state after step_ steps that can be computed, if it is needed, which no row of later steps is before
  // it; %n is one ahead of the newest row. Rows of intermediates are needed earlier.
  void advance() {
    const int before = (step_ - 1) * reach_;
    for (std::size_t m = 0; m < pass_.intermediates.size(); ++m) {
      base(before + rows_.behind[m]);
      for (int i = 0; i < cells_; ++i) {
        const std::string value = node(pass_.intermediates[m], i, 0);
        move(at(step_, states() + static_cast<int>(m), behind_, i), value);
      }
    }
    t_.add("setp.lt.s32 %here, %age, $", 2 * step_ * reach_);
    t_.add("@%here bra unneeded$x$", phase_, step_);
    base(step_ * reach_);
    std::vector<std::vector<std::string>> results;
    for (const int output : pass_.outputs) {
      results.emplace_back();
      for (int i = 0; i < cells_; ++i) results.back().push_back(node(output, i, 0));
    }
    if (step_ == steps_) return store(results);
    for (int f = 0; f < states(); ++f)
      for (int i = 0; i < cells_; ++i)
        move(at(step_, f, behind_, i), results[static_cast<std::size_t>(f)][static_cast<std::size_t>(i)]);
    apply_sides(step_);
  }

  // What becomes of rows that are not needed: nothing, so that no register keeps the row before.
  void forget() {
    for (int step = 1; step <= steps_; ++step) {
      t_.add("unneeded$x$:", phase_, step);
      if (step == steps_) break;
      for (int i = 0; i < cells_; ++i) {
        for (int f = 0; f < states(); ++f) move(at(step, f, step * reach_, i), t_.literal(0));
        for (std::size_t m = 0; m < rows_.behind.size(); ++m)
          move(at(step + 1, states() + static_cast<int>(m), step * reach_ + rows_.behind[m], i), t_.literal(0));
      }
    }
    t_.add("bra done$", phase_);
  }

  void store(const std::vector<std::vector<std::string>>& results) {
    const int vector = std::min(cells_, t_.vector);
    t_.add("add.s32 %r0, %n, $", -behind_ - 1);
    const std::string offset = t_.address("mul.wide.s32", "%r0", "%pitch");
    t_.add("mul.wide.s32 %wide, %x, $", t_.bytes);
    const std::string thread = t_.address("add.s64", offset, "%wide");
    for (int f = 0; f < states(); ++f) {
      const std::string first = pointer("out" + number(f)), stored = t_.label("stored");
      std::vector<std::string> cells;
      for (const std::string& value : results[static_cast<std::size_t>(f)]) {
        cells.push_back(t_.value());  // a vector is stored from registers
        move(cells.back(), value);
      }
      t_.add("add.s64 %at, $, $", first, thread);
      for (int from = 0; from < cells_; from += vector)
        t_.add("@%full st.global$ [%at+$], $", t_.type_of(vector), from * t_.bytes,
               t_.list_of(std::span(cells).subspan(static_cast<std::size_t>(from), vector)));
      if (cells_ == 1) continue;
      t_.add("@%full bra $", stored);
      t_.add("@!%own bra $", stored);
      for (int i = 0; i + 1 < cells_; ++i) {
        t_.add("add.s32 %r0, %x, $", i);
        t_.add("setp.lt.s32 %here, %r0, %nx");
        t_.add("@%here st.global$ [%at+$], $", t_.type, i * t_.bytes, cells[static_cast<std::size_t>(i)]);
      }
      t_.add("$:", stored);
    }
  }

  // What lies beyond a side of a state, `depth` cells out, from the value inside; `place`: an integer, along the side.
  std::string beyond(int state, int side, int depth, const std::string& place, const std::string& inside) {
    if (!rules_) return inside;
    const std::string name = number(state) + "x" + number(side), mirrored = t_.label("mirrored");
    const std::string to = t_.value(), factor = t_.value(), offset = t_.value();
    move(to, inside);
    t_.add(R"(
      ld.param.u64 %wide, [factor$_]
      setp.eq.s64 %here, %wide, 0
      @%here bra $
      ld.param.u32 %r0, [stride$_]
      mad.lo.s32 %r0, %r0, $, $
      mul.wide.s32 %at, %r0, $)",
           name, mirrored, name, depth, place, t_.bytes);
    for (const auto& [value, argument] : {std::pair(factor, "factor"), std::pair(offset, "offset")}) {
      const std::string first = pointer(argument + name), from = t_.address("add.s64", first, "%at");
      t_.add("ld.global.nc$ $, [$]", t_.type, value, from);
    }
    t_.add("fma.rn$ $, $, $, $", t_.type, to, factor, inside, offset);
    t_.add("$:", mirrored);
    return to;
  }

  // Sets what lies beyond the sides of the state after `step` steps, in and from its newest row.
  void apply_sides(int step) {
    if (!sides_ || reach_ == 0) return;
    const int behind = step * reach_;
    const std::string middle = t_.label("middle"), y = t_.integer(), place = t_.integer(), rest = t_.integer(),
                      lane = t_.integer();
    const auto skip = [&](const char* unless, const auto& what) {
      const std::string past = t_.label("past");
      t_.add("@!$ bra $", unless, past);
      what();
      t_.add("$:", past);
    };
    // Columns first.
    t_.add(R"(
      @!%sided bra $
      add.s32 $, %n, $
      ld.param.u32 %r0, [y0_]
      add.s32 %r1, $, %r0
      sub.s32 %r0, %whole_ny, 1)",
           middle, y, -behind - 1, y);
    t_.add("min.s32 $, $, %r0", place, t_.coordinate("%r1", 0, "%whole_ny", "%periodic_y"));
    t_.add("max.s32 $, $, 0", place, place);
    skip("%left", [&] {
      for (int f = 0; f < states(); ++f)
        for (int d = 0; d < reach_; ++d) {
          const int from = margin_ + d, to = margin_ - 1 - d;
          const std::string inside =
                                shuffled("idx", at(step, f, behind, from % cells_), number(from / cells_) + ", 31"),
                            outside = beyond(f, 0, d, place, inside);
          t_.add("setp.eq.s32 %here, %lane, $", to / cells_);
          t_.add("@%here mov$ $, $", t_.type, at(step, f, behind, to % cells_), outside);
        }
    });
    skip("%right", [&] {
      for (int d = 0; d < reach_; ++d) {
        t_.add("sub.s32 $, %nx, %first", rest);
        t_.add("add.s32 $, $, $", rest, rest, -1 - d);
        t_.add("div.s32 $, $, $", lane, rest, cells_);
        t_.add("rem.s32 $, $, $", rest, rest, cells_);
        for (int f = 0; f < states(); ++f) {
          const std::string mine = t_.value();
          for (int i = 0; i < cells_; ++i) {
            t_.add("setp.eq.s32 %here, $, $", rest, i);
            t_.add("@%here mov$ $, $", t_.type, mine, at(step, f, behind, i));
          }
          const std::string inside = shuffled("idx", mine, lane + ", 31"), outside = beyond(f, 1, d, place, inside);
          for (int i = 0; i < cells_; ++i) {
            t_.add("add.s32 %r0, %x, $", i - d);
            t_.add("setp.eq.s32 %here, %r0, %nx");
            t_.add("@%here mov$ $, $", t_.type, at(step, f, behind, i), outside);
          }
        }
      }
    });
    // Row d gives row -1 - d, and row ny - 1 - d gives row ny + d: 2 d + 1 rows are between them.
    for (int side = 2; side < 4; ++side)
      skip(side == 2 ? "%bottom" : "%top", [&] {
        for (int d = 0; d < reach_; ++d) {
          const std::string past = t_.label("past");
          if (side == 3) t_.add("sub.s32 %r0, $, %ny", y);
          t_.add("setp.ne.s32 %here, $, $", side == 2 ? y : "%r0", d);
          t_.add("@%here bra $", past);
          for (int i = 0; i < cells_; ++i) {
            for (int f = 0; f < states(); ++f) {
              const std::string &now = at(step, f, behind, i), &before = at(step, f, behind + 2 * d + 1, i);
              move(side == 2 ? before : now, beyond(f, side, d, "%c" + number(i), side == 2 ? now : before));
            }
          }
          t_.add("$:", past);
        }
      });
    t_.add("$:", middle);
  }

  const std::vector<int>& next_;
  int uniforms_, steps_, cells_;
  bool sides_, rules_;
  int reach_, margin_, strip_;
  Rows rows_;
  std::vector<int> fed_;   // the output that each input is in the next step, or -1
  std::vector<int> read_;  // the inputs, states first
  std::string arguments_;
  int phase_ = 0, step_ = 0;
  int behind_ = 0;  // the newest row of all is so many rows up
  std::map<std::tuple<int, int, int, int>, std::string> kept_;
  std::map<std::tuple<int, int, int>, std::string> around_;
};

}  // namespace

template <class Real>
std::optional<std::string> pde_ptx_steps(const PdePass& pass, const std::vector<int>& next, int uniforms,
                                         const PdeStepsForm& form, std::string_view name) {
  return StepsKernel<Real>(pass, next, uniforms, form).text(name);
}
template std::optional<std::string> pde_ptx_steps<float>(const PdePass&, const std::vector<int>&, int,
                                                         const PdeStepsForm&, std::string_view);
template std::optional<std::string> pde_ptx_steps<double>(const PdePass&, const std::vector<int>&, int,
                                                          const PdeStepsForm&, std::string_view);

int pde_steps_registers(const PdePass& pass, const std::vector<int>& next, const PdeStepsForm& form,
                        std::size_t value_bytes) {
  const Rows rows(pass, next, form.steps);
  const auto states = static_cast<int>(next.size()), intermediates = static_cast<int>(pass.intermediates.size());
  const int kept = form.steps * (states + intermediates) * rows.window,
            coefficients = (pass.inputs - states) * (rows.coefficient + 1);
  return (kept + coefficients) * form.cells * static_cast<int>(value_bytes) / 4;
}

}  // namespace simreel
