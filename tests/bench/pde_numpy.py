#!/usr/bin/env python3
"""Typed equations in numpy slices beside simreel's, on one core of the same machine in the same minute.

usage: pde_numpy.py PDE_BENCH [SIDE]        needs numpy (python3-numpy)
"""
import re
import subprocess
import sys
import time

import numpy as np

real = np.float32


def lap(u):
    """The five-point Laplacian on a periodic grid."""
    padded = np.pad(u, 1, mode="wrap")
    return padded[1:-1, :-2] + padded[1:-1, 2:] + padded[:-2, 1:-1] + padded[2:, 1:-1] - real(4) * u


def gray_scott(state):
    u, v = state
    reaction = u * v * v
    return (u + (real(0.16) * lap(u) - reaction + real(0.037) * (1 - u)), v + (real(0.08) * lap(v) + reaction - real(0.097) * v))


def cahn_hilliard(state):
    (c,) = state
    return (c + real(0.02) * lap(c * c * c - c - real(0.5) * lap(c)),)


def ginzburg_landau(state):
    def rate(a):
        return a + np.complex64(1 + 0.5j) * lap(a) - np.complex64(1 - 1.3j) * (a.real**2 + a.imag**2) * a

    (a,) = state
    h = real(0.05)
    first = rate(a)
    second = rate(a + h / 2 * first)
    third = rate(a + h / 2 * second)
    return (a + h / 6 * (first + 2 * second + 2 * third + rate(a + h * third)),)


def time_numpy(step, state, seconds=1.5):
    """Cell-steps a second of the core's time."""
    times = []
    while sum(times) < seconds or len(times) < 4:
        start = time.process_time()
        state = step(state)
        times.append(time.process_time() - start)
    assert all(np.isfinite(field).all() for field in state)
    return state[0].size / min(times)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 512
    random = np.random.default_rng(1)
    u, v = (real(0.2) * random.random((side, side), dtype=real) for _ in range(2))
    told = subprocess.run([sys.argv[1], "cpu", "1", str(side)], check=True, capture_output=True, text=True).stdout
    ours = {name: float(speed) * 1e9 for name, speed in re.findall(r"^(\S+),.*; ([0-9.]+) a core", told, re.M)}
    print(f"{side} x {side}, float, one core by its time, in millions of cell-steps a second; numpy {np.__version__}")
    for name, step, state in (
        ("Gray-Scott", gray_scott, (u, v)),
        ("Cahn-Hilliard", cahn_hilliard, (u,)),
        ("Ginzburg-Landau", ginzburg_landau, (u + 1j * v,)),
    ):
        speed = time_numpy(step, state)
        print(f"{name:16} numpy {speed / 1e6:8.1f}   simreel {ours[name] / 1e6:8.1f}   {ours[name] / speed:6.1f} times")


main()
