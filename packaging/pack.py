#!/usr/bin/env python3
"""pack.py VERSION INSTALLED PACKAGE LICENCES DIST: a wheel, a .tar.gz and a .tar.xz of what `cmake --install` and the stages made.

The bytes depend on the files alone: names in order, one time (SOURCE_DATE_EPOCH), one owner.
"""

import base64
import hashlib
import io
import lzma
import os
import sys
import tarfile
import time
import zipfile
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


def zipped(files: Files, epoch: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, (data, mode) in sorted(files.items()):
            entry = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def tarred(files: Files, epoch: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, epoch
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def gzipped(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)  # with a header that holds neither time nor name
    return packer.compress(data) + packer.flush()


def main(version: str, installed: Path, package: Path, licences: Path, dist: Path) -> None:
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    folder = f"simreel-{version}-linux-x86_64"
    archive = tarred(tree(installed, folder + "/") | tree(licences, folder + "/licenses/"), epoch)
    dist.mkdir(parents=True, exist_ok=True)
    for name, data in {
        f"simreel-{version}-py3-none-{'.'.join(TAGS)}.whl": zipped(wheel(version, installed, package, licences), epoch),
        folder + ".tar.gz": gzipped(archive),
        folder + ".tar.xz": lzma.compress(archive, preset=9 | lzma.PRESET_EXTREME),
    }.items():
        (dist / name).write_bytes(data)
        print(f"{hashlib.sha256(data).hexdigest()}  {name}  {len(data) / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
