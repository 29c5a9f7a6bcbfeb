"""The notebook in samples/ runs, and its page plays the video."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("nbconvert")
pytest.importorskip("ipykernel")
NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "samples" / "waves.ipynb"


def test_the_sample_runs_and_shows_a_video(tmp_path):
    # The kernel of this Python, whatever others are installed.
    kernel = tmp_path / "jupyter" / "kernels" / "this"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(
        {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "this",
         "language": "python"}))
    (tmp_path / "waves.ipynb").write_text(NOTEBOOK.read_text())
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "--ExecutePreprocessor.kernel_name=this",
         "waves.ipynb"], cwd=tmp_path, capture_output=True, text=True, timeout=280,
        env={**os.environ, "JUPYTER_PATH": str(tmp_path / "jupyter"), "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "waves.html").read_text()
    assert "<video controls" in page and "data:video/mp4;base64," in page
    assert (tmp_path / "waves.mp4").stat().st_size > 10000
