"""What a run left."""

from __future__ import annotations

from ctypes import byref, c_double, c_void_p
from dataclasses import dataclass, field
from typing import List, Optional, Tuple

from . import _abi
from ._notebook import html_of


@dataclass
class Result:
    """What a run or a video left.

    frames: the number in each output. outputs: where they are. range: of the colours, None if nothing was drawn.
    seconds: wall time. findings: what the solver measured, a line each. remarks: what the user should know.
    stopped: whether it was ended early; the outputs are complete up to there. divergence: why the state ceased to be
    finite, empty if it did not.
    """

    frames: int = 0
    outputs: List[str] = field(default_factory=list)
    range: Optional[Tuple[float, float]] = None
    seconds: float = 0.0
    findings: List[str] = field(default_factory=list)
    remarks: List[str] = field(default_factory=list)
    stopped: bool = False
    divergence: str = ""

    def _repr_html_(self) -> Optional[str]:
        return html_of(self.outputs)


def take(handle: c_void_p) -> Result:
    """The result behind a handle of the library, which it frees."""
    if not handle:
        return Result()
    lib = _abi.lib
    low, high = c_double(), c_double()
    drawn = lib.simreel_result_range(handle, byref(low), byref(high))
    divergence = _abi.texts_of(handle, _abi.DIVERGENCE)
    result = Result(lib.simreel_result_frames(handle), _abi.texts_of(handle, _abi.OUTPUT),
                    (low.value, high.value) if drawn else None, lib.simreel_result_seconds(handle),
                    _abi.texts_of(handle, _abi.FINDING), _abi.texts_of(handle, _abi.REMARK),
                    bool(lib.simreel_result_stopped(handle)), divergence[0] if divergence else "")
    lib.simreel_result_free(handle)
    return result
