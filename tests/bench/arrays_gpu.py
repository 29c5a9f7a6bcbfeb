#!/usr/bin/env python3
"""arrays_gpu.py: frames a second of 1920 x 1080 float32 arrays on a GPU (torch, cupy, jax) and in host memory, beside simreel's own wave solver
that draws the same pictures, to outputs that need no pixels (null:), all pixels (.hashes) and a video (h264_fast). Then the bytes that
torch.profiler sees copied between GPU and host in a frame: the field itself must not be among them. Needs torch, PYTHONPATH=python, SIMREEL_LIBRARY,
a GPU with 24 GB free and as much memory of the host. With names of outputs (null, hashes, h264_fast) only the frames a second of these, of arrays on the GPU."""

import json
import os
import sys
import tempfile
import time

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

import simreel

WIDTH, HEIGHT = 1920, 1080
FOLDER = tempfile.mkdtemp(dir="/dev/shm")
OUTPUTS = {"null": ("null:", {}), "hashes": (f"{FOLDER}/x.hashes", {}), "h264_fast": (f"{FOLDER}/x.mp4", {"output.codec": "h264_fast"})}
SCENE = f"""
[solver]
kind = "wave"
grid = [{WIDTH}, {HEIGHT}]
timestep = 0.5
initial = "start.npy"
[view]
colormap = "magma"
range = [-1, 1]
size = [{WIDTH}, {HEIGHT}]
[animation]
fps = 60
frames = 100
steps_per_frame = 2
"""


def own(name, frames):
    path, keys = OUTPUTS[name]
    simreel.render(f"{FOLDER}/scene.toml", {"animation.frames": frames, **keys}, outputs=[path], device="cuda", overwrite=True)


def pushed(name, frames, arrays):
    path, keys = OUTPUTS[name]
    look = {"fps": 60, "size": (WIDTH, HEIGHT), "colormap": "magma", "range": (-1, 1), "device": "cuda", "overwrite": True}
    with simreel.Video(path, view=keys, **look) as video:
        for i in range(frames):
            video.write(arrays[i % len(arrays)], time=i)


def rate(run, few, many):
    """Frames a second between so many frames and so many, which leaves out the start and the end of a run: the median of three."""
    run(50)
    found = []
    for _ in range(3):
        marks = [time.perf_counter()]
        for frames in (few, many):
            run(frames)
            marks.append(time.perf_counter())
        found.append((many - few) / (marks[2] - 2 * marks[1] + marks[0]))
    return sorted(found)[1]


def size_of(name, frames):
    return f", {os.path.getsize(OUTPUTS[name][0]) / frames / 1000:.1f} kB a frame" if name == "h264_fast" else ""


def arrays_of(package):
    if package == "torch":
        return states
    if package == "host":
        return [state.cpu().numpy() for state in states[:32]]
    module = __import__(package)
    return [(module if package == "cupy" else module.dlpack).from_dlpack(state) for state in states]


def copies(label, run, frames):
    run(20)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        run(frames)
        torch.cuda.synchronize()
    seen.export_chrome_trace(f"{FOLDER}/trace.json")
    with open(f"{FOLDER}/trace.json") as trace:
        events = [event for event in json.load(trace)["traceEvents"] if event.get("cat") == "gpu_memcpy"]
    sums = {}
    for event in events:
        sums[event["name"]] = sums.get(event["name"], 0) + event["args"].get("bytes", 0)
    print(f"{label:32}", "; ".join(f"{name}: {bytes_ / frames:.0f} bytes a frame" for name, bytes_ in sums.items()))


with open(f"{FOLDER}/scene.toml", "w") as scene:
    scene.write(SCENE)
y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)
np.save(f"{FOLDER}/start.npy", (0.9 * np.sin(np.hypot(x - WIDTH / 2, y - HEIGHT / 2) * np.float32(0.1))).astype(np.float32))
# The arrays are the states of the solver's own run, so that both encode the same pictures: others are harder or easier to encode.
COUNT = 2200
simreel.render(f"{FOLDER}/scene.toml", {"animation.frames": COUNT}, outputs=[f"{FOLDER}/%06d.npy"], device="cuda")
states = []
for i in range(COUNT):
    states.append(torch.from_numpy(np.load(f"{FOLDER}/{i:06d}.npy")).cuda())
    os.remove(f"{FOLDER}/{i:06d}.npy")

wanted = sys.argv[1:]
for name, few, many in (("null", 200, 4200), ("hashes", 100, 1100), ("h264_fast", 550, COUNT)):
    if wanted and name not in wanted:
        continue
    print(f"{name:10} own solver {rate(lambda n: own(name, n), few, many):8.0f} frames/s{size_of(name, many)}")
    for package in ("torch", "cupy", "jax") if wanted else ("torch", "cupy", "jax", "host"):
        try:
            arrays = arrays_of(package)
        except ImportError:
            continue
        print(f"{name:10} {package:10} {rate(lambda n: pushed(name, n, arrays), few, many):8.0f} frames/s{size_of(name, many)}")
        del arrays
if wanted:
    sys.exit()

print(f"{4 * WIDTH * HEIGHT} bytes are one field, {3 * WIDTH * HEIGHT} its pixels in RGB")
copies("control: fields copied by torch", lambda n: [states[i].cpu() for i in range(n)], 10)
for name in OUTPUTS:
    copies(f"torch arrays to {name}", lambda n: pushed(name, n, states), 100)
host = arrays_of("host")
copies("host arrays to null", lambda n: pushed("null", n, host), 100)
