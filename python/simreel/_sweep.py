"""Many runs of one scene, and a table of how they ended."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _abi
from ._program import ABSENT, found, not_started
from ._scene import _Path, names
from ._toml import toml

Cell = Union[int, float, str, List[Any], None]
READERS: Tuple[Callable[[str], Any], ...] = (int, float, json.loads)  # the last of a list


def _cell(text: str) -> Cell:
    for read in READERS:
        try:
            cell: Cell = read(text)
            return cell
        except ValueError:
            pass
    return text or None


def sweep(scene: _Path, over: Mapping[str, Union[str, Sequence[Any]]], outputs: Union[_Path, Sequence[_Path]], *,
          keys: Optional[Mapping[str, Any]] = None, zip: bool = False, table: Optional[_Path] = None,
          panels: Optional[_Path] = None, jobs: int = 0, device: Union[None, str, int] = None, threads: int = 0,
          overwrite: bool = False) -> Dict[str, List[Cell]]:
    """Renders a scene file with every value of a key together with every value of the others; see docs/sweeps.md.

    >>> table = simreel.sweep("flow.toml", {"solver.viscosity": [0.01, 0.02]}, "out/{solver.viscosity}.mp4")
    >>> pandas.DataFrame(table).plot(x="solver.viscosity", y="drag")

    over: keys and their values, a list or a text as "log:0.001:1:4". zip: the first values together, then the second ones. outputs: with the keys in braces.
    keys: other keys of the scene, of all runs. table: the CSV file of the result; by default sweep.csv beside the
    outputs. panels: a video or page of all runs. jobs: runs at a time; 0: as many as GPUs or cores. device: None, "cpu",
    "cuda" (all GPUs), "cuda:1". Called again, it does what is not done.

    Returns the columns of the table: parameters, output, exit (0, or 3 where the simulation diverged), seconds, and what
    the solver measured last; None is an empty cell. Raises Error if a run failed; the others are done.
    """
    program = found()
    if not program:
        raise _abi.UsageError(ABSENT)
    all_names = names(outputs)
    if not isinstance(scene, (str, os.PathLike)) or "\n" in os.fspath(scene) or not all_names:
        raise _abi.UsageError("a sweep takes the file of a scene and at least one output")
    folder = os.path.dirname(re.split("[{%]", all_names[0])[0])
    result = os.fspath(table) if table is not None else os.path.join(folder, "sweep.csv")
    for key, values in over.items():
        if not isinstance(values, (str, Iterable)):
            raise _abi.UsageError(f"{key}: {values!r} is no list of values; write [{values!r}]")
    chosen = _abi.device_of(device, threads, overwrite)
    command = [program, "sweep", os.fspath(scene), f"--table={result}", f"--jobs={jobs}" * (jobs > 0),
               f"--threads={threads}" * (threads > 0), "--zip" * zip, "--overwrite" * overwrite,
               f"--panels={os.fspath(panels)}" if panels is not None else "",
               ["", "--backend=cpu", "--backend=cuda"][chosen.backend],
               f"--device={chosen.index}" * (chosen.backend == 2 and device not in ("cuda", "gpu"))]
    command += [f"--over={key}={values if isinstance(values, str) else ','.join(map(toml, values))}"
                for key, values in over.items()]
    command += [f"--set={key}={toml(value)}" for key, value in (keys or {}).items()]
    command += [f"--output={name}" for name in all_names]
    try:
        process = subprocess.Popen([word for word in command if word], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, errors="replace")
    except (OSError, ValueError) as error:  # ValueError: a text with a zero
        raise (_abi.Error(not_started(program, error)) if isinstance(error, OSError) else
               _abi.UsageError(f"a sweep: {error}")) from None
    try:
        said = process.communicate()[1]
    except BaseException:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    if process.returncode not in (0, 3):
        kind = _abi.UsageError if process.returncode == 2 else _abi.Error
        told = "\n".join(line for line in said.splitlines() if not line.startswith("info: "))
        raise kind(_abi.in_python(re.sub(r"--(over|zip|table|panels|overwrite)\b", r"\1", told)))
    with open(result, newline="", encoding="utf-8", errors="replace") as file:
        rows = list(csv.reader(file))
    return {name: [_cell(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
