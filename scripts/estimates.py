#!/usr/bin/env python3
"""Compares what `simreel check` says of a run with the run: its time, the size of its file and its memory.

    scripts/estimates.py build/cuda/bin/simreel [--backend cuda] [--seconds 4] [--cores] [--csv x.csv] [NAME...]

Takes the shipped scenes and some of its own, or those named, each with so few frames that `check` says about
--seconds. Prints a line for each and ends with 1 if a time is off by more than 1.5, a size of a file by more than 2
or memory by more than 1.5. Nothing else should run meanwhile; where it does, --cores compares the seconds that all
cores worked. Memory is that of the host.
"""

import argparse
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FACTORS = {"time": 1.5, "file": 2.0, "memory": 1.5}
# Shipped scenes that take long to begin with, or that differ from another one by numbers only.
LEFT_OUT = {"cavity_re100", "karman", "tiled_100k", "galaxy_tree"}

OWN = {
    "own_pond": """
[solver]
kind = "wave"
grid = [300, 200]
[[solver.droplet]]
""",
    "own_cylinder": """
[solver]
kind = "lbm"
grid = [300, 120]
[solver.boundary]
left = "inlet"
right = "outlet"
[[solver.obstacle]]
center = [70, 60]
radius = 10
""",
    "own_dye": """
[solver]
kind = "lbm"
grid = [240, 160]
viscosity = 0.005
[solver.boundary]
left = "wall"
right = "wall"
top = "moving"
[solver.tracer]
[[solver.tracer.spot]]
position = [120, 120]
radius = 25
""",
    "own_particles": """
[solver]
kind = "lbm"
grid = [240, 100]
reynolds = 100
length = 20
[solver.boundary]
left = "inlet"
right = "outlet"
[[solver.obstacle]]
center = [60, 50]
radius = 10
[[solver.particles]]
from = [0, 10]
to = [0, 90]
count = 20
""",
    "own_bodies": """
[solver]
kind = "nbody"
initial = "file"
file = "cluster.csv"
""",
    "own_planets": """
[solver]
kind = "nbody"
initial = "file"
file = "planets.csv"
G = 39.478
""",
    "own_plummer": """
[solver]
kind = "nbody"
initial = "plummer"
bodies = 3000
[camera]
orbit = 60
""",
    "own_tree": """
[solver]
kind = "nbody"
initial = "disk"
bodies = 20000
method = "tree"
""",
    "own_spots": """
[solver]
kind = "pde"
grid = [200, 120]
[solver.fields.u]
initial = "= 1 + 0.1*noise(x/5, y/5)"
rate = "= lap(u) + 0.5*(0.1 - u + u^2*v)"
[solver.fields.v]
initial = 0.9
rate = "= 20*lap(v) + 0.5*(0.9 - u^2*v)"
""",
    "own_row": """
[solver]
kind = "pde"
grid = [512, 1]
[solver.fields.u]
initial = "= exp(-((x - 150)/20)^2)"
rate = "= 0.5*lap(u) - u*dx(u)"
""",
    "own_space_time": """
[solver]
kind = "pde"
grid = [300, 1]
[solver.fields.u]
initial = "= 0.1*noise(x/5, 0)"
rate = "= u - u^3 + lap(u)"
[figure]
space_time = true
""",
    "own_complex": """
[solver]
kind = "pde"
grid = [160, 160]
[solver.fields.A]
type = "complex"
initial = "= 0.1*noise(x/4, y/4) + 0.1i*noise(x/4 + 40, y/4)"
rate = "= A + (1 + 1i)*lap(A) - (1 - 0.8i)*abs2(A)*A"
[view]
field = "A"
""",
    "own_data": """
[solver]
kind = "data"
files = "grid_%03d.npy"
""",
    "own_figure": """
[solver]
kind = "wave"
grid = [160, 120]
[[solver.droplet]]
[view]
size = [960, 720]
[figure]
axes = "ticks"
colorbar = "right"
title = "A pond"
""",
}


def write_data(folder):
    """The files that scenes above name: bodies that fall together, planets, and 48 grids of 200 x 120 numbers."""
    numbers = random.Random(1)
    rows = ["x,y,z,vx,vy,vz,mass"]
    rows += [",".join(f"{numbers.gauss(0, 1):.6f}" for _ in range(3)) + ",0,0,0,0.0005" for _ in range(2000)]
    (folder / "cluster.csv").write_text("\n".join(rows) + "\n")
    (folder / "planets.csv").write_text(
        "x,y,z,vx,vy,vz,mass,name\n0,0,0,0,0,0,1,Sun\n1,0,0,0,6.283,0,3e-6,Earth\n"
        "1.524,0,0,0,5.09,0,3.2e-7,Mars\n5.203,0,0,0,2.755,0,9.5e-4,Jupiter\n"
    )
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (120, 200), }"
    header = (header + " " * (117 - len(header)) + "\n").encode()
    for step in range(48):
        values = [
            math.sin(0.1 * x + 0.2 * step) * math.cos(0.13 * y - 0.05 * step) for y in range(120) for x in range(200)
        ]
        (folder / f"grid_{step:03}.npy").write_bytes(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<24000f", *values)
        )


def said(program, scene, output, more):
    """What check says; None, and the reason, where it refuses."""
    done = subprocess.run(
        [program, "check", scene, "-o", output, "--json", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr.decode().strip())


def measured(program, scene, output, more):
    """Seconds, seconds of all cores, bytes of the file, and the most memory of the run."""
    start = time.monotonic()
    child = subprocess.Popen(
        [program, "render", scene, "-o", output, "--progress", "none", "--overwrite", *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    text = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(text.strip())
    return seconds, used.ru_utime + used.ru_stime, os.path.getsize(output), used.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--backend", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--cores", action="store_true")
    parser.add_argument("--csv")
    arguments = parser.parse_intermixed_args()
    where = ["--backend", arguments.backend]
    table = ["scene,frames,said_s,took_s,said_cores,cores,said_bytes,bytes,said_memory,memory"]
    off = []
    print(f"{'scene':22} frames   said s  took s ratio   said kB      kB ratio  said MiB   MiB ratio")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_data(folder)
        for own, text in OWN.items():
            (folder / f"{own}.toml").write_text(text.lstrip())
        shipped = [p for p in sorted(ROOT.glob("scenes/*.toml")) if p.stem not in LEFT_OUT]
        for scene in [*shipped, *sorted(folder.glob("*.toml"))]:
            if arguments.names and scene.stem not in arguments.names:
                continue
            output = str(folder / "x.mp4")
            whole, why = said(arguments.program, scene, output, where)
            frames = 0
            if whole is not None:
                share = arguments.seconds / max(whole["estimated_seconds"], 1e-3)
                frames = max(8, min(whole["frames"], round(whole["frames"] * share)))
                whole, why = said(arguments.program, scene, output, [*where, "--frames", str(frames)])
            if whole is None:
                print(f"{scene.stem:22} refused: {why}", flush=True)
                off.append(scene.stem)
                continue
            memory = whole["peak_memory_bytes"] - (whole["memory_bytes"] if arguments.backend == "cuda" else 0)
            try:
                seconds, cores, size, peak = measured(
                    arguments.program, scene, output, [*where, "--frames", str(frames)]
                )
            except RuntimeError as error:
                print(f"{scene.stem:22} failed: {error}", flush=True)
                off.append(scene.stem)
                continue
            said_cores = (whole["trial"] or {"cpu_seconds": math.nan})["cpu_seconds"]
            times = (whole["estimated_seconds"], seconds), (said_cores, cores)
            said_s, took = times[arguments.cores]
            ratios = {
                "time": said_s / took,
                "file": (whole["output_bytes"] or [math.nan])[0] / size,
                "memory": memory / peak,
            }
            wrong = [k for k, ratio in ratios.items() if not 1 / FACTORS[k] <= ratio <= FACTORS[k]]
            off += [scene.stem] if wrong else []
            said_size = (whole["output_bytes"] or [math.nan])[0]
            print(
                f"{scene.stem:22} {frames:6} {said_s:8.2f} {took:7.2f} {ratios['time']:5.2f}"
                f" {said_size / 1e3:9.1f} {size / 1e3:7.1f} {ratios['file']:5.2f} {memory / 2**20:9.0f}"
                f" {peak / 2**20:5.0f} {ratios['memory']:5.2f} {' '.join(wrong)}",
                flush=True,
            )
            table.append(
                f"{scene.stem},{frames},"
                + ",".join(f"{said:.3f},{took:.3f}" for said, took in times)
                + f",{said_size:.0f},{size},{memory:.0f},{peak}"
            )
    if arguments.csv:
        pathlib.Path(arguments.csv).write_text("\n".join(table) + "\n")
    print(f"{len(table) - 1} scenes, {len(off)} outside" + (": " + ", ".join(off) if off else ""))
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
