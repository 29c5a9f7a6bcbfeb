"""`python -m simreel` is the program `simreel`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Optional


_ABSENT = "the program is not there; install the package with pip, or set SIMREEL_PROGRAM"


def _found() -> Optional[str]:
    """The program that SIMREEL_PROGRAM names, or else that of the package, or else one in PATH."""
    inside = Path(__file__).resolve().parent / "bin" / "simreel"
    return os.environ.get("SIMREEL_PROGRAM") or (str(inside) if inside.exists() else shutil.which("simreel"))


def program() -> str:
    """The path of the program; raises UsageError without one."""
    found = _found()
    if not found:
        from ._abi import UsageError
        raise UsageError(_ABSENT)
    return found


def main() -> int:
    """Becomes the program."""
    found = _found()
    # The command that pip installs runs this file: that would never end.
    if found and os.path.realpath(found) != os.path.realpath(sys.argv[0]):
        os.execv(found, ["simreel", *sys.argv[1:]])
    print("simreel: " + _ABSENT, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
