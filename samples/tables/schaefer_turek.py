#!/usr/bin/env python3
"""The confined cylinder of Schaefer and Turek (1996) at several resolutions, with several collisions.

usage: schaefer_turek.py SIMREEL [--cells 20 40 ...] [--collisions central ...] [--velocity 0.06] [--cases 2D-1 2D-2] [--set KEY=VALUE ...]

Prints the drag and lift coefficients of 2D-1 (Re 20, steady; 5.5795 and 0.01062) and the largest ones of 2D-2 (Re 100; 3.2295 and 0.9839) with the
Strouhal number (0.3017), and their errors. `velocity` is the peak of the inflow. A GPU takes seconds each up to 80 cells a diameter. Needs Python 3.9
and nothing else.
"""
import argparse
import csv
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def render(options, folder, cells, collision, reynolds, start, frames, pace):
    table = folder / "st.csv"
    keys = {"solver.grid": f"[{22 * cells},{cells * 41 // 10}]", "solver.length": cells, "solver.obstacle.0.radius": cells / 2,
            "solver.obstacle.0.center": f"[{2 * cells - 0.5},{2 * cells - 0.5}]", "solver.velocity": options.velocity,
            "solver.collision": collision, "solver.reynolds": reynolds, "animation.start": start, "animation.frames": frames,
            "animation.steps_per_frame": pace}
    command = [options.simreel, "render", str(ROOT / "docs/solvers/cylinder.toml"), "--overwrite", "--progress", "none", "-o", str(table)]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    for setting in options.set:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    with open(table) as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


# Of the upward crossings of the mean.
def frequency(rows, signal):
    mean = sum(signal) / len(signal)
    times = []
    for a, b, low, high in zip(rows, rows[1:], signal, signal[1:]):
        if low < mean <= high:
            times.append(a["step"] + (b["step"] - a["step"]) * (mean - low) / (high - low))
    return (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simreel")
    parser.add_argument("--cells", type=int, nargs="+", default=[20, 40])
    parser.add_argument("--collisions", nargs="+", default=["central"])
    parser.add_argument("--cases", nargs="+", default=["2D-1", "2D-2"])
    parser.add_argument("--velocity", type=float, default=0.06)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    mean = options.velocity * 2 / 3
    with tempfile.TemporaryDirectory(prefix="simreel_st_") as name:
        for cells in options.cells:
            passing = cells / mean  # steps
            scale = 2 / (mean ** 2 * cells)
            for collision in options.collisions:
                for case in options.cases:
                    began = time.time()
                    line = f"{case} {cells:3d} cells, peak {options.velocity}, {collision:7} {' '.join(options.set)}:"
                    try:
                        if case == "2D-1":
                            row = render(options, Path(name), cells, collision, 30, int(80 * passing), 1, 1)[-1]
                            drag, lift = row["drag"] * scale, row["lift"] * scale
                            text = f"drag {drag:.4f} ({drag / 5.5795 - 1:+.2%}), lift {lift:.5f} ({lift / 0.01062 - 1:+.1%})"
                        else:
                            rows = render(options, Path(name), cells, collision, 150, 2 * int(50 * passing), 900, max(2, 2 * int(passing / 100)))
                            drag, lift = (max(row[k] for row in rows) * scale for k in ("drag", "lift"))
                            strouhal = frequency(rows, [row["lift"] for row in rows]) * passing
                            text = (f"largest drag {drag:.4f} ({drag / 3.2295 - 1:+.2%}), largest lift {lift:.4f} ({lift / 0.9839 - 1:+.2%}), "
                                    f"Strouhal number {strouhal:.4f} ({strouhal / 0.3017 - 1:+.2%})")
                    except RuntimeError as error:
                        text = str(error)
                    print(line, text, f"[{time.time() - began:.1f} s]", flush=True)


main()
