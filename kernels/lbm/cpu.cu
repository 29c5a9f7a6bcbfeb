#include "kernels/lbm/cpu.h"

namespace simreel {
namespace {

// `plane` is a constant, so that one address serves all results.
template <LbmModel model, bool forced, std::size_t plane, bool varied, class Real>
void collide(const LbmParams<Real>& p, const Real* const (&in)[9], int count, [[maybe_unused]] const LbmOwn<Real>* own,
             Real* out) {
  const LbmParams<Real> params = p;
  const Real *f0 = in[0], *f1 = in[1], *f2 = in[2], *f3 = in[3], *f4 = in[4], *f5 = in[5], *f6 = in[6], *f7 = in[7],
             *f8 = in[8];
  SIMREEL_INDEPENDENT
  for (int k = 0; k < count; ++k) {
    Real q[9] = {f0[k], f1[k], f2[k], f3[k], f4[k], f5[k], f6[k], f7[k], f8[k]};
    LbmRates<Real> rate = params.rates;
    LbmPush<Real> push{params.force_x, params.force_y};
    if constexpr (varied) rate = {own->even[k], own->odd[k]};
    if constexpr (varied && forced) push = {own->push_x[k], own->push_y[k]};
    lbm_collide<model, forced>(params, rate, push, q);
    out[0 * plane + k] = q[0];
    out[1 * plane + k] = q[1];
    out[2 * plane + k] = q[2];
    out[3 * plane + k] = q[3];
    out[4 * plane + k] = q[4];
    out[5 * plane + k] = q[5];
    out[6 * plane + k] = q[6];
    out[7 * plane + k] = q[7];
    out[8 * plane + k] = q[8];
  }
}

}  // namespace

template <class Real>
void lbm_collide_run(const LbmParams<Real>& p, const Real* const (&in)[9], int count, const LbmOwn<Real>* own,
                     Real* out, std::size_t plane) {
  lbm_with_model(p, [&]<LbmModel model, bool forced>() {
    const auto with = [&]<std::size_t constant>() {
      own ? collide<model, forced, constant, true>(p, in, count, own, out)
          : collide<model, forced, constant, false>(p, in, count, own, out);
    };
    plane == lbm_near_plane ? with.template operator()<lbm_near_plane>() : with.template operator()<lbm_longest_run>();
  });
}

template <class Real>
void lbm_collide_on_cpu(const LbmParams<Real>& p, LbmRates<Real> rates, LbmPush<Real> push, Real (&q)[9]) {
  lbm_with_model(p, [&]<LbmModel model, bool forced>() { lbm_collide<model, forced>(p, rates, push, q); });
}

template void lbm_collide_run(const LbmParams<float>&, const float* const (&)[9], int, const LbmOwn<float>*, float*,
                              std::size_t);
template void lbm_collide_run(const LbmParams<double>&, const double* const (&)[9], int, const LbmOwn<double>*, double*,
                              std::size_t);

template void lbm_collide_on_cpu(const LbmParams<float>&, LbmRates<float>, LbmPush<float>, float (&)[9]);
template void lbm_collide_on_cpu(const LbmParams<double>&, LbmRates<double>, LbmPush<double>, double (&)[9]);

}  // namespace simreel
