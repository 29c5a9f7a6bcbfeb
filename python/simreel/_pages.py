"""Figures, plots and panels of arrays, and the arrays of a run."""

from __future__ import annotations

import glob
import logging
import operator
import os
import re
import subprocess
import tempfile
from contextlib import contextmanager
from ctypes import byref
from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from . import _abi, _scene
from ._place import Place, dated, is_labelled, label_of, numbers as numbers_of, numpy_module, scene_of
from ._program import ABSENT, found as found_program, not_started
from ._result import Result
from ._toml import document, look_of, toml
from ._video import Bar, Extent, Origin, expect_known

_Path = Union[str, "os.PathLike[str]"]
_Names = Union[_Path, Sequence[_Path]]
_Look = Optional[Mapping[str, Any]]
_Pair = Tuple[float, float]
_Progress = Union[bool, Callable[[int, int], None]]
_Texts = Union[List[str], Tuple[str, ...]]
_LegendAt = Literal["auto", "upper left", "upper right", "lower left", "lower right", "outside", "none"]
_Style = Literal["auto", "line", "points", "both"]


def _listed(name: str, given: Any) -> List[Any]:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise _abi.UsageError(f'{name} is {given!r}; a list is expected, {name}=["a", "b"]')
    return list(given)


def _expect_no(more: Tuple[Any, ...], why: str) -> None:
    if more:
        raise _abi.UsageError(why)


@contextmanager
def _folder(remarks: List[str]) -> Iterator[Tuple[str, Callable[[Result], Result]]]:
    """A folder for the arrays of a page, and what puts the remarks in front of those of its result.

    Messages call the file of an array by its stem.
    """
    def plain(text: str) -> str:
        text = text.replace(folder + os.sep, "")
        return re.sub(r"(\w+)\.nc(?::/(\w+))?", lambda m: m[1] + (f', "{m[2]}"' if m[2] else ""), text)

    def noted(result: Result) -> Result:
        result.remarks = remarks + [plain(one) for one in result.remarks]
        return result

    with tempfile.TemporaryDirectory() as folder:
        try:
            yield folder, noted
        except _abi.Error as error:
            error.args = (plain(str(error)),)
            raise


def figure(file: Union[_Names, Mapping[str, Any]], outputs: Any, *more: NoReturn, vectors: Union[None, Tuple[Any, Any], List[Any]] = None,
           extent: Optional[Extent] = None, origin: Origin = "lower", colormap: Optional[str] = None,
           range: Union[None, str, _Pair] = None, label: Optional[str] = None, colorbar: Union[None, bool, Bar] = None,
           title: Optional[str] = None, width: Optional[str] = "85mm", dpi: Optional[int] = None, view: _Look = None,
           progress: _Progress = False, device: Union[None, str, int] = None, threads: int = 0, overwrite: bool = False,
           **other: NoReturn) -> Result:
    """Draws an array, simreel.figure("x.pdf", u, vectors=(a, b), extent=[0, 2, 0, 1], label="$u$"), or a figure of panels.

    An array: rows x columns, or an xarray object, whose coordinates the axes show. vectors: two arrays, drawn as arrows,
    or as lines with view={"figure.streamlines": True}. extent: left, right, bottom, top. colormap, range, label,
    colorbar, title, origin as for Video; width "85mm" and dpi in print; view: any other key, {"figure.contours": 8}.
    Coordinates decide where the rows and columns of an xarray object lie, whatever their order, and those of its vectors.

    Panels: a TOML file as for `simreel figure`, a dict or the text of one, to "x.pdf", "x.svg", "x.eps", "x.tex" or
    "x.png", or to several.

    progress: True, or a function that is called with the frames done and those of all its scenes. The finding of the
    result says how many panels there are, and the size of the page.

    All outputs are written when the figure is complete; after an exception, KeyboardInterrupt too, none. Raises
    UsageError, Error, and Diverged if the state of a scene ceased to be finite.
    """
    expect_known("simreel.figure", other)
    _expect_no(more, "simreel.figure draws one array; coordinates are those of an xarray object, or extent=[left, right, bottom, top]")
    look = {"colormap": colormap, "range": range, "label": label, "colorbar": colorbar, "title": title, "extent": extent}
    name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
    if isinstance(file, Mapping) or name.endswith(".toml") or "\n" in name:
        given = {**look, "vectors": vectors, "dpi": dpi, "view": view, "origin": None if origin == "lower" else origin}
        for argument, value in given.items():
            if value is not None:
                raise _abi.UsageError(f'"{argument}" is for arrays; a figure of panels says it in its file')
        source, folder = _scene.source_of(file)  # type: ignore[arg-type]
        return _page(source, outputs, progress, _abi.device_of(device, threads, overwrite, None, folder))
    names = _scene.names(file)
    if not names:
        raise _abi.UsageError('a figure needs an output: "x.pdf"')
    keys = look_of(view, **look, width=width or None, dpi=dpi or None)
    remarks: List[str] = []
    with _folder(remarks) as (folder_, noted):
        scene = scene_of(os.path.join(folder_, "field.nc"), outputs, vectors, origin, keys, remarks)
        return noted(_scene.run(_abi.lib.simreel_render,
                                _scene.arguments(scene, None, names, device, threads, overwrite, b""), progress))


def _page(source: bytes, outputs: _Names, progress: _Progress, device: _abi.Device) -> Result:
    """A figure of panels."""
    names = _scene.names(outputs)
    return _scene.run(_abi.lib.simreel_figure, (source, _abi.strings(names), len(names), byref(device)), progress)


def panels(outputs: _Names, fields: Iterable[Any], *more: NoReturn, columns: int = 0, titles: _Texts = (),
           share: Sequence[Literal["range", "colorbar", "x", "y"]] = ("range", "colorbar"), title: Optional[str] = None,
           width: str = "180mm", dpi: Optional[int] = None, origin: Origin = "lower", extent: Optional[Extent] = None,
           colormap: Optional[str] = None, range: Union[None, str, _Pair] = None, label: Optional[str] = None,
           view: _Look = None, overwrite: bool = False, **other: NoReturn) -> Result:
    """Several fields side by side on one page, with letters a, b, c.

    columns: by default all in one row, three at most. share: "range", "colorbar", "x", "y" of all panels. The other
    arguments are those of `simreel.figure`.
    """
    expect_known("simreel.panels", other)
    _expect_no(more, "simreel.panels takes its fields as one list: panels(outputs, [a, b, c])")
    names, shown, over = _scene.names(outputs), _listed("fields", fields), _listed("titles", titles)
    if not shown or (over and len(over) != len(shown)):
        raise _abi.UsageError(f"titles names {len(over)} panels, and there are {len(shown)}" if shown else
                              "panels needs at least one field")
    keys = look_of(view, colormap=colormap, range=range, label=label, extent=extent)
    page = {"width": width, "share": _listed("share", share), "title": title, "dpi": dpi,
            "columns": columns or min(len(shown), 3)}
    remarks: List[str] = []
    with _folder(remarks) as (folder, noted):
        text = document({f"figure.{key}": value for key, value in page.items() if value})
        for i, field in enumerate(shown):
            scene = scene_of(os.path.join(folder, f"panel_{i}.nc"), field, None, origin, keys, remarks, f"field {i}")
            del scene["solver.kind"]
            panel = {"data": scene.pop("solver.files"), "set": [f"{key}={toml(value)}" for key, value in scene.items()]}
            text += "[[panel]]\n" + document({**panel, **({"title": over[i]} if over else {})})
        return noted(_page(text.encode(), names, False, _abi.device_of(None, 0, overwrite, b"", b"")))


def plot(outputs: _Names, x: Any, *lines: Any, labels: _Texts = (), error: Any = None, band: Any = None,
         right: Sequence[Any] = (), right_labels: _Texts = (), log_x: bool = False, log_y: bool = False,
         overwrite: bool = False, xlabel: Optional[str] = None, ylabel: Optional[str] = None, title: Optional[str] = None,
         xlim: Optional[Tuple[Any, Any]] = None, ylim: Optional[_Pair] = None, legend_at: Optional[_LegendAt] = None,
         right_label: Optional[str] = None, width: Optional[str] = None, height: Optional[str] = None,
         font_size: Optional[str] = None, dpi: Optional[int] = None, style: Union[None, _Style, Sequence[_Style]] = None,
         slopes: Sequence[Union[float, Tuple[float, str]]] = (), triangles: Sequence[Union[float, Tuple[float, str]]] = (),
         ratio: Optional[Literal["y/first", "first/y"]] = None,
         x2: Union[None, str, Tuple[float, str]] = None, y2: Union[None, str, Tuple[float, str]] = None,
         **other: NoReturn) -> Result:
    """Lines over x as a page for a paper: simreel.plot("x.pdf", t, energy, work, labels=["energy", "work"]).

    x: numbers, or dates; or a table of pandas alone: its columns over its index. error: half of the error bars of the
    first line, or a list of those of each. band: (low, high) around it, or a list of these. right: lines along an axis
    of their own at the right. slopes: powers of dashed lines, with log_x and log_y: [(-2, "$N^{-2}$")]; triangles:
    the same as triangles next to the lines. ratio: "y/first" or "first/y". x2, y2: an axis in another unit, the factor that leads to it and its label: (1000, "$t$
    (ms)"). style: "auto", "line", "points" or "both", for all lines or for each. xlim, ylim: (low, high). legend_at,
    width, height, font_size and dpi are those of `simreel plot`. Names and units of xarray and pandas are the labels.
    """
    expect_known("simreel.plot", other)
    outputs_ = _scene.names(outputs)
    if not lines and hasattr(x, "iloc"):
        for name in [] if x.ndim == 1 else [name for name in x if x[name].dtype.kind == "M"]:
            raise _abi.UsageError(f'column "{name}" holds dates, which stand along x: plot(file, table.set_index("{name}"))')
        x, lines = x.index, (x,)
    lines = tuple(column for line in lines for column in
                  (dict(line).values() if hasattr(line, "iloc") and line.ndim == 2 else [line]))
    names = [[f"y{i}" for i, _ in enumerate(lines)], [f"r{i}" for i, _ in enumerate(right)]]
    columns: Dict[str, Any] = dict(zip(names[0] + names[1], [*lines, *right]))
    named = [label_of(column) for column in columns.values()]
    own = [label or name for label, name in zip(named, columns)]
    for name, given in (("error", error), ("band", band)):
        each = [] if given is None else _columns(name, given)
        names.append([f"{name}{i}" for i, _ in enumerate(each)])
        columns.update(zip(names[-1], each))
    over, beside = _listed("labels", labels), _listed("right_labels", right_labels)
    if beside and not over and all(named[:len(lines)]):
        over = named[:len(lines)]
    elif over and not beside and len(over) == len(lines) and all(named[len(lines):]):
        beside = named[len(lines):]
    shown = over + beside
    if shown and len(shown) != len(lines) + len(right):
        raise _abi.UsageError(f"labels and right_labels name {len(shown)} lines, and the plot has {len(lines) + len(right)}")
    shown = shown or own * (len(own) > 1)
    remarks: List[str] = []
    try:
        at, *dates = dated(numpy_module().asarray(x))
        if getattr(getattr(x, "dtype", None), "tz", None):
            remarks.append(f"the dates along x are drawn in UTC, which differs from their time zone, {x.dtype.tz}")
    except Exception:  # no array, which is said where it is read
        at, dates = x, ["", ""]
    cells = {"x": _cells(at if dates[0] else x, "x", remarks, x),
             **{name: _cells(column, name, remarks, x) for name, column in columns.items()}}
    if not lines or len({len(column) for column in cells.values()}) != 1:
        raise _abi.UsageError('plot needs x and at least one line, all of one length: plot("x.pdf", t, energy)')
    path = found_program()
    if not path:
        raise _abi.UsageError(ABSENT)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "plot.csv")
        with open(file, "w") as csv:
            csv.writelines(",".join(row) + "\n" for row in [cells, *zip(*cells.values())])
        quoted = ",".join('"' + str(label).replace('"', '""') + '"' for label in shown)
        options = {"right": ",".join(names[1]) or None, "legend": quoted or None,
                   "error": ",".join(names[2]) or None, "band": ",".join(names[3]) or None,
                   "x-dates": ",".join(dates) if " since " in dates[0] else None, "title": title, "xlim": xlim, "ylim": ylim,
                   "xlabel": label_of(x) or dates[0] * (dates[0] == "hours") if xlabel is None else xlabel,
                   "ylabel": label_of(lines[0]) * (len(lines) == 1) if ylabel is None else ylabel,
                   "right-label": label_of(right[0]) if right_label is None and len(right) == 1 else right_label,
                   "legend-at": legend_at, "width": width, "height": height, "font-size": font_size, "dpi": dpi, "style": style,
                   "ratio": ratio}
        command = [path, "plot", file, "-x", "x", "-y", ",".join(names[0]), *(f"--output={name}" for name in outputs_)]
        for key, value in [*options.items(), *(("slope", slope) for slope in slopes),
                           *(("triangle", power) for power in triangles), ("x2", x2), ("y2", y2)]:
            between = ":" if key in ("slope", "triangle", "x2", "y2") else ","
            text = between.join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            command += [] if value is None else [f"--{key}={text}"] if text else [f"--{key}", ""]
        command += ["--log-x"] * log_x + ["--log-y"] * log_y + ["--overwrite"] * overwrite
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except (OSError, ValueError) as failure:  # ValueError: a text with a zero
            raise (_abi.Error(not_started(path, failure)) if isinstance(failure, OSError) else
                   _abi.UsageError(f"a label: {failure}")) from None
    if done.returncode != 0:
        text = done.stderr.strip().replace(file + ": ", "")
        raise (_abi.UsageError if done.returncode == 2 else _abi.Error)(_abi.in_python(text.partition("error: ")[2] or text))
    told = re.findall(r"^warning: (.*)$", done.stderr, re.MULTILINE)
    return Result(1, outputs_, remarks=remarks + told)


def _columns(what: str, given: Any) -> List[Any]:
    """The columns of error bars, an array or a list of arrays, or of bands, a pair of arrays or a list of pairs."""
    numpy, least = numpy_module(), 1 if what == "error" else 2
    try:
        depth = numpy.ndim(given)
    except ValueError:  # of several lengths
        depth = 0
    pairs = [given] if depth == least else _listed(what, given)
    if depth not in (least, least + 1) or (least == 2 and any(len(pair) != 2 for pair in pairs)):
        raise _abi.UsageError(f"{what} is an array, or a list of one for each line" if least == 1 else
                              "band=(low, high) is two columns, the lower and the upper end; or a list of these for each line")
    return pairs if least == 1 else [end for pair in pairs for end in pair]


def _cells(column: Any, what: str, remarks: List[str], x: Any) -> List[str]:
    """A column of a plot; of an xarray object, where x is one too, in the order of its coordinate."""
    values = numbers_of(column, what, 1, remarks)
    if is_labelled(x) and len(x.dims) == 1:
        place = Place(x, "x")
        if is_labelled(column):
            place = Place(column, what, place)
        if values.shape == place.shape:
            values = place.turned(values)
    return ["" if value != value else repr(value) for value in values.tolist()]


class _Enough(Exception):
    """The frame that was asked for is there."""


def arrays(scene: Any, set: Optional[Mapping[str, Any]] = None, *, fields: Sequence[str] = (), frame: Optional[int] = None,
           device: Union[None, str, int] = None, threads: int = 0) -> Any:
    """Runs a scene and returns what it computed: an array, frames x rows x columns, row 0 below; of several fields a dict.

    frame: only this one, arrays(...)[frame]; the run ends there. -1: the last. Remarks go to the log "simreel".
    """
    numpy = numpy_module()
    fields = [fields] if isinstance(fields, str) else list(fields)
    if frame is not None and not hasattr(frame, "__index__"):
        raise _abi.UsageError(f"frame is {frame!r}; the number of a frame is expected, or None for all")
    shown = -1 if frame is None else operator.index(frame)

    def written() -> List[str]:
        return sorted(glob.glob(os.path.join(folder, "*.np[yz]")))

    def expect(count: int) -> int:
        if not -count <= shown < count:
            raise _abi.UsageError(f"frame is {shown}, but the run has {count} frames: 0 to {count - 1}, or from the end -1 "
                                  f"to {-count}")
        return shown % count

    def watch(done: int, end: int) -> None:
        files = written()
        if files:  # their numbers begin with [animation] first
            first = int(os.path.basename(files[0])[:9])
            numbers.append(expect(end - first))
            if done > first + numbers[0]:
                raise _Enough

    numbers: List[int] = []
    with tempfile.TemporaryDirectory() as folder:
        name = ("last" if frame is not None and shown == -1 else "%09d") + (".npz" if fields else ".npy")
        try:
            result = _scene.render(scene, {**(set or {}), **({"output.fields": fields} if fields else {})},
                                   outputs=os.path.join(folder, name), progress=shown != -1 and watch, device=device,
                                   threads=threads)
            for remark in result.remarks:
                logging.getLogger("simreel").warning("%s", remark)
        except _Enough:
            pass
        files = written()
        if not files:
            raise _abi.Error("the run left no frame")
        if shown != -1:
            files = [files[(numbers or [expect(len(files))])[0]]]
        loaded = [numpy.load(file) for file in files]
        parts = {field: [one[field] if fields else one for one in loaded] for field in fields or [""]}
        every = {field: several[0] if frame is not None else numpy.stack(several) for field, several in parts.items()}
    return every if len(fields) > 1 else next(iter(every.values()))
