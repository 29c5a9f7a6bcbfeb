#!/usr/bin/env python3
"""The tree of bodies beside pytreegrav's on the same machine in the same minutes, at equal errors.

usage: tree_pytreegrav.py SIMREEL [BODIES]        needs pytreegrav and numpy (PyPI)

A Plummer model of equal masses without softening. Errors are those of accelerations against direct sums in double over a
sample of bodies: what 99 % of them keep below. For each of our settings the fastest of theirs counts that errs no more.
"""
import json
import subprocess
import sys
import time

import numpy as np
import pytreegrav

ACCURACIES = "coarse", "standard", "fine"
ANGLES = 1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2


def plummer(count):
    random = np.random.default_rng(1)
    radius = 1 / np.sqrt(random.uniform(0, 0.999, count) ** (-2 / 3) - 1)
    direction = random.normal(size=(count, 3))
    return radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None], np.full(count, 1 / count)


def direct(position, mass, targets):
    result = np.empty((len(targets), 3))
    for row, target in enumerate(targets):
        offset = position - position[target]
        squared = np.einsum("ij,ij->i", offset, offset)
        squared[target] = np.inf
        result[row] = (mass / squared**1.5) @ offset
    return result


def theirs(position, mass):
    targets = np.random.default_rng(2).choice(len(mass), 2048, replace=False)
    exact = direct(position, mass, targets)
    rows = []
    for quadrupole in False, True:
        pytreegrav.Accel(position[:1000], mass[:1000], method="tree", quadrupole=quadrupole, parallel=True)  # compiles
        for angle in ANGLES:
            start = time.perf_counter()
            found = pytreegrav.Accel(position, mass, theta=angle, method="tree", quadrupole=quadrupole, parallel=True)
            seconds = time.perf_counter() - start
            error = np.linalg.norm(found[targets] - exact, axis=1) / np.linalg.norm(exact, axis=1)
            rows.append((len(mass) / seconds, float(np.quantile(error, 0.99)), angle, quadrupole))
            print(f"pytreegrav theta {angle:4}{' quadrupole' if quadrupole else '':11}  {rows[-1][0] / 1e6:7.3f} M/s  p99 {rows[-1][1]:.1e}", flush=True)
    return rows


def ours(program, count):
    scene = f'seed = 1\n[solver]\nkind = "nbody"\ninitial = "plummer"\nmethod = "tree"\nbodies = {count}\nsoftening = 0.0\n'
    arguments = [program, "bench", "-", "--backend", "cpu", "--methods", "tree", "--accuracies", ",".join(ACCURACIES), "--json"]
    result = json.loads(subprocess.run(arguments, input=scene, check=True, capture_output=True, text=True).stdout)
    return {row["accuracy"]: (row["bodies_per_second"], row["error_p99"]) for row in result["kernels"]}


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 17
    mine = ours(program, count)
    rows = theirs(*plummer(count))
    for accuracy, (speed, error) in mine.items():
        as_good = [row for row in rows if row[1] <= error]
        print(f"simreel {accuracy:8}  {speed / 1e6:7.3f} M/s  p99 {error:.1e}", end="")
        print(f"  {speed / max(as_good)[0]:.1f} times the fastest as good" if as_good else "  (none of theirs is as good)")


if __name__ == "__main__":
    main()
