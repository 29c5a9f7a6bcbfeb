#!/usr/bin/env python3
"""run.py SIMREEL FILE [--accept]: whether the program says what the file has; --accept writes what it says now.

  # a comment
  @NAME TEXT                 lines that stand where a later text has @NAME
  + FILE TEXT                a file in the folder of the cases below
  | CODE                     Python with numpy and h5py that makes such files
  > SCENE --set KEY=VALUE    what `simreel check` says to this scene
  $ ARGUMENTS                is refused: exit code 2, nothing on standard output, no new file; $3: ends with exit code 3
  $ ARGUMENTS + FILE TEXT    the same, after a file was written
  ? ARGUMENTS                the arrays that `simreel view` draws: the time and the values of each step, from the lowest row
  ! COMMAND                  of a shell, and all that it prints

In a text " | " is the end of a line. What is said follows on the line of its case after "=>", where it is short, or on
lines of two spaces.
"""
import ast, hashlib, os, re, struct, subprocess, sys, tempfile
from pathlib import Path

program, file = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
accept = "--accept" in sys.argv
python = "/usr/bin/python3"  # the one that Debian's modules belong to
environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TESTS": str(Path(__file__).resolve().parents[1])}
parts = {}


def shell(command):
    done = subprocess.run(command, shell=True, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, *(out.decode(errors="backslashreplace") for out in (done.stdout, done.stderr))


# Without what depends on the machine, and without the line that every command ends its refusals with.
def lasting(said):
    said = re.sub(r"(?m)^info: .* in [\d.]+ s\n|^simreel .*--help lists what there is\n", "", said)
    return re.sub(r"[\d.]+ [KMGT]iB available", "... available", said)


def text(of):
    return re.sub(r"@(\w+)", lambda name: parts.get(name[1], name[0]), of).replace(" | ", "\n")


def put(named):
    name, _, lines = named.partition(" ")
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text(lines) + "\n")


def scene(case):
    case, *overrides = case.split(" --set ")
    put("x.toml " + case)
    command = [program, "check", "x.toml", "--quick", "--backend", "cpu", "--threads", "1"]
    command += [] if "[output" in text(case) else ["-o", "null:"]
    for override in overrides:
        command += ["--set", override]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return ("" if done.returncode in (0, 2) else f"exit {done.returncode}\n") + done.stderr.decode(errors="backslashreplace")


def arguments(case):
    case, _, written = case.partition(" + ")
    if written:
        put(written)
    before = os.listdir()
    code, out, said = shell("simreel " + case[2 if case[1] != " " else 1:])
    refused = case[1] == " "
    if code != (2 if refused else int(case[1])) or (refused and (out or os.listdir() != before)):
        said += f"exit {code}, {len(out)} characters on standard output, new files: {sorted(set(os.listdir()) - set(before))}\n"
    return said


def array(name):
    data = Path(name).read_bytes()
    head = ast.literal_eval(data[10 : 10 + struct.unpack("<H", data[8:10])[0]].decode())
    kind = {"f4": "f", "f8": "d"}[head["descr"][1:]]
    return " ".join(f"{value:.8g}" for (value,) in struct.iter_unpack("<" + kind, data[10 + struct.unpack("<H", data[8:10])[0] :]))


def view(case):
    for old in Path().glob("s/*"):
        old.unlink()
    code, _, said = shell(f"simreel view {case} -o s/%d.npy -o t.csv --size 64x48 --overwrite --progress none")
    if code:
        return ("" if code == 2 else f"exit {code}\n") + said
    times = [row.split(",")[1] for row in Path("t.csv").read_text().splitlines()[1:]]
    steps = "; ".join(f"{time}: {array(f's/{i}.npy')}" for i, time in enumerate(times)).removeprefix("0: ")
    if len(steps) > 120:
        steps = f"{steps[:60]}... {len(steps)} characters, {hashlib.md5(steps.encode()).hexdigest()}"
    return f"{steps}\n{said}"


def said_to(case):
    kinds = {">": lambda: scene(case[2:]), "$": lambda: arguments(case), "?": lambda: view(case[2:])}
    said = lasting(kinds.get(case[0], lambda: "".join(shell(case[2:] + " 2>&1")[1:]))()).splitlines()
    one = " | ".join(said)
    if len(said) == 1 or (said and len(one) <= 200):
        return [f"{case} => {one}"]
    return [case, *("  " + line for line in said)]


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    blocks, code, different = [], "", 0
    for line in file.read_text().splitlines():  # a case, and what belongs to it
        if line.startswith("  "):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    for number, block in enumerate(blocks):
        line = block[0]
        if line.startswith("|"):
            code += line[2:] + "\n"
            continue
        if code:
            if subprocess.run([python, "-c", "import h5py"], stderr=subprocess.DEVNULL).returncode:
                sys.exit(77)  # CTest's sign of a test that is skipped
            subprocess.run([python, "-c", "import h5py, numpy as np\n" + code], check=True)
            code = ""
        if line.startswith("@"):
            name, _, lines = line[1:].partition(" ")
            parts[name] = text(lines)
        elif line.startswith("+ "):
            put(line[2:])
        elif line[:1] in (">", "$", "?", "!"):
            now = said_to(line.split(" => ")[0])
            if now != block and not accept:
                print("\n".join([f"--- {file}", *block, "+++ now", *now]))
                different += 1
            blocks[number] = now
    if accept:
        file.write_text("\n".join("\n".join(block) for block in blocks) + "\n")
    sys.exit(different > 0)
