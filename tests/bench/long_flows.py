#!/usr/bin/env python3
"""Flows past a circle, a block of 20 cells and a car at high Reynolds numbers, for long: do they stay finite, smooth and at density 1?

usage: long_flows.py SIMREEL [--steps N] [--only TEXT] [--stills FOLDER] [--set KEY=VALUE ...]

Prints one line a flow: the range of the mean density over the later half, the mean drag coefficient of that half and the least after the ramp, and
zz, the rms amplitude of the grid's shortest wave (by fourth differences) in the last frame over the velocity, in the field and in the outlet column;
at last in how many frames the limit of the speed acted. "BAD" marks what is not finite, a zz of 0.005 or more, a mean density off by 1 %. --stills
keeps the last frame of each flow. 100,000 steps take minutes each on a CPU and seconds on a GPU. Needs Python 3.9 and nothing else.
"""
import argparse
import array
import csv
import math
import re
import struct
import subprocess
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENE = """
[solver]
kind = "lbm"
grid = {grid}
velocity = {velocity}
reynolds = {reynolds}
length = {length}
[solver.boundary]
left = "inlet"
right = "outlet"
bottom = "{side}"
top = "{side}"
[[solver.obstacle]]
{body}
[view]
field = "vorticity"
colormap = "RdBu"
range = [-{bound}, {bound}]
obstacle = "#303030"
size = {size}
[output]
fields = ["uy"]
[animation]
frames = 101
steps_per_frame = {pace}
"""
CHANNEL = {"grid": [400, 160], "length": 20, "side": "wall", "size": [1200, 480]}
FLOWS = {
    "circle": CHANNEL | {"body": "center = [100, 79.8]\nradius = 10"},
    "block": CHANNEL | {"body": 'shape = "rectangle"\nmin = [100, 70]\nmax = [109, 89]'},
    "car": {"grid": [960, 320], "length": 82, "side": "slip", "size": [1920, 640],
            "body": 'shape = "image"\nfile = "car.png"\nmin = [200, 1]\nmax = [519, 90]'},
}


def field(file):
    with zipfile.ZipFile(file) as archive:
        data = archive.read("uy.npy")
    size = struct.unpack("<H", data[8:10])[0]
    ny, nx = map(int, re.search(rb"'shape': \((\d+), (\d+)\)", data[10:10 + size]).groups())
    values = array.array("f")
    values.frombytes(data[10 + size:])
    return [values[y * nx:(y + 1) * nx] for y in range(ny)]


def root_mean_square(values):
    squares = [z * z for z in values if not math.isnan(z)]
    return math.sqrt(sum(squares) / len(squares))


def along(line):
    return [(a - 4 * b + 6 * c - 4 * d + e) / 16 for a, b, c, d, e in zip(line, line[1:], line[2:], line[3:], line[4:])]


def smoothness(u):
    nx = len(u[0])
    inner = root_mean_square(z for row in u[2:-2] for z in along(row[:nx - 26]))
    return inner, root_mean_square(along([row[-1] for row in u]))


def run(simreel, folder, name, reynolds, velocity, options):
    flow = FLOWS[name]
    scene = folder / "flow.toml"
    scene.write_text(SCENE.format(velocity=velocity, reynolds=reynolds, pace=options.steps // 100,
                                  bound=round(velocity * 6 / flow["length"], 5), **flow))
    command = [simreel, "render", str(scene), "--overwrite", "--progress", "none", "-o", str(folder / "f.csv"), "-o", str(folder / "last.npz")]
    for setting in options.set:
        command += ["--set", setting]
    if options.stills:
        command += ["-o", str(Path(options.stills) / f"{name}_{reynolds}_{velocity}.png")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return "BAD ended: " + done.stderr.strip().splitlines()[-1]
    with open(folder / "f.csv") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    scale = 2 / (velocity ** 2 * flow["length"])
    density = [row["mass"] / rows[0]["mass"] for row in rows[len(rows) // 2:]]
    drag = sum(row["drag"] for row in rows[len(rows) // 2:]) / len(density) * scale
    least = min(row["drag"] for row in rows if row["step"] >= min(max(2000, 3 * flow["grid"][0]), rows[-1]["step"])) * scale
    inner, outlet = (zz / velocity for zz in smoothness(field(folder / "last.npz")))
    limit = [line.split(": ", 1)[-1] for line in done.stderr.splitlines() if "speed limit" in line]
    bad = not inner < 0.005 or not outlet < 0.005 or not max(abs(d - 1) for d in density) < 0.01
    return " ".join([f"{'BAD ' if bad else ''}density {min(density):.4f} to {max(density):.4f}, drag {drag:.3f}, least {least:.3f}, zz {inner:.4f}, "
                     f"outlet {outlet:.4f}", *limit])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simreel")
    parser.add_argument("--steps", type=int, default=100000)
    parser.add_argument("--only", default="")
    parser.add_argument("--stills")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="simreel_long_") as name:
        folder = Path(name)
        (folder / "car.png").write_bytes((ROOT / "scenes/car.png").read_bytes())
        for reynolds in (200, 2000, 20000, 1000000):
            for velocity in (0.05, 0.1):
                for body in FLOWS:
                    flow = f"Re {reynolds:7d}, velocity {velocity:4}, {body:6}:"
                    if options.only in flow:
                        print(flow, run(options.simreel, folder, body, reynolds, velocity, options), flush=True)


main()
