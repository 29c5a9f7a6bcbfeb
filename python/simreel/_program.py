"""Where program and library are, and the ffmpeg that these need."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Optional

ABSENT = "the program is not there; install the package with pip, or set SIMREEL_PROGRAM"


def beside(name: str) -> Optional[str]:
    """A file of the package, "bin/simreel", or of the prefix in whose lib/python it is installed."""
    package = Path(__file__).resolve().parent
    prefixes = [package] + ([package.parents[2]] if package.parent.parts[-2:] == ("lib", "python") else [])
    return next((str(prefix / name) for prefix in prefixes if (prefix / name).exists()), None)


def found() -> Optional[str]:
    """The program that SIMREEL_PROGRAM names, or else that of the package, or else one in PATH."""
    return os.environ.get("SIMREEL_PROGRAM") or beside("bin/simreel") or shutil.which("simreel")


def not_started(path: str, error: OSError) -> str:
    """Why the program does not start, with a way out."""
    way = ("unset SIMREEL_PROGRAM, or set it to the path of a program simreel" if os.environ.get("SIMREEL_PROGRAM")
           else "install the package again, on a file system that is not mounted noexec")
    return f"{path}: {error.strerror}; {way}"


def name_ffmpeg() -> None:
    """Names the program of imageio-ffmpeg to the library, which takes it where it needs an ffmpeg and PATH has none."""
    package = find_spec("imageio_ffmpeg")
    if package is None or package.origin is None:
        return
    for program in Path(package.origin).parent.glob("binaries/ffmpeg-*"):
        os.environ.setdefault("SIMREEL_FFMPEG_OF_PYTHON", str(program))
