"""Arrays of other packages as the library reads them: without a copy, whatever their strides.

Asked in this order: numpy's array interface, DLPack (torch, cupy, jax, warp, ...), CUDA's array interface (numba), and
numpy.asarray for all others (buffers, lists).
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any, Dict, Optional, Sequence, Tuple

from ._abi import GPU, HOST, TYPES, Array, UsageError


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [py_object, ctypes.c_char_p]
_ON_HOST, _ON_GPU = (1, 3), (2, 13)  # DLDeviceType: CPU, pinned; CUDA, managed
_OTHER_ORDER = ">" if sys.byteorder == "little" else "<"


def refusal(code: str) -> str:
    """Why numbers of this type cannot be drawn, with a way out."""
    way = {"c": "complex numbers ({}) cannot be drawn; write numpy.abs(a), a.real or a.imag",
           "M": "dates ({}) are no numbers; write (a - a.min()) / numpy.timedelta64(1, 'D') for days",
           "m": "spans of time ({}) are no numbers; write a / numpy.timedelta64(1, 'h') for hours",
           **dict.fromkeys("OUS", "{} is no type of numbers; convert them with a.astype(float)")}
    return way.get(code[0], "numbers of type {} cannot be drawn; convert them to float32").format(f'"{code}"')


class Borrowed:
    """An array of the caller, valid as long as this object: `struct` for the library. The strides are in numbers."""

    def __init__(self, data: int, code: str, shape: Sequence[int], strides: Optional[Sequence[int]], memory: int,
                 keep: Any, wait: Any = None) -> None:
        if code not in TYPES:
            raise UsageError(refusal(code))
        self.keep, self.wait, self.itemsize = keep, wait, int(code[1:])
        axes = len(shape)
        if strides is None:
            steps = [1] * axes
            for axis in range(axes - 2, -1, -1):
                steps[axis] = steps[axis + 1] * shape[axis + 1]
            strides = steps
        self.shape, self.strides = tuple(shape), (c_int64 * max(axes, 1))(*strides)
        self.struct = Array(ctypes.sizeof(Array), data, TYPES[code], axes, (c_int64 * max(axes, 1))(*shape),
                            self.strides, memory)

    def turned(self) -> "Borrowed":
        """The same with its first row above."""
        if len(self.shape) == 2:
            # ctypes reads a null pointer, as of an empty array, as None.
            self.struct.data = (self.struct.data or 0) + (self.shape[0] - 1) * self.strides[0] * self.itemsize
            self.strides[0] = -self.strides[0]
            self.struct.strides = self.strides
        return self


def _in_numbers(strides: Optional[Sequence[int]], itemsize: int) -> Optional[Tuple[int, ...]]:
    if strides is not None and any(step % itemsize for step in strides):
        raise UsageError(f"an array whose strides {tuple(strides)} are no multiples of its numbers' {itemsize} bytes "
                         "cannot be read in place; copy it (numpy.ascontiguousarray)")
    return None if strides is None else tuple(step // itemsize for step in strides)


def _code(typestr: str) -> str:
    if typestr[0] == _OTHER_ORDER and typestr[2:] != "1":
        raise UsageError(f'numbers of type "{typestr}" have the byte order of another machine; convert them with '
                         ".astype(a.dtype.newbyteorder())")
    return typestr[1:]


def _from_interface(interface: Dict[str, Any], memory: int, keep: Any) -> Borrowed:
    code = _code(interface["typestr"])
    itemsize = int(code[1:]) if code[1:].isdigit() else 1
    shape, data = tuple(interface["shape"]), interface["data"]
    return Borrowed(data[0] or 0, code, shape, _in_numbers(interface.get("strides"), itemsize), memory, keep,
                    interface.get("stream") if memory == GPU else None)


def _from_dlpack(array: Any, stream: Optional[int]) -> Borrowed:
    try:
        kind, _ = array.__dlpack_device__()
    except AttributeError:  # what jax.jit and its like pass
        if type(array).__module__.split(".")[0] not in ("jax", "jaxlib"):
            raise
        raise UsageError(f"{type(array).__name__} holds no numbers while a function is traced; write outside of it, or "
                         "by jax.debug.callback") from None
    on_gpu = int(kind) in _ON_GPU
    if not on_gpu and int(kind) not in _ON_HOST:
        raise UsageError(f"the array lies on a device of DLPack's type {int(kind)}; simreel reads host memory and CUDA's")
    if on_gpu and stream is None:
        raise UsageError("the array lies on a GPU, and this video is drawn on the CPU; draw it on the GPU, with a "
                         "simreel that was built with CUDA, or copy the array to host memory")
    # The producer lets the video's stream wait for its work. A capsule that nobody takes over frees itself.
    capsule = array.__dlpack__(stream=stream) if on_gpu else array.__dlpack__()
    tensor = _Tensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    letter = {0: "i", 1: "u", 2: "f", 6: "b"}.get(tensor.code)
    if letter is None or tensor.lanes != 1:
        raise UsageError(f"numbers of {tensor.bits} bits of DLPack's type {tensor.code} cannot be drawn; convert them "
                         "to float32")
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    strides = [tensor.strides[i] for i in range(tensor.ndim)] if tensor.strides else None
    return Borrowed((tensor.data or 0) + tensor.byte_offset, f"{letter}{tensor.bits // 8}", shape, strides,
                    GPU if on_gpu else HOST, capsule, "done" if on_gpu else None)


def borrow(array: Any, stream: Optional[int] = None) -> Borrowed:
    """An array of another package; `stream` is the video's, None on the CPU."""
    if hasattr(array, "filled") and hasattr(array, "mask"):  # numpy's masked arrays: no value is no number
        import numpy
        array = array.astype(numpy.result_type(array.dtype, numpy.float32)).filled(numpy.nan)
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        return _from_interface(interface, HOST, (array, interface))
    if hasattr(array, "__dlpack__"):
        # torch gives no array away that is part of a gradient.
        return _from_dlpack(array.detach() if getattr(array, "requires_grad", False) else array, stream)
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _from_interface(interface, GPU, (array, interface))
    try:
        import numpy
    except ImportError:
        raise UsageError(f"{type(array).__name__} is no array that simreel reads without numpy: it has neither DLPack nor "
                         "CUDA's array interface, and numpy is not installed") from None
    try:
        converted = numpy.asarray(array)
    except (TypeError, ValueError) as error:  # lists of rows of different lengths, and what refuses to be an array
        raise UsageError(f"{type(array).__name__} is no array of numbers: {error}") from None
    if converted.dtype.kind not in "biufc":
        raise UsageError(f"{type(array).__name__} is no array of numbers")
    return _from_interface(converted.__array_interface__, HOST, converted)
