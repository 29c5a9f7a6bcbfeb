#!/usr/bin/env python3
"""The D2Q9 step (BGK, periodic) in numpy beside simreel's, on the same machine in the same minute.

usage: lbm_numpy.py SIMREEL [SIDE [THREADS]]        needs numpy (python3-numpy)
"""
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

EX = np.array([0, 1, -1, 0, 0, 1, -1, 1, -1])
EY = np.array([0, 0, 0, 1, -1, 1, -1, -1, 1])
W = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36], np.float32)


def step(f, omega):
    """Streams and collides f in place: rolls, sums and one pass a velocity, as one writes it in numpy."""
    for i in range(1, 9):
        f[i] = np.roll(f[i], (EY[i], EX[i]), (0, 1))
    rho = f.sum(0)
    ux = (f[1] - f[2] + f[5] - f[6] + f[7] - f[8]) / rho
    uy = (f[3] - f[4] + f[5] - f[6] - f[7] + f[8]) / rho
    base = 1 - np.float32(1.5) * (ux * ux + uy * uy)
    for i in range(9):
        eu = np.float32(EX[i]) * ux + np.float32(EY[i]) * uy
        f[i] += omega * (W[i] * rho * (base + eu * (3 + np.float32(4.5) * eu)) - f[i])


def time_numpy(side, seconds=3.0):
    random = np.random.default_rng(1)
    f = W[:, None, None] * (1 + random.uniform(-0.01, 0.01, (1, side, side)).astype(np.float32))
    omega = np.float32(1 / 0.56)
    times = []
    while sum(times) < seconds or len(times) < 4:
        start = time.perf_counter()
        step(f, omega)
        times.append(time.perf_counter() - start)
    assert np.isfinite(f).all() and f.dtype == np.float32
    return side * side / float(np.median(times[1:]))


def time_simreel(program, side, threads, precision):
    scene = Path(__file__).resolve().parents[2] / "scenes" / "taylor_green.toml"
    overrides = [f"solver.grid=[{side},{side}]", "solver.viscosity=0.02", f"solver.precision={precision}"]
    arguments = [program, "bench", str(scene), "--backend", "cpu", "--threads", str(threads), "--json"]
    for override in overrides:
        arguments += ["--set", override]
    result = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    return result["kernels"][0]["cells_per_second"], result["kernels"][0]["fraction_of_copy"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    numpy = time_numpy(side)
    print(f"D2Q9, {side} x {side}, CPU, simreel with {threads} threads, numpy {np.__version__}")
    print(f"{'numpy, float':16} {numpy / 1e6:8.1f} M updates/s")
    for precision in ["float", "double", "half"]:
        speed, fraction = time_simreel(sys.argv[1], side, threads, precision)
        print(f"{'simreel, ' + precision:16} {speed / 1e6:8.1f} M updates/s   {speed / numpy:6.1f} x numpy   {fraction:.2f} of a copy")


main()
