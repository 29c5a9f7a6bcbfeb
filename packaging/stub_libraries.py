#!/usr/bin/env python3
"""stub_libraries.py CAP FROM TO: for each of glibc's shared libraries in FROM a stub in TO that offers no symbol version newer than CAP ("2.17").

What is linked against the stubs needs no newer glibc: the linker binds each symbol to the newest version that a stub offers, and reports one that
came later as an undefined reference. A stub holds names and sizes, none of glibc's code.
"""

import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = ("libc.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "ld-linux-x86-64.so.2")


def order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


def offered(library: Path, cap: tuple[int, ...]) -> dict[str, tuple[str, str, str]]:
    """Symbol -> (version, type, size): the newest version up to the cap of what programs may still be linked with."""
    table = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True).stdout
    row = re.compile(r"\s*\d+: [0-9a-f]+ +(\w+) (\w+) +\w+ +\w+ +(?!UND|ABS)\w+ (\w+)(@@?)(GLIBC_[0-9.]+)$")
    found, linkable = {}, set()
    for size, kind, name, at, version in filter(None, (row.match(line) and row.match(line).groups() for line in table.splitlines())):
        if at == "@@":
            linkable.add(name)
        if order(version) <= cap and (name not in found or order(version) > order(found[name][0])):
            found[name] = (version, "object" if kind == "OBJECT" else "function", size)
    return {name: found[name] for name in sorted(linkable & found.keys())}


def main(cap: str, source: str, target: str) -> None:
    for library in LIBRARIES:
        symbols = offered(Path(source, library), order(cap))
        assembly = ['.section .note.GNU-stack,"",@progbits', ".data"]
        for name, (_, kind, size) in symbols.items():
            assembly += [f".globl {name}", f".type {name}, @{kind}", f".size {name}, {size}", f"{name}: .skip {size if kind == 'object' else 1}"]
        nodes = ""
        for version in sorted({version for version, _, _ in symbols.values()}, key=order):
            names = "; ".join(name for name, entry in symbols.items() if entry[0] == version)
            nodes += f"{version} {{ {names}; }};\n"
        script = Path(target, library + ".map")
        script.write_text(nodes)
        subprocess.run(["gcc", "-shared", "-nostdlib", f"-Wl,-soname={library}", *([f"-Wl,--version-script={script}"] if nodes else []),
                        "-x", "assembler", "-", "-o", Path(target, library)], check=True, input="\n".join(assembly) + "\n", text=True)
        script.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
