#!/usr/bin/env python3
"""check_includes_test.py ROOT: plants violations in a copy of the sources, one after the other, and looks for what scripts/check_includes
says of each."""

import os
import shutil
import subprocess
import sys
import tempfile

# file, the line to add, what must be said
PLANTED = [
    ("src/files/pattern.h", '#include "sink/sink.h"', "is of sink; files may include: base"),
    ("kernels/wave/wave.cu", '#include "scene/scene.h"', "is of scene; kernels/wave may include: base, exec, kernels/base"),
    ("kernels/lbm/lbm.h", '#include "kernels/wave/wave.h"', "is of kernels/wave; kernels/lbm may include"),
    ("src/source/wave/medium.h", '#  include "source/nbody/scales.h"', "is of source/nbody; source/wave may include"),
    ("src/run/render_loop.h", '#include "commands/console.h"', "is of commands; run may include"),
    ("src/main.cpp", '#include "run/render_loop.h"', "is of run; main.cpp may include: commands"),
    ("src/sink/raw/y4m.cpp", "#include <cuda_runtime_api.h>", "is CUDA, which may be included in: exec, kernels"),
    ("src/picture/rasterizer.h", "#include <toml++/toml.h>", "is toml++, which may be included in: scene"),
    ("src/run/render_loop.cpp", "#include <CLI/CLI.hpp>", "is CLI11, which may be included in: commands"),
    ("src/sink/data/lines.cpp", "#include <libavutil/opt.h>", "is FFmpeg's libraries, which may be included in: sink/video"),
    ("kernels/nbody/tasks.h", "#include <fmt/format.h>", "is fmt, which may be included anywhere but in kernels"),
    ("src/golden/check.cpp", "#include <iostream>", "which may be included nowhere"),
    ("src/base/text.h", "#include <boost/core/span.hpp>", "is of a library that the table in scripts/check_includes lacks"),
    ("src/scene/load.cpp", '#include "table.h"', "names no file below src/"),
    ("include/simreel/simreel.hpp", '#include "run/render_loop.h"', "is of run; include may include: nothing of ours"),
    ("src/attic/old.cpp", "#include <vector>", "lies in no module of the table"),
]


def run(root, *arguments):
    done = subprocess.run([os.path.join(root, "scripts", "check_includes"), *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main(source):
    mistakes = []

    def expect(what, outcome, code, *said):
        if outcome[0] != code or any(text not in outcome[1] for text in said):
            mistakes.append(f"{what}: expected exit code {code} and {said}, got {outcome}")

    with tempfile.TemporaryDirectory() as root:
        for name in ("src", "kernels", "include", "scripts"):
            shutil.copytree(os.path.join(source, name), os.path.join(root, name))
        shutil.copy(os.path.join(source, "CONTRIBUTING.md"), root)
        expect("as it is", run(root), 0)

        for name, line, said in PLANTED:
            path = os.path.join(root, name)
            before = None
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    before = file.read()
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write((before or "#pragma once\n") + line + "\n")
            number = 1 if "no module" in said else len((before or "#pragma once\n").splitlines()) + 1
            expect(f"{name} with {line}", run(root), 1, f"{name}:{number}:", said)
            if before is None:
                os.remove(path)
            else:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(before)

        contributing = os.path.join(root, "CONTRIBUTING.md")
        with open(contributing, encoding="utf-8") as file:
            text = file.read()
        with open(contributing, "w", encoding="utf-8") as file:
            file.write(text.replace("| `scene` |", "| `scenery` |"))
        expect("another table in CONTRIBUTING.md", run(root), 1, "shows another table")
        expect("--write", run(root, "--write"), 0)
        expect("after --write", run(root), 0)

        with open(os.path.join(root, "src/golden/check.h"), "a", encoding="utf-8") as file:
            file.write("namespace simreel {\nclass Lines {};\n}  // namespace simreel\n")
        expect("a name of another class", run(root), 1, "simreel::Lines: there is such a class in src/golden/check.h and in src/sink/data/lines.h")

        script = os.path.join(root, "scripts", "check_includes")
        with open(script, encoding="utf-8") as file:
            text = file.read()
        with open(script, "w", encoding="utf-8") as file:
            file.write(text.replace('("scene", "base"', '("scene", "base run"'))
        expect("a row that names a module below it", run(root), 1, "the row of scene names run, and no row above it does")

    print(*mistakes, sep="\n")
    return 1 if mistakes else 0


sys.exit(main(sys.argv[1]))
