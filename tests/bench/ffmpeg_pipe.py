#!/usr/bin/env python3
"""Side by side: raw 1080p frames into a video by simreel's encoders, and through a pipe into the ffmpeg program with the
same encoder, preset and quality.

  cmake --build build/cpu --target encode_frames
  tests/bench/ffmpeg_pipe.py build/cpu/bin [FRAMES] [ROUNDS] [SCENE]

The frames are of a scene, scenes/rain.toml if none is named, and lie in memory (/dev/shm). Rounds alternate; what counts is the median of the ratios of
one round. Two figures: frames a second by the clock, which means something on a machine with nothing else to do, and by
CPU time, pipe included, which tells what the clock would say where both keep the machine busy.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT, FPS = 1920, 1080, 30


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(command):
    """Wall and CPU seconds of a shell command, all of its processes together."""
    cpu, wall = children_seconds(), time.monotonic()
    subprocess.run(["bash", "-c", "set -o pipefail; " + command], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - wall, children_seconds() - cpu


def main():
    programs, frames = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 240
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    scene = sys.argv[4] if len(sys.argv) > 4 else os.path.join(os.path.dirname(__file__), "..", "..", "scenes", "rain.toml")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        at = lambda name: os.path.join(folder, name)
        render = [os.path.join(programs, "simreel"), "render", scene, "--progress=none",
                  f"--set=view.size=[{WIDTH},{HEIGHT}]", f"--set=animation.frames={frames}", "-o", at("frames.mkv")]
        subprocess.run(render, check=True, stderr=subprocess.DEVNULL)
        decode = ["ffmpeg", "-v", "error", "-i", at("frames.mkv"), "-f", "rawvideo", "-pix_fmt"]
        for layout in ("rgb24", "rgba"):
            subprocess.run(decode + [layout, at(layout)], check=True)
        matrix = ["-vf", "scale=out_color_matrix=bt709:out_range=tv"]
        subprocess.run(decode[:5] + matrix + decode[5:] + ["yuv420p", at("yuv420p")], check=True)
        os.remove(at("frames.mkv"))

        size = f"{WIDTH} {HEIGHT} {frames} {at('ours.mp4')}"
        ours = {layout: f"{programs}/encode_frames {at(layout)} {layout} {size}" for layout in ("rgba", "yuv420p")}

        def piped(layout):
            convert = "-vf scale=out_color_matrix=bt709:out_range=tv" if layout == "rgb24" else ""
            return (f"cat {at(layout)} | ffmpeg -v error -y -f rawvideo -pix_fmt {layout} -s {WIDTH}x{HEIGHT} -r {FPS} -i - "
                    f"{convert} -c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p {at('theirs.mp4')}")

        pairs = {"rgb": (ours["rgba"], piped("rgb24")), "yuv": (ours["yuv420p"], piped("yuv420p"))}
        found = {name: [] for name in pairs}
        for _ in range(rounds):
            for name, commands in pairs.items():
                found[name].append([measured(command) for command in commands])
        report = {"frames": frames, "load": os.getloadavg()[0], "cores": os.cpu_count()}
        for name, rows in found.items():
            report[name] = {
                "simreel_fps": round(statistics.median(frames / row[0][0] for row in rows), 1),
                "ffmpeg_fps": round(statistics.median(frames / row[1][0] for row in rows), 1),
                "ratio_by_clock": round(statistics.median(row[1][0] / row[0][0] for row in rows), 3),
                "ratio_by_cpu_time": round(statistics.median(row[1][1] / row[0][1] for row in rows), 3),
            }
        report["bytes"] = {name: os.path.getsize(at(f"{name}.mp4")) for name in ("ours", "theirs")}
        print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
