#pragma once
// Where and how much the deblocking filter changes pixels (ITU-T H.264, 8.7.2.2).

#include "kernels/encode/picture.h"

namespace simreel::h264 {

// Below this QP the filter changes nothing.
inline constexpr int min_deblocked_qp = 16;

// What counts as an edge of blocks rather than of the picture.
struct EdgeTest {
  int alpha, beta;

  // For the pixels p1, p0 before and q0, q1 behind the edge.
  HD bool apply(int p1, int p0, int q0, int q1) const {
    return magnitude(p0 - q0) < alpha && magnitude(p1 - p0) < beta && magnitude(q1 - q0) < beta;
  }
};

// How strongly an edge is filtered at a QP (tables 8-16 and 8-17).
struct Thresholds : EdgeTest {
  int qp;

  HD explicit Thresholds(int qp_of_edge) : EdgeTest{}, qp(qp_of_edge) {
    static constexpr std::uint8_t alphas[52] = {0,  0,  0,  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                                0,  0,  0,  4,   4,   5,   6,   7,   8,   9,   10,  12,  13,
                                                15, 17, 20, 22,  25,  28,  32,  36,  40,  45,  50,  56,  63,
                                                71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
    static constexpr std::uint8_t betas[52] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 2,  2,
                                               2,  3,  3,  3,  3,  4,  4,  4,  6,  6,  7,  7,  8,  8,  9,  9, 10, 10,
                                               11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18};
    alpha = alphas[qp], beta = betas[qp];
  }
  HD int max_change(int strength) const {  // strength 1 to 3
    static constexpr std::uint8_t changes[36][3] = {
        {0, 0, 0},   {0, 0, 1},    {0, 0, 1},    {0, 0, 1},   {0, 0, 1},  {0, 1, 1},  {0, 1, 1},   {1, 1, 1},
        {1, 1, 1},   {1, 1, 1},    {1, 1, 1},    {1, 1, 2},   {1, 1, 2},  {1, 1, 2},  {1, 1, 2},   {1, 2, 3},
        {1, 2, 3},   {2, 2, 3},    {2, 2, 4},    {2, 3, 4},   {2, 3, 4},  {3, 3, 5},  {3, 4, 6},   {3, 4, 6},
        {4, 5, 7},   {4, 5, 8},    {4, 6, 9},    {5, 7, 10},  {6, 8, 11}, {6, 8, 13}, {7, 10, 14}, {8, 11, 16},
        {9, 12, 18}, {10, 13, 20}, {11, 15, 23}, {13, 17, 25}};
    return qp < min_deblocked_qp ? 0 : changes[qp - min_deblocked_qp][strength - 1];
  }
};

}  // namespace simreel::h264
