#!/usr/bin/env python3
"""arrays.py [FRAMES [PRESET]]: time a frame, of the wall's clock and of all cores, to write a 1080p float32 array to H.264, by simreel's Python package, imageio-ffmpeg fed with bytes that numpy
and matplotlib's colour map made, and matplotlib's FuncAnimation; the same codec, preset, quality and pixel format (libx264, by default medium,
CRF 18, yuv420p), 1920 x 1080. Beside them simreel with its own choice of quality for x264, and with its own codec, h264_fast. Most of a frame's work at presets slower than ultrafast is x264's,
the same for all. Needs numpy, matplotlib and imageio-ffmpeg, PYTHONPATH=python and SIMREEL_LIBRARY, and a quiet machine."""

import os
import sys
import tempfile
import time

import imageio_ffmpeg
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.animation import FFMpegWriter, FuncAnimation

import simreel

WIDTH, HEIGHT, FPS = 1920, 1080, 60
PRESET = sys.argv[2] if len(sys.argv) > 2 else "medium"
# simreel by itself spends more bits than x264 on even areas and on chroma (docs/outputs.md), and so more time.
SAME = {"preset": PRESET, "quality": 18, "options": {"aq-strength": "1", "chromaoffset": "0"}}
Y, X = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)
RADIUS = np.hypot(X - WIDTH / 2, Y - HEIGHT / 2)
KEPT = [np.sin(RADIUS * np.float32(0.03) - np.float32(0.1 * i)).astype(np.float32) for i in range(30)]
matplotlib.rcParams["animation.ffmpeg_path"] = imageio_ffmpeg.get_ffmpeg_exe()


def field(frame):
    return KEPT[frame % len(KEPT)]  # made before, so that only writing is measured


def by_simreel(path, frames, **output):
    keys = {"output." + key: value for key, value in (output or SAME).items()}
    with simreel.Video(path, fps=FPS, size=(WIDTH, HEIGHT), colormap="magma", range=(-1, 1), device="cpu", view=keys) as video:
        for i in range(frames):
            video.write(field(i), time=i)


def by_simreels_choice(path, frames):
    by_simreel(path, frames, preset=PRESET, quality=18)


def by_own_codec(path, frames):
    by_simreel(path, frames, codec="h264_fast")


def by_imageio(path, frames):
    writer = imageio_ffmpeg.write_frames(path, (WIDTH, HEIGHT), fps=FPS, codec="libx264", pix_fmt_in="rgb24", macro_block_size=1, quality=None,
                                         output_params=["-preset", PRESET, "-crf", "18"])
    writer.send(None)
    magma = matplotlib.colormaps["magma"]
    for i in range(frames):
        writer.send(np.ascontiguousarray(magma((field(i)[::-1] + 1) / 2, bytes=True)[..., :3]))
    writer.close()


def by_matplotlib(path, frames):
    figure = plt.figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    axes = figure.add_axes([0, 0, 1, 1], frameon=False)
    image = axes.imshow(field(0), cmap="magma", vmin=-1, vmax=1, origin="lower", animated=True)

    def draw(i):
        image.set_data(field(i))
        return [image]

    FuncAnimation(figure, draw, frames=frames, blit=True).save(
        path, writer=FFMpegWriter(fps=FPS, codec="libx264", extra_args=["-preset", PRESET, "-crf", "18", "-pix_fmt", "yuv420p"]))
    plt.close(figure)


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{frames} frames, preset {PRESET}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        seconds = {}
        for name, write in (("simreel", by_simreel), ("its own quality", by_simreels_choice), ("h264_fast", by_own_codec), ("imageio-ffmpeg", by_imageio), ("matplotlib", by_matplotlib)):
            path = os.path.join(folder, name + ".mp4")
            count = frames if write is not by_matplotlib else max(1, frames // 10)  # ten times slower
            start, cores = time.perf_counter(), sum(os.times()[:4])
            write(path, count)
            seconds[name] = (time.perf_counter() - start) / count
            cores = (sum(os.times()[:4]) - cores) / count
            print(f"{name:15s} {1000 * seconds[name]:8.1f} ms a frame, {seconds[name] / seconds['simreel']:5.2f} x; {1000 * cores:8.1f} ms of cores; "
                  f"{os.path.getsize(path) / count / 1000:.1f} kB a frame", flush=True)


if __name__ == "__main__":
    main()
