"""What a run left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Tuple

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
