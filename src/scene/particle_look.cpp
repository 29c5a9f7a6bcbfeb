#include "scene/tables.h"

namespace simreel {

ParticleLook read_particle_look(Table& view) {
  ParticleLook look;
  look.given = view.has_table("particles");
  look.position = view.position("particles");
  Table keys = view.table("particles", "how the particles of [[solver.particles]] are drawn");
  keys.read("radius", look.radius,
            {"radius of a particle, pixels; its path has six tenths of that",
             "a 540th of the shorter side, at least 0.75", "2"},
            Range::above(0));
  keys.read("trail", look.trail,
            "how long the path of a particle stays visible, seconds of video at speed 1; 0: particles without paths",
            Range::at_least(0));
  keys.read("opacity", look.opacity, "opacity of a particle, and of its path where that begins", Range::between(0, 1));
  std::vector<std::string> colors;
  keys.read(
      "colors", colors,
      {"colours of the sets of particles, one after the other; after the last one the first again",
       "white, amber, blue, green; on a light background dark grey, blue, red, green", "[\"#ffffff\", \"#ffb000\"]"});
  if (keys.has("colors") && colors.empty())
    keys.fail("colors", "\"colors\" in [view.particles] is empty; name a colour, or leave it out");
  for (const std::string& text : colors) {
    const std::optional<Color> color = parse_color(text);
    if (!color) keys.fail("colors", "\"{}\" is no colour; write it as \"#rrggbb\" or \"#rrggbbaa\"", text);
    look.colors.push_back(*color);
  }
  look.given_radius = keys.has("radius");
  look.given_colors = !look.colors.empty();
  if (!look.given_colors) look.colors = {{255, 255, 255, 255}};
  return look;
}

}  // namespace simreel
