"""`python -m simreel` is the program `simreel`."""

from __future__ import annotations

import os
import sys

from ._program import ABSENT, found


def main() -> int:
    """Becomes the program."""
    path = found()
    # The command that pip installs runs this file: that would never end.
    if path and os.path.realpath(path) != os.path.realpath(sys.argv[0]):
        os.execv(path, ["simreel", *sys.argv[1:]])
    print("simreel: " + ABSENT, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
