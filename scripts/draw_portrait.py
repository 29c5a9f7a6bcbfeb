#!/usr/bin/env python3
"""Draws scenes/portrait.png, the map of scenes/turing_map.toml: a head of ellipsoids and bumps, lit from the upper left.

usage: draw_portrait.py FILE.png

Needs Python 3.9 and nothing else.
"""
import math
import struct
import sys
import zlib

WIDTH, HEIGHT = 480, 270


def bump(x, y, cx, cy, wx, wy, angle=0.0):
    c, s = math.cos(angle), math.sin(angle)
    dx, dy = x - cx, y - cy
    return math.exp(-(((c * dx + s * dy) / wx) ** 2) - ((c * dy - s * dx) / wy) ** 2)


def step(low, high, v):
    t = min(max((v - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


def head(x, y):
    """Height of the face over the picture, and how far inside it; lengths in half heights of the picture, y upwards."""
    jaw = 0.5 * (1 - 0.28 * step(-0.05, -0.75, y)) * (1 + 0.04 * math.cos(3 * y))
    d = 1 - (x / jaw) ** 2 - ((y - 0.02) / 0.72) ** 2
    h = 0.55 * math.sqrt(max(d, 0.0))
    h += 0.17 * bump(x, y, 0, -0.10, 0.065, 0.20) + 0.10 * bump(x, y, 0, -0.21, 0.085, 0.065)       # nose
    h += 0.05 * (bump(x, y, -0.08, -0.22, 0.05, 0.045) + bump(x, y, 0.08, -0.22, 0.05, 0.045))
    h -= 0.12 * (bump(x, y, -0.2, 0.1, 0.13, 0.085) + bump(x, y, 0.2, 0.1, 0.13, 0.085))              # sockets
    h += 0.07 * (bump(x, y, -0.2, 0.085, 0.085, 0.06) + bump(x, y, 0.2, 0.085, 0.085, 0.06))          # lids
    h += 0.06 * (bump(x, y, -0.2, 0.23, 0.15, 0.045, 0.12) + bump(x, y, 0.2, 0.23, 0.15, 0.045, -0.12))  # brows
    h += 0.05 * (bump(x, y, 0, -0.345, 0.13, 0.03) + bump(x, y, 0, -0.43, 0.11, 0.04))              # lips
    h -= 0.05 * bump(x, y, 0, -0.385, 0.16, 0.02)
    h += 0.07 * bump(x, y, 0, -0.58, 0.13, 0.09) + 0.05 * (bump(x, y, -0.26, -0.12, 0.14, 0.13) + bump(x, y, 0.26, -0.12, 0.14, 0.13))
    return h, d


def light(height, x, y):
    e = 0.004
    gx = (height(x + e, y) - height(x - e, y)) / (2 * e)
    gy = (height(x, y + e) - height(x, y - e)) / (2 * e)
    lx, ly, lz = -0.45, 0.38, 0.81
    return max(0.0, (lz - lx * gx - ly * gy) / math.sqrt(1 + gx * gx + gy * gy))


def value(x, y):
    back = 0.42 + 0.22 * x + 0.08 * y
    # Neck and shoulders.
    neck = 1 - (x / 0.27) ** 2
    body = 1 - (x / 1.05) ** 2 - ((y + 1.28) / 0.52) ** 2
    v = back
    if body > 0:
        shade = light(lambda a, b: 0.6 * math.sqrt(max(1 - (a / 1.05) ** 2 - ((b + 1.28) / 0.52) ** 2, 0)), x, y)
        v += (0.10 + 0.32 * shade - v) * step(0, 0.03, body)
    if y < -0.4 and neck > 0 and y > -1.0:
        shade = light(lambda a, b: 0.2 * math.sqrt(max(1 - (a / 0.27) ** 2, 0)), x, y)
        v += (0.06 + 0.55 * shade - v) * step(0, 0.08, neck) * step(-0.98, -0.86, y + 0.25 * x * x)
    # Hair behind and above the face.
    hair = 1 - (x / 0.62) ** 2 - ((y - 0.2) / 0.74) ** 2
    if hair > 0 and y > -0.62:
        strand = 0.5 + 0.5 * math.sin(26 * math.atan2(x + 0.1, 1.1 - y) + 3 * y)
        shine = bump(x, y, -0.25, 0.72, 0.28, 0.16, -0.5)
        v += (0.04 + 0.09 * strand + 0.4 * shine - v) * step(0, 0.05, hair) * step(-0.62, -0.5, y)
    h, d = head(x, y)
    fringe = 0.40 + 0.16 * math.cos(4.2 * (x - 0.16)) - 0.9 * max(0.0, abs(x) - 0.3) ** 1.2
    if d > 0 and y < fringe + 0.03:
        face = 0.16 + 0.84 * light(lambda a, b: head(a, b)[0], x, y)
        for side in (-1, 1):
            eye = 1 - ((x - side * 0.2) / 0.105) ** 2 - ((y - 0.085) / 0.042) ** 2
            if eye > 0:
                iris = math.hypot(x - side * 0.2 + 0.012, y - 0.088)
                face += ((0.9 if iris > 0.042 else 0.03) - face) * step(0, 0.25, eye)
                if math.hypot(x - side * 0.2 - 0.004, y - 0.103) < 0.013:
                    face = 1.0
            face -= 0.45 * bump(x, y, side * 0.2, 0.215, 0.13, 0.022, -side * 0.14)
            face -= 0.30 * bump(x, y, side * 0.2, 0.122, 0.115, 0.014)
            face -= 0.35 * bump(x, y, side * 0.05, -0.255, 0.022, 0.014)
        face -= 0.28 * bump(x, y, 0, -0.352, 0.12, 0.022) + 0.14 * bump(x, y, 0, -0.42, 0.10, 0.03) + 0.4 * bump(x, y, 0, -0.385, 0.13, 0.009)
        v += (face - v) * step(0, 0.06, d) * (1 - step(fringe - 0.03, fringe + 0.03, y))
    return min(max(v, 0.0), 1.0)


rows = b""
for j in range(HEIGHT):
    y = 1 - 2 * (j + 0.5) / HEIGHT
    rows += b"\0" + bytes(round(255 * value((2 * (i + 0.5) - WIDTH) / HEIGHT, y - 0.08)) for i in range(WIDTH))


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0))
png += chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
with open(sys.argv[1], "wb") as file:
    file.write(png)
