"""Files of other programs as scenes: what is wrong in the middle of a series, and memory."""

import numpy as np
import pytest

import simreel


def scene(tmp_path, files, more=""):
    path = tmp_path / "a.toml"
    path.write_text(f'[solver]\nkind = "data"\nfiles = "{files}"\n{more}\n[view]\nsize = [64, 48]\nrange = [0, 20]\n')
    return path


def steps(tmp_path, count=10, shape=(3, 4), dtype="f4"):
    for i in range(count):
        np.save(tmp_path / f"{i:03}.npy", (i + np.arange(np.prod(shape)).reshape(shape) / 12).astype(dtype))


def frames(path):
    return len(path.read_text().splitlines())


@pytest.mark.parametrize("spoil,words", [
    (lambda path: np.save(path, np.zeros((4, 3), "f4")), "005.npy: .*4 x 3.*3 x 4"),
    (lambda path: np.save(path, np.zeros((3, 4), "i4")), "005.npy: it holds numbers that a float does not hold exactly .int32., and .*000.npy does not"),
    (lambda path: path.write_bytes(path.read_bytes()[:150]), "005.npy: the file ends early"),
    (lambda path: path.write_text("nonsense"), "005.npy: not a file that simreel reads"),
])
def test_a_step_that_is_wrong_keeps_the_frames_so_far(tmp_path, spoil, words):
    steps(tmp_path)
    whole = scene(tmp_path, "%03d.npy")
    simreel.render(whole, outputs=tmp_path / "whole.hashes", device="cpu")
    spoil(tmp_path / "005.npy")
    with pytest.raises(simreel.Error, match=words):
        simreel.render(whole, outputs=tmp_path / "a.hashes", device="cpu")
    assert frames(tmp_path / "a.hashes") == 5
    assert (tmp_path / "whole.hashes").read_text().startswith((tmp_path / "a.hashes").read_text())


def test_a_step_that_vanishes_during_the_run(tmp_path):
    steps(tmp_path, 400)

    def remove(done, total):
        if (tmp_path / "399.npy").exists():
            (tmp_path / "399.npy").unlink()

    with pytest.raises(simreel.Error, match="399.npy: there is no such file"):
        simreel.render(scene(tmp_path, "%03d.npy"), outputs=tmp_path / "a.hashes", device="cpu", progress=remove)
    assert frames(tmp_path / "a.hashes") == 399


def anonymous():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon"))


@pytest.mark.parametrize("kind", ["npy", "h5"])
def test_a_long_stream_needs_no_more_memory(tmp_path, kind):
    """A thousand steps along a time axis; the file of 480 MB is full of holes."""
    shape = (1000, 300, 400)
    if kind == "npy":
        np.lib.format.open_memmap(tmp_path / "a.npy", "w+", np.float32, shape)
    else:
        with pytest.importorskip("h5py").File(tmp_path / "a.h5", "w") as file:
            file.create_dataset("v", shape, "f4", chunks=(1, 300, 400))
    seen = {}

    def note(done, total):
        seen[done] = anonymous()

    name = "a.npy" if kind == "npy" else "a.h5:/v"
    result = simreel.render(scene(tmp_path, name), outputs=tmp_path / "a.hashes", device="cpu", progress=note)
    assert result.frames == 1000
    early, late = [seen[k] for k in seen if 100 <= k < 300], [seen[k] for k in seen if k >= 800]
    assert max(late) - max(early) < 5e6  # a step has 0.48 MB
