#!/usr/bin/env python3
"""Makes the tables and plots of validation in docs/solvers/*.md.

Usage: docs/solvers/validate.py SIMREEL [wave|media|lbm|nbody|pde ...]

Every number comes from files that simreel writes (.csv, .npy); this script compares them with what theory or the
literature says, and prints the commands it runs. Needs Python 3.9 and nothing else.
"""

import cmath
import csv
import math
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(tempfile.mkdtemp(prefix="simreel_validate_"))
SIMREEL = None


def render(scene, *outputs, keys):
    """Renders a scene of the repository with other keys and returns what the program said."""
    command = [SIMREEL, "render", str(ROOT / scene), "--overwrite", "--progress", "none"]
    for output in outputs:
        command += ["-o", str(FOLDER / output)]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    shown = shlex.join(word for word in command[1:] if word not in ("--overwrite", "--progress", "none"))
    print("  $ simreel " + shown.replace(str(FOLDER) + "/", "").replace(str(ROOT) + "/", ""), flush=True)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stderr


def rows(name):
    with open(FOLDER / name) as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def array(name, member=None):
    """A .npy file, or one of a .npz file, as a list of rows."""
    data = (FOLDER / name).read_bytes() if member is None else zipfile.ZipFile(FOLDER / name).read(member + ".npy")
    size = struct.unpack("<H", data[8:10])[0]
    head = data[10:10 + size].decode()
    kind = re.search(r"'descr': '<f(\d)'", head).group(1)
    ny, nx = map(int, re.search(r"'shape': \((\d+), (\d+)\)", head).groups())
    values = struct.unpack(f"<{nx * ny}{'f' if kind == '4' else 'd'}", data[10 + size:])
    return [values[y * nx:(y + 1) * nx] for y in range(ny)]


SMALL = {"view.size": "[64,64]", "view.range": "[-1,1]"}


def frames(count, steps, start=0):
    return {"animation.frames": count, "animation.steps_per_frame": steps, "animation.start": start}


def wave():
    print("\nwave: frequency of the mode (1, 1) of the unit square, c = 1; exact: pi sqrt(2) = 4.442882938")
    last = None
    for cells in (15, 31, 63, 127):
        h = 1 / (cells + 1)
        render("scenes/standing_mode.toml", "mode.csv", keys=SMALL | frames(3, 1) | {
            "solver.grid": f"[{cells},{cells}]", "solver.spacing": h, "solver.timestep": h / 2, "solver.damping": 0,
            "solver.mode": "[1,1]", "solver.precision": "double"})
        a, b, c = (row["max_abs"] for row in rows("mode.csv"))
        omega = math.acos((a + c) / (2 * b)) / (h / 2)  # a cosine: u(t - dt) + u(t + dt) = 2 cos(omega dt) u(t)
        error = omega / (math.pi * math.sqrt(2)) - 1
        print(f"| {cells} x {cells} | {omega:.6f} | {error:.2e} | {'' if last is None else f'{last / error:.3f}'} |")
        last = error

    print("\nwave: decay rate of the energy; exact: k = 0.0005")
    render("scenes/standing_mode.toml", "decay.csv", keys=SMALL | frames(401, 20))
    table = rows("decay.csv")
    span = table[-1]["time"] - table[0]["time"]
    print(f"| {-math.log(table[-1]['energy'] / table[0]['energy']) / span:.7f} |")

    print("\nwave: largest relative change of the energy without damping, 10,000 steps, double and float")
    for boundary in ("fixed", "free", "periodic"):
        changes = []
        for precision in ("double", "float"):
            render("scenes/basin.toml", "energy.csv", keys=SMALL | frames(101, 100) | {
                "solver.grid": "[256,256]", "solver.droplet": "[]", "solver.initial": "noise",
                "solver.boundary": boundary, "solver.precision": precision})
            energy = [row["energy"] for row in rows("energy.csv")]
            changes.append(max(abs(e / energy[0] - 1) for e in energy))
        print(f"| {boundary} | {changes[0]:.1e} | {changes[1]:.1e} |")

    print("\nwave: share of the energy of a droplet that absorbing sides leave")
    for position in ("[100,100]", "[60,40]"):
        render("scenes/basin.toml", "absorb.csv", keys=SMALL | frames(9, 100) | {
            "solver.grid": "[201,201]", "solver.boundary": "absorbing",
            "solver.droplet": f"[{{position={position},radius=5}}]"})
        table = rows("absorb.csv")
        print(f"| {position} | " + " | ".join(f"{row['energy'] / table[0]['energy']:.1e}" for row in table[2::2]) + " |")

    print("\nwave: share of its energy that a plane packet leaves at layers of 8, 16 and 24 cells, at angles to their normal")
    angles = ((0, 16), (20, 64), (40, 32), (60, 16), (75, 16), (80, 16), (84, 16))  # and rows, of a period
    for width in (8, 16, 24):
        shares = []
        for degrees, rows_of_period in angles:
            cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            up = 2 * math.pi / rows_of_period if degrees else 0
            k = up / sine if degrees else 0.3
            phase, bell = f"({k * cosine!r} * x + {up!r} * y)", "exp(-((x - 1000) / 240)^2)"
            render("scenes/basin.toml", "layer.csv", keys=SMALL | frames(2, round(4000 / cosine)) | {
                "solver.grid": f"[2000,{rows_of_period}]", "solver.droplet": "[]", "solver.absorber.width": width,
                "solver.initial": f"= {bell} * cos({phase})",
                "solver.initial_velocity":
                    f"= {bell} * ({k!r} * sin({phase}) + {2 * cosine / 240 ** 2!r} * (x - 1000) * cos({phase}))",
                "solver.boundary": '{left="absorbing",right="absorbing",bottom="periodic",top="periodic"}'})
            table = rows("layer.csv")
            shares.append(table[1]["energy"] / table[0]["energy"])
        print(f"| {width} | " + " | ".join(f"{share:.1e}" for share in shares) + " |")

    print("\nwave: share of the energy of a smooth drop that sides of first order and layers leave")
    for x, y in ((100, 100), (60, 40)):
        for name, keys in (("first order", {}), ("layers of 8", {"solver.absorber.width": 8}),
                           ("layers of 16", {"solver.absorber.width": 16})):
            render("scenes/basin.toml", "drop.csv", keys=SMALL | frames(5, 200) | keys | {
                "solver.grid": "[201,201]", "solver.droplet": "[]", "solver.boundary": "absorbing",
                "solver.initial": f"= exp(-((x - {x})^2 + (y - {y})^2) / 25)"})
            table = rows("drop.csv")
            print(f"| [{x}, {y}] | {name} | " + " | ".join(f"{row['energy'] / table[0]['energy']:.1e}" for row in table[2:]) + " |")

    print("\nwave: energy at time 24 of two droplets, which fall at times 0 and 8")
    for timestep in (0.5, 0.25, 0.125, 0.0625):
        energy = []
        for start in ("rest", "kick"):
            drop = f"radius=6,start=\"{start}\""
            render("scenes/basin.toml", "drops.csv", keys=SMALL | frames(2, round(24 / timestep)) | {
                "solver.grid": "[64,64]", "solver.boundary": "fixed", "solver.damping": 0.01,
                "solver.timestep": timestep,
                "solver.droplet": f"[{{position=[20,30],{drop}}},{{time=8,position=[28,36],{drop}}}]"})
            energy.append(rows("drops.csv")[-1]["energy"])
        print(f"| {timestep} | {energy[0]:.6f} | {energy[1]:.4f} |")


def tank(grid, timestep, **keys):
    """Keys of a tank without droplets and damping, in double."""
    return SMALL | {"view.field": "height", "solver.grid": grid, "solver.timestep": timestep, "solver.droplet": "[]", "solver.damping": 0,
                    "solver.precision": "double"} | {f"solver.{key}": value for key, value in keys.items()}


def phase_direction(name, omega, x0, x1, y0, y1):
    """Degrees to the x axis of a packet u = A cos, v = omega A sin, from its phase at neighbouring cells."""
    height, velocity = array(name, "height"), array(name, "velocity")
    wave = [[complex(height[y][x], velocity[y][x] / omega) for x in range(x0, x1)] for y in range(y0, y1)]
    across = sum(b * a.conjugate() for row in wave for a, b in zip(row, row[1:]))
    up = sum(b * a.conjugate() for low, high in zip(wave, wave[1:]) for a, b in zip(low, high))
    return math.degrees(math.atan2(cmath.phase(up), cmath.phase(across)))


def media():
    print("\nwave: refraction from speed 1 to 0.6: angle of incidence, of Snell's law, measured")
    wave = 24
    for degrees in (20, 40, 60):
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        x, y, k = 200 - 110 * cosine, 200 - 110 * sine, 2 * math.pi / wave
        along = f"((x - {x!r}) * {cosine!r} + (y - {y!r}) * {sine!r})"
        bell = f"exp(-((x - {x!r})^2 + (y - {y!r})^2) / 1600)"
        render("scenes/basin.toml", "snell/%d.npz", keys=frames(2, 1, 520) | {"output.fields": '["height","velocity"]'} | tank(
            "[420,400]", 0.5, speed="= if(x < 199.5, 1, 0.6)", initial=f"= {bell} * cos({k!r} * {along})",
            initial_velocity=f"= {bell} * ({k!r} * sin({k!r} * {along}) + {along} / 800 * cos({k!r} * {along}))",
            boundary="absorbing", **{"absorber.width": 12}))
        found = phase_direction("snell/0.npz", k, 205, 405, 14, 386)
        print(f"| {degrees} | {math.degrees(math.asin(0.6 * sine)):.2f} | {found:.2f} |")

    print("\nwave: a hump at a step of the speed from 1: second speed, height reflected, theory, transmitted, theory")
    for second in (0.5, 2):
        bell = "exp(-((x - 800) / 40)^2)"
        render("scenes/basin.toml", "step/%d.npy", keys=frames(1, 1, 2800) | tank(
            "[2400,1]", 0.25, speed=f"= if(x < 1199.5, 1, {second})", boundary="free", initial=f"= {bell}",
            initial_velocity=f"= {bell} * 2 * (x - 800) / 40^2"))
        row = array("step/0.npy")[0]
        left, right = max(row[:1200], key=abs), max(row[1200:], key=abs)
        print(f"| {second} | {left:.4f} | {(second - 1) / (second + 1):.4f} | {right:.4f} | {2 * second / (second + 1):.4f} |")

    print("\nwave: a source that moves with 0.3 of the wave speed: frequency over its own, theory")
    for name, x, expected in (("before it", 370, 1 / 0.7), ("behind it", 30, 1 / 1.3)):
        render("scenes/basin.toml", "doppler/%d.npy", keys=frames(581, 1, 700) | tank(
            "[400,8]", 0.5, source='[{frequency=0.04,position=[0,3.5],x="= 100 + 0.3 * t"}]',
            boundary='{left="absorbing",right="absorbing",bottom="free",top="free"}'))
        heard = [array(f"doppler/{n}.npy")[3][x] for n in range(581)]
        rises = [n + a / (a - b) for n, (a, b) in enumerate(zip(heard, heard[1:])) if a < 0 <= b]
        found = (len(rises) - 1) / ((rises[-1] - rises[0]) * 0.5) / 0.04
        print(f"| {name} | {found:.4f} | {expected:.4f} |")

    print("\nwave: two slits 60 cells apart, wavelength 12, screen at 279 cells: order, angle of the maximum, theory")
    middle, wall, screen = 249.5, 50, 330
    slits = [f'{{shape="rectangle",min=[{wall},{low}],max=[{wall + 1},{high}]}}'
             for low, high in ((0, middle - 33), (middle - 27, middle + 27), (middle + 33, 499))]
    render("scenes/basin.toml", "slit/%d.npy", keys=frames(12, 2, 1122) | tank(
        "[350,500]", 0.5, obstacle=f"[{','.join(slits)}]", boundary="absorbing",
        source=f'[{{shape="line",points=[[25,0],[25,499]],frequency={1 / 12!r}}}]', **{"absorber.width": 12}))
    power = [0.0] * 500
    for n in range(12):
        for y, row in enumerate(array(f"slit/{n}.npy")):
            power[y] += row[screen] ** 2
    across = screen - wall - 1
    # Rayleigh and Sommerfeld's first integral in two dimensions, with the same wave all over both slits.
    def expected_at(y):
        sum = 0
        for place in [side * 30 + 0.5 * n - 2.75 for side in (-1, 1) for n in range(12)]:
            away = math.hypot(across, y - middle - place)
            sum += across / away * cmath.exp(2j * math.pi * away / 12) / math.sqrt(away)
        return abs(sum) ** 2
    theory = [expected_at(y) for y in range(500)]
    with open(FOLDER / "double_slit.csv", "w") as file:
        file.write("angle,measured,theory\n")
        for y in range(14, 486, 3):  # without the layers
            file.write(f"{math.degrees(math.atan2(y - middle, across)):.3f},{power[y] / max(power):.5f},{theory[y] / max(theory):.5f}\n")
    plot = [SIMREEL, "plot", str(FOLDER / "double_slit.csv"), "-x", "angle", "-y", "measured,theory", "--style", "points,line",
            "--xlabel", "angle [$^\\circ$]", "--ylabel", "intensity over the largest", "--width", "120mm", "--height", "70mm",
            "-o", str(ROOT / "docs/solvers/double_slit.svg"), "--overwrite"]
    print("  $ " + shlex.join(plot).replace(str(FOLDER) + "/", "").replace(str(ROOT) + "/", ""))
    subprocess.run(plot, check=True, stderr=subprocess.DEVNULL)
    further = [math.hypot(across, y - middle + 30) - math.hypot(across, y - middle - 30) for y in range(500)]
    for order in range(4):
        y = min(range(500), key=lambda y: abs(further[y] - 12 * order))
        expected = math.degrees(math.atan2(y - middle, across))
        while True:
            higher = max((y - 1, y, y + 1), key=lambda k: power[k])
            if higher == y:
                break
            y = higher
        print(f"| {order} | {math.degrees(math.atan2(y - middle, across)):.1f} | {expected:.1f} |")


def lbm():
    print("\nlbm: Poiseuille flow, largest error of ux over the peak of 0.05, for 8, 16 and 32 cells, double")
    for collision in ("bgk", "trt", "mrt", "central"):
        for viscosity in (0.1, 1.0):
            errors = []
            for cells in (8, 16, 32):
                force = 8 * viscosity * 0.05 / cells ** 2
                render("scenes/poiseuille.toml", "p/%d.npy", keys=SMALL | frames(1, 1, 40 * cells ** 2) | {
                    "view.field": "ux", "solver.grid": f"[4,{cells}]", "solver.collision": collision,
                    "solver.viscosity": viscosity, "solver.force": f"[{force!r},0]"})
                ux = [row[0] for row in array("p/0.npy")]
                exact = [force / (2 * viscosity) * (y + 0.5) * (cells - y - 0.5) for y in range(cells)]
                errors.append(max(abs(a - b) for a, b in zip(ux, exact)) / 0.05)
            print(f"| {collision}, nu = {viscosity} | " + " | ".join(f"{e:.1e}" for e in errors) + " |")

    print("\nlbm: decay rate of Taylor-Green vortices over 2 nu (kx^2 + ky^2), in double, float and half")
    for collision in ("bgk", "trt", "mrt", "central"):
        rates = []
        for precision in ("double", "float", "half"):
            render("scenes/taylor_green.toml", "tg.csv", keys=SMALL | frames(2, 1000, 200) | {
                "solver.grid": "[64,64]", "solver.viscosity": 0.02, "solver.velocity": 0.02,
                "solver.collision": collision, "solver.precision": precision})
            a, b = (row["kinetic"] for row in rows("tg.csv"))
            rates.append(-math.log(b / a) / (1000 * 2 * 0.02 * 2 * (2 * math.pi / 64) ** 2))
        print(f"| {collision} | " + " | ".join(f"{rate:.4f}" for rate in rates) + " |")

    print("\nlbm: lid-driven cavity at Re 100: line, coordinate, Ghia et al., simreel")
    speed = 0.05
    lines = {}
    for field in ("ux", "uy"):
        render("scenes/cavity_re100.toml", "c/%d.npy", keys=SMALL | frames(1, 1, 40000) | {"view.field": field})
        a = array("c/0.npy")
        side = len(a)
        half = side // 2
        lines[field] = [0.5 * (a[k][half - 1] + a[k][half]) if field == "ux" else 0.5 * (a[half - 1][k] + a[half][k])
                        for k in range(side)]
    worst = {"u": 0.0, "v": 0.0}
    for row in csv.reader(line for line in open(ROOT / "tests/physics/ghia_re100.csv") if line[0] != "#"):
        kind, at, expected = row[0], float(row[1]), float(row[2])
        line = lines["ux" if kind == "u" else "uy"]
        place = at * len(line) - 0.5
        low = min(max(int(place), 0), len(line) - 2)
        found = (line[low] + (place - low) * (line[low + 1] - line[low])) / speed
        worst[kind] = max(worst[kind], abs(found - expected))
        print(f"| {kind} | {at:.4f} | {expected:.5f} | {found:.5f} |")
    print(f"largest difference: u {worst['u']:.4f}, v {worst['v']:.4f} of the lid's speed")

    print("\nlbm: cylinder: cells per diameter, steady drag and lift, largest drag and lift of shedding, Strouhal number")
    for diameter in (20,):
        cylinder = {"solver.grid": f"[{22 * diameter},{diameter * 41 // 10}]", "solver.length": diameter,
                    "solver.obstacle.0.center": f"[{2 * diameter - 0.5},{2 * diameter - 0.5}]",
                    "solver.obstacle.0.radius": diameter / 2}
        mean = 0.06 * 2 / 3
        render("docs/solvers/cylinder.toml", "st.csv", keys=SMALL | frames(1, 1, 2000 * diameter) | cylinder)
        row = rows("st.csv")[-1]
        scale = 2 / (mean ** 2 * diameter)
        steady = f"{row['drag'] * scale:.3f} | {row['lift'] * scale:.4f}"
        said = render("docs/solvers/cylinder.toml", "st.csv",
                      keys=SMALL | frames(800, diameter // 2, 2500 * diameter) | cylinder | {"solver.reynolds": 150})
        table = rows("st.csv")
        drag = max(r["drag"] for r in table) * scale
        lift = max(r["lift"] for r in table) * scale
        strouhal = float(re.search(r"Strouhal number ([\d.]+)", said).group(1)) * 3 / 2  # of the mean speed
        print(f"| {diameter} | {steady} | {drag:.3f} | {lift:.3f} | {strouhal:.4f} |")

    print("\nlbm: heat: Nusselt numbers of a layer heated from below (Clever, Busse) and of a cavity (de Vahl Davis)")
    for name, grid, rayleigh, literature in (
            ("layer", (81, 40), 2e3, 1.212), ("layer", (81, 40), 5e3, 2.116), ("layer", (81, 40), 1e4, 2.661),
            ("layer", (81, 40), 2e4, 3.258), ("cavity", (32, 32), 1e3, 1.118), ("cavity", (48, 48), 1e4, 2.243),
            ("cavity", (64, 64), 1e5, 4.519)):
        sides = {"solver.heat.left": "hot", "solver.heat.right": "cold"} if name == "cavity" else {
            "solver.heat.perturbation": 0.1}
        render("scenes/convection.toml", "n.csv", keys=SMALL | frames(1, 1, 40000) | sides | {
            "solver.grid": "[{},{}]".format(*grid), "solver.heat.rayleigh": rayleigh, "solver.heat.prandtl": 0.71,
            "solver.velocity": 0.1})
        row = rows("n.csv")[-1]
        print(f"| {name} | {rayleigh:.0e} | {grid[0]} x {grid[1]} | {literature} | {row['nusselt']:.3f} | "
              f"{row['nusselt_flow']:.3f} |")

    print("\nlbm: two phases: Rayleigh-Taylor, At 0.5, Re 3000: bubble and spike (Fakhari et al. 2017, figure 6)")
    length, unit = 64, 6000  # cells across, and steps in sqrt(length / (At gravity))
    gravity = 2 * length / unit**2
    viscosity = length * math.sqrt(length * gravity) / 3000
    render("scenes/rayleigh_taylor.toml", "rt/%d.npy", keys=frames(7, unit // 2) | {
        "solver.grid": f"[{length},{4 * length}]", "solver.viscosity": viscosity, "solver.precision": "double",
        "solver.phases.gas_viscosity": viscosity, "solver.phases.gravity": gravity, "solver.phases.mobility": 0.02,
        "solver.phases.surface_tension": viscosity * math.sqrt(length * gravity) / 0.26,
        "solver.phases.liquid": f"= y + 0.5 - {2 * length} - {0.1 * length} * cos(2 * pi * (x + 0.5) / nx)"})

    def tip(phase, x, order):  # where the liquid begins in a column, over the width and from the middle
        column = [row[x] for row in phase]
        y = next(y for y in order if column[y] < 0.5 <= column[y + 1])
        return (y + 0.5 + (0.5 - column[y]) / (column[y + 1] - column[y])) / length - 2

    literature = {2: (0.288, -0.371), 4: (0.557, -0.865), 6: (0.833, -1.421)}
    for n, (bubble, spike) in literature.items():
        phase = array(f"rt/{n}.npy")
        print(f"| {n / 2:.0f} | {bubble} | {tip(phase, 0, range(4 * length - 2, 0, -1)):.3f} | {spike} | "
              f"{tip(phase, length // 2, range(4 * length - 1)):.3f} |")


def nbody():
    print("\nnbody: ellipse of eccentricity 0.5, double: distance from the start after a period of 500, 1000, 2000 steps")
    period = 2 * math.pi / math.sqrt(1 + 1e-3)
    for integrator in ("euler", "leapfrog", "rk4"):
        errors = []
        for steps in (500, 1000, 2000):
            render("scenes/solar.toml", "k/%d.npy", keys=frames(2, steps) | {
                "view.size": "[64,64]", "view.trails": 0, "solver.G": 1, "solver.integrator": integrator,
                "solver.timestep": period / steps, "solver.planet": "[{mass=1e-3,eccentricity=0.5}]"})
            a, b = array("k/0.npy"), array("k/1.npy")
            errors.append(math.dist([a[1][i] - a[0][i] for i in range(3)], [b[1][i] - b[0][i] for i in range(3)]))
        print(f"| {integrator} | " + " | ".join(f"{e:.2e}" for e in errors) +
              f" | {math.log2(errors[1] / errors[2]):.2f} |")

    print("\nnbody: figure eight after one period: largest distance of a body from its start, relative change of the energy")
    for integrator in ("leapfrog", "rk4"):
        for precision in ("exact", "double"):
            render("scenes/figure_eight.toml", "f.csv", "f/%d.npy", keys=frames(2, 6000) | {
                "view.size": "[64,64]", "view.trails": 0, "solver.integrator": integrator,
                "solver.precision": precision})
            a, b = array("f/0.npy"), array("f/1.npy")
            away = max(math.dist(p[:3], q[:3]) for p, q in zip(a, b))
            table = rows("f.csv")
            print(f"| {integrator}, {precision} | {away:.1e} | {abs(table[1]['energy'] / table[0]['energy'] - 1):.1e} |")

    print("\nnbody: Plummer model of 2048 bodies to time 10: largest relative change of the energy, change of the momentum")
    for timestep in (0.02, 0.01, 0.005):
        render("scenes/plummer.toml", "pl.csv", keys=frames(11, round(1 / timestep)) | {
            "view.size": "[64,64]", "solver.bodies": 2048, "solver.timestep": timestep})
        table = rows("pl.csv")
        change = max(abs(row["energy"] / table[0]["energy"] - 1) for row in table)
        momentum = max(abs(row[p] - table[0][p]) for row in table for p in ("px", "py", "pz"))
        print(f"| {timestep} | {change:.1e} | {momentum:.0e} |")


def plot(name, *arguments):
    """Writes docs/solvers/NAME from columns of a .csv file."""
    words = ["plot", *arguments, "-o", f"docs/solvers/{name}"]
    print("  $ simreel " + shlex.join(words), flush=True)
    done = subprocess.run([SIMREEL, *words, "--overwrite"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)


def pde():
    operators = ("lap", "lap9", "bilap", "dx", "dxy", "grad2", "diffuse", "advect")
    errors = []
    for n in (16, 32, 64, 128, 256):
        h = 2 * math.pi / n
        render("docs/solvers/operators.toml", "operators.csv", keys={"solver.grid": f"[{n},{n}]", "solver.spacing": h})
        errors.append([h] + [math.sqrt(rows("operators.csv")[0][name]) for name in operators])
    with open(FOLDER / "errors.csv", "w") as out:
        out.writelines(",".join(map(str, row)) + "\n" for row in [("h", *operators), *errors])
    plot("operators.svg", str(FOLDER / "errors.csv"), "-x", "h", "-y", "lap,bilap,dx,diffuse,advect", "--width", "120mm", "--loglog", "--slope", "2:order 2",
         "--slope", "1:order 1", "--ylabel", "error (root mean square)", "--style", "both")
    print("\n| operator | error at 256 x 256 | order from 128 to 256 |\n|---|---|---|")
    for i, name in enumerate(operators, 1):
        print(f"| `{name}` | {errors[-1][i]:.2e} | {math.log2(errors[-2][i] / errors[-1][i]):.3f} |")

    print("\nCoarsening of two liquids: the energy falls as t^(-1/3)")
    render("scenes/cahn_hilliard.toml", "liquids.csv",
           keys={**SMALL, "solver.grid": "[256,256]", **frames(150, 20)})
    late = [row for row in rows("liquids.csv") if row["time"] > 30]
    with open(FOLDER / "late.csv", "w") as out:
        out.writelines(["time,energy\n"] + [f"{row['time']},{row['energy']}\n" for row in late])
    plot("coarsening.svg", str(FOLDER / "late.csv"), "-x", "time", "-y", "energy", "--loglog", "--slope=-0.333:$t^{-1/3}$")
    first = next(row for row in late if row["time"] > 90)
    power = math.log(late[-1]["energy"] / first["energy"]) / math.log(late[-1]["time"] / first["time"])
    print(f"| power from t = {first['time']:.0f} to {late[-1]['time']:.0f} | {power:.3f} |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    SIMREEL = os.path.abspath(sys.argv[1])
    for name in sys.argv[2:] or ("wave", "media", "lbm", "nbody", "pde"):
        {"wave": wave, "media": media, "lbm": lbm, "nbody": nbody, "pde": pde}[name]()
