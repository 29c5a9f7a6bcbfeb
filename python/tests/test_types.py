"""What the package offers tells the types of all that it takes and gives."""

import inspect
import subprocess
import sys

import pytest

import simreel


def functions_of(name):
    member = getattr(simreel, name)
    if inspect.isfunction(member):
        return [member]
    inner = [m.fget if isinstance(m, property) else m for n, m in vars(member).items() if n == "__init__" or n[0] != "_"]
    return [m for m in inner if inspect.isfunction(m)]


@pytest.mark.parametrize("name", simreel.__all__)
def test_types(name):
    for function in functions_of(name):
        signature = inspect.signature(function)
        typed = [p.annotation is not p.empty for p in signature.parameters.values() if p.name != "self"]
        assert all(typed) and signature.return_annotation is not signature.empty, function.__qualname__


MISTAKES = """
simreel.figure("x.pdf", u, lable="u")
simreel.figure("x.pdf", u, label=3)
simreel.figure("x.pdf", u, range=1)
simreel.figure("x.pdf", u, extent=(0, 1))
simreel.figure(u, "x.pdf")
simreel.figure("x.pdf", u[0], u[:, 0], u)
simreel.panels("x.pdf", u, u)
simreel.panels("x.pdf", [u], lable="u")
simreel.figure("x.pdf", u, colorbar=3)
simreel.figure("x.pdf", u, origin="uper")
simreel.figure("x.pdf", u, vectors=u)
simreel.figure("x.pdf", u, view="figure.contours=8")
simreel.figure("x.pdf", u, width=85)
simreel.panels("x.pdf", [u], titles=3)
simreel.panels("x.pdf", [u], titles="a")
simreel.panels("x.pdf", [u], share=["rang"])
simreel.plot("x.pdf", u[0], u[1], xlable="t")
simreel.plot("x.pdf", u[0], u[1], xlim=(0, 1, 2))
simreel.plot("x.pdf", u[0], u[1], loglog=True)
simreel.plot("x.pdf", u[0], u[1], ratio="y/frst")
simreel.plot("x.pdf", u[0], u[1], style="lines")
simreel.plot("x.pdf", u[0], u[1], x2=1000)
simreel.plot("x.pdf", u[0], u[1], legend_at="upper-left")
simreel.plot("x.pdf", u[0], u[1], labels="a")
simreel.plot(u, u[1])
simreel.Video("x.mp4", range="symmetric")
simreel.Video("x.mp4", colormapp="magma")
simreel.Video("x.mp4", fps="60")
simreel.Video(["x.mp4"])
simreel.arrays("a.toml", frame="1")
"""
RIGHT = """
simreel.figure(["x.pdf", "x.svg"], u, label="u", vectors=(u, u), colorbar=True, range=(0, 1), view={"figure.contours": 8})
simreel.plot("x.pdf", u[0], u[1], labels=["a"], xlim=(0, 1), slopes=[2, (1, "$N$")], triangles=[-2.5], x2=(1000, "ms"), style=["line"])
"""


def test_a_type_checker_finds_mistakes(tmp_path):
    pytest.importorskip("mypy")
    head = "import numpy as np\nimport simreel\nu = np.zeros((4, 6))"
    (tmp_path / "a.py").write_text(head + MISTAKES + RIGHT)
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "a.py"], cwd=tmp_path,
                          capture_output=True, text=True)
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if line.startswith("a.py:")}
    assert found == set(range(4, 4 + len(MISTAKES.split("\n")) - 2)), done.stdout


@pytest.mark.parametrize("call", [line for line in MISTAKES.split("\n") if line])
def test_a_mistake_of_type_is_a_usage_error(tmp_path, monkeypatch, call):
    np = pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(simreel.UsageError):
        eval(call, {"simreel": simreel, "u": np.zeros((4, 6))})
    assert not list(tmp_path.iterdir())
