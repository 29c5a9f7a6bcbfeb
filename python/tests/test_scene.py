"""Scenes, comparisons, and the program."""

import math
import os
import signal
import subprocess
import sys
import threading

import pytest

import simreel

SCENE = """
[solver]
kind = "wave"
grid = [64, 48]
[view]
size = [64, 48]
range = [-0.1, 0.1]
[animation]
frames = {frames}
"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(SCENE.format(frames=6))
    return path


def test_render(tmp_path, scene):
    told = []
    result = simreel.render(scene, {"view.colormap": "magma", "animation.frames": 4}, outputs=[tmp_path / "a.hashes"],
                            device="cpu", progress=lambda done, total: told.append((done, total)))
    assert result.frames == 4 and result.range == (-0.1, 0.1) and not result.stopped
    assert result.outputs == [str(tmp_path / "a.hashes")] and result.seconds > 0
    assert told[-1] == (4, 4)
    other = simreel.render(scene, {"animation.frames": 4}, outputs=tmp_path / "b.hashes", device="cpu", progress=True)
    assert other.frames == 4
    assert not simreel.compare(tmp_path / "a.hashes", tmp_path / "b.hashes")


def test_mistakes(tmp_path, scene):
    with pytest.raises(simreel.UsageError, match="a.hashes"):
        (tmp_path / "a.hashes").write_text("")
        simreel.render(scene, outputs=tmp_path / "a.hashes", device="cpu")
    with pytest.raises(simreel.UsageError, match="none.toml: cannot read the scene"):
        simreel.check("none.toml")
    with pytest.raises(ValueError, match='unknown key "colormop"'):
        simreel.check(scene, {"view.colormop": 1})
    assert isinstance(simreel.check(scene, outputs="x.mp4", device="cpu"), list)
    if not os.environ.get("CUDA_VISIBLE_DEVICES") and not os.path.exists("/dev/nvidia0"):
        with pytest.raises(simreel.UsageError, match="CUDA"):
            simreel.check(scene, device="cuda")


def test_an_exception_of_progress_ends_the_run(tmp_path, scene):
    def fail(done, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        simreel.render(scene, {"animation.frames": 100000}, outputs=tmp_path / "a.hashes", device="cpu", progress=fail)
    assert (tmp_path / "a.hashes").exists()  # complete up to there


def test_control_c_ends_a_run(tmp_path, scene):
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simreel.render(scene, {"animation.frames": 10000000}, outputs=tmp_path / "a.hashes", device="cpu")
    assert (tmp_path / "a.hashes").exists()


@pytest.fixture
def panels(tmp_path, scene):
    path = tmp_path / "fig.toml"
    path.write_text('[figure]\nwidth = "90mm"\ndpi = 100\ncolumns = 2\nscene = "a.toml"\n[[panel]]\nframe = 0\n'
                    '[[panel]]\nframe = 5\n')
    return path


def test_a_figure_is_that_of_the_program(tmp_path, panels):
    names = [tmp_path / f"fig.{kind}" for kind in ("pdf", "svg", "png")]
    told = []
    result = simreel.figure(panels, names, device="cpu", progress=lambda done, total: told.append((done, total)))
    assert result.outputs == [str(name) for name in names] and told[-1] == (6, 6)
    assert len(result.findings) == 1 and result.findings[0].startswith("2 panels, 1 run of scenes, 89.9 x ")
    for name in names:
        other = name.with_stem("program")
        done = subprocess.run([sys.executable, "-m", "simreel", "figure", str(panels), "-o", str(other), "--backend", "cpu"],
                              capture_output=True, text=True)
        assert done.returncode == 0 and result.findings[0] in done.stderr
        assert name.read_bytes() == other.read_bytes()
    assert simreel.Result(outputs=[str(names[0]), str(names[1])])._repr_html_().startswith('<img src="data:image/svg')


def test_mistakes_of_figures(tmp_path, panels):
    with pytest.raises(simreel.UsageError, match="written as x.pdf, x.svg, x.eps, x.tex or x.png"):
        simreel.figure(panels, tmp_path / "fig.mp4", device="cpu")
    with pytest.raises(simreel.UsageError, match="a figure needs an output"):
        simreel.figure(panels, [], device="cpu")
    (tmp_path / "fig.pdf").write_text("kept")
    with pytest.raises(simreel.UsageError, match="overwrite=True"):
        simreel.figure(panels, tmp_path / "fig.pdf", device="cpu")
    assert (tmp_path / "fig.pdf").read_text() == "kept"
    with pytest.raises(simreel.UsageError, match="none.toml"):
        simreel.figure(tmp_path / "none.toml", tmp_path / "x.pdf")


def test_a_figure_that_ends_early_leaves_nothing(tmp_path, panels):
    def fail(done, total):
        raise LookupError("enough")

    panels.write_text(panels.read_text().replace("frame = 5", "frame = 99999") + 'set = ["animation.frames=100000"]\n')
    with pytest.raises(LookupError, match="enough"):
        simreel.figure(panels, tmp_path / "fig.pdf", device="cpu", progress=fail)
    assert not list(tmp_path.glob("fig.pdf*"))


def test_compare(tmp_path, scene):
    for name, colormap in (("a", "magma"), ("b", "viridis")):
        simreel.render(scene, {"view.colormap": colormap}, outputs=tmp_path / f"{name}.png", device="cpu")
    same = simreel.compare(tmp_path / "a.png", tmp_path / "a.png")
    assert same and same.identical == same.pairs == 1 and math.isinf(same.psnr)
    other = simreel.compare(tmp_path / "a.png", tmp_path / "b.png")
    assert not other and other.different == 1 and other.max_diff > 0 and other.first and other.ssim < 1
    assert simreel.compare(tmp_path / "a.png", tmp_path / "b.png", max_diff=255)
    with pytest.raises(simreel.UsageError, match="max_pixels is 3"):
        simreel.compare(tmp_path / "a.png", tmp_path / "b.png", max_pixels=3)


def test_the_program():
    done = subprocess.run([sys.executable, "-m", "simreel", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and simreel.__version__ in done.stdout
    assert subprocess.run([sys.executable, "-m", "simreel", "nonsense"], capture_output=True).returncode == 2


def test_values_of_scenes():
    from simreel._toml import toml
    assert toml([1, 2.5, True, 'a "b"\n']) == '[1, 2.5, true, "a \\"b\\"\\n"]'
    assert toml({"a": (1, 2)}) == "{ a = [1, 2] }"
    assert toml(float("-inf")) == "-inf"
    with pytest.raises(simreel.UsageError):
        toml(object())
