#!/usr/bin/env python3
"""Writes src/figure/font_regular.inc and font_bold.inc: the outlines of DejaVu Sans that figures use, one glyph per line.

  scripts/make_font.py [FOLDER WITH DejaVuSans.ttf]

Needs fonttools (pip) and Debian's fonts-dejavu-core 2.37. The program reads neither: the tables are checked in. Run it to add characters. A
glyph is its code, its advance and its contours in font units, 2048 per em: "o" begins a point on the curve, "c" a control point of a
quadratic curve, each with the difference to the point before; "z" closes a contour.
"""

import os
import sys

from fontTools.ttLib import TTFont

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/fonts/truetype/dejavu"

RANGES = [
    (0x20, 0x7E), (0xA0, 0x17F),  # ASCII, Latin-1, Latin Extended-A
    (0x391, 0x3A9), (0x3B1, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D6), (0x3F1, 0x3F1), (0x3F5, 0x3F5),  # Greek
    (0x2010, 0x2015), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026), (0x2030, 0x2030), (0x2032, 0x2034),  # punctuation
    (0x2070, 0x2071), (0x2074, 0x208E), (0x20AC, 0x20AC), (0x2102, 0x2102), (0x210F, 0x210F), (0x2113, 0x2113),  # super- and subscripts
    (0x2115, 0x2115), (0x211A, 0x211A), (0x211D, 0x211D), (0x2124, 0x2124), (0x212B, 0x212B),
    (0x2190, 0x2195), (0x21D0, 0x21D4),  # arrows
    (0x2200, 0x220B), (0x220F, 0x2213), (0x2217, 0x221E), (0x2220, 0x2220), (0x2223, 0x222E), (0x2234, 0x2235), (0x223C, 0x223C),
    (0x2243, 0x2248), (0x2260, 0x2267), (0x226A, 0x226B), (0x2282, 0x2287), (0x2295, 0x2297), (0x22A5, 0x22A5), (0x22C5, 0x22C5),
    (0x27E8, 0x27E9),
]


def outline(font, name):
    glyf = font["glyf"]
    points, ends, flags = glyf[name].getCoordinates(glyf)
    text, first, at = "", 0, (0, 0)
    for end in ends:
        for i in range(first, end + 1):
            x, y = (round(v) for v in points[i])
            text += f"{'o' if flags[i] & 1 else 'c'}{x - at[0]}{y - at[1]:+d}"
            at = (x, y)
        text += "z"
        first = end + 1
    return text


def write(file, target):
    font = TTFont(os.path.join(FOLDER, file))
    names, advances = font.getBestCmap(), font["hmtx"]
    lines = []
    for first, last in RANGES:
        for code in range(first, last + 1):
            if code in names and code != 0xAD:  # a soft hyphen has no picture
                name = names[code]
                lines.append(f'{{0x{code:04x}, {advances[name][0]}, "{outline(font, name)}"}},\n')
    with open(os.path.join(ROOT, "src/figure", target), "w", encoding="ascii") as out:
        out.write(f"// Written by scripts/make_font.py from {file} 2.37. Licence: LICENSE.DejaVu in this folder.\n")
        out.writelines(lines)
    print(f"{target}: {len(lines)} glyphs")


write("DejaVuSans.ttf", "font_regular.inc")
write("DejaVuSans-Bold.ttf", "font_bold.inc")
