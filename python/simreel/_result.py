"""What a run left, also as a notebook shows it."""

from __future__ import annotations

import base64
import html
import os
from dataclasses import dataclass, field
from typing import List, Optional, Sequence, Tuple

MOST_BYTES = 20_000_000  # of a file that is put into the page

_VIDEOS = {".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime"}
_PICTURES = {".gif": "image/gif", ".png": "image/png", ".apng": "image/apng", ".webp": "image/webp", ".avif": "image/avif",
             ".svg": "image/svg+xml"}


def html_of(outputs: Sequence[str]) -> Optional[str]:
    """The first output that a browser shows, inside the page; a link to it if it is large, or to the first file."""
    for name in outputs:
        kind = os.path.splitext(name)[1].lower()
        if kind not in _VIDEOS and kind not in _PICTURES or not os.path.isfile(name):
            continue
        if os.path.getsize(name) > MOST_BYTES:
            shown = html.escape(name, quote=True)
            return f'<a href="{shown}">{shown}</a> ({os.path.getsize(name) / 1e6:.0f} MB, too large to show here)'
        with open(name, "rb") as file:
            data = base64.b64encode(file.read()).decode()
        if kind in _PICTURES:
            return f'<img src="data:{_PICTURES[kind]};base64,{data}" style="max-width: 100%">'
        return (f'<video controls loop style="max-width: 100%"><source type="{_VIDEOS[kind]}" '
                f'src="data:{_VIDEOS[kind]};base64,{data}"></video>')
    link = next((html.escape(name, quote=True) for name in outputs if os.path.isfile(name)), None)
    return link and f'<a href="{link}">{link}</a>'


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
