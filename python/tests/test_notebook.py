"""A real Jupyter: the notebook in samples/ runs and plays its video; pictures and progress are shown."""

import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("nbconvert")
pytest.importorskip("ipykernel")
NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "samples" / "waves.ipynb"


@pytest.fixture(autouse=True)
def kernel_of_this_python(tmp_path, monkeypatch):
    """The kernel "this", whatever others are installed."""
    kernel = tmp_path / "jupyter" / "kernels" / "this"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(
        {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "this",
         "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("HOME", str(tmp_path))


def test_the_sample_runs_and_shows_a_video(tmp_path):
    (tmp_path / "waves.ipynb").write_text(NOTEBOOK.read_text())
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "--ExecutePreprocessor.kernel_name=this",
         "waves.ipynb"], cwd=tmp_path, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "waves.html").read_text()
    assert "<video controls" in page and "data:video/mp4;base64," in page
    assert (tmp_path / "waves.mp4").stat().st_size > 10000


def test_pictures_and_progress_are_shown(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = ["import numpy as np, simreel\nu = np.outer(np.sin(np.arange(40) / 6), np.cos(np.arange(60) / 9))",
             "simreel.figure('u.png', u)", "simreel.figure(['u.pdf', 'u.svg'], u)", "simreel.figure('v.pdf', u)",
             "simreel.plot('p.svg', u[0], u[1])",
             "simreel.render({'solver.kind': 'wave', 'solver.grid': [32, 24], 'view.size': [64, 48], 'animation.frames': 3},"
             " outputs='w.gif', progress=True)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, kernel_name="this", timeout=120,
                            resources={"metadata": {"path": str(tmp_path)}}).execute()

    def page(cell):
        shown = [output["data"] for output in notebook.cells[cell].outputs if output.output_type == "execute_result"]
        return shown[0].get("text/html", "")

    assert 'src="data:image/png;base64,' in page(1)
    assert 'src="data:image/svg+xml;base64,' in page(2), "the first that a browser shows"
    assert '<a href="v.pdf">v.pdf</a>' in page(3)
    assert 'src="data:image/svg+xml;base64,' in page(4)
    assert 'src="data:image/gif;base64,' in page(5)
    told = "".join(output.get("text", "") for output in notebook.cells[5].outputs if output.output_type == "stream")
    assert "3" in told and "frame" in told, told
