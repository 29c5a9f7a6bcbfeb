#!/usr/bin/env python3
"""run.py SIMREEL PAGE [--accept | --quick]: does what a page of docs says, as it stands there, in an empty folder.

A code block whose first line is "# NAME" is that file, and a block of sh is run. The pictures of the page must be what its
commands make; --accept puts them there, large ones with fewer colours. --quick is for a page whose runs are long: scenes have two
small frames, and the pictures must be there. Scripts in Python are run where SIMREEL_LIBRARY names the library.
"""
import importlib.util, os, re, subprocess, sys, tempfile, time
from pathlib import Path

program, page = (Path(name).absolute() for name in sys.argv[1:3])
accept, quick = "--accept" in sys.argv, "--quick" in sys.argv
environment = {**os.environ, "SIMREEL_PROGRAM": str(program), "PYTHONPATH": str(page.parents[1] / "python"),
               "PATH": f"{program.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"}
failures = []


def run(command):
    done = subprocess.run(command, shell=isinstance(command, str), env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        failures.append(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


# Exactly, but for a large one, whose PNG has a palette.
def compare(new, old):
    if accept:
        old.parent.mkdir(exist_ok=True)
        old.write_bytes(new.read_bytes())
        for colors in (256, 128, 64):
            if old.stat().st_size > 50000:
                palette = f"split[a][b];[a]palettegen=max_colors={colors}[c];[b][c]paletteuse=dither=none"
                run(["ffmpeg", "-v", "error", "-y", "-i", new, "-vf", palette, old])
    elif not old.exists():
        failures.append(f"{old} is missing; --accept makes it")
    elif not quick:
        run([program, "compare", old, new] + ["--min-psnr", "35"] * (old.read_bytes()[25] == 3))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    text, absent, left_out = page.read_text(), [], ""
    for language, block in re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL):
        if name := re.match(r"# (\w+\.\w+)\n", block):
            if quick:
                block = re.sub(r"(?m)^size = \[.*?\]", "size = [160, 90]", re.sub(r"(?m)^(frames |steps_per_frame *)= \d+", r"\1= 2", block))
            Path(name[1]).write_text(block)
            modules = re.findall(r"(?:import|,) (\w+)", block.partition("\n\n")[0]) if language == "python" else []
            absent = [module for module in modules if not importlib.util.find_spec(module) and module != "simreel"]
            absent += ["SIMREEL_LIBRARY"] * (bool(modules) and "SIMREEL_LIBRARY" not in os.environ)
        elif language == "sh" and absent:
            print(f"not run without {', '.join(absent)}: {block.strip()}")
            left_out += block
        elif language == "sh":
            began = time.monotonic()
            run("set -e\n" + block)
            print(f"{time.monotonic() - began:5.1f} s  {block.strip()}", flush=True)
    for picture in sorted(set(re.findall(rf"\]\({page.stem}/(\w+\.\w+)\)", text))):
        if Path(picture).stem not in left_out:
            compare(Path(picture), page.parent / page.stem / picture)
sys.exit("\n".join(failures) or 0)
