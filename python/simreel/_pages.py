"""Figures, plots and panels of arrays, and the arrays of a run."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _abi, _scene
from ._program import not_started, program
from ._result import Result
from ._toml import document
from ._video import expect_known

_Path = Union[str, "os.PathLike[str]"]
_Names = Union[_Path, Sequence[_Path]]
_Look = Optional[Mapping[str, Any]]


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise _abi.UsageError("this needs numpy: python -m pip install numpy") from None
    return numpy


def _unit_of(array: Any) -> str:
    """The unit of an xarray object or its coordinate, as a label has it: "m s$^{-1}$", "°E"; empty if it has none."""
    unit = str(getattr(array, "attrs", {}).get("units", ""))
    known = {"degrees_east": "°E", "degrees_north": "°N", "degrees": "°", "1": ""}
    return known.get(unit, re.sub(r"(?<=[A-Za-z])(-\d+)(?=$|[ ./])", r"$^{\1}$", unit))


def _axis_of(array: Any, which: int) -> Optional[Tuple[float, float, str, str]]:
    """The ends, the name and the unit of an axis of an xarray object, where its coordinates are even; None of others."""
    names, coordinates = getattr(array, "dims", None), getattr(array, "coords", None)
    if names is None or coordinates is None or names[which] not in coordinates:
        return None
    coordinate = coordinates[names[which]]
    values = _numpy().asarray(coordinate, dtype=float)
    if values.size < 2:
        return None
    step = (values[-1] - values[0]) / (values.size - 1)
    if not abs(_numpy().diff(values) - step).max() <= 1e-3 * abs(step):
        raise _abi.UsageError(f'the coordinate "{names[which]}" is not even; write the object to a file of NetCDF, whose '
                              'uneven coordinates simreel knows, or take its .values')
    return values[0] - step / 2, values[-1] + step / 2, str(names[which]), _unit_of(coordinate)


def _labelled(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit and name else name or unit


def placed(array: Any) -> Tuple[Any, Optional[List[float]], Dict[str, str]]:
    """A field of xarray with rising coordinates, its extent, and the labels of bar and axes; others as they are."""
    if not hasattr(array, "dims") or not hasattr(array, "coords") or len(array.dims) != 2:
        return array, None, {}
    y, x = _axis_of(array, 0), _axis_of(array, 1)
    values = _numpy().asarray(array)
    name = array.attrs.get("long_name") or array.name
    label = {"figure.label": _labelled(str(name or ""), _unit_of(array))}
    if x and x[0] > x[1]:
        values, x = values[:, ::-1], (x[1], x[0], *x[2:])
    if y and y[0] > y[1]:
        values, y = values[::-1], (y[1], y[0], *y[2:])
    if not x or not y:
        return values, None, label
    # Kilometres above degrees have no common scale.
    shape = {"figure.aspect": "auto"} if x[3] and y[3] and x[3].rstrip("EN") != y[3].rstrip("EN") else {}
    return values, [x[0], x[1], y[0], y[1]], {**label, **shape, "figure.xlabel": _labelled(*x[2:]),
                                              "figure.ylabel": _labelled(*y[2:])}


def look_of(colormap: Optional[str], range: Any, label: Optional[str], colorbar: Any, title: Optional[str],
            extent: Any, view: _Look) -> Dict[str, Any]:
    """Keys of a scene of arguments."""
    keys: Dict[str, Any] = {}
    for key, value in (("view.colormap", colormap), ("view.range", range), ("figure.label", label),
                       ("figure.colorbar", "right" if colorbar is True else colorbar or None),
                       ("figure.title", title), ("figure.extent", extent)):
        if value is not None:
            keys[key] = list(value) if isinstance(value, tuple) else value
    for key, value in (view or {}).items():
        keys.update({f"{key}.{name}": entry for name, entry in value.items()} if isinstance(value, Mapping)
                    else {key: value})
    return keys


def _scene_of(folder: str, field: Any, vectors: Any, origin: str, keys: Mapping[str, Any], name: str) -> Dict[str, Any]:
    """A scene that shows arrays, which it writes into a folder."""
    numpy = _numpy()
    values, extent, labels = placed(field)
    values = numpy.ma.filled(numpy.ma.asarray(values, dtype=float), numpy.nan)
    if values.ndim != 2:
        raise _abi.UsageError(f"a field has rows and columns, and this array has the shape {values.shape}")
    arrays = {"value": values}
    if vectors is not None:
        parts = [numpy.asarray(part, dtype=float) for part in vectors]
        if len(parts) != 2 or any(part.shape != values.shape for part in parts):
            raise _abi.UsageError(f"vectors=(u, v) are two arrays of the shape of the field, {values.shape}")
        arrays.update(u=parts[0], v=parts[1])
    path = os.path.join(folder, f"{name}.npz")
    numpy.savez(path, **arrays)
    scene = {"solver.kind": "data", "solver.files": path, "solver.origin": origin, "view.field": "value",
             "view.background": "#ffffff", "figure.axes": "ticks", "figure.colorbar": "right", "figure.label": ""}
    if extent:
        scene["figure.extent"] = extent
    if vectors is not None:
        scene["figure.vector"] = ["u", "v"]
        if "figure.streamlines" not in keys:
            scene["figure.arrows"] = 24
    scene.update(labels)
    scene.update(keys)
    return scene


def draw(outputs: _Names, field: Any, *, vectors: Any = None, extent: Optional[Sequence[float]] = None,
         origin: str = "lower", colormap: Optional[str] = None, range: Union[None, str, Tuple[float, float]] = None,
         label: Optional[str] = None, colorbar: Union[None, bool, str] = None, title: Optional[str] = None,
         width: Optional[str] = "85mm", dpi: Optional[int] = None, view: _Look = None, overwrite: bool = False,
         **other: Any) -> Result:
    """`simreel.figure` of an array."""
    expect_known("simreel.figure", other)
    keys = look_of(colormap, range, label, colorbar, title, extent, view)
    if width:
        keys.setdefault("figure.width", width)
    if dpi:
        keys.setdefault("figure.dpi", dpi)
    with tempfile.TemporaryDirectory() as folder:
        scene = _scene_of(folder, field, vectors, origin, keys, "field")
        return _scene.render(scene, outputs=outputs, overwrite=overwrite)


def panels(outputs: _Names, fields: Iterable[Any], *, columns: int = 0, titles: Sequence[str] = (),
           share: Sequence[str] = ("range", "colorbar"), title: Optional[str] = None, width: str = "180mm",
           dpi: Optional[int] = None, origin: str = "lower", extent: Optional[Sequence[float]] = None,
           colormap: Optional[str] = None, range: Union[None, str, Tuple[float, float]] = None,
           label: Optional[str] = None, view: _Look = None, overwrite: bool = False, **other: Any) -> Result:
    """Several fields beside each other on one page, with letters a, b, c.

    columns: by default all in one row, three at most. share: "range", "colorbar", "x", "y" of all panels. The other
    arguments are those of `simreel.figure`.
    """
    expect_known("simreel.panels", other)
    keys = look_of(colormap, range, label, None, None, extent, view)
    with tempfile.TemporaryDirectory() as folder:
        page: Dict[str, Any] = {"width": width, "share": list(share)}
        if title:
            page["title"] = title
        if dpi:
            page["dpi"] = dpi
        shown = []
        for i, field in enumerate(fields):
            path = Path(folder, f"panel{i}.toml")
            scene = _scene_of(folder, field, None, origin, keys, f"panel{i}")
            path.write_text(document(scene))
            shown.append({"scene": str(path), **({"title": titles[i]} if i < len(titles) else {})})
        if not shown:
            raise _abi.UsageError("panels needs at least one field")
        page["columns"] = columns or min(len(shown), 3)
        file = Path(folder, "panels.toml")
        file.write_text(document({f"figure.{key}": value for key, value in page.items()}) +
                        "".join("[[panel]]\n" + document(panel) for panel in shown))
        return _scene.figure(file, outputs, overwrite=overwrite)


_OPTIONS = {"xlabel", "ylabel", "title", "width", "height", "font_size", "dpi", "xlim", "ylim", "legend_at",
            "right_label", "style", "ratio", "x2", "y2"}


def plot(outputs: _Names, x: Any, *lines: Any, labels: Sequence[str] = (), error: Any = None, band: Any = None,
         right: Sequence[Any] = (), right_labels: Sequence[str] = (), log_x: bool = False, log_y: bool = False,
         overwrite: bool = False, **options: Any) -> Result:
    """Lines over x as a page for a paper: simreel.plot("x.pdf", t, energy, work, labels=["energy", "work"]).

    error: half of the error bars of the first line. band: (low, high), around it. right: lines along an axis of their
    own at the right. Other options are those of `simreel plot`: xlabel, ylabel, title, xlim, ylim, legend_at, right_label,
    width, height, font_size, dpi, style.
    """
    expect_known("simreel.plot", {key: value for key, value in options.items() if key not in _OPTIONS})
    columns: Dict[str, Any] = {"x": x}
    names = [[f"y{i}" for i, _ in enumerate(lines)], [f"r{i}" for i, _ in enumerate(right)]]
    columns.update(zip(names[0] + names[1], list(lines) + list(right)))
    if error is not None:
        columns["error"] = error
    if band is not None:
        columns["low"], columns["high"] = band
    columns = {name: [float(value) for value in column] for name, column in columns.items()}
    lengths = {len(column) for column in columns.values()}
    if not lines or len(lengths) != 1:
        raise _abi.UsageError("plot needs x and at least one line, all of one length")
    names_of_outputs = _scene.names(outputs)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "plot.csv")
        with open(file, "w") as csv:
            csv.write(",".join(columns) + "\n")
            csv.writelines(",".join("" if value != value else repr(value) for value in row) + "\n"
                           for row in zip(*columns.values()))
        command = [program(), "plot", file, "-x", "x", "-y", ",".join(names[0])]
        for name in names_of_outputs:
            command += ["-o", name]
        if right:
            command += ["--right", ",".join(names[1])]
        shown = list(labels) + list(right_labels)
        if shown:
            command += ["--legend", ",".join(shown)]
        command += ["--error", "error"] if error is not None else []
        command += ["--band", "low,high"] if band is not None else []
        for key, value in options.items():
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            command += [f"--{key.replace('_', '-')}={text}"]
        command += ["--log-x"] * log_x + ["--log-y"] * log_y + ["--overwrite"] * overwrite
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise _abi.Error(not_started(command[0], error)) from None
    if done.returncode != 0:
        text = done.stderr.strip()
        raise (_abi.UsageError if done.returncode == 2 else _abi.Error)(_abi.in_python(text.partition("error: ")[2] or text))
    return Result(1, names_of_outputs)


def arrays(scene: Any, set: Optional[Mapping[str, Any]] = None, *, fields: Sequence[str] = (), frame: Optional[int] = None,
           device: Union[None, str, int] = None, threads: int = 0) -> Any:
    """Runs a scene and returns what it computed: an array, frames x rows x columns, row 0 below; of several fields a dict.

    frame: only this one, then rows x columns; -1: the last.
    """
    numpy = _numpy()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        keys = dict(set or {})
        if fields:
            keys["output.fields"] = list(fields)
        pattern = os.path.join(folder, "%06d.npz") if fields else os.path.join(folder, "%06d.npy")
        result = _scene.render(scene, keys, outputs=pattern, device=device, threads=threads)
        numbers = range(result.frames) if frame is None else [frame % result.frames]
        loaded = [numpy.load(pattern % number) for number in numbers]
        for name in fields or [""]:
            all_of_it = [part[name] if fields else part for part in loaded]
            found[name] = all_of_it[0] if frame is not None else numpy.stack(all_of_it)
    return found if len(fields) > 1 else next(iter(found.values()))

