#!/usr/bin/env python3
"""Sizes of PNG files by the filters and strategies of deflate that an encoder on a GPU could use, against those of the given files.

  tests/bench/png_strategies.py FILE.png...      8 bits per channel, RGB or RGBA, not interlaced

One row filter for all rows; then Huffman codes without matches (fixed, or made for the picture), runs (RLE), or zlib's usual matches.

Whether such an encoder is worth building follows from runs on a machine with a GPU and 16 cores, of 240 frames of 1080p each:
  1. simreel render SCENE -o p/%06d.png --json     seconds P; outputs[0].encode and .write, summed over threads: E and W
  2. simreel render SCENE -o x.hashes --json       seconds H: drawing, and bytes of a frame over the bus, as an encoder there would have at most
  3. the ratio r that this script prints for the frames of 1.
An encoder on the GPU leaves max(H, W r / 16) of a run at best. It is worth building where P is more than twice that.
"""

import struct
import sys
import zlib

STRATEGIES = {
    "fixed": (zlib.Z_FIXED, 1),
    "huffman": (zlib.Z_HUFFMAN_ONLY, 1),
    "rle": (zlib.Z_RLE, 1),
    "level 1": (zlib.Z_DEFAULT_STRATEGY, 1),
    "level 6": (zlib.Z_DEFAULT_STRATEGY, 6),
}


def paeth(a, b, c):
    pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def load(name):
    """(bytes per pixel, rows, bytes of the compressed data)"""
    with open(name, "rb") as file:
        data = file.read()
    compressed, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            if depth != 8 or colour not in (2, 6) or interlaced:
                sys.exit(f"{name}: not RGB or RGBA of 8 bits per channel")
        if kind == b"IDAT":
            compressed += body
        at += 12 + length
    step = 3 if colour == 2 else 4
    stride, raw, rows, above = width * step, zlib.decompress(compressed), [], bytes(width * step)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for x in range(stride if kind else 0):
            left, corner = (row[x - step], above[x - step]) if x >= step else (0, 0)
            row[x] = row[x] + (0, left, above[x], (left + above[x]) // 2, paeth(left, above[x], corner))[kind] & 255
        rows.append(bytes(row))
        above = row
    return step, rows, len(compressed)


def filtered(rows, step, kind):
    above = bytes(len(rows[0]))
    for row in rows:
        before = above if kind == "up" else bytes(step) + row[:-step]
        yield bytes([2 if kind == "up" else 1]) + bytes(a - b & 255 for a, b in zip(row, before))
        above = row


def main():
    print(f"{'file':<28} {'bytes':>9}  " + " ".join(f"{kind + ' ' + name:>12}" for kind in ("up", "sub") for name in STRATEGIES))
    for name in sys.argv[1:]:
        step, rows, size = load(name)
        ratios = []
        for kind in ("up", "sub"):
            data = b"".join(filtered(rows, step, kind))
            for strategy, level in STRATEGIES.values():
                deflate = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
                ratios.append((len(deflate.compress(data)) + len(deflate.flush())) / size)
        print(f"{name[-28:]:<28} {size:>9}  " + " ".join(f"{ratio:>12.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
