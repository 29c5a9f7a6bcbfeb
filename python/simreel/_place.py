"""Fields as files that the program reads, with the coordinates of xarray, which decide where everything of a field lies."""

from __future__ import annotations

import datetime
import re
import struct
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._abi import UsageError
from ._arrays import refusal


def numpy_module() -> Any:
    try:
        import numpy
    except ImportError:
        raise UsageError("this needs numpy: python -m pip install numpy") from None
    return numpy


def numbers(array: Any, what: str, axes: int, remarks: List[str]) -> Any:
    """An array of any package as doubles with so many axes; NaN where a mask hides them. Raises UsageError for others."""
    numpy = numpy_module()
    if hasattr(array, "data_vars"):
        raise UsageError(f'{what} is a {type(array).__name__} of several arrays; give one of them: '
                         f'dataset["{next(iter(array.data_vars), "name")}"]')
    if isinstance(array, (str, bytes)):
        raise UsageError(f"{what} is the text {array!r}, and an array is expected; read a file first: pandas.read_csv(file), "
                         "numpy.load(file) or xarray.open_dataset(file)")
    if hasattr(array, "files") and hasattr(array, "zip"):
        raise UsageError(f'{what} is a file of {len(array.files)} arrays; give one of them: file["{next(iter(array.files), "name")}"]')
    if getattr(array, "requires_grad", False):  # torch gives no array away that is part of a gradient
        array = array.detach()
    if hasattr(array, "__cuda_array_interface__"):  # cupy, torch, numba
        copy = next((name for name in ("get", "cpu", "copy_to_host") if hasattr(array, name)), None)
        array = getattr(array, copy)() if copy else array
    masked = hasattr(array, "filled") and hasattr(array, "mask")
    try:
        values = numpy.ma.asarray(array) if masked else numpy.asarray(array)
    except Exception as error:  # rows of different lengths, and whatever a package says
        raise UsageError(f"{what}, of {type(array).__name__}, is no array of numbers: {error}") from None
    first = next(iter(values.flat), None)
    if values.dtype.kind in "OUST" and isinstance(first, str):
        raise UsageError(f"{what} holds texts, as {first!r}; make them dates by pandas.to_datetime(a), or numbers by a.astype(float)")
    if values.dtype.kind not in "biuf":
        raise UsageError(f"{what}: {refusal(values.dtype.str[1:])}")
    if values.ndim != axes or values.size == 0:
        dims = [str(name) for name in getattr(array, "dims", ())]
        way = (f"take one of each other axis: a.isel({dims[0]}=0)" if len(dims) > axes else
               "take a plane: a[0]" if values.ndim > axes else "it needs more")
        raise UsageError(f"{what} has {'rows and columns' if axes == 2 else 'one axis'}, and this array has the shape "
                         f"{values.shape}{f' {tuple(dims)}' if dims else ''}{f'; {way}' if values.size else ', without a value'}")
    note_large(values, what, remarks)
    values = values.astype(float, copy=False)
    return values.filled(numpy.nan) if masked else values


def note_large(values: Any, what: str, remarks: List[str]) -> None:
    """A remark on integers that no double holds."""
    values = numpy_module().asarray(values)
    if values.dtype.str[1:] in ("i8", "u8") and values.size and max(-int(values.min()), int(values.max())) > 2**53:
        remarks.append(f"{what} has integers beyond 2^53, which are drawn as the nearest double")


def _unit_of(array: Any) -> str:
    """The unit of an xarray object or its coordinate; empty if it has none."""
    unit = str(getattr(array, "attrs", {}).get("units", ""))
    return {"degrees": "°", "1": ""}.get(unit, unit)


def label_of(array: Any) -> str:
    """The name and the unit of an xarray or pandas object: "zonal wind (m s$^{-1}$)"; empty if it has none."""
    given = getattr(array, "attrs", {})
    name = given.get("long_name") or getattr(array, "name", None)
    name = name if isinstance(name, str) else ""
    unit = re.sub(r"(?<=[A-Za-z])(?:\*\*|\^)?(-\d+|(?<=[*^])\d+)(?=$|[ ./])", r"$^{\1}$", _unit_of(array))
    unit = re.sub(r"\bdegC\b", "°C", unit)
    return f"{name} ({unit})" if unit and name else name or unit


def is_labelled(array: Any) -> bool:
    """Whether it has axes with names and coordinates, as xarray's."""
    return hasattr(array, "dims") and hasattr(array, "coords") and not hasattr(array, "data_vars")


def dated(values: Any, unit: str = "", calendar: str = "") -> Tuple[Any, str, str]:
    """Of dates the days since the first, of spans of time the hours, with unit and calendar; other values as they are."""
    numpy = numpy_module()
    one: Any = values.flat[0] if values.dtype.kind == "O" and values.size else None
    if hasattr(one, "calendar"):  # cftime's
        import cftime
        unit = f"days since {values.min().strftime('%Y-%m-%d')}"
        return cftime.date2num(values, unit, one.calendar), unit, one.calendar
    if isinstance(one, datetime.date):  # numpy's have no time zone
        utc = [numpy.datetime64("NaT") if at != at else
               at.astimezone(datetime.timezone.utc).replace(tzinfo=None) if getattr(at, "tzinfo", None) else at
               for at in values.flat]
        values = numpy.array(utc, object).astype("M8[ms]").reshape(values.shape)
    if values.dtype.kind == "M" and values.size:
        first = numpy.nanmin(values).astype("M8[D]")
        return (values - first) / numpy.timedelta64(86400, "s"), f"days since {first}", "proleptic_gregorian"
    return (values / numpy.timedelta64(3600, "s"), "hours", "") if values.dtype.kind == "m" else (values, unit, calendar)


# Names of axes by what they begin with, as in files of NetCDF; the later stand further to the right.
_LETTERS = ("z$|lev|depth|height|alt|plev", "y$|lat|north|yc|yh", "x$|lon|east|xc|xh")


def _upright(names: List[str]) -> List[str]:
    """The axes as they are drawn, upwards and to the right, where their names say it."""
    ranks = [next((i for i, letter in enumerate(_LETTERS) if re.match(letter, name.lower())), -1) for name in names]
    return names if -1 in ranks else [names[k] for k in sorted(range(len(names)), key=ranks.__getitem__)]


class Place:
    """Where the entries of an xarray object lie. Its axes are those of `like` where that is given, and upright otherwise.

    Axis k: names[k], units[k] with a calendar, and at[k], its coordinates in the object's order, None without.
    """

    def __init__(self, array: Any, what: str, like: Optional[Place] = None) -> None:
        dims = [str(name) for name in array.dims]
        self.shape: Tuple[int, ...] = tuple(array.shape)
        self.names: List[str] = like.names if like else _upright(dims)
        if sorted(dims) != sorted(self.names):
            raise UsageError(f"{what} has the axes {tuple(dims)}, and the field {tuple(self.names)}; rename or select them")
        self.axes = [dims.index(name) for name in self.names]
        self.at: List[Any] = []
        self.units: List[Tuple[str, ...]] = []
        self.remarks: List[str] = []
        self._orders: List[Any] = []
        for k, name in enumerate(self.names):
            at, unit = self._coordinate(array, array.dims[self.axes[k]])
            expected = like.at[k] if like else None
            turns = bool(re.match("degrees?_?[eE]", unit[0])) or name.lower().startswith("lon")
            order = like._orders[k] if like and (at is None or expected is None) else _rising(at, turns)
            if like and at is not None and expected is not None:
                order = _matching(at, order, expected[like._orders[k]], turns)
                if order is None:
                    raise UsageError(f'the coordinate "{name}" of {what} is not that of the field; interpolate: '
                                     "a.interp_like(field)")
            self.at.append(at)
            self.units.append(unit)
            self._orders.append(order)
        wide = [str(name) for name, coordinate in array.coords.items() if len(coordinate.dims) > 1]
        if wide and not any(at is not None for at in self.at):
            self.remarks.append(f'the coordinate "{wide[0]}" has several axes, so that cells are counted')

    def _coordinate(self, array: Any, name: Any) -> Tuple[Any, Tuple[str, ...]]:
        """Its numbers, None if it has none, its unit and its calendar."""
        numpy = numpy_module()
        coordinate = array.coords[name] if name in array.coords else numpy.empty(0)
        calendar = str(getattr(coordinate, "attrs", {}).get("calendar", ""))
        values, *unit = dated(numpy.asarray(coordinate), _unit_of(coordinate), calendar)
        if values.dtype.kind not in "biuf":
            self.remarks.append(f'the coordinate "{name}" holds no numbers, so that its axis counts cells')
        return (values.astype(float), tuple(unit)) if values.dtype.kind in "biuf" and values.size > 1 else (None, ("", ""))

    def turned(self, values: Any) -> Any:
        """The values of the object, or an array of its shape, with axes as drawn, along which the coordinates rise."""
        values = values.transpose(self.axes)
        for k, order in enumerate(self._orders):
            values = values[(slice(None),) * k + (order,)]
        return values

    def back(self, values: Any) -> Any:
        """`turned` undone."""
        numpy = numpy_module()
        for k, order in enumerate(self._orders):
            values = values[(slice(None),) * k + (order if isinstance(order, slice) else numpy.argsort(order),)]
        return values.transpose(numpy.argsort(self.axes))

    def note_origin(self, origin: str, remarks: List[str]) -> bool:
        """Whether the origin decides where rows lie; with a remark where their coordinates do so instead."""
        if self.at[0] is not None and origin == "upper":
            remarks.append(f'origin="upper" is for arrays without coordinates; the rows lie where "{self.names[0]}" says')
        return self.at[0] is None


def _rising(at: Any, turns: bool) -> Any:
    """The order in which coordinates rise: a slice, or the entries of longitudes that begin again, 0 to 170, -180 to -10."""
    numpy = numpy_module()
    if at is None or at.size < 2:
        return slice(None)
    falls = numpy.median(numpy.diff(at)) < 0
    order = slice(None, None, -1) if falls else slice(None)
    again = numpy.flatnonzero(numpy.diff(at[order]) < 0)
    if turns and again.size == 1:
        rolled = numpy.roll(numpy.arange(at.size)[order], -again[0] - 1)
        if (numpy.diff(at[rolled]) > 0).all():
            return rolled
    return order


def _matching(at: Any, order: Any, expected: Any, turns: bool) -> Any:
    """The order in which the coordinates are the expected ones, a turn of longitude aside; None if there is none."""
    numpy = numpy_module()
    if at.size != expected.size:
        return None
    error = 1e-3 * abs(numpy.median(numpy.diff(expected)))
    if (abs(at[order] - expected) <= error).all():
        return order
    if turns:
        away = abs((at[order] - expected[0] + 180) % 360 - 180)
        rolled = numpy.roll(numpy.arange(at.size)[order], -int(numpy.argmin(away)))
        if (abs((at[rolled] - expected + 180) % 360 - 180) <= error).all():
            return rolled
    return None


_Arrays = Dict[str, Tuple[Sequence[str], Any, Tuple[str, ...]]]


def _netcdf(dims: Mapping[str, int], arrays: _Arrays) -> List[Any]:
    """The parts of a NetCDF file (CDF-2) of doubles: arrays by name, each with its axes' names, values, unit and calendar."""
    def text(value: str) -> bytes:
        raw = value.encode()
        return struct.pack(">i", len(raw)) + raw + bytes(-len(raw) % 4)

    numbers_of = {name: i for i, name in enumerate(dims)}
    header = [b"CDF\2", struct.pack(">iii", 0, 10, len(dims)),
              *(text(name) + struct.pack(">i", size) for name, size in dims.items()),
              struct.pack(">iiii", 0, 0, 11, len(arrays))]
    variables = []
    for name, (axes, values, words) in arrays.items():
        # NaN is what is missing, and not the number that NetCDF takes for it.
        attributes = struct.pack(">ii", 12, 3) + text("_FillValue") + struct.pack(">iid", 6, 1, float("nan"))
        attributes += b"".join(text(key) + struct.pack(">i", 2) + text(word) for key, word in zip(("units", "calendar"), words))
        variables.append(text(name) + struct.pack(f">i{len(axes)}i", len(axes), *(numbers_of[axis] for axis in axes)) +
                         attributes + struct.pack(">ii", 6, min(8 * values.size, 2**31 - 4)))
    at = sum(map(len, header)) + sum(len(one) + 8 for one in variables)
    for one, (_, values, _) in zip(variables, arrays.values()):
        header.append(one + struct.pack(">q", at))
        at += 8 * values.size
    return header + [values.astype(">f8", order="C") for _, values, _ in arrays.values()]


def scene_of(path: str, field: Any, vectors: Any, origin: str, keys: Mapping[str, Any], remarks: List[str],
             what: str = "the field") -> Dict[str, Any]:
    """A scene that shows arrays, which it writes into a file."""
    values = numbers(field, what, 2, remarks)
    place = Place(field, what) if is_labelled(field) else None
    parts = {"value": values}
    for name, part in zip("uvw", () if vectors is None else vectors):
        inner = numbers(part, "vectors", 2, remarks)
        if place and is_labelled(part):
            inner = place.back(Place(part, "vectors", place).turned(inner))
        parts[f"vector_{name}"] = inner
    if len(parts) != (1 if vectors is None else 3) or any(part.shape != values.shape for part in parts.values()):
        raise UsageError(f"vectors=(u, v) are two arrays of the shape of the field, {values.shape}")
    names = [str(name).replace("/", "_") + "_" * (name in parts) for name in (field.dims if place else "yx")]
    speed = "" if vectors is None else _unit_of(vectors[0])  # that of the arrow key
    arrays: _Arrays = {name: (names, part, ("" if name == "value" else speed, "")) for name, part in parts.items()}
    scene: Dict[str, Any] = {
        "solver.kind": "data", "solver.files": path, "solver.content": "field", "solver.axes": "yx", "solver.origin": origin,
        "view.field": "value", "view.background": "#ffffff", "figure.axes": "ticks", "figure.colorbar": "right",
        "figure.label": ""}
    if place:
        remarks += place.remarks
        # The program turns, rolls and stretches what coordinates say, and its mask and labels with it.
        scene.update({"solver.axes": "yx" if place.axes[0] == 0 else "xy", "solver.uneven": "resample"})
        for at, unit, axis in zip(place.at, place.units, place.axes):
            if at is not None:
                arrays[names[axis]] = (names[axis:axis + 1], at, unit)
        if not place.note_origin(origin, remarks):
            del scene["solver.origin"]
        scene["figure.label"] = label_of(field)
    if vectors is not None:
        scene["figure.vector"] = ["vector_u", "vector_v"]
        scene.update({} if "figure.streamlines" in keys else {"figure.arrows": 24})
    if keys.get("figure.colorbar") == "none":
        del scene["figure.label"]
    with open(path, "wb") as file:
        file.writelines(_netcdf(dict(zip(names, values.shape)), arrays))
    return {**scene, **keys}
