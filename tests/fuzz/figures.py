#!/usr/bin/env python3
"""figures.py SIMREEL [SECONDS [FOLDER [SEED]]]: gives the program figures of scenes, data, images and plots that are damaged at random, and scenes of
theirs, for so long. `check` of each must end by itself within 10 s of computing and 2 GiB, without a signal; drawing a page or a video of it may take
longer, but must end soon after SIGTERM. Prints how many were tried and what was found; FOLDER keeps the files of each finding."""

import os, random, re, resource, shutil, signal, struct, subprocess, sys, tempfile, time, zlib
from pathlib import Path

SECONDS, BYTES = 10, 2 << 30

SCENES = {
    "flow.toml": """[solver]\nkind = "lbm"\ngrid = [48, 20]\nvelocity = 0.1\nreynolds = 40\nlength = 6\n[solver.boundary]\nleft = "inlet"\nright = "outlet"
[[solver.obstacle]]\ncenter = [12, 10]\nradius = 3\n[[solver.obstacle]]\nshape = "image"\nfile = "a.png"\nmin = [30, 4]\nmax = [40, 14]\n[solver.tracer]\nstripes = 4
[[solver.particles]]\nfrom = [2, 3]\nto = [2, 17]\ncount = 5\n[view]\nfield = "vorticity"\n[view.particles]\ntrail = 0.5\n[figure]\naxes = "ticks"\ntime = "t = {time}"
[animation]\nframes = 6\nsteps_per_frame = 8\n[[overlay]]\nimage = "a.png"\nheight = "20%"\nfade = 0.1\nfrom = 0\n[[overlay]]\ntext = "x {frame}"\nposition = [9, 9]\n""",
    "pair.toml": """[solver]\nkind = "nbody"\ninitial = "plummer"\nbodies = 60\n[view]\ntrails = 0.1\n[camera]\nfov = 40\n[animation]\nframes = 6
steps_per_frame = 3\n[[camera.key]]\ntime = 0.1\nposition = [0, 0, 9]\n[[overlay]]\nshape = "box"\nposition = [1, 1]\nto = [2, 2]\n""",
    "wave.toml": """[solver]\nkind = "wave"\ngrid = [48, 20]\n[[solver.droplet]]\nposition = [30, 9]\nradius = 4\n[view]\nrange = "symmetric"\n[[view.key]]
time = 0\ncrop = [0, 0, 48, 20]\n[[view.key]]\ntime = 0.1\ncrop = [4, 2, 28, 12]\n[animation]\nframes = 6\nsteps_per_frame = 4\n""",
    "eq.toml": """[solver]\nkind = "pde"\ngrid = [24, 16]\ntimestep = 0.1\n[solver.fields.u]\ninitial = "= sin(x)"\nrate = "= 0.1*lap(u)"\n[animation]\nframes = 5\n""",
}
FIGURE = """[figure]\ncolumns = 2\nwidth = "120mm"\ndpi = 60\ntitle = "All"\nshare = ["x"]\nlabels = "inside"\ngap = "2mm"\nset = ["figure.time=t = {time}"]
[animation]\nframes = 5\nfps = 30\nstep = "frame"\n[output]\ncodec = "h264_fast"\n[[panel]]\nscene = "flow.toml"\nset = ["view.field=tracer"]
[[panel]]\nscene = "flow.toml"\nframe = 2\ntitle = "$x^2$"\n[[panel]]\nscene = "wave.toml"\ntime = 3\nspan = [2, 1]\n[[panel]]\nscene = "pair.toml"
[[panel]]\nscene = "eq.toml"\n[[panel]]\nimage = "a.png"\n[[panel]]\ndata = "d.npy"\n[[panel]]\n[panel.plot]\nlog = "y"\ngrow = true\nxlabel = "$t$"\n[[panel.plot.line]]
file = "t.csv"\nx = "t"\ny = "v"\npanel = "a"\nlabel = "l"\n[panel.plot.x2]\nfactor = 2\nlabel = "b"\n[[overlay]]\ntext = "{frame}"\nat = "lower right"\n[[overlay]]\nimage = "a.png"
height = "10%"\n[[overlay]]\nshape = "arrow"\nposition = [10, 8]\nto = [50, 20]\n"""
VALUES = ["0", "-1", "1", "0.5", "1e308", "-1e308", "1e-308", "nan", "inf", "2147483648", "4611686018427387904", "1e9", "[]", "{}", "true", '""', '"a.png"',
          '"flow.toml"', '"fig.toml"', '"t.csv"', '"big.png"', '"."', '"/dev/zero"', '"= x"', '"all"', '"{time}"', '"\\u0000\\r"', "[0, 0]", "[1e300, -1e300]",
          "[0, 0, 48, 20]", '["view.size=[16384, 16384]"]', '["animation.frames=1000000000000"]', '["view.field=tracer"]', '"10000px"', '"100%"', '"1e9mm"', "'" + "x" * 3000 + "'"]


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\x40" * (width // 2) + b"\xff" * (width - width // 2)) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def npy(columns, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{rows * columns}f", *range(rows * columns))


def mutated(text, rng, others):
    lines = text.split("\n")
    for _ in range(rng.choice([1, 1, 2, 4, 8])):
        at = rng.randrange(len(lines))
        kind = rng.randrange(10)
        if kind < 4:  # another value
            key = re.match(r"\s*([^=\[]+)=", lines[at])
            if key:
                lines[at] = f"{key[1]}= {rng.choice(VALUES)}"
        elif kind == 4:
            lines.insert(at, rng.choice(rng.choice(others).split("\n")))
        elif kind == 5:
            del lines[at:at + rng.choice([1, 3])]
            lines = lines or [""]
        elif kind == 6:  # a piece many times
            piece = lines[at:at + rng.choice([1, 3, 6])]
            times = max(1, 60000 // max(1, sum(map(len, piece)) + len(piece)))
            lines[at:at] = piece * rng.choice([1, 3, 40, times])
        elif kind == 7 and lines[at]:
            spot = rng.randrange(len(lines[at]))
            lines[at] = lines[at][:spot] + chr(rng.choice([0, 9, 34, 39, 91, 93, 0x7f, 0xe9, 0x1f600, rng.randrange(32, 127)])) + lines[at][spot + rng.randrange(2):]
        elif kind == 8:
            lines[at] = re.sub(r"\d+", lambda m: str(rng.choice([0, 1, int(m[0][:9]) * 10, 10 ** rng.randrange(20)])), lines[at])
        else:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)[:65536]


# Runs it; what is wrong with how it ended, and its last words.
def trouble(command, folder, may_take_long):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (4 * BYTES, 4 * BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(folder / "said.txt", "wb") as said:
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL, preexec_fn=limit)
        start, asked = time.monotonic(), None
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            now = time.monotonic() - start
            if may_take_long and now > 4 and asked is None:
                child.send_signal(signal.SIGTERM)
                asked = now
            if now > 6 * SECONDS:
                child.kill()
            time.sleep(0.005)
    child.returncode = status
    computed = usage.ru_utime + usage.ru_stime
    if os.WIFSIGNALED(status) and not (asked and os.WTERMSIG(status) == signal.SIGTERM):
        return f"signal {os.WTERMSIG(status)}" + (f" {time.monotonic() - start:.0f} s after the start" if os.WTERMSIG(status) == 9 else "")
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) not in (0, 1, 2, 3, 143):
        return f"exit code {os.WEXITSTATUS(status)}"
    if usage.ru_maxrss * 1024 > BYTES and not may_take_long:
        return f"{usage.ru_maxrss >> 10} MiB"
    if computed > SECONDS and not may_take_long:
        return f"{computed:.0f} s of computing"
    if asked and time.monotonic() - start - asked > SECONDS:
        return "heard SIGTERM late"
    return ""


def main():
    program = str(Path(sys.argv[1]).resolve())
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3600
    kept = Path(sys.argv[3] if len(sys.argv) > 3 else "build/fuzz/figures")
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
    rng, tried, found = random.Random(seed), 0, 0
    small, big = png(32, 24), png(8000, 8000)
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "big.png").write_bytes(big)
        (folder / "d.npy").write_bytes(npy(12, 8))
        while time.monotonic() < end:
            files = {**SCENES, "fig.toml": FIGURE, "t.csv": "t,v\n0,1\n1,0.5\n2,0.25\n"}
            texts = list(files.values())
            for name in rng.sample(list(files), rng.choice([1, 1, 2])) + ["fig.toml"] * rng.randrange(2):
                files[name] = mutated(files[name], rng, texts)
            for name, text in files.items():
                (folder / name).write_bytes(text.encode("utf-8", "replace"))
            (folder / "a.png").write_bytes(big if rng.random() < 0.05 else small)
            output = rng.choice(["x.svg", "x.png", "x.pdf", "x.mp4", "x.hashes", "f/%d.png"])
            for command, may_take_long in ((["check", "fig.toml", "--backend", "cpu"], False),
                                           (["figure", "fig.toml", "--backend", "cpu", "--threads", "1", "--overwrite", "-o", output], True)):
                tried += 1
                wrong = trouble([program, *command], folder, may_take_long)
                if not wrong:
                    continue
                found += 1
                place = kept / f"{seed}-{tried}"
                shutil.copytree(folder, place, ignore=lambda _, names: [n for n in names if n == "big.png" or n.startswith(("x.", "f"))  and n != "fig.toml" and n != "flow.toml"])
                (place / "command.txt").write_text(f"{wrong}\nsimreel {' '.join(command)}\n")
                print(f"{place}: {wrong}: simreel {' '.join(command)}", flush=True)
                break
            for rest in list(folder.glob("x.*")) + list(folder.glob("f/*")):
                shutil.rmtree(rest, ignore_errors=True) if rest.is_dir() else rest.unlink()
    print(f"{tried} runs, {found} findings, seed {seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
