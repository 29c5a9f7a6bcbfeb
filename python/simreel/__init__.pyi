"""The types of the package; what each function does, shapes and units: help(simreel.Video)."""

import os
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

_Path = Union[str, os.PathLike[str]]
_Outputs = Union[_Path, Sequence[_Path]]
_Progress = Union[bool, Callable[[int, int], None]]
_Device = Union[None, str, int]

__all__: List[str]
__version__: str

class Error(RuntimeError): ...
class UsageError(Error, ValueError): ...

class Diverged(Error):
    result: Optional[Result]

@dataclass
class Result:
    frames: int = ...
    outputs: List[str] = ...
    range: Optional[Tuple[float, float]] = ...
    seconds: float = ...
    findings: List[str] = ...
    remarks: List[str] = ...
    stopped: bool = ...
    divergence: str = ...
    def _repr_html_(self) -> Optional[str]: ...

@dataclass
class Comparison:
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
    def __bool__(self) -> bool: ...

class Video:
    result: Optional[Result]
    def __init__(
        self,
        *outputs: _Path,
        fps: Optional[float] = ...,
        size: Optional[Tuple[int, int]] = ...,
        colormap: Optional[str] = ...,
        range: Union[None, str, Tuple[float, float]] = ...,
        origin: str = ...,
        label: Optional[str] = ...,
        colorbar: Union[None, bool, str] = ...,
        time: Optional[str] = ...,
        title: Optional[str] = ...,
        frames: Optional[int] = ...,
        view: Optional[Mapping[str, Any]] = ...,
        device: _Device = ...,
        threads: int = ...,
        overwrite: bool = ...,
    ) -> None: ...
    @property
    def frames(self) -> int: ...
    def write(self, field: Any, time: float = ...) -> None: ...
    def write_bodies(
        self, xyz: Any, weight: Any = ..., value: Any = ..., velocity: Any = ..., time: float = ...
    ) -> None: ...
    def close(self) -> Result: ...
    def abandon(self) -> None: ...
    def __enter__(self) -> Video: ...
    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...
    def _repr_html_(self) -> Optional[str]: ...

def render(
    scene: _Path,
    set: Optional[Mapping[str, Any]] = ...,
    *,
    outputs: _Outputs = ...,
    progress: _Progress = ...,
    device: _Device = ...,
    threads: int = ...,
    overwrite: bool = ...,
) -> Result: ...
def figure(
    file: _Path,
    outputs: _Outputs,
    *,
    progress: _Progress = ...,
    device: _Device = ...,
    threads: int = ...,
    overwrite: bool = ...,
) -> Result: ...
def check(
    scene: _Path,
    set: Optional[Mapping[str, Any]] = ...,
    *,
    outputs: _Outputs = ...,
    device: _Device = ...,
    threads: int = ...,
    overwrite: bool = ...,
) -> List[str]: ...
def compare(
    expected: _Path,
    actual: _Path,
    *,
    max_diff: int = ...,
    max_pixels: float = ...,
    min_psnr: float = ...,
    min_ssim: float = ...,
    max_flip: float = ...,
) -> Comparison: ...
