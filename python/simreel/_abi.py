"""libsimreel by ctypes: the structs and functions of include/simreel/simreel.h."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, Iterable, List, Optional

from ._program import beside
from ._result import Result


class Error(RuntimeError):
    """A file, the device or an encoder failed. The text is that of the program."""


class UsageError(Error, ValueError):
    """An argument, a scene or the name of an output is wrong. The text names a way out."""


class Diverged(Error):
    """The state of a scene ceased to be finite. `result` is what the run left; its outputs are complete up to there."""

    result: Optional[Result] = None


class Array(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("type", c_int32), ("axes", c_int32),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("memory", c_int32), ("name", c_char_p)]


class Device(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_int32), ("index", c_int32), ("threads", c_int32),
                ("overwrite", c_int32), ("overwrite_words", c_char_p), ("cpu_words", c_char_p), ("view_name", c_char_p),
                ("text_folder", c_char_p)]


Progress = ctypes.CFUNCTYPE(None, c_void_p, c_int64, c_int64)


class Run(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("progress", Progress), ("user", c_void_p), ("stop", POINTER(c_int32))]


class Tolerance(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("max_pixels", c_double), ("min_psnr", c_double), ("min_ssim", c_double),
                ("max_flip", c_double), ("max_diff", c_int32)]


class Compared(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("pairs", c_int64), ("identical", c_int64), ("different", c_int64),
                ("missing", c_int64), ("extra", c_int64), ("mean_diff", c_double), ("psnr", c_double),
                ("ssim", c_double), ("flip", c_double), ("max_diff", c_int32), ("same", c_int32),
                ("first", c_char * 256)]


TYPES = {"f2": 0, "f4": 1, "f8": 2, "i1": 3, "i2": 4, "i4": 5, "i8": 6, "u1": 7, "u2": 8, "u4": 9, "u8": 10, "b1": 11}
HOST, GPU = 0, 1
OUTPUT, FINDING, REMARK, DIVERGENCE = range(4)


def _is_for_x86_64(path: str) -> bool:
    """Whether it is a library for x86-64; the loader calls one for another machine absent."""
    try:
        with open(path, "rb") as file:
            return file.read(20)[18:] == b"\x3e\0"
    except OSError:
        return False


def _load() -> ctypes.CDLL:
    """The library that SIMREEL_LIBRARY names, or else that of the package, or else one that the system finds."""
    path = os.environ.get("SIMREEL_LIBRARY") or beside("lib/libsimreel.so") or "libsimreel.so.0"
    try:
        library = ctypes.CDLL(path)
        library.simreel_version  # AttributeError if it is another library
        return library
    except (OSError, AttributeError) as error:
        own = platform.machine() if sys.maxsize > 2**32 else "32 bits"
        if own != "x86_64" and _is_for_x86_64(path):
            text = (f"this Python is for {own}, simreel's library ({path}) for x86-64 Linux; take another Python, "
                    "or build from source")
        else:
            way = ("its file system is mounted noexec, so install the package elsewhere" if "map segment" in str(error)
                   else "take a newer system, or a container of one" if "GLIBC_" in str(error)
                   else "install the package with pip, or set SIMREEL_LIBRARY to the path of libsimreel.so")
            text = f"simreel cannot load its library ({error}); {way}"
        # The command that pip installs, and `python -m simreel`, which older ones than Python 3.10 do not tell.
        started = os.path.basename((sys.argv or [""])[0])
        if started == "simreel" or (started == "-m" and "simreel" in getattr(sys, "orig_argv", ())):
            sys.exit(text)
        raise ImportError(text) from None


lib = _load()
_strings, _error, _result = POINTER(c_char_p), POINTER(c_void_p), POINTER(c_void_p)
_array = POINTER(Array)
for _name, _returns, _takes in [
    ("version", c_char_p, []),
    ("error_message", c_char_p, [c_void_p]),
    ("error_code", c_int, [c_void_p]),
    ("error_free", None, [c_void_p]),
    ("video_open", c_void_p, [_strings, c_size_t, c_char_p, POINTER(Device), _error]),
    ("video_write", c_int, [c_void_p, _array, c_double, _error]),
    ("video_write_bodies", c_int, [c_void_p, _array, _array, _array, c_double, _error]),
    ("video_ready", c_int, [c_void_p, c_double]),
    ("video_set_stream", c_int, [c_void_p, c_void_p]),
    ("video_stream", c_void_p, [c_void_p]),
    ("video_frames", c_int64, [c_void_p]),
    ("video_close", c_int, [c_void_p, _result, _error]),
    ("video_abandon", None, [c_void_p]),
    ("result_frames", c_int64, [c_void_p]),
    ("result_seconds", c_double, [c_void_p]),
    ("result_stopped", c_int, [c_void_p]),
    ("result_range", c_int, [c_void_p, POINTER(c_double), POINTER(c_double)]),
    ("result_text", c_char_p, [c_void_p, c_int, c_size_t]),
    ("result_free", None, [c_void_p]),
    ("render", c_int, [c_char_p, _strings, c_size_t, _strings, c_size_t, POINTER(Device), POINTER(Run), _result, _error]),
    ("check", c_int, [c_char_p, _strings, c_size_t, _strings, c_size_t, POINTER(Device), _result, _error]),
    ("figure", c_int, [c_char_p, _strings, c_size_t, POINTER(Device), POINTER(Run), _result, _error]),
    ("compare", c_int, [c_char_p, c_char_p, POINTER(Tolerance), POINTER(Compared), _error]),
]:
    _function = getattr(lib, "simreel_" + _name)
    _function.restype, _function.argtypes = _returns, _takes


def string(text: Any) -> bytes:
    """A path or a text as C has it."""
    raw = os.fsencode(text)
    if 0 in raw:
        raise UsageError(f"{text!r} has a zero byte, where a text ends")
    return raw


def strings(texts: Iterable[str]) -> Any:
    """An array of C strings."""
    all_of_them = [string(text) for text in texts]
    return (c_char_p * len(all_of_them))(*all_of_them)


def in_python(text: str) -> str:
    """A message of the program, which names keys as on its command line, in the words of Python."""
    return re.sub(r"--set ([\w.-]+)=([^\s:;]*)", r'{"\1": \2}', text)


def raise_error(code: int, error: c_void_p) -> None:
    """Raises what a function of the library returned, with its text; frees the error."""
    text = (lib.simreel_error_message(error) or b"").decode(errors="replace") if error else "out of memory"
    lib.simreel_error_free(error)
    raise {2: UsageError, 3: Diverged}.get(code, Error)(in_python(text))


def call(function: Any, *arguments: Any) -> None:
    """Calls a function of the library whose last parameter is an error."""
    error = c_void_p()
    code = function(*arguments, byref(error))
    if code != 0:
        raise_error(code, error)


def take(handle: c_void_p) -> Result:
    """The result of a handle of the library, which this frees."""
    if not handle:
        return Result()
    low, high = c_double(), c_double()
    drawn = lib.simreel_result_range(handle, byref(low), byref(high))

    def texts(kind: int) -> List[str]:
        found = iter(lambda: lib.simreel_result_text(handle, kind, len(all_of_them)), None)
        all_of_them: List[str] = []
        for text in found:
            all_of_them.append(text.decode(errors="replace") if kind == OUTPUT else in_python(text.decode(errors="replace")))
        return all_of_them

    result = Result(lib.simreel_result_frames(handle), texts(OUTPUT), (low.value, high.value) if drawn else None,
                    lib.simreel_result_seconds(handle), texts(FINDING), texts(REMARK),
                    bool(lib.simreel_result_stopped(handle)), "".join(texts(DIVERGENCE)))
    lib.simreel_result_free(handle)
    return result


def device_of(device: Any, threads: int, overwrite: bool, places: Optional[bytes] = b"",
              folder: Optional[bytes] = None) -> Device:
    """None, "cpu", "cuda", "cuda:1" or the number of a GPU as a struct, with the words of Python's arguments.

    places, folder: its view_name and text_folder.
    """
    backend, index = 0, 0
    if isinstance(device, int) and not isinstance(device, bool):
        backend, index = 2, device
    elif device == "cpu":
        backend = 1
    elif isinstance(device, str) and device.split(":")[0] in ("cuda", "gpu"):
        number = device.partition(":")[2] or "0"
        if not number.isdigit():
            raise UsageError(f'device is "{device}"; "cuda:0" is expected')
        backend, index = 2, int(number)
    elif device is not None:
        raise UsageError(f'device is {device!r}; "cpu", "cuda", "cuda:1", the number of a GPU, or None is expected')
    return Device(ctypes.sizeof(Device), backend, index, threads, 1 if overwrite else 0, b"overwrite=True", b'device="cpu"',
                  places, folder)
