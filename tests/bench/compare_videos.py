#!/usr/bin/env python3
"""Times `simreel compare` of two videos against `ffmpeg -i X -f null -` decoding both of them.

usage: compare_videos.py SIMREEL [FRAMES [ROUNDS [SIZE]]]        needs ffmpeg

FRAMES (1000) frames of SIZE (1920x1080) of scenes/droplets.toml are rendered as H.264. They are compared with a copy ("identical") and with a
second encoding of every frame a little different ("different": a weak noise over every pixel). Each command runs ROUNDS (3) times, in turn; the shortest
time counts, because other work on the machine only ever adds. Both programs choose their number of threads themselves: one a core.
Prints wall and processor seconds, their ratios, and the machine's load before and after. The time that `compare` takes for SSIM and FLIP of
the worst frame, which it always prints, is part of it.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCENE = Path(__file__).resolve().parents[2] / "scenes/droplets.toml"


def run(command, expected=0):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != expected:
        sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ffmpeg(*arguments):
    return ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", *map(str, arguments)]


def decode(*videos):
    times = [run(ffmpeg("-i", video, "-f", "null", "-")) for video in videos]
    return sum(wall for wall, _ in times), sum(cpu for _, cpu in times)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    frames = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    width, height = map(int, (sys.argv[4] if len(sys.argv) > 4 else "1920x1080").split("x"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first, same, other = folder / "first.mp4", folder / "same.mp4", folder / "other.mp4"
        run([program, "render", str(SCENE), "-o", str(first), "--set", f"animation.frames={frames}",
             "--set", f"view.size=[{width}, {height}]"])
        run(ffmpeg("-i", first, "-c", "copy", same))
        run(ffmpeg("-i", first, "-vf", "noise=alls=6:allf=t", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20",
                   "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_range", "tv", other))
        print(f"{frames} frames of {width}x{height}, {os.cpu_count()} cores, best of {rounds}; "
              f"load before {os.getloadavg()[0]:.1f}")
        cases = {
            "identical": (same, []),
            "different": (other, []),
            "different, --min-psnr 20": (other, ["--min-psnr", "20"]),
        }
        best = {}

        def keep(what, times):
            wall, cpu = best.get(what, times)
            best[what] = min(wall, times[0]), min(cpu, times[1])

        for _ in range(rounds):
            for case, (video, limits) in cases.items():
                if not limits:
                    keep(("decode", video), decode(first, video))
                code = 4 if video == other and not limits else 0
                keep(("compare", case), run([program, "compare", str(first), str(video), *limits], code))
        print(f"{'':26}{'decode both, s':>22}{'compare, s':>22}{'ratio':>16}")
        print(f"{'':26}" + f"{'wall':>11}{'cpu':>11}" * 2 + f"{'wall':>8}{'cpu':>8}")
        for case, (video, _) in cases.items():
            (dw, dc), (cw, cc) = best["decode", video], best["compare", case]
            print(f"{case:26}{dw:11.2f}{dc:11.2f}{cw:11.2f}{cc:11.2f}{cw / dw:8.2f}{cc / dc:8.2f}")
        print(f"load after {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
