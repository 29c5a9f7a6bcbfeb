#pragma once
// Bodies in a file: rows of numbers, a snapshot of Gadget and its like, or what simreel wrote.

#include <optional>

#include "source/data/layout.h"

namespace simreel {

// Whether simreel wrote it.
bool is_own_file(const ArrayFile&);

// As find_layout; nullopt: the file holds none, unless `content` asks for them.
std::optional<DataLayout> body_layout(const ArrayFile&, const DataOptions&, bool many);

}  // namespace simreel
