"""Scenes rendered and checked; figures drawn; pictures compared."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from ctypes import byref, c_int32, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _abi
from ._result import Result
from ._toml import document, toml

_Path = Union[str, "os.PathLike[str]"]


_Scene = Union[_Path, Mapping[str, Any]]


def names(outputs: Union[_Path, Sequence[_Path]]) -> List[str]:
    """The names of outputs; raises UsageError for what is none."""
    try:
        return [os.fspath(name) for name in ([outputs] if isinstance(outputs, (str, os.PathLike)) else outputs)]
    except TypeError:
        raise _abi.UsageError(f"{type(outputs).__name__} is no name of an output; outputs come first: "
                              'simreel.figure("x.pdf", u), simreel.plot(["x.pdf", "x.png"], t, u)') from None


def source_of(scene: _Scene) -> Tuple[bytes, Optional[bytes]]:
    """A scene as the library takes it, and the folder of its paths if it is a text and no file."""
    if isinstance(scene, Mapping):
        return _abi.string(document(scene)), b""
    if not isinstance(scene, (str, os.PathLike)):
        raise _abi.UsageError(f"{type(scene).__name__} is no scene; give the name of a file, a dict or a text of TOML")
    return _abi.string(scene), b"" if "\n" in os.fspath(scene) else None


def arguments(scene: _Scene, keys: Optional[Mapping[str, Any]], outputs: Union[_Path, Sequence[_Path]],
              device: Union[None, str, int], threads: int, overwrite: bool,
              places: Optional[bytes] = None) -> Tuple[Any, ...]:
    """The arguments of simreel_render and simreel_check as far as they are the same."""
    all_names = names(outputs)
    overrides = [f"{key}={toml(value)}" for key, value in (keys or {}).items()]
    source, folder = source_of(scene)
    return (source, _abi.strings(overrides), len(overrides), _abi.strings(all_names),
            len(all_names), byref(_abi.device_of(device, threads, overwrite, places, folder)))


class _Bar:
    """Tells the progress: with tqdm where it is installed, otherwise on the standard error."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
            self.bar: Any = tqdm(unit="frame")
        except ImportError:
            self.bar = None

    def __call__(self, done: int, total: int) -> None:
        if self.bar is not None:
            self.bar.total = total
            self.bar.update(done - self.bar.n)
        else:
            print(f"\rframe {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def run(function: Any, arguments: Tuple[Any, ...], progress: Union[bool, Callable[[int, int], None]]) -> Result:
    """Calls a function of the library that takes a while, tells its progress, and lets signals end it."""
    bar = _Bar() if progress is True else None
    told: Optional[Callable[[int, int], None]] = bar or (progress if callable(progress) else None)
    stop = c_int32(0)
    newest: List[Tuple[int, int]] = []
    failures: List[BaseException] = []
    changed, over = threading.Event(), threading.Event()
    left = c_void_p()

    def note(_user: Any, done: int, total: int) -> None:
        newest[:] = [(done, total)]
        changed.set()

    watch = _abi.Run(ctypes.sizeof(_abi.Run), _abi.Progress(note) if told else _abi.Progress(), None,
                     ctypes.pointer(stop))

    def work() -> None:
        try:
            _abi.call(function, *arguments, byref(watch), byref(left))
        except BaseException as failure:
            failures.append(failure)
        finally:
            over.set()
            changed.set()

    def tell() -> None:
        if told and newest:
            told(*newest.pop())

    # The run has a thread of its own, so that this one hears signals.
    worker = threading.Thread(target=work, name="simreel")
    worker.start()
    try:
        while not over.is_set():
            changed.wait(0.2)
            changed.clear()
            tell()
        tell()
    except BaseException:
        stop.value = 1
        worker.join()
        _abi.take(left)
        raise
    finally:
        worker.join()
        if bar:
            bar.close()
    result = _abi.take(left)
    if failures:
        if isinstance(failures[0], _abi.Diverged):
            failures[0].result = result
        raise failures[0]
    return result


def render(scene: _Scene, set: Optional[Mapping[str, Any]] = None, *, outputs: Union[_Path, Sequence[_Path]] = (),
           progress: Union[bool, Callable[[int, int], None]] = False, device: Union[None, str, int] = None,
           threads: int = 0, overwrite: bool = False) -> Result:
    """Renders a scene and returns what the run left: a file, or a dict, {"solver": {"kind": "wave"}}, or the text of one.

    set: keys of the scene to change, {"view.colormap": "magma"}. outputs: where frames go, by default where the scene
    says. progress: True, or a function that is called with the frames done and those of the whole run.

    KeyboardInterrupt, or an exception of `progress`, ends the run; its outputs are complete up to there. Raises UsageError
    before the first step, Error, and Diverged with the `result` so far.
    """
    if source_of(scene)[1] is not None and not names(outputs):
        raise _abi.UsageError('a scene that is no file has no name for its video; give outputs="x.mp4"')
    return run(_abi.lib.simreel_render, arguments(scene, set, outputs, device, threads, overwrite), progress)


def check(scene: _Scene, set: Optional[Mapping[str, Any]] = None, *, outputs: Union[_Path, Sequence[_Path]] = (),
          device: Union[None, str, int] = None, threads: int = 0, overwrite: bool = False) -> List[str]:
    """Raises what `render` would raise before its first step; touches no file. Returns remarks on the scene."""
    left = c_void_p()
    overwrite |= source_of(scene)[1] is not None and not names(outputs)  # there is no name that could exist
    _abi.call(_abi.lib.simreel_check, *arguments(scene, set, outputs, device, threads, overwrite), byref(left))
    return _abi.take(left).remarks


@dataclass
class Comparison:
    """The difference of two pictures, folders, videos, pages or lists of hashes; true if they are within the tolerance.

    mean_diff, max_diff (of 255 levels), psnr (dB), ssim and flip are those of the worst pair. first: the first pair
    beyond the tolerance, and why.
    """

    same: bool
    pairs: int
    identical: int
    different: int
    missing: int
    extra: int
    max_diff: int
    mean_diff: float
    psnr: float
    ssim: float
    flip: float
    first: str

    def __bool__(self) -> bool:
        return self.same


def compare(expected: _Path, actual: _Path, *, max_diff: int = 0, max_pixels: float = 0, min_psnr: float = 0,
            min_ssim: float = 0, max_flip: float = 0) -> Comparison:
    """Compares two pictures, folders of PNG files, videos, pages, or lists of frame hashes.

    Without limits nothing may differ. max_diff: of a channel, of 255 levels. max_pixels: the share of pixels that may
    differ by more. min_psnr in dB, min_ssim up to 1 (equal), max_flip from 0 (equal) to 1.
    """
    limits = _abi.Tolerance(ctypes.sizeof(_abi.Tolerance), max_pixels, min_psnr, min_ssim, max_flip, max_diff)
    found = _abi.Compared(struct_size=ctypes.sizeof(_abi.Compared))
    _abi.call(_abi.lib.simreel_compare, _abi.string(expected), _abi.string(actual), byref(limits), byref(found))
    return Comparison(bool(found.same), found.pairs, found.identical, found.different, found.missing, found.extra,
                      found.max_diff, found.mean_diff, found.psnr, found.ssim, found.flip,
                      found.first.decode(errors="replace"))
