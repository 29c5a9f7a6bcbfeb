"""`python -m simreel` is the program `simreel`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def main() -> int:
    """Becomes the program that SIMREEL_PROGRAM names, or else that of the package, or else one in PATH."""
    inside = Path(__file__).resolve().parent / "bin" / "simreel"
    program = os.environ.get("SIMREEL_PROGRAM") or (str(inside) if inside.exists() else shutil.which("simreel"))
    # The command that pip installs runs this file: that would never end.
    if program and os.path.realpath(program) != os.path.realpath(sys.argv[0]):
        os.execv(program, ["simreel", *sys.argv[1:]])
    print("simreel: the program is not there; install the package with pip, or set SIMREEL_PROGRAM", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
