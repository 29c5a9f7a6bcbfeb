#!/usr/bin/env python3
"""pack.py VERSION INSTALLED PACKAGE LICENCES DIST LIBDEFLATE: a wheel, a .tar.gz and a .tar.xz of what `cmake --install` and the stages made.

The bytes depend on the files alone: names in order, one time (SOURCE_DATE_EPOCH), one owner.
"""

import base64
import ctypes
import hashlib
import io
import lzma
import os
import struct
import sys
import tarfile
import time
import zlib
from pathlib import Path

TAGS = ("manylinux_2_17_x86_64", "manylinux2014_x86_64")  # the second for pip before 20.3
Files = dict[str, tuple[bytes, int]]


def tree(folder: Path, below: str) -> Files:
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            found[below + path.relative_to(folder).as_posix()] = (path.read_bytes(), mode)
    return found


def wheel(version: str, installed: Path, package: Path, licences: Path) -> Files:
    info = f"simreel-{version}.dist-info/"
    files = tree(package, "simreel/") | tree(installed / "bin", "simreel/bin/") | tree(installed / "include", "simreel/include/")
    for library in ("libsimreel.so", "libsimreel_m.so"):
        files["simreel/lib/" + library] = ((installed / "lib" / library).read_bytes(), 0o755)
    files |= tree(licences, info + "licenses/")
    listed = "".join(f"License-File: {name.removeprefix(info + 'licenses/')}\n" for name in sorted(files) if name.startswith(info))
    metadata = (
        f"Metadata-Version: 2.4\nName: simreel\nVersion: {version}\nSummary: Headless renderer and video exporter for GPU simulations\n"
        f"License-Expression: MIT AND LGPL-2.1-or-later\n{listed}Requires-Python: >=3.9\nProvides-Extra: ffmpeg\n"
        'Requires-Dist: imageio-ffmpeg; extra == "ffmpeg"\n'
    )
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in TAGS)
    files[info + "METADATA"] = (metadata.encode(), 0o644)
    files[info + "WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: simreel packaging/pack.py\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644)
    files[info + "entry_points.txt"] = (b"[console_scripts]\nsimreel = simreel.__main__:main\n", 0o644)
    record = ""
    for name, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[info + "RECORD"] = (f"{record}{info}RECORD,,\n".encode(), 0o644)
    return files


class Packer:
    """libdeflate, a shared one, at its highest level: 2 % less than zlib's."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library.resolve()))
        self.library.libdeflate_alloc_compressor.restype = ctypes.c_void_p
        self.compressor = ctypes.c_void_p(self.library.libdeflate_alloc_compressor(12))

    def packed(self, form: str, data: bytes) -> bytes:
        """As `form` deflate, bare, or gzip, whose header holds neither time nor name."""
        compress = self.library["libdeflate_" + form + "_compress"]
        compress.restype = ctypes.c_size_t
        room = ctypes.create_string_buffer(len(data) + len(data) // 1000 + 1000)
        size = compress(self.compressor, data, ctypes.c_size_t(len(data)), room, ctypes.c_size_t(len(room)))
        return ctypes.string_at(room, size)


def zipped(files: Files, epoch: int, packer: Packer) -> bytes:
    year, month, day, hour, minute, second = time.gmtime(epoch)[:6]
    date, clock = (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2
    body, listed = bytearray(), bytearray()
    for name, (data, mode) in sorted(files.items()):
        packed, text = packer.packed("deflate", data), name.encode("ascii")
        entry = struct.pack("<5H3L2H", 20, 0, 8, clock, date, zlib.crc32(data), len(packed), len(data), len(text), 0)
        listed += b"PK\1\2\x14\3" + entry + struct.pack("<3H2L", 0, 0, 0, (0o100000 | mode) << 16, len(body)) + text
        body += b"PK\3\4" + entry + text + packed
    return bytes(body + listed) + b"PK\5\6" + struct.pack("<4H2LH", 0, 0, len(files), len(files), len(listed), len(body), 0)


def tarred(files: Files, epoch: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, epoch
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def main(version: str, installed: Path, package: Path, licences: Path, dist: Path, libdeflate: Path) -> None:
    packer = Packer(libdeflate)
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    folder = f"simreel-{version}-linux-x86_64"
    own = {folder + "/LICENSE": ((licences / "simreel").read_bytes(), 0o644)}
    archive = tarred(tree(installed, folder + "/") | tree(licences, folder + "/licenses/") | own, epoch)
    sums = ""
    dist.mkdir(parents=True, exist_ok=True)
    for name, data in {
        f"simreel-{version}-py3-none-{'.'.join(TAGS)}.whl": zipped(wheel(version, installed, package, licences), epoch, packer),
        folder + ".tar.gz": packer.packed("gzip", archive),
        folder + ".tar.xz": lzma.compress(archive, preset=9 | lzma.PRESET_EXTREME),
    }.items():
        (dist / name).write_bytes(data)
        sums += f"{hashlib.sha256(data).hexdigest()}  {name}\n"
        print(f"{name}  {len(data) / 1e6:.1f} MB")
    (dist / "SHA256SUMS").write_text(sums)


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
