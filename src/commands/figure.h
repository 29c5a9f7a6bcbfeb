#pragma once

#include "commands/commands.h"

namespace simreel {

void add_figure(CLI::App& program, Command& chosen);

}  // namespace simreel
