#!/usr/bin/env python3
"""Writes coolwarm.csv: the diverging map of K. Moreland, "Diverging Color Maps for Scientific Visualization", ISVC 2009, from the formulas there.

  colormaps/coolwarm.py            prints the file
  colormaps/coolwarm.py --check    exit 1 unless the file beside this script is what would be printed

Blue (59, 76, 192) and red (180, 4, 38) meet in light grey. Colours are interpolated in Msh, which is CIELAB (white D65) in polar coordinates:
M is the length, s the angle to the axis of grey, h the hue.
"""

import math
import pathlib
import sys

COOL, WARM, ROWS = (59, 76, 192), (180, 4, 38), 256
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
TO_RGB = ((3.2406, -1.5372, -0.4986), (-0.9689, 1.8758, 0.0415), (0.0557, -0.2040, 1.0570))
WHITE = (0.9505, 1.0, 1.0890)
GREY = 88  # the least M of the middle


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def msh(rgb):
    linear = [(c / 255 / 12.92) if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    x, y, z = (v / w for v, w in zip(times(TO_XYZ, linear), WHITE))
    root = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    light, a, b = 116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])
    m = math.sqrt(light * light + a * a + b * b)
    return m, math.acos(light / m), math.atan2(b, a)


def rgb(m, s, h):
    light, a, b = m * math.cos(s), m * math.sin(s) * math.cos(h), m * math.sin(s) * math.sin(h)
    y = (light + 16) / 116
    root = (y + a / 500, y, y - b / 200)
    xyz = [w * (v**3 if v > 0.206893 else (v - 16 / 116) / 7.787) for v, w in zip(root, WHITE)]
    linear = [min(max(c, 0), 1) for c in times(TO_RGB, xyz)]
    return [int(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055) + 0.5) for c in linear]


def towards_grey(colour, m):
    """The hue of the unsaturated colour of length m, so that the path to it looks straight."""
    own, s, h = colour
    if own >= m:
        return h
    spin = s * math.sqrt(m * m - own * own) / (own * math.sin(s))
    return h + spin if h > -math.pi / 3 else h - spin


def rows():
    cool, warm = msh(COOL), msh(WARM)
    m = max(cool[0], warm[0], GREY)
    for row in range(ROWS):
        share = row / (ROWS - 1)
        end, part = (cool, 2 * share) if share < 0.5 else (warm, 2 - 2 * share)
        middle = (m, 0, towards_grey(end, m))
        yield rgb(*((1 - part) * a + part * b for a, b in zip(end, middle)))


def text():
    head = "# simreel, MIT licence; made by colormaps/coolwarm.py from the formulas of K. Moreland, 2009\nr,g,b\n"
    return head + "".join(f"{r},{g},{b}\n" for r, g, b in rows())


if __name__ == "__main__":
    if "--check" not in sys.argv:
        sys.stdout.write(text())
    elif pathlib.Path(__file__).with_suffix(".csv").read_text() != text():
        sys.exit("colormaps/coolwarm.csv is not what the script makes; renew it with: colormaps/coolwarm.py > colormaps/coolwarm.csv")
