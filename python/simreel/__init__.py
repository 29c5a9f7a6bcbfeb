"""simreel: videos, pictures and figures of simulations, without a display.

>>> import simreel
>>> with simreel.Video("x.mp4", fps=60, colormap="magma", range=(0, 1), colorbar=True) as video:
...     for step in range(600):
...         u = advance(u)
...         video.write(u, time=step * dt)
>>> simreel.figure("x.pdf", u, label="$u$ (m/s)")
>>> simreel.render("scene.toml", {"view.colormap": "magma"}, outputs=["a.mp4"])
"""

from __future__ import annotations

from ._abi import Diverged, Error, UsageError, lib as _lib
from ._pages import arrays, figure, panels, plot
from ._program import name_ffmpeg as _name_ffmpeg
from ._result import Result
from ._scene import Comparison, check, compare, render
from ._sweep import sweep
from ._video import Video

__all__ = ["Comparison", "Diverged", "Error", "Result", "UsageError", "Video", "arrays", "check", "compare", "figure",
           "panels", "plot", "render", "sweep"]
__version__: str = _lib.simreel_version().decode()
_name_ffmpeg()
