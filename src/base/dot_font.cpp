#include "base/dot_font.h"

#include <array>

namespace simreel {
namespace {

// Letters side by side, each in a cell of six columns, the last of them blank.
struct Alphabet {
  std::string_view letters;
  std::array<std::string_view, glyph_height> rows;
};

constexpr std::array alphabets = {
    Alphabet{"abcdefghijklm",
             {"      #               #         ##        #       #      #  #      ##         ",
              "      #               #        #          #                 #       #         ",
              " ###  ####   ###   ####  ###  ####   #### ####   ##     ##  #  #    #   ## #  ",
              "    # #   # #   # #   # #   #  #    #   # #   #   #      #  # #     #   # # # ",
              " #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # ",
              "#   # #   # #   # #   # #      #     #### #   #   #      #  # #     #   # # # ",
              " #### ####   ###   ####  ###   #        # #   #  ###  #  #  #  #   ###  # # # ",
              "                                     ###               ##                     "}},
    Alphabet{"nopqrstuvwxyz",
             {"                                     #                                        ",
              "                                     #                                        ",
              "####   ###  ####   #### # ##   #### ####  #   # #   # #   # #   # #   # ##### ",
              "#   # #   # #   # #   # ##    #      #    #   # #   # # # #  # #  #   #    #  ",
              "#   # #   # #   # #   # #      ###   #    #   # #   # # # #   #   #   #   #   ",
              "#   # #   # ####   #### #         #  #    #   #  # #  # # #  # #   ####  #    ",
              "#   #  ###  #         # #     ####    ##   ####   #    # #  #   #     # ##### ",
              "            #         #                                            ###        "}},
    Alphabet{"ABCDEFGHIJKLM",
             {" ###  ####   ###  ####  ##### #####  ###  #   #  ###    ### #   # #     #   # ",
              "#   # #   # #   # #   # #     #     #   # #   #   #      #  #  #  #     ## ## ",
              "#   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # # ",
              "##### ####  #     #   # ####  ####  #  ## #####   #      #  ##    #     # # # ",
              "#   # #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   # ",
              "#   # #   # #   # #   # #     #     #   # #   #   #   #  #  #  #  #     #   # ",
              "#   # ####   ###  ####  ##### #      #### #   #  ###   ##   #   # ##### #   # ",
              "                                                                              "}},
    Alphabet{"NOPQRSTUVWXYZ",
             {"#   #  ###  ####   ###  ####   #### ##### #   # #   # #   # #   # #   # ##### ",
              "##  # #   # #   # #   # #   # #       #   #   # #   # #   # #   # #   #     # ",
              "# # # #   # #   # #   # #   # #       #   #   # #   # #   #  # #   # #     #  ",
              "#  ## #   # ####  #   # ####   ###    #   #   # #   # # # #   #     #     #   ",
              "#   # #   # #     #   # # #       #   #   #   #  # #  # # #  # #    #    #    ",
              "#   # #   # #     #  #  #  #      #   #   #   #  # #  ## ## #   #   #   #     ",
              "#   #  ###  #      ## # #   # ####    #    ###    #   #   # #   #   #   ##### ",
              "                                                                              "}},
    Alphabet{"0123456789_-.",
             {" ###    #    ###  #####    #  #####  ###  #####  ###   ###                    ",
              "#   #  ##   #   #    #    ##  #     #         # #   # #   #                   ",
              "#  ##   #       #   #    # #  ####  #        #  #   # #   #                   ",
              "# # #   #      #   ###  #  #      # ####    #    ###   ####       #####       ",
              "##  #   #     #       # #####     # #   #   #   #   #     #                   ",
              "#   #   #    #    #   #    #  #   # #   #   #   #   #     #             ##    ",
              " ###   ###  #####  ###     #   ###   ###    #    ###   ###  #####       ##    ",
              "                                                                              "}},
};

}  // namespace

bool glyph_dot(char letter, int x, int y) {
  for (const Alphabet& alphabet : alphabets) {
    const std::size_t place = alphabet.letters.find(letter);
    if (place == std::string_view::npos) continue;
    const std::string_view row = alphabet.rows[static_cast<std::size_t>(y)];
    const std::size_t column = place * (glyph_width + 1) + static_cast<std::size_t>(x);
    return column < row.size() && row[column] == '#';
  }
  return x == 0 || y == 0 || x == glyph_width - 1 || y == glyph_height - 2;  // a box for a letter not drawn
}

}  // namespace simreel
