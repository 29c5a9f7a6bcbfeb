#!/usr/bin/env python3
"""Size of the H.264 encoder of kernels/encode against x264 at equal PSNR and at equal SSIM.

  tests/bench/h264_sizes.py build/cpu/bin/h264_bench FRAMES WIDTHxHEIGHT clip.yuv ...

Each clip is raw yuv420p, for example
  simreel render scenes/droplets.toml -o - | ffmpeg -i - -vf 'select=gte(n\\,200)' -f rawvideo droplets.yuv
Needs ffmpeg with libx264. Prints a line per clip and QP: kB a frame, PSNR (average over planes) and SSIM, and the ratio of our
bytes to those that x264's presets ultrafast and veryfast take for the same PSNR (with -tune psnr) and the same SSIM (-tune ssim),
interpolated between CRFs on a logarithmic scale. One key picture a clip on both sides.
"""

import math
import os
import re
import subprocess
import sys
import tempfile

QUALITIES = (20, 26)
CRFS = (6, 10, 14, 18, 22, 26, 30)


def measure(stream, raw, clip, size, frames):
    """PSNR and SSIM of a stream (or raw reconstruction) against the clip."""
    source = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", size]
    command = ["ffmpeg", "-nostdin", "-v", "info"] + (source if raw else []) + ["-i", stream] + source + ["-i", clip]
    command += ["-frames:v", str(frames), "-lavfi", "[0:v]settb=1/60,setpts=N,split[a][b];[1:v]settb=1/60,setpts=N,split[c][d];[a][c]psnr;[b][d]ssim", "-f", "null", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return float(re.search(r"average:([0-9.]+)", text)[1]), -10 * math.log10(max(1e-9, 1 - float(re.search(r"All:([0-9.]+)", text)[1])))


def x264(clip, size, frames, preset, tune, folder):
    """[(bytes, psnr, ssim)] over CRFS."""
    points = []
    out = os.path.join(folder, "x264.264")
    for crf in CRFS:
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", size, "-r", "60", "-i", clip,
                        "-frames:v", str(frames), "-c:v", "libx264", "-preset", preset, "-tune", tune, "-crf", str(crf), "-g", "1000",
                        "-sc_threshold", "0", "-y", out], check=True)
        points.append((os.path.getsize(out), *measure(out, False, clip, size, frames)))
    return points


def bytes_at(points, value, column):
    """Bytes for the value of a metric, between the two nearest points."""
    points = sorted(points, key=lambda point: point[column])
    for low, high in zip(points, points[1:]):
        if low[column] <= value <= high[column]:
            part = (value - low[column]) / max(1e-9, high[column] - low[column])
            return math.exp(math.log(low[0]) + part * (math.log(high[0]) - math.log(low[0])))
    return math.nan


def main():
    bench, frames, size = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    width, height = size.split("x")
    print("clip QP kB/frame PSNR SSIM(dB) | ratio at equal PSNR: ultrafast veryfast | at equal SSIM: ultrafast veryfast")
    with tempfile.TemporaryDirectory() as folder:
        ours, decoded = os.path.join(folder, "ours.264"), os.path.join(folder, "ours.yuv")
        for clip in sys.argv[4:]:
            peers = {(preset, tune): x264(clip, size, frames, preset, tune, folder)
                     for preset in ("ultrafast", "veryfast") for tune in ("psnr", "ssim")}
            for quality in QUALITIES:
                subprocess.run([bench, "cpu", width, height, str(quality), str(frames), clip, ours, decoded], check=True, capture_output=True)
                total = os.path.getsize(ours)
                psnr, ssim = measure(decoded, True, clip, size, frames)
                ratios = [total / bytes_at(peers[preset, tune], value, column)
                          for tune, value, column in (("psnr", psnr, 1), ("ssim", ssim, 2)) for preset in ("ultrafast", "veryfast")]
                print(os.path.basename(clip), quality, f"{total / frames / 1000:.1f} {psnr:.2f} {ssim:.2f} |",
                      "{:.2f} {:.2f} | {:.2f} {:.2f}".format(*ratios), flush=True)


main()
