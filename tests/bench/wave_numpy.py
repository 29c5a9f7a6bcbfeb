#!/usr/bin/env python3
"""The wave step in numpy slices beside simreel's, on the same machine in the same minute.

usage: wave_numpy.py SIMREEL [SIDE [THREADS]]        needs numpy (python3-numpy)
"""
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np


def time_numpy(side, seconds=3.0):
    """Cell updates a second of u+ = (2 - k dt) u - (1 - k dt) u- + lambda^2 (u_W + u_E + u_S + u_N - 4 u), float, zeros outside."""
    friction, coupling = np.float32(0.002), np.float32(0.25)
    random = np.random.default_rng(1)
    before, now = (np.zeros((side + 2, side + 2), np.float32) for _ in range(2))
    now[1:-1, 1:-1] = random.uniform(-1, 1, (side, side))
    before[:] = now
    times = []
    while sum(times) < seconds or len(times) < 6:
        start = time.perf_counter()
        u = now[1:-1, 1:-1]
        around = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1]
        before[1:-1, 1:-1] = (2 - friction) * u - (1 - friction) * before[1:-1, 1:-1] + coupling * (around - 4 * u)
        before, now = now, before
        times.append(time.perf_counter() - start)
    assert np.isfinite(now).all()
    return side * side / float(np.median(times[1:]))


def time_simreel(program, side, threads):
    scene = Path(__file__).resolve().parents[2] / "scenes" / "droplets.toml"
    overrides = [f"solver.grid=[{side},{side}]", "solver.initial=noise", "solver.droplet=[]", "solver.rain.rate=0"]
    arguments = [program, "bench", str(scene), "--backend", "cpu", "--threads", str(threads), "--kernels", "naive,tiled", "--json"]
    for override in overrides:
        arguments += ["--set", override]
    result = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    return {row["kernel"]: row["cells_per_second"] for row in result["kernels"]}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    rows = {"numpy": time_numpy(side), **time_simreel(sys.argv[1], side, threads)}
    print(f"wave, {side} x {side}, float, CPU, simreel with {threads} threads, numpy {np.__version__}")
    for name, speed in rows.items():
        print(f"{name:8} {speed / 1e9:8.3f} Gcells/s   {speed / rows['numpy']:6.1f} x numpy")


main()
