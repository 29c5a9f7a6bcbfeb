#!/usr/bin/env python3
"""formulas.py [SECONDS [FOLDER [JOBS [SIMREEL]]]]: hostile scenes of formulas for `simreel check`.

Makes scenes of at most 64 KiB (deep, wide, shared and chained formulas; equations, sides, obstacles, flows, media; grids of
all sizes), and changes those of scenes/. `check` must answer each within 5 s of a core and 1 GiB, with exit code 0, or 2 and
a place. FOLDER gets every scene that does otherwise, and why; the exit code is then 1. A scene is made again from its
number: formulas.py --show NUMBER."""
import glob
import os
import random
import re
import resource
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS, BYTES, LONGEST = 5, 1 << 30, 65536
ONE = "sin cos tan asin acos atan exp log sqrt tanh abs floor ceil round sign".split()
TWO = "pow mod hypot atan2 step noise min max".split()
THREE = "if clamp mix smoothstep min max".split()
GRID = "lap lap9 bilap dx dy dxx dyy dxy grad2".split()
SIGNS = "+ - * / ^ ** < <= > >= == != and or".split()
SIZES = [1, 2, 3, 16, 16, 64, 64, 64, 300, 1000, 2048, 5000, 16384, 100000, 1 << 24]


class Maker:
    def __init__(self, number):
        self.dice = random.Random(number)
        self.names = []
        self.careful = self.dice.random() < 0.85  # else most scenes have a mistake
        self.complex = self.dice.random() < 0.1

    def pick(self, of):
        return self.dice.choice(of)

    def some(self, most):  # small numbers more often
        return int(most ** self.dice.random())

    def atom(self, space="xyt"):
        d = self.dice
        if self.names and d.random() < 0.4:
            return self.pick(self.names)
        if d.random() < 0.5:
            words = [w for w in "x y t r theta i j nx ny pi".split()
                     if not (w in "xi" and "x" not in space or w in "yj" and "y" not in space or w in "ij" and self.complex or w == "t" and "t" not in space
                             or w in ("r", "theta") and not ("x" in space and "y" in space))]
            return self.pick(words or ["pi"])
        return self.pick(["0", "1", "2", "0.5", "1e-3", "1e9", "1e300", "1e-300", "3.7", "100000000", str(d.random()), "2i" if self.complex else "2"])

    def formula(self, space="xyt", operators=False, length=None, base="1e-4"):
        """A text of about so many letters, of one of several shapes."""
        length = min(length or self.some(3900), 3900 if self.careful else 5000)
        shape, atom = self.dice.randrange(12), lambda: self.atom(space)
        if shape == 0:  # wide
            sign, text = self.pick(SIGNS[:4]), atom()
            while len(text) < length:
                text += f"{sign}{atom()}"
        elif shape == 1:  # deep to the left or the right
            opened, closed = self.pick([("(", ")"), ("-", ""), ("+", ""), ("not ", ""), ("!", ""), ("- - ", ""), ("2^", ""), ("2**-", ""), ("2<(", ")"),
                                        ("min(1,", ")"), ("if(1,2,", ")"), ("(1+", ")"), ("1 or (", ")")] + [(f + "(", ")") for f in ONE])
            count = self.pick([30, 60, 90] if self.careful else [99, 190, length]) // len(opened.split() or [1])
            count = min(count, length // (len(opened) + len(closed)))
            text = opened * count + atom() + closed * count
        elif shape == 2:  # shared squares
            count = min(length // 4, 90 if self.careful else length)
            text = "(" * count + atom() + f"){self.pick(['^2', '^3', '^4'])}" * count
        elif shape == 3:  # powers of constants
            text = "^".join(self.pick(["2", "9", "1e9", "0.5", "-3"]) for _ in range(min(length // 4, 90) + 2))
        elif shape == 4 and operators:
            text, count = atom(), self.some(9 if self.careful else 120)
            for _ in range(count):
                text = f"{self.pick(GRID)}({text})"
        elif shape == 5:
            text = "+".join(f"noise({atom()},{atom()}*{n})" for n in range(max(1, length // 16)))
        elif shape == 6:
            text = f"{self.pick(['min', 'max'])}({','.join(atom() for _ in range(max(2, length // 3)))})"
        else:
            text = self.tree(space, operators, self.some(9), length)
        if not self.careful or self.complex:
            return "= " + text
        # Of what may be infinite or not a number a comparison makes a number.
        return "= " + self.pick([base + " + 1e-4*(({}) > 0.5)", "if(({}) < 1, " + base + ", 2e-4)"] if not operators else ["{}", "u0 - 0.1*u0^3 + 0.01*(({}) > 0.5)"]).format(text)

    def tree(self, space, operators, depth, length):
        if depth <= 0 or length < 8:
            return self.atom(space)
        below = lambda parts: [self.tree(space, operators, depth - 1, length // parts) for _ in range(parts)]
        kind = self.dice.randrange(8)
        if kind == 0:
            return f"{self.pick(ONE)}({below(1)[0]})"
        if kind == 1:
            return f"{self.pick(TWO)}({', '.join(below(2))})"
        if kind == 2:
            return f"{self.pick(THREE)}({', '.join(below(3))})"
        if kind == 3 and operators:
            return self.pick(["diffuse({},{})".format(*below(2)), "advect({},{},{})".format(*below(3)), f"{self.pick(GRID)}({below(1)[0]})"])
        if kind == 4:
            return f"({below(1)[0]})^{self.pick('2345')}"
        return f"({f' {self.pick(SIGNS[:4])} '.join(below(2))})"

    def quoted(self, *arguments, **words):
        return f'"{self.formula(*arguments, **words)}"'

    def grid(self):
        return f"[{self.pick(SIZES)}, {self.pick(SIZES)}]"

    def obstacles(self, fields=()):
        text = ""
        for _ in range(self.some(self.pick([1, 4, 127]))):
            text += "[[solver.obstacle]]\n" + self.pick([f'shape = "formula"\nsolid = {self.quoted("xy", length=self.some(300), base="noise(x/9, y/9) - 0.3")}\n', "radius = 3\n", 'shape = "porous"\n'])
            for field in fields:
                if self.dice.random() < 0.5:
                    text += f"hold.{field} = {self.quoted(length=self.some(200))}\n"
        return text

    def side(self, space):
        self.names = []
        return self.pick(['"free"', "{ value = 0 }", f"{{ value = {self.quoted(space, length=300)} }}", f"{{ slope = {self.quoted(space, length=300)} }}",
                          f"{{ mixed = {{ a = {self.quoted(space, length=99)}, b = {self.quoted(space, length=99)} }} }}"])

    def pde(self):
        d = self.dice
        count = self.some(self.pick([2, 8, 32]))
        fields, parameters = [f"u{n}" for n in range(count)], [f"p{n}" for n in range(self.some(self.pick([2, 100, 3000])))]
        text = f'[solver]\nkind = "pde"\ngrid = {self.grid()}\nscheme = "{self.pick(["euler", "heun", "rk4", "rkc2"])}"\n'
        if 'rkc2' in text and d.random() < 0.5:
            text += f"stages = {self.pick([2, 8, 64])}\n"
        if d.random() < 0.6:
            text += f"timestep = {self.pick(['1e-9', '0.1', '1'])}\n" + self.pick(["", "unchecked = true\n"])
        text += self.pick(["", 'laplacian = "nine"\n', 'precision = "double"\n', ""])
        part = max(8, 30000 // max(1, len(parameters)))
        text += "[solver.parameters]\n"
        of_parameters = self.pick(["t", "xy", "xy"])
        for n, name in enumerate(parameters):  # each of those after it: chains, or layers
            self.names = parameters[n + 1:n + 1 + self.pick([1, 2, 60])]
            space = of_parameters if self.careful else self.pick(["t", "xy", "xyt"])
            chained = self.pick(["{0}*{1}", "{0}+{1}", "({0})^4", "{0}*x", "-{0}", "abs({0})"]).format(self.atom(space), self.atom(space))
            text += f'{name} = "= {chained}"\n' if d.random() < 0.7 else f"{name} = {self.quoted(space, length=self.some(part))}\n"
        stored = [f for f in fields[1:] if d.random() < 0.4]
        for n, name in enumerate(fields):
            self.names = parameters[:4] + fields[:n + 1] + fields
            part = min(max(20, 24000 // count), 3000)
            text += f"[solver.fields.{name}]\n" + ('type = "complex"\n' if self.complex else "")
            used = "".join(f" + p{k}*0" for k in range(n, len(parameters), count)) if self.careful and len(parameters) < 200 else ""
            if name in stored:
                self.names = fields[max(0, n - 2):n]
                text += f"value = {self.quoted(operators=True, length=self.some(part))[:-1]}{used}\"\n"
            else:
                text += f"rate = {self.quoted(operators=True, length=self.some(part))[:-1]}{used}\"\n"
                self.names = parameters[:4] if of_parameters == "xy" else []
                text += f"initial = {self.pick(['0', self.quoted('xy', length=self.some(200))])}\n"
            if d.random() < 0.2:
                text += "[solver.fields.%s.boundary]\n" % name
                for side in ("left", "right", "bottom", "top"):
                    text += f"{side} = {self.side('yt' if side in ('left', 'right') else 'xt')}\n"
        self.names = fields[:3]
        for n in range(self.some(20) - 1):
            text += f'[[solver.measure]]\nname = "m{n}"\nmean = {self.quoted(operators=True, length=self.some(200))}\n'
        self.names = []
        return text + (self.obstacles([f for f in fields[:2] if f not in stored]) if d.random() < 0.3 else "")

    def lbm(self):
        text = f'[solver]\nkind = "lbm"\ngrid = {self.grid()}\n'
        for key, base in (("initial_ux", "1e-4"), ("initial_uy", "0"), ("initial_density", "1")):
            if self.dice.random() < 0.4:
                text += f"{key} = {self.quoted('xy', base=base)}\n"
        for axis in "xy":
            if self.dice.random() < 0.4:
                text += f"force.{axis} = {self.quoted(self.pick(['t', 'xy']), base='1e-5')}\n"
        if self.dice.random() < 0.3:
            text += f'boundary.left = "inlet"\nboundary.right = "outlet"\nprofile = {self.quoted()}\n'
        return text + self.obstacles()

    def wave(self):
        text = f'[solver]\nkind = "wave"\ngrid = {self.grid()}\n'
        for key in ("speed", "initial", "initial_velocity"):
            if self.dice.random() < 0.4:
                text += f"{key} = {self.quoted('xy')}\n"
        for _ in range(self.some(self.pick([1, 8, 300]))):
            text += "[[solver.source]]\n" + self.pick([f'shape = "formula"\nweight = {self.quoted("xy", length=self.some(200))}\n',
                                                      f"x = {self.quoted('t', length=99)}\nsignal = {self.quoted('t', length=200)}\n", f"signal = {self.quoted('t')}\n"])
        return text + self.obstacles()

    def changed(self):
        """A scene of the repository with other formulas and numbers, lines twice or not at all."""
        text = open(self.pick(sorted(glob.glob(ROOT + "/scenes/*.toml") + glob.glob(ROOT + "/tests/golden/*.toml"))), encoding="utf-8").read()
        text = re.sub(r'"= [^"\n]*"', lambda found: self.quoted(operators=True, length=self.some(300)) if self.dice.random() < 0.5 else found[0], text)
        text = re.sub(r"\b\d+\b", lambda found: str(self.pick(SIZES)) if self.dice.random() < 0.1 else found[0], text)
        lines = text.split("\n")
        for _ in range(self.some(4) - 1):
            at = self.dice.randrange(len(lines))
            lines[at:at + 1] = [lines[at]] * self.pick([0, 2, self.some(400)])
        return "\n".join(lines)

    def scene(self):
        text = self.pick([self.pde, self.pde, self.pde, self.lbm, self.wave, self.changed])()
        if self.dice.random() < 0.03:  # anything
            letters = list(text)
            for _ in range(self.some(50)):
                letters[self.dice.randrange(len(letters))] = self.pick(list('()^-+*/,."=<>!\n') + ["lap(", "\\u0000", "\u2212"])
            text = "".join(letters)
        return text.encode()[:LONGEST].decode(errors="ignore")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (4 * BYTES, 4 * BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (3 * SECONDS, 4 * SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def what_is_wrong(simreel, path):
    process = subprocess.Popen([simreel, "check", path, "--backend", "cpu", "--threads", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit)
    said = process.stderr.read(1 << 20).decode(errors="replace")
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    spent, held = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
    if spent > SECONDS:
        return f"{spent:.1f} s", said
    if held > BYTES:
        return f"{held >> 20} MiB", said
    if code not in (0, 2):
        return f"exit code {code}", said
    if code == 2 and not re.search(r"\.toml(:\d+:\d+)?: |more mistake", said):
        return "a mistake without a place", said
    return "", said


def search(seconds, folder, job, simreel, first):
    end, count, wrong = time.time() + seconds, 0, 0
    path = f"{folder}/job{job}.toml"
    while time.time() < end:
        number = first + job + count * 1000
        count += 1
        text = Maker(number).scene()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        reason, said = what_is_wrong(simreel, path)
        if not reason:
            continue
        wrong += 1
        os.rename(path, f"{folder}/{number}.toml")
        with open(f"{folder}/findings.txt", "a", encoding="utf-8") as file:
            file.write(f"{number}.toml: {reason}: {said[:300]!r}\n")
    print(f"job {job}: {count} scenes, {wrong} findings", flush=True)
    return wrong


def main():
    if sys.argv[1:2] == ["--show"]:
        print(Maker(int(sys.argv[2])).scene(), end="")
        return 0
    arguments = dict(enumerate(sys.argv[1:]))
    seconds, folder, jobs = float(arguments.get(0, 60)), arguments.get(1, "build/fuzz/formulas"), int(arguments.get(2, os.cpu_count()))
    simreel = os.path.abspath(arguments.get(3, ROOT + "/build/cpu/bin/simreel"))
    os.makedirs(folder, exist_ok=True)
    first = int(time.time()) * 1000000
    children = []
    for job in range(jobs):
        child = os.fork()
        if child == 0:
            os._exit(1 if search(seconds, folder, job, simreel, first) else 0)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1] != 0]
    print(f"findings in {folder}/findings.txt" if failed else "no findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
