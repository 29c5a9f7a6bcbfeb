"""Names the program of imageio-ffmpeg to the library, which takes it where it needs an ffmpeg and PATH has none."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path


def name_program() -> None:
    found = find_spec("imageio_ffmpeg")
    if found is None or found.origin is None:
        return
    for program in Path(found.origin).parent.glob("binaries/ffmpeg-*"):
        os.environ.setdefault("SIMREEL_FFMPEG_OF_PYTHON", str(program))
