"""Outputs as a notebook shows them."""

from __future__ import annotations

import base64
import html
import os
from typing import Optional, Sequence

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
