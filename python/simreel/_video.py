"""Videos of the arrays of a running program."""

from __future__ import annotations

import difflib
import inspect
import logging
import os
import sys
import threading
import weakref
from contextlib import contextmanager
from ctypes import byref, c_void_p
from typing import Any, Iterator, List, Literal, Mapping, NoReturn, Optional, Tuple, Union

from . import _abi
from ._arrays import Borrowed, borrow
from ._place import Place, is_labelled, note_large, numpy_module
from ._result import Result
from ._toml import assignments, look_of

_log = logging.getLogger("simreel")
_Pair = Tuple[float, float]
Origin = Literal["lower", "upper"]
Extent = Union[List[float], Tuple[float, float, float, float]]
Bar = Literal["left", "right", "top", "bottom", "inside", "none"]

# Names of other packages, and what is meant here.
_OURS = {"cmap": "colormap=", "vmin": "range=(low, high)", "vmax": "range=(low, high)", "clim": "range=(low, high)",
         "norm": 'view={"view.scale": "log"}', "figsize": "width=", "shape": "size=(width, height)",
         "framerate": "fps=", "cbar": "colorbar=", "clabel": "label=", "xlabel": 'view={"figure.xlabel": ...}',
         "ylabel": 'view={"figure.ylabel": ...}', "levels": 'view={"figure.contours": ...}',
         "contours": 'view={"figure.contours": ...}', "aspect": 'view={"figure.aspect": "auto"}',
         "loglog": "log_x=True, log_y=True", "slope": "slopes=[2]",
         "logy": "log_y=True"}


def expect_known(function: str, other: Mapping[str, Any]) -> None:
    """Raises UsageError for an argument that the function does not have."""
    for name in other:
        arguments = inspect.signature(getattr(sys.modules["simreel"], function.split(".")[1])).parameters
        near = difflib.get_close_matches(name, arguments, 1)
        raise _abi.UsageError(f'{function} has no argument "{name}"; ' +
                              (f"here it is {_OURS[name]}" if name in _OURS else f"did you mean {near[0]}=?" if near else
                               f"help({function}) lists them"))


class _Completion:
    """The end of a video, on a thread of its own, so that who waits for it hears signals."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._result = Result()
        self._error: Optional[BaseException] = None
        self._over = threading.Event()  # Thread.join of Python 3.11 says that a thread has ended when a signal ends the call
        try:
            threading.Thread(target=self._run, name="simreel").start()
        except RuntimeError:  # at the end of the interpreter
            self._run()

    def _run(self) -> None:
        left = c_void_p()
        try:
            _abi.call(_abi.lib.simreel_video_close, self._handle, byref(left))
            self._result = _abi.take(left)
        except BaseException as error:
            self._error = error
        finally:
            self._over.set()

    def wait(self) -> Result:
        self._over.wait()
        if self._error:
            raise self._error
        return self._result


class Video:
    """Writes arrays as the frames of videos, pictures or data.

    >>> with simreel.Video("x.mp4", fps=60, colormap="magma", range=(0, 1)) as video:
    ...     for step in range(600):
    ...         u = advance(u)
    ...         video.write(u, time=step * dt)

    Leaving the `with` block completes the outputs. An exception leaves them as NAME.part, which play up to their last
    whole segment. A video is used by one thread at a time; several may be written at once.
    """

    def __init__(self, *outputs: Union[str, "os.PathLike[str]"], fps: Optional[float] = None,
                 size: Optional[Tuple[int, int]] = None, colormap: Optional[str] = None,
                 range: Union[None, Literal["first"], _Pair] = None, origin: Origin = "lower", label: Optional[str] = None,
                 colorbar: Union[None, bool, Bar] = None, time: Optional[str] = None, title: Optional[str] = None,
                 frames: Optional[int] = None, extent: Optional[Extent] = None, view: Optional[Mapping[str, Any]] = None,
                 device: Union[None, str, int] = None, threads: int = 0, overwrite: bool = False, **other: NoReturn) -> None:
        """Prepares a video; its files are opened by the first frame.

        outputs: as for `simreel render -o`: "x.mp4", "x/%06d.png", "x.h5", ...; missing folders are created.
        fps: frames a second of the video. size: (width, height) in pixels, by default 1920 x 1080.
        range: (low, high), the values at the ends of the colour map, or "first", those of the first frame; fields need
            it. colormap: "viridis", "magma", "RdBu_r", ... or a CSV file.
        origin: where the first row of a field lies, "lower" or "upper", unless coordinates of xarray say it.
        label, colorbar, time, title: of the figure around the picture: text of the bar, "right", "left", "top",
            "bottom" or "inside", text with {time:.2f}, {frame}, {step}, and a text above. $\\omega^2$ is mathematics.
        extent: the coordinates of the edges of a field, left, right, bottom, top, for its axes.
        frames: how many will come, if that is known; a camera that moves needs it.
        view: any other key of the tables view, camera, animation, output and figure: {"view.scale": "log"}.
        device: "cpu", "cuda", "cuda:1"; None: a GPU where there is one. threads: of the CPU, 0: one a core.
        overwrite: whether outputs that exist are replaced.

        Raises UsageError for mistakes in names, keys and values.
        """
        expect_known("simreel.Video", other)
        if origin not in ("lower", "upper"):
            raise _abi.UsageError(f'origin is {origin!r}; "lower" or "upper" is expected')
        for name in outputs:
            if not isinstance(name, (str, os.PathLike)):
                raise _abi.UsageError(f'{name!r} is no name of an output; several are given one by one: '
                                      'simreel.Video("x.mp4", "x.h5")')
        if isinstance(range, str) and range != "first":
            raise _abi.UsageError(f'range is {range!r}; (low, high) or "first", for that of the first frame, is expected: '
                                  "frames are drawn as they come")
        keys = look_of(view, fps=fps, frames=frames, size=size, colormap=colormap, range=range, label=label,
                       colorbar=colorbar, time=time, title=title, extent=extent)
        self._ranged = "view.range" in keys
        self._origin = origin
        self._remarks: List[str] = []
        names = _abi.strings(os.fspath(name) for name in outputs)
        error = c_void_p()
        handle = _abi.lib.simreel_video_open(names, len(outputs), assignments(keys).encode(),
                                             byref(_abi.device_of(device, threads, overwrite)), byref(error))
        if not handle:
            _abi.raise_error(_abi.lib.simreel_error_code(error), error)
        self._handle: Optional[int] = handle
        # Also at the interpreter's end: a video that is left open keeps its .part files.
        self._abandon = weakref.finalize(self, _abi.lib.simreel_video_abandon, handle)
        self._stream: Optional[int] = _abi.lib.simreel_video_stream(handle)
        self._frames = 0
        self._lock = threading.Lock()
        self._user = 0  # the thread that holds the lock
        self._process = os.getpid()
        self._completion: Optional[_Completion] = None
        self.result: Optional[Result] = None

    @property
    def frames(self) -> int:
        """The number of frames that were written."""
        return _abi.lib.simreel_video_frames(self._handle) if self._handle else self._frames

    @contextmanager
    def _used(self, wait: bool) -> Iterator[None]:
        """Keeps other threads out; with `wait`, until they have left."""
        if self._is_fork():  # the lock may be held by a thread that a fork has not
            raise _abi.UsageError("another process opened this video, and this one is a fork of it; open a video here")
        held = False
        try:
            held = self._user != threading.get_ident() and self._lock.acquire(blocking=wait)
            if not held:
                raise _abi.UsageError("this video is being written; one thread at a time may: lock it, or open a video "
                                      "for each thread")
            self._user = threading.get_ident()
            yield
        finally:
            if held:
                self._user = 0
                self._lock.release()

    def _is_fork(self) -> bool:
        return self._process != os.getpid()

    def _open(self) -> int:
        if not self._handle:
            raise _abi.UsageError("the video is closed")
        return self._handle

    def __reduce__(self) -> NoReturn:
        raise TypeError("a simreel.Video can be neither copied nor pickled; open it in the process that writes it")

    def _wait_for(self, handle: int, *arrays: Borrowed) -> None:
        """Which stream of CUDA the library waits for: none where DLPack's producer did that, or where there is no work."""
        waits = [array.wait for array in arrays if array.struct.memory == _abi.GPU]
        streams = {wait for wait in waits if wait not in (None, "done")}
        if len(streams) > 1:
            raise _abi.UsageError("the arrays belong to different streams of CUDA; give arrays of one stream")
        if waits:
            _abi.lib.simreel_video_set_stream(handle, streams.pop() if streams else self._stream)

    @staticmethod
    def _append(function: Any, handle: int, *frame: Any) -> None:
        """Calls a function of the library that writes a frame, when it is its turn: signals are heard until then."""
        while not _abi.lib.simreel_video_ready(handle, 0.1):
            pass
        _abi.call(function, handle, *frame)

    def write(self, field: Any, time: float = 0.0) -> None:
        """Appends a frame that shows a field: rows x columns, of floats, integers or bools, with any strides.

        numpy, torch, cupy, jax, warp, numba, whatever has DLPack or CUDA's array interface, and by numpy xarray, buffers
        and lists. An array on the GPU that draws is not copied to the host. It may be overwritten when the call returns. `time` is
        the simulated time, for labels and files of the state. All frames have the shape of the first.

        Or a picture: rows x columns x 3 or 4 of uint8, red, green, blue and alpha, the first row above, whatever origin
        says. The video has the size of its pictures; range and colormap are not used, and labels are refused.
        """
        with self._used(wait=False):
            handle = self._open()
            upper = self._origin == "upper"
            if is_labelled(field) and len(field.dims) == 2:
                place = Place(field, "the field")
                field = place.turned(numpy_module().asarray(field))
                upper &= place.note_origin(self._origin, place.remarks)
                self._remarks += [one for one in place.remarks if one not in self._remarks]
            if self.frames == 0 and isinstance(getattr(field, "__array_interface__", None), dict):
                note_large(numpy_module().asarray(field), "the first frame", self._remarks)
            array = borrow(field, self._stream)
            if not self._ranged and len(array.shape) != 3:
                raise _abi.UsageError('a field needs the values at the ends of its colours: range=(low, high), or '
                                      'range="first" for those of the first frame')
            if upper:
                array.turned()
            self._wait_for(handle, array)
            self._append(_abi.lib.simreel_video_write, handle, byref(array.struct), float(time))

    def write_bodies(self, xyz: Any, weight: Any = None, value: Any = None, velocity: Any = None,
                     time: float = 0.0) -> None:
        """Appends a frame that shows bodies.

        xyz: [n, 3]. weight: [n], at least 0, how much light each gives; by default 1. value: [n], at least 0, what the
        colours show (view.field "speed"). velocity: [n, 3], instead of value: its magnitude, and the direction of trails.
        """
        if value is not None and velocity is not None:
            raise _abi.UsageError("value and velocity exclude each other")
        moves = value if velocity is None else velocity
        with self._used(wait=False):
            handle = self._open()
            arrays = [None if a is None else borrow(a, self._stream) for a in (xyz, moves, weight)]
            self._wait_for(handle, *(a for a in arrays if a is not None))
            for array, name in zip(arrays, (b"position", b"velocity" if value is None else b"value", b"weight")):
                if array is not None:
                    array.struct.name = name
            self._append(_abi.lib.simreel_video_write_bodies, handle,
                         *(None if a is None else byref(a.struct) for a in arrays), float(time))

    def close(self) -> Result:
        """Completes the outputs. Again: the same result, or the same error.

        Ctrl-C ends the call, not what it began: the outputs are completed by a thread, for which the next call waits,
        and the end of the program.
        """
        with self._used(wait=True):
            if self._handle:
                self._frames = self.frames
                self._abandon.detach()
                self._completion = _Completion(self._handle)
                self._handle = None
            if self._completion and not self.result:
                self.result = self._completion.wait()
                self.result.remarks[:0] = self._remarks
                if self._frames == 0:  # what lies there is of another run
                    self.result.outputs = []
                for remark in self.result.remarks:
                    _log.warning("%s", remark)
        return self.result or Result()

    def abandon(self) -> None:
        """Ends without completing: what the outputs have so far stays as NAME.part. A fork leaves them to its parent."""
        if self._is_fork():
            return
        with self._used(wait=True):
            if self._handle:
                self._frames = self.frames
                self._handle = None
                self._abandon()

    def __enter__(self) -> "Video":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def __repr__(self) -> str:
        state = "open" if self._handle else "closed" if self.result else "failed" if self._completion else "abandoned"
        return f"<simreel.Video, {state}, {self.frames} frames>"

    def _repr_html_(self) -> Optional[str]:
        return self.result._repr_html_() if self.result else None
