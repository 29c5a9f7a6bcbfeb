#include "source/pde/schemes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace simreel {
namespace {

// The numbers of rkc2 (Sommeijer, Shampine and Verwer 1998, "RKC: an explicit solver for parabolic PDEs", with damping
// 2/13), of stages 0 to s.
struct Chebyshev {
  double w0, w1;
  std::vector<double> a, b, c;

  explicit Chebyshev(int stages) {
    const auto s = static_cast<std::size_t>(stages);
    w0 = 1 + 2.0 / 13 / (stages * stages);
    std::vector<double> value(s + 1), slope(s + 1), curve(s + 1);
    a.resize(s + 1), b.resize(s + 1), c.resize(s + 1);
    value[0] = 1;
    value[1] = w0, slope[1] = 1;
    for (std::size_t j = 2; j <= s; ++j) {
      value[j] = 2 * w0 * value[j - 1] - value[j - 2];
      slope[j] = 2 * value[j - 1] + 2 * w0 * slope[j - 1] - slope[j - 2];
      curve[j] = 4 * slope[j - 1] + 2 * w0 * curve[j - 1] - curve[j - 2];
    }
    w1 = slope[s] / curve[s];
    for (std::size_t j = 2; j <= s; ++j) {
      b[j] = curve[j] / (slope[j] * slope[j]);
      c[j] = w1 * curve[j] / slope[j];
    }
    b[0] = b[1] = b[2];
    c[1] = c[2] / slope[2];
    for (std::size_t j = 0; j <= s; ++j) a[j] = 1 - b[j] * value[j];
  }
};

class Builder {
 public:
  Builder(PdeSystem& system, double timestep) : system_(system), e_(system.expressions), dt_(timestep) {}

  PdeScheme euler() {
    PdeScheme scheme{2, true, {}};
    begin(0, 0, 1);
    for (int f = 0; f < count(); ++f) {
      const PdeSystem::Part& part = system_.parts[static_cast<std::size_t>(f)];
      int next = plus(now(f), dt_, part.rate);
      if (part.noise >= 0) next = add(next, times(times(constant(std::sqrt(dt_)), part.noise), e_.random(f)));
      advance(1, f, next);
    }
    end(scheme);
    return scheme;
  }

  PdeScheme heun() {
    PdeScheme scheme{2, false, {}};
    begin(0, 0, 1);
    for (int f = 0; f < count(); ++f) advance(1, f, plus(now(f), dt_, rate(f)));
    end(scheme);
    begin(1, 1, 1);
    for (int f = 0; f < count(); ++f) advance(0, f, times(constant(0.5), add(slot(0, f), plus(now(f), dt_, rate(f)))));
    end(scheme);
    return scheme;
  }

  // Slot 0 has the state, 1 and 2 the stages, 3 the sum.
  PdeScheme rk4() {
    PdeScheme scheme{4, false, {}};
    struct Stage {
      int from, to;
      double at, until, step, weight;
    };
    const Stage stages[] = {{0, 1, 0, 0.5, dt_ / 2, dt_ / 6},
                            {1, 2, 0.5, 0.5, dt_ / 2, dt_ / 3},
                            {2, 1, 0.5, 1, dt_, dt_ / 3},
                            {1, 0, 1, 1, 0, dt_ / 6}};
    for (const Stage& stage : stages) {
      begin(stage.from, stage.at, stage.until);
      for (int f = 0; f < count(); ++f) {
        const int sum = plus(stage.from == 0 ? now(f) : slot(3, f), stage.weight, rate(f));
        if (stage.to == 0) {
          advance(0, f, sum);
          continue;
        }
        write(3, f, sum);
        advance(stage.to, f, plus(slot(0, f), stage.step, rate(f)));
      }
      end(scheme);
    }
    return scheme;
  }

  // Slot 0 has the state, 1 and 2 the stages, 3 the first rate times the step.
  PdeScheme rkc2(int stages) {
    PdeScheme scheme{4, false, {}};
    const Chebyshev k(stages);
    const auto at = [](const std::vector<double>& v, int j) { return v[static_cast<std::size_t>(j)]; };
    begin(0, 0, at(k.c, 1));
    for (int f = 0; f < count(); ++f) {
      const int first = times(constant(dt_), rate(f));
      write(3, f, first);
      advance(1, f, plus(now(f), at(k.b, 1) * k.w1, first));
    }
    end(scheme);
    int last = 1, before = 0;
    for (int j = 2; j <= stages; ++j) {
      const double mu = 2 * at(k.b, j) * k.w0 / at(k.b, j - 1), nu = -at(k.b, j) / at(k.b, j - 2),
                   weight = 2 * at(k.b, j) * k.w1 / at(k.b, j - 1), first = -at(k.a, j - 1) * weight;
      const int to = j == stages ? 0 : j == 2 ? 2 : before;
      begin(last, at(k.c, j - 1), j == stages ? 1 : at(k.c, j));
      for (int f = 0; f < count(); ++f) {
        const int u = slot(0, f);
        int sum = times(constant(mu), subtract(now(f), u));
        if (before != 0) sum = plus(sum, nu, subtract(slot(before, f), u));
        sum = plus(plus(sum, weight * dt_, rate(f)), first, slot(3, f));
        advance(to, f, add(u, sum));
      }
      end(scheme);
      before = last;
      last = to;
    }
    return scheme;
  }

 private:
  int count() const { return static_cast<int>(system_.parts.size()); }
  int rate(int f) const { return system_.parts[static_cast<std::size_t>(f)].rate; }
  int now(int f) { return e_.array(f); }
  int slot(int slot, int f) { return slot == slot_ ? now(f) : e_.array(pde_slot_array(slot, f)); }
  int constant(double value) { return e_.constant(value); }
  int add(int a, int b) { return e_.apply(FormulaOp::add, a, b); }
  int subtract(int a, int b) { return e_.apply(FormulaOp::subtract, a, b); }
  int times(int a, int b) { return e_.apply(FormulaOp::multiply, a, b); }
  int plus(int a, double factor, int b) { return add(a, times(constant(factor), b)); }

  void begin(int slot, double at, double until) {
    slot_ = slot, at_ = at, until_ = until;
    nodes_.clear();
    outputs_.clear();
  }
  void write(int slot, int part, int node) {
    outputs_.push_back({slot, part});
    nodes_.push_back(node);
  }
  // The state at `until`, with what obstacles hold then.
  void advance(int slot, int part, int node) {
    for (const PdeSystem::Part::Held& held : system_.parts[static_cast<std::size_t>(part)].held) {
      const int time = add(e_.variable(Expressions::Variable::t), constant((until_ - at_) * dt_));
      node = e_.apply(FormulaOp::select, held.open, node, e_.at_time(held.value, time));
    }
    write(slot, part, node);
  }
  void end(PdeScheme& scheme) {
    PdeStage stage = make_stage(system_, slot_, at_, nodes_);
    stage.until = until_;
    stage.outputs = outputs_;
    scheme.stages.push_back(std::move(stage));
  }

  PdeSystem& system_;
  Expressions& e_;
  double dt_;
  int slot_ = 0;
  double at_ = 0, until_ = 1;
  std::vector<int> nodes_;
  std::vector<PdeStage::Output> outputs_;
};

}  // namespace

int PdeStage::reach() const {
  int sum = work.reach;
  for (const StoredWork& one : stored) sum += one.work.reach;
  return sum;
}

int PdeStage::deepest() const {
  int most = work.reach;
  for (const StoredWork& one : stored) most = std::max(most, one.work.reach);
  return most;
}

int PdeScheme::reach() const {
  int sum = 0;
  for (const PdeStage& stage : stages) sum += stage.reach();
  return sum;
}

int PdeScheme::deepest() const {
  int most = 0;
  for (const PdeStage& stage : stages) most = std::max(most, stage.deepest());
  return most;
}

double PdeScheme::operations() const {
  double operations = 0;
  const auto add = [&](const PdePass& pass) {
    for (const PdeNode& node : pass.nodes) {
      const bool cheap = node.kind != PdeKind::apply || node.function == FormulaOp::add ||
                         node.function == FormulaOp::subtract || node.function == FormulaOp::multiply ||
                         node.function >= FormulaOp::multiply_add;
      operations += cheap ? 1 : 20;
    }
  };
  for (const PdeStage& stage : stages) {
    add(stage.work.pass);
    for (const PdeStage::StoredWork& stored : stage.stored) add(stored.work.pass);
  }
  return operations;
}

PdeGrowth pde_growth(const PdeOptions& o) {
  using Complex = std::complex<double>;
  switch (o.scheme) {
    case PdeSchemeKind::euler:
    case PdeSchemeKind::heun:
    case PdeSchemeKind::rk4:  // the series of exp, as far as the order, which is the number of stages
      return [order = o.scheme == PdeSchemeKind::euler  ? 1
                      : o.scheme == PdeSchemeKind::heun ? 2
                                                        : 4](Complex z) {
        Complex value = 1;
        for (int k = order; k >= 1; --k) value = 1.0 + times(z, value) * (1.0 / k);
        return value;
      };
    case PdeSchemeKind::rkc2: break;
  }
  return [k = Chebyshev(o.stages)](Complex z) {
    const Complex x = k.w0 + z * k.w1;
    Complex before = 1, now = x;
    for (std::size_t j = 2; j < k.b.size(); ++j) before = std::exchange(now, times(x, now) * 2.0 - before);
    return k.a.back() + now * k.b.back();
  };
}

PdeStage make_stage(const PdeSystem& system, int slot, double at, const std::vector<int>& nodes) {
  PdeStage stage;
  stage.slot = slot;
  stage.at = at;
  stage.work = make_work(system.expressions, nodes);
  // The stored fields that it reads, and those that they read, which come before them.
  std::vector<int> needed = stage.work.arrays;
  for (std::size_t k = system.stored.size(); k-- > 0;) {
    const PdeSystem::Stored& stored = system.stored[k];
    const auto count = static_cast<int>(stored.values.size());
    const bool used = std::ranges::any_of(needed, [&](int array) {
      return array >= pde_stored + stored.first && array < pde_stored + stored.first + count;
    });
    if (!used) continue;
    PdeStage::StoredWork work{make_work(system.expressions, stored.values), stored.first, stored.field};
    needed.insert(needed.end(), work.work.arrays.begin(), work.work.arrays.end());
    stage.stored.push_back(std::move(work));
  }
  std::ranges::reverse(stage.stored);
  return stage;
}

PdeScheme make_scheme(PdeSystem& system, double timestep) {
  Builder builder(system, timestep);
  switch (system.options().scheme) {
    case PdeSchemeKind::euler: return builder.euler();
    case PdeSchemeKind::heun: return builder.heun();
    case PdeSchemeKind::rk4: return builder.rk4();
    case PdeSchemeKind::rkc2: break;
  }
  return builder.rkc2(system.options().stages);
}

}  // namespace simreel
