#!/usr/bin/env python3
"""Flows past a circle and a block of 20 cells at high Reynolds numbers, for long: do they stay finite, smooth and at density 1?

usage: long_flows.py SIMREEL [STEPS [--set KEY=VALUE ...]]

Prints one line a flow: the range of the mean density over the later half, the mean drag coefficient, and zz, the rms amplitude of the grid's shortest
wave (by fourth differences) in the last frame over the velocity, in the field and in the outlet column. 100,000 steps take minutes each on a CPU
and seconds on a GPU. Needs Python 3.9 and nothing else.
"""
import csv
import math
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SCENE = """
[solver]
kind = "lbm"
grid = [400, 160]
velocity = {velocity}
reynolds = {reynolds}
length = 20
[solver.boundary]
left = "inlet"
right = "outlet"
bottom = "wall"
top = "wall"
[[solver.obstacle]]
{body}
[view]
field = "uy"
range = [-0.1, 0.1]
[animation]
frames = 101
steps_per_frame = {pace}
"""
BODIES = {"circle": "center = [100, 79.8]\nradius = 10", "block": 'shape = "rectangle"\nmin = [100, 70]\nmax = [109, 89]'}


def array(file):
    data = file.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    ny, nx = map(int, re.search(rb"'shape': \((\d+), (\d+)\)", data[10:10 + size]).groups())
    kind = re.search(rb"'descr': '<f(\d)'", data[10:10 + size]).group(1)
    values = struct.unpack(f"<{nx * ny}{'f' if kind == b'4' else 'd'}", data[10 + size:])
    return [values[y * nx:(y + 1) * nx] for y in range(ny)]


def zigzag(u, columns, along_y):
    squares = []
    for y in range(2, len(u) - 2):
        for x in columns:
            line = [u[y + k][x] if along_y else u[y][x + k] for k in range(-2, 3)]
            z = (line[0] - 4 * line[1] + 6 * line[2] - 4 * line[3] + line[4]) / 16
            if not math.isnan(z):
                squares.append(z * z)
    return math.sqrt(sum(squares) / len(squares))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    simreel, steps, more = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100000, sys.argv[3:]
    folder = Path(tempfile.mkdtemp(prefix="simreel_long_"))
    for reynolds in (200, 2000, 20000, 1000000):
        for velocity in (0.05, 0.1):
            for name, body in BODIES.items():
                scene = folder / "flow.toml"
                scene.write_text(SCENE.format(velocity=velocity, reynolds=reynolds, body=body, pace=steps // 100))
                done = subprocess.run([simreel, "render", str(scene), "--overwrite", "--progress", "none", "-o", str(folder / "f.csv"),
                                       "-o", str(folder / "f" / "%d.npy"), *more], capture_output=True, text=True)
                flow = f"Re {reynolds:7d}, velocity {velocity:4}, {name:6}:"
                if done.returncode != 0:
                    print(flow, "ended:", done.stderr.strip().splitlines()[-1], flush=True)
                    continue
                with open(folder / "f.csv") as file:
                    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
                late = rows[len(rows) // 2:]
                cells = rows[0]["mass"]
                density = [row["mass"] / cells for row in late]
                drag = sum(row["drag"] for row in late) / len(late) * 2 / (velocity ** 2 * 20)
                u = array(folder / "f" / "100.npy")
                field, column = zigzag(u, range(2, 370), False), zigzag(u, [399], True)
                limit = [line.split(": ", 1)[1] for line in done.stderr.splitlines() if "speed limit" in line]
                print(flow, f"density {min(density):.4f} to {max(density):.4f}, drag {drag:.3f}, zz {field / velocity:.4f}, outlet "
                      f"{column / velocity:.4f}", *limit, flush=True)


main()
