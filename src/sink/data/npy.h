#pragma once
// "x/%06d.npy", "x.npy": the state of each frame, or of the last, as one array in numpy's format 1.0, little-endian, C
// order, in the precision of the solver. Fields are [ny][nx] with row 0 at y = 0; bodies are [n][7] = x, y, z, vx, vy,
// vz, mass. Several fields are refused; x/%06d.npz holds them.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "sink/sink.h"

namespace simreel {

// The header of such an array (NEP 1). `type` is numpy's: "<f4".
std::string npy_header(std::string_view type, std::initializer_list<std::size_t> shape);

std::unique_ptr<Sink> open_npy(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
