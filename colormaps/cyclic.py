#!/usr/bin/env python3
"""Writes phase.csv and dusk.csv: cyclic maps, whose first and last colours are one, for angles.

  colormaps/cyclic.py            writes the files
  colormaps/cyclic.py --check    exit 1 unless the files beside this script are what would be written

Both are closed curves in Oklab (B. Ottosson, 2020), a space in which equal steps look equal: lightness L, chroma C and
hue h, with the angle v from -pi to pi along the rows.

  phase  L = 0.76, C = 0.122, h = v + 0.16 pi: all hues, equally bright, so that no angle seems to be more than another
  dusk   L = 0.55 - 0.35 cos v, C = 0.12 |sin v|, h = 265 degrees below 0 and 50 above: white at -pi
         and pi, dark at 0, blue below and orange above; all but the sign can be read in grey
"""
import math
import pathlib
import sys


def srgb(lightness, chroma, hue):
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
              -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
              -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)

    def encoded(x):
        x = min(max(x, 0.0), 1.0)
        return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055

    return tuple(round(255 * encoded(x)) for x in linear)


def phase(v):
    return 0.76, 0.122, v + 0.16 * math.pi


def dusk(v):
    return 0.55 - 0.35 * math.cos(v), 0.12 * abs(math.sin(v)), math.radians(265 if v < 0 else 50)


ROWS = 256


def text(make, what):
    colors = [srgb(*make(math.pi * (2 * i / (ROWS - 1) - 1))) for i in range(ROWS)]
    return f"# simreel; MIT; cyclic, of cyclic.py: {what}\nr,g,b\n" + "".join("%d,%d,%d\n" % color for color in colors)


if __name__ == "__main__":
    for make, what in (phase, "all hues, equally bright"), (dusk, "white over blue to black, and over orange to white"):
        file = pathlib.Path(__file__).with_name(f"{make.__name__}.csv")
        if "--check" not in sys.argv:
            file.write_text(text(make, what))
        elif file.read_text() != text(make, what):
            sys.exit(f"colormaps/{file.name} is not what the script makes; renew it with: colormaps/cyclic.py")
