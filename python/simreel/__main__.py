"""`python -m simreel` is the program `simreel`."""

from __future__ import annotations

import os
import sys

from ._program import ABSENT, found, not_started


def main() -> str:
    """Becomes the program; returns why it cannot, for sys.exit."""
    path = found()
    # The command that pip installs runs this file: that would never end.
    if path and os.path.realpath(path) != os.path.realpath(sys.argv[0]):
        try:
            os.execv(path, ["simreel", *sys.argv[1:]])
        except OSError as error:
            return f"simreel: {not_started(path, error)}"
    return f"simreel: {ABSENT}"


if __name__ == "__main__":
    sys.exit(main())
