#!/usr/bin/env python3
"""Writes src/figure/fonts/*.ttf: DejaVu Sans cut to the characters that figures use.

  scripts/make_font.py [FOLDER WITH DejaVuSans.ttf]

Needs fonttools (pip) and Debian's fonts-dejavu-core 2.37. A build compiles the checked-in files into the program; run this to add characters.
All have the same glyphs, in the order of their codes after an empty one, without parts, instructions or kerning. The oblique ones are the
upright ones slanted, so that numbers in them are as wide.
"""

import array
import os
import sys

from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from fontTools.ttLib.tables._g_l_y_f import Glyph, GlyphCoordinates
from fontTools.ttLib.tables.ttProgram import Program

TO = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src/figure/fonts")
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
COPYRIGHT = ("Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved. Bitstream Vera is a trademark of Bitstream, Inc. "
             "DejaVu changes are in public domain.")


def licence():
    """The part of LICENSE.DejaVu that asks to stand in every copy, as one line."""
    with open(os.path.join(TO, "LICENSE.DejaVu"), encoding="utf-8") as file:
        text = " ".join(file.read().split())
    return text[text.index("Permission is hereby granted"):text.index("fonts at gnome dot org.")] + "fonts at gnome dot org."


def glyph_of(font, name, slanted):
    glyf = font["glyf"]
    points, ends, flags = glyf[name].getCoordinates(glyf)
    glyph = Glyph()
    glyph.numberOfContours = len(ends)
    if ends:
        whole = [(round(x), round(y)) for x, y in points]
        # As src/figure/font.cpp slants in halves of a unit.
        glyph.coordinates = GlyphCoordinates([((2 * x + (2 * y * 13 >> 6)) >> 1, y) if slanted else (x, y) for x, y in whole])
        glyph.flags = array.array("B", [flag & 1 for flag in flags])
        glyph.endPtsOfContours = list(ends)
        glyph.program = Program()
        glyph.program.fromBytecode(b"")
    return glyph


def write(source, style, weight, selection):
    font = TTFont(os.path.join(FOLDER, source))
    names = font.getBestCmap()
    codes = [code for first, last in RANGES for code in range(first, last + 1) if code in names and code != 0xAD]  # a soft hyphen has no picture
    to = FontBuilder(font["head"].unitsPerEm, isTTF=True)
    own = {code: f"u{code:04x}" for code in codes}
    to.setupGlyphOrder([".notdef", *own.values()])
    glyphs = {".notdef": Glyph()} | {own[code]: glyph_of(font, names[code], style.endswith("Oblique")) for code in codes}
    glyphs[".notdef"].numberOfContours = 0
    to.setupCharacterMap(own)
    groups = CmapSubtable.newSubtable(12)
    groups.platformID, groups.platEncID, groups.language, groups.cmap = 3, 10, 0, own
    to.font["cmap"].tables = [groups]
    to.setupGlyf(glyphs)
    to.setupHorizontalMetrics({".notdef": (1229, 0)} | {own[code]: (font["hmtx"][names[code]][0], getattr(glyphs[own[code]], "xMin", 0)) for code in codes})
    ascent, descent = 1901, 483
    to.setupHorizontalHeader(ascent=ascent, descent=-descent)
    to.setupOS2(version=4, usWeightClass=weight, fsSelection=selection, sTypoAscender=ascent, sTypoDescender=-descent, usWinAscent=ascent,
                usWinDescent=descent, sxHeight=1120, sCapHeight=1493, achVendID="sim ", fsType=0, ySubscriptXSize=1331, ySubscriptYSize=1433,
                ySubscriptYOffset=287, ySuperscriptXSize=1331, ySuperscriptYSize=1433, ySuperscriptYOffset=983, yStrikeoutSize=102,
                yStrikeoutPosition=530, ulCodePageRange1=1)
    to.setupPost(italicAngle=-11 if style.endswith("Oblique") else 0, underlinePosition=-130, underlineThickness=90, keepGlyphNames=False)
    full = f"DejaVuSans-{style}" if style != "Book" else "DejaVuSans"
    to.setupNameTable({}, mac=False)
    for number, text in ((0, COPYRIGHT), (1, "DejaVu Sans"), (2, "Regular"), (3, full), (4, f"DejaVu Sans {style}"), (5, "Version 2.37; cut by simreel"),
                         (6, full), (13, licence())):
        to.font["name"].setName(text, number, 3, 1, 0x409)
    head = to.font["head"]
    head.created = head.modified = font["head"].created
    head.flags, head.lowestRecPPEM = 0x1F, 8  # as DejaVu's own
    head.fontRevision, head.macStyle = 2.37, {"Bold": 1, "Oblique": 2, "BoldOblique": 3}.get(style, 0)
    to.font.recalcTimestamp = False
    to.save(os.path.join(TO, full + ".ttf"))
    print(f"{full}.ttf: {len(codes)} glyphs")


write("DejaVuSans.ttf", "Book", 400, 0x40)
write("DejaVuSans-Bold.ttf", "Bold", 700, 0x20)
write("DejaVuSans.ttf", "Oblique", 400, 0x200)
write("DejaVuSans-Bold.ttf", "BoldOblique", 700, 0x220)
