#!/usr/bin/env python3
"""png.py FILE WxH COLOR [X,Y=COLOR]...: a plain picture but for some pixels; a color is V, R,G,B or R,G,B,A, above 255 of 16 bits.
png.py FILE X,Y+N...: adds N to the green of a pixel of a picture of three channels that is there; X,Y alone: prints it, from the lower left."""
import struct, sys, zlib


def read(name):
    data, at, packed = open(name, "rb").read(), 8, b""
    while at < len(data):
        (size,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8 : at + 18])
            assert (depth, color) == (8, 2)
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw, row, rows = zlib.decompress(packed), 3 * width + 1, [bytes(3 * width)]
    for y in range(height):
        method, line = raw[row * y], bytearray(raw[row * y + 1 : row * (y + 1)])
        for i in range(3 * width):
            a, b, c = line[i - 3] if i > 2 else 0, rows[y][i], rows[y][i - 3] if i > 2 else 0
            paeth = min((a, b, c), key=lambda p: abs(a + b - c - p))
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[method]) & 255
        rows.append(line)
    return width, height, 3, rows[1:]


name, what, *rest = sys.argv[1:]
depth = 1
if "x" in what:
    colors = [[int(v) for v in text.split("=")[-1].split(",")] for text in rest]
    colors = [color * 3 if len(color) == 1 else color for color in colors]
    channels, depth = max(map(len, colors)), 1 + (max(map(max, colors)) > 255)
    width, height = map(int, what.split("x"))
    pixel = [b"".join(v.to_bytes(depth, "big") for v in (color + [255])[:channels]) for color in colors]
    rows = [bytearray(pixel[0] * width) for _ in range(height)]
    for text, color in zip(rest[1:], pixel[1:]):
        x, y = map(int, text.split("=")[0].split(","))
        rows[y][len(color) * x : len(color) * (x + 1)] = color
else:
    width, height, channels, rows = read(name)
    for change in [what] + rest:
        place, _, by = change.partition("+")
        x, y = map(int, place.split(","))
        if not by:
            print(*rows[height - 1 - y][3 * x : 3 * x + 3])
            continue
        rows[y][3 * x + 1] = (rows[y][3 * x + 1] + int(by)) & 255
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
head = struct.pack(">IIBBBBB", width, height, 8 * depth, 2 if channels == 3 else 6, 0, 0, 0)
packed = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b""))
