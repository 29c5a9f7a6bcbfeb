#!/usr/bin/env python3
"""Writes jet70.csv: the ramp "jet" of 64 steps, and 6 more that close the circle to dark blue.

  colormaps/jet70.py            prints the file
  colormaps/jet70.py --check    exit 1 unless the file beside this script is what would be printed

Each channel of jet is a trapezium over the 64 steps: it rises by 1/16 a step, stays at 1 for 16 steps and falls by 1/16 a step. Green has its
middle at the middle of the ramp, red 16 steps above that, and blue 16 below.
"""

import pathlib
import sys

STEPS, CLOSING = 64, 6


def level(sixteenths):
    """A byte for that many sixteenths of full intensity, rounded; 7/16 is 111 so that pictures keep the bytes they always had."""
    return 111 if sixteenths == 7 else int(255 * sixteenths / 16 + 0.5)


def channel(step, middle):
    return level(max(0, min(16, 24 - abs(step - middle))))


def rows():
    for step in range(1, STEPS + 1):
        yield channel(step, 48), channel(step, 32), channel(step, 16)
    for step in range(1, CLOSING + 1):
        yield 120 - 20 * step, 0, 20 * step


def text():
    head = "# simreel, MIT licence; made by colormaps/jet70.py\nr,g,b\n"
    return head + "".join(f"{r},{g},{b}\n" for r, g, b in rows())


if __name__ == "__main__":
    if "--check" not in sys.argv:
        sys.stdout.write(text())
    elif pathlib.Path(__file__).with_suffix(".csv").read_text() != text():
        sys.exit("colormaps/jet70.csv is not what the script makes; renew it with: colormaps/jet70.py > colormaps/jet70.csv")
