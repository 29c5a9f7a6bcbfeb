#!/usr/bin/env python3
"""A cylinder that turns with the speed of the stream at Reynolds number 100: mean drag and lift, and the Strouhal number.

usage: turning_cylinder.py SIMREEL [--cells 12 24] [--box 40] [--set KEY=VALUE ...]

S. Kang, H. Choi, S. Lee (Physics of Fluids 11 (1999), 3312) and D. Stojkovic, M. Breuer, F. Durst (Physics of Fluids 14 (2002), 3160) have drag
coefficients of 1.104 and 1.108, lift of 2.488 and 2.504. `box` is the side of the square, in diameters; its sides slip. Needs Python 3.9 and nothing else.
"""
import argparse
import csv
import subprocess
import tempfile
import time
from pathlib import Path

SCENE = """
[solver]
kind = "lbm"
grid = [{side}, {side}]
velocity = {velocity}
reynolds = 100
length = {cells}
[solver.boundary]
left = "inlet"
right = "outlet"
bottom = "slip"
top = "slip"
[[solver.obstacle]]
center = [{x}, {y}]
radius = {radius}
rotation = {rotation}
[animation]
start = {start}
frames = 401
steps_per_frame = {pace}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simreel")
    parser.add_argument("--cells", type=int, nargs="+", default=[12, 24])
    parser.add_argument("--box", type=int, default=40)
    parser.add_argument("--velocity", type=float, default=0.05)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="simreel_turn_") as folder:
        for cells in options.cells:
            began, side, passing = time.time(), options.box * cells, cells / options.velocity
            scene, table = Path(folder) / "turn.toml", Path(folder) / "turn.csv"
            scene.write_text(SCENE.format(side=side, velocity=options.velocity, cells=cells, x=side * 3 // 8 - 0.4, y=side // 2 - 0.3, radius=cells / 2,
                                          rotation=2 * options.velocity / cells, start=2 * int(60 * passing),
                                          pace=2 * max(1, int(passing / 20))))
            command = [options.simreel, "render", str(scene), "--overwrite", "--progress", "none", "-o", str(table)]
            for setting in options.set:
                command += ["--set", setting]
            done = subprocess.run(command, capture_output=True, text=True)
            line = f"{cells} cells, box of {options.box} diameters:"
            if done.returncode != 0:
                print(line, done.stderr.strip().splitlines()[-1], flush=True)
                continue
            with open(table) as file:
                rows = list(csv.DictReader(file))
            drag, lift = (sum(float(row[k]) for row in rows) / len(rows) * 2 / (options.velocity ** 2 * cells) for k in ("drag", "lift"))
            said = [text.split(": ", 1)[-1].split(" (")[0] for text in done.stderr.splitlines() if "Strouhal" in text]
            print(line, f"drag {drag:.3f} ({drag / 1.106 - 1:+.1%}), lift {lift:.3f} ({-lift / 2.496 - 1:+.1%})", *said, f"[{time.time() - began:.1f} s]", flush=True)


main()
