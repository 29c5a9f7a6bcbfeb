#!/usr/bin/env python3
"""figure_matplotlib.py SIMREEL [FRAMES]: what the labels of a frame of 1920 x 1080 cost, beside matplotlib's Agg on the same machine.

simreel: the stage "figure" of --profile on one thread, for axes, colour bar, title, time and scale bar. matplotlib: the same frame as an
animation draws it, with everything kept between frames that may be kept: set_data, set_text and canvas.draw; and the same with blitting of the
field and the time only, as its manual advises.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt

SCENE = """
[solver]
kind = "wave"
grid = [480, 270]
initial = "noise"
[view]
size = [1920, 1080]
range = [-1, 1]
[animation]
frames = {frames}
[figure]
title = "Wave tank"
axes = "ticks"
colorbar = "right"
label = "height (m)"
time = "t = {{time:.2f}} s"
scale_bar = "auto"
"""


def simreel_ms(program, frames):
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "scene.toml"
        scene.write_text(SCENE.format(frames=frames))
        said = subprocess.run([program, "render", scene, "-o", "null:", "-o", f"{folder}/x.hashes", "--backend", "cpu", "--threads", "1",
                               "--profile"], capture_output=True, text=True, check=True)
    stages = dict(re.findall(r"^(\S[^\d\n]*?) +(\d+\.\d+) +\d+%$", said.stdout + said.stderr, re.M))
    return {name: 1000 * float(stages[name]) / frames for name in ("figure", "draw", "convert")}


def matplotlib_ms(frames, blit):
    figure, axes = plt.subplots(figsize=(19.2, 10.8), dpi=100)
    field = np.random.default_rng(1).uniform(-1, 1, (270, 480)).astype(np.float32)
    image = axes.imshow(field, vmin=-1, vmax=1, origin="lower", extent=(0, 480, 0, 270), animated=blit)
    figure.colorbar(image, label="height (m)", extend="both")
    axes.set(xlabel="x (cells)", ylabel="y (cells)")
    axes.set_title("Wave tank", loc="left")
    text = axes.text(1, 1.01, "t = 0.00 s", transform=axes.transAxes, ha="right", animated=blit)
    figure.canvas.draw()
    background = figure.canvas.copy_from_bbox(figure.bbox)
    start = time.perf_counter()
    for frame in range(frames):
        image.set_data(field)
        text.set_text(f"t = {frame / 100:.2f} s")
        if blit:
            figure.canvas.restore_region(background)
            axes.draw_artist(image)
            axes.draw_artist(text)
        else:
            figure.canvas.draw()
        figure.canvas.buffer_rgba()
    elapsed = time.perf_counter() - start
    plt.close(figure)
    return 1000 * elapsed / frames


def main():
    program = sys.argv[1]
    frames = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    stages = simreel_ms(program, frames)
    print(f"simreel, labels        {stages['figure']:8.2f} ms a frame")
    print(f"simreel, whole picture {sum(stages.values()):8.2f} ms a frame (draw {stages['draw']:.2f}, convert {stages['convert']:.2f})")
    print(f"matplotlib {matplotlib.__version__:<11} {matplotlib_ms(frames, False):8.2f} ms a frame (the whole picture)")
    print(f"matplotlib, blitting   {matplotlib_ms(frames, True):8.2f} ms a frame (field and time only)")


if __name__ == "__main__":
    main()
