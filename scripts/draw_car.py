#!/usr/bin/env python3
"""Draws scenes/car.png, the silhouette of a car from its left side: dark on white, grey where the border cuts a pixel.

usage: draw_car.py FILE.png

Four pixels are meant for a cell. Needs Python 3.9 and nothing else.
"""
import struct
import sys
import zlib

WIDTH, HEIGHT = 1280, 360  # pixels
FINE = 4                   # samples of a pixel along each axis

# The body as Bezier curves, from the lower end of the nose over the roof to the tail; y upwards from the lower edge.
START = (62, 50)
CURVES = [
    ((36, 52), (22, 78), (24, 112)),        # bumper
    ((26, 146), (58, 172), (120, 190)),     # nose
    ((200, 210), (290, 222), (372, 230)),   # bonnet
    ((430, 262), (500, 312), (590, 326)),   # windscreen
    ((680, 340), (770, 332), (850, 310)),   # roof
    ((950, 282), (1040, 252), (1130, 240)), # rear window
    ((1180, 234), (1222, 240), (1252, 248)),# spoiler
    ((1254, 214), (1246, 176), (1240, 150)),# tail
    ((1236, 112), (1232, 84), (1212, 66)),
    ((1190, 48), (1150, 46), (1120, 46)),   # underbody
]
WHEELS = [(248, 74), (1012, 74)]
RADIUS = 68


def outline():
    points, (x0, y0) = [START], START
    for (x1, y1), (x2, y2), (x3, y3) in CURVES:
        for i in range(1, 33):
            t = i / 32
            s = 1 - t
            points.append((s ** 3 * x0 + 3 * s * s * t * x1 + 3 * s * t * t * x2 + t ** 3 * x3,
                           s ** 3 * y0 + 3 * s * s * t * y1 + 3 * s * t * t * y2 + t ** 3 * y3))
        x0, y0 = x3, y3
    return points


def spans(points, y):
    crossings = []
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1]):
        if (ay > y) != (by > y):
            crossings.append(ax + (bx - ax) * (y - ay) / (by - ay))
    crossings.sort()
    pairs = list(zip(crossings[::2], crossings[1::2]))
    for x, height in WHEELS:
        square = RADIUS ** 2 - (y - height) ** 2
        if square > 0:
            pairs.append((x - square ** 0.5, x + square ** 0.5))
    return pairs


def rows():
    points = outline()
    for row in range(HEIGHT):
        covered = [0] * WIDTH
        for i in range(FINE):
            fine = bytearray(WIDTH * FINE)
            for low, high in spans(points, HEIGHT - row - (i + 0.5) / FINE):
                first, end = (min(max(round(x * FINE), 0), WIDTH * FINE) for x in (low, high))
                fine[first:end] = b"\1" * (end - first)
            for column in range(WIDTH):
                covered[column] += sum(fine[column * FINE:(column + 1) * FINE])
        yield bytes(255 - 255 * n // (FINE * FINE) for n in covered)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pixels = b"".join(b"\0" + row for row in rows())
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b""))


main()
