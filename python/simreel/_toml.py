"""Values of Python as TOML."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, List, Mapping, Optional

from ._abi import UsageError


def toml(value: Any) -> str:
    """The text of a value: true, 3, 0.5, "text", [1, 2], { a = 1 }."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return toml(value.item())
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return ("nan" if math.isnan(value) else "inf" if value > 0 else "-inf") if not math.isfinite(value) else repr(value)
    try:
        return "[" + ", ".join(toml(inner) for inner in value) + "]"
    except TypeError:
        raise UsageError(f"{value!r} is no value of a scene's key") from None


_KEYS = {"fps": "animation.fps", "frames": "animation.frames", "size": "view.size", "colormap": "view.colormap",
         "range": "view.range", "label": "figure.label", "colorbar": "figure.colorbar", "time": "figure.time",
         "title": "figure.title", "extent": "figure.extent", "width": "figure.width", "dpi": "figure.dpi"}


def look_of(view: Optional[Mapping[str, Any]], **arguments: Any) -> Dict[str, Any]:
    """Keys of a scene of arguments, as far as they are given, and of a dict of tables or of keys with dots."""
    bar = arguments.get("colorbar")
    arguments["colorbar"] = {True: "right", False: "none"}[bar] if isinstance(bar, bool) else bar
    keys = {_KEYS[name]: list(value) if isinstance(value, tuple) else value
            for name, value in arguments.items() if value is not None}
    if not isinstance(view or {}, Mapping):
        raise UsageError(f'view is {view!r}; a dict of keys is expected: {{"view.scale": "log"}}')
    for key, value in (view or {}).items():
        keys.update({f"{key}.{name}": entry for name, entry in value.items()} if isinstance(value, Mapping)
                    else {key: value})
    return keys


def assignments(keys: Mapping[str, Any]) -> str:
    """Lines "view.colormap = "magma""."""
    return "".join(f"{key} = {toml(value)}\n" for key, value in keys.items())


def document(scene: Mapping[str, Any]) -> str:
    """A whole scene of tables, {"solver": {"kind": "wave"}}, of keys with dots, {"solver.kind": "wave"}, or of both."""
    tables: Dict[str, Any] = {}

    def add(path: List[str], value: Any) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                add(path + str(key).split("."), inner)
            return
        table = tables
        for key in path[:-1]:
            table = table.setdefault(key, {})
            if not isinstance(table, dict):
                raise UsageError(f'"{".".join(path)}" names a table, and the scene has a value there')
        table[path[-1]] = value

    add([], scene)
    return "".join(f"{key} = {toml(value)}\n" for key, value in tables.items())
