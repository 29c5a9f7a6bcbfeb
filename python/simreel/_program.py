"""Where the program is. Apart from __main__, which Python loads a second time where the package imports it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Optional

ABSENT = "the program is not there; install the package with pip, or set SIMREEL_PROGRAM"


def found() -> Optional[str]:
    """The program that SIMREEL_PROGRAM names, or else that of the package, or else one in PATH."""
    inside = Path(__file__).resolve().parent / "bin" / "simreel"
    return os.environ.get("SIMREEL_PROGRAM") or (str(inside) if inside.exists() else shutil.which("simreel"))


def program() -> str:
    """The path of the program; raises UsageError without one."""
    path = found()
    if not path:
        from ._abi import UsageError
        raise UsageError(ABSENT)
    return path
