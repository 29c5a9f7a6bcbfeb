#!/usr/bin/env python3
"""The velocity along the vertical middle of a square cavity, in units of its lid's, from an array of simreel's: profile.py ux.npy > u.csv"""

import ast
import struct
import sys

LID = 0.05

with open(sys.argv[1], "rb") as file:
    assert file.read(8)[:6] == b"\x93NUMPY"
    header = ast.literal_eval(file.read(struct.unpack("<H", file.read(2))[0]).decode())
    rows, columns = header["shape"][-2:]
    size = int(header["descr"][2:])
    values = struct.unpack(f"<{rows * columns}{'f' if size == 4 else 'd'}", file.read(rows * columns * size))

print("u,y")
print("0,0")
for y in range(rows):
    # the middle lies between two columns of cells
    u = (values[y * columns + columns // 2 - 1] + values[y * columns + columns // 2]) / 2
    print(f"{u / LID:.5f},{(y + 0.5) / rows:.6f}")
print("1,1")
