#!/usr/bin/env python3
"""Computes pde_limits.csv with SciPy: the largest stable steps of the systems in pde_limits.txt.

Each system is integrated on its grid by LSODA or RK45. At 40 times on the way, closer at the beginning, the eigenvalues
of the whole Jacobian are taken; a step is stable if no mode that decays or oscillates grows in it."""

import csv
import pathlib
import re
import tomllib

import numpy as np
from scipy.integrate import solve_ivp

HERE = pathlib.Path(__file__).parent


def chebyshev(z, s=8):
    w0 = 1 + 2 / 13 / s**2
    T = np.polynomial.chebyshev.Chebyshev.basis(s)
    d1, d2 = T.deriv(1)(w0), T.deriv(2)(w0)
    b = d2 / d1**2
    return 1 - b * T(w0) + b * np.polynomial.chebyshev.chebval(w0 + d1 / d2 * z, [0] * s + [1])


def series(order):
    return lambda z: sum(z**k / np.prod(np.arange(1.0, k + 1)) for k in range(order + 1))


SCHEMES = {"euler": series(1), "heun": series(2), "rk4": series(4), "rkc2": chebyshev}


def system(keys):
    nx, ny = keys["grid"]
    mode = "edge" if keys.get("boundary") == "free" else "wrap"

    def at(u, x, y):
        return np.pad(u, 3, mode=mode)[3 + y : 3 + y + ny, 3 + x : 3 + x + nx]

    def lap(u):
        return at(u, 1, 0) + at(u, -1, 0) + at(u, 0, 1) + at(u, 0, -1) - 4 * u

    def dx(u):
        return (at(u, 1, 0) - at(u, -1, 0)) / 2

    def dy(u):
        return (at(u, 0, 1) - at(u, 0, -1)) / 2

    def diffuse(D, u):
        return sum((at(D, *o) + D) / 2 * (at(u, *o) - u) for o in ((1, 0), (-1, 0), (0, 1), (0, -1)))

    def advect(a, b, u):
        return (max(a, 0) * (u - at(u, -1, 0)) + min(a, 0) * (at(u, 1, 0) - u)
                + max(b, 0) * (u - at(u, 0, -1)) + min(b, 0) * (at(u, 0, 1) - u))

    y, x = np.mgrid[0:ny, 0:nx].astype(float)
    names = dict(x=x, y=y, nx=nx, ny=ny, pi=np.pi, sin=np.sin, cos=np.cos, exp=np.exp, lap=lap, dx=dx, dy=dy,
                 bilap=lambda u: lap(lap(u)), dxx=lambda u: at(u, 1, 0) + at(u, -1, 0) - 2 * u,
                 grad2=lambda u: dx(u)**2 + dy(u)**2, diffuse=diffuse, advect=advect, abs2=lambda u: abs(u)**2)

    def value(text, **more):
        if not isinstance(text, str):
            return text
        python = re.sub(r"(\d)i\b", r"\1j", text.removeprefix("=").strip().replace("^", "**"))
        return eval(python, {"__builtins__": {"max": max, "min": min}}, {**names, **more})

    names.update({name: value(text) for name, text in keys.get("parameters", {}).items()})
    fields = keys["fields"]
    complex_ = {name: field.get("type") == "complex" for name, field in fields.items()}
    texts = {name: compile(re.sub(r"(\d)i\b", r"\1j", field["rate"].removeprefix("=").strip().replace("^", "**")), name,
                           "eval") for name, field in fields.items()}

    def pack(values):
        flat = []
        for name, u in values.items():
            u = np.broadcast_to(u, (ny, nx))
            flat += [np.real(u).ravel(), np.imag(u).ravel()] if complex_[name] else [np.real(u).ravel()]
        return np.concatenate(flat).astype(float)

    def rates(t, flat):
        state, rest = {}, flat.reshape(-1, ny, nx)
        for name in fields:
            state[name], rest = (rest[0] + 1j * rest[1], rest[2:]) if complex_[name] else (rest[0], rest[1:])
        scope = {**names, **state, "t": t}
        return pack({name: eval(code, {"__builtins__": {}}, scope) for name, code in texts.items()})

    return rates, pack({name: value(field["initial"]) for name, field in fields.items()})


def eigenvalues(rates, t, u):
    step = 1e-6 * np.maximum(abs(u), 1e-4)
    columns = [(rates(t, u + d) - rates(t, u - d)) for d in np.diag(step)]
    return np.linalg.eigvals(np.array(columns).T / (2 * step))


def limit(growth, eigen):
    """The largest step that no mode of any of these sets outgrows."""
    modes = np.concatenate(eigen)
    modes = modes[(modes.real < 1e-6 * abs(modes)) & (abs(modes) > 1e-6)]
    steps = 0.3 / abs(modes).max() * 1.004 ** np.arange(1500)
    z = np.outer(steps, modes)
    bad = ((abs(growth(z)) > 1 + 1e-5) & (abs(z) > 0.5)).any(axis=1)
    return steps[bad.argmax()] if bad.any() else np.inf


def main():
    rows = []
    for block in (HERE / "pde_limits.txt").read_text().split("\n== ")[1:]:
        head, text = block.split("\n", 1)
        name, schemes, end = head.split()
        keys = tomllib.loads("[solver]\n" + text)["solver"]
        rates, u = system(keys)
        times = float(end) * np.linspace(0, 1, 40) ** 2
        for method in ("LSODA", "RK45"):
            run = solve_ivp(rates, (0, times[-1]), u, method=method, t_eval=times, rtol=1e-6, atol=1e-9)
            if run.success and np.isfinite(run.y).all():
                break
        assert run.success, (name, run.message)
        eigen = [eigenvalues(rates, t, u) for t, u in zip(run.t, run.y.T)]
        for scheme in schemes.split(","):
            rows.append((name, scheme, f"{limit(SCHEMES[scheme], eigen):.4g}"))
            print(*rows[-1], flush=True)
    with open(HERE / "pde_limits.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("system", "scheme", "largest stable step"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
