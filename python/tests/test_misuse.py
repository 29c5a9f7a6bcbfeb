"""Mistakes that must end in a message: forks, threads, copies, and what is no array."""

import copy
import ctypes
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import simreel

LOOK = {"size": (64, 48), "range": (0, 60), "device": "cpu"}
FIELD = np.arange(48, dtype=np.float32).reshape(6, 8)

HELD = """
import os
import simreel
video = simreel.Video("x.hashes", size=(64, 48), range=(0, 60), device="cpu")
video._lock.acquire()  # as a thread that writes does
child = os.fork()
if child == 0:
    try:
        with video:
            pass
    except simreel.UsageError as error:
        print(error, flush=True)
    video.abandon()
    os._exit(3)
print(os.WEXITSTATUS(os.waitpid(child, 0)[1]), flush=True)
video._lock.release()
video.abandon()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_does_not_wait_for_threads_that_it_has_not(tmp_path):
    done = subprocess.run([sys.executable, "-c", HELD], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["another process opened this video, and this one is a fork of it; open a video here",
                                        "3"], done.stderr


def test_what_ends_a_write_leaves_the_video_usable(tmp_path):
    class Ends:
        def __dlpack_device__(self):
            raise KeyboardInterrupt

        def __dlpack__(self, stream=None):
            raise AssertionError

    with simreel.Video(tmp_path / "x.hashes", **LOOK) as video:
        with pytest.raises(KeyboardInterrupt):
            video.write(Ends())
        video.write(FIELD)
    assert video.result.frames == 1


def test_threads_that_write_at_once_are_refused(tmp_path):
    inside, go_on = threading.Event(), threading.Event()

    class Slow:
        """An array whose owner takes its time."""

        def __dlpack_device__(self):
            inside.set()
            go_on.wait(60)
            return FIELD.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return FIELD.__dlpack__()

    with simreel.Video(tmp_path / "x.hashes", **LOOK) as video:
        thread = threading.Thread(target=video.write, args=(Slow(),))
        thread.start()
        assert inside.wait(60)
        with pytest.raises(simreel.UsageError, match="one thread at a time"):
            video.write(FIELD)
        go_on.set()
        thread.join()
        video.write(FIELD)
    assert video.result.frames == 2


@pytest.mark.parametrize("use", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_video_is_not_copied(tmp_path, use):
    with simreel.Video(tmp_path / "x.hashes", **LOOK) as video:
        video.write(FIELD)
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            use(video)


class Traced:
    """What jax.jit passes to a function."""

    def __dlpack__(self, stream=None):
        raise AssertionError

    def __getattr__(self, name):
        raise AttributeError(name)


Traced.__module__ = "jax._src.interpreters"


def test_an_error_of_an_array_is_its_own(tmp_path):
    class Broken:
        def __dlpack_device__(self):
            return self.lost

        def __dlpack__(self, stream=None):
            raise AssertionError

    with simreel.Video(tmp_path / "x.hashes", **LOOK) as video:
        with pytest.raises(AttributeError, match="lost"):
            video.write(Broken())


@pytest.mark.parametrize("array, words", [
    (memoryview(np.zeros((6, 8), "i4,f4")), "memoryview is no array of numbers"),
    (Traced(), "Traced holds no numbers while a function is traced"),
])
def test_what_is_no_array_is_named(tmp_path, array, words):
    with simreel.Video(tmp_path / "x.hashes", **LOOK) as video:
        with pytest.raises(simreel.UsageError, match=words):
            video.write(array)


@pytest.mark.parametrize("pointer", [0, None])
@pytest.mark.parametrize("origin", ["lower", "upper"])
def test_an_empty_array_has_no_values(tmp_path, origin, pointer):
    class Empty:
        __cuda_array_interface__ = {"shape": (0, 8), "typestr": "<f4", "data": (pointer, False), "version": 3}

    with simreel.Video(tmp_path / "x.hashes", origin=origin, **LOOK) as video:
        with pytest.raises(simreel.UsageError):
            video.write(Empty())


def test_a_close_that_failed_fails_again(tmp_path):
    video = simreel.Video(tmp_path / "x.hashes", **LOOK)
    video.write(FIELD)
    (tmp_path / "x.hashes.part").unlink()
    for _ in range(2):
        with pytest.raises(simreel.Error, match="x.hashes.part: another program removed or replaced"):
            video.close()
    assert video.result is None and "failed" in repr(video)


def test_a_write_that_waits_hears_signals(tmp_path, monkeypatch):
    video = simreel.Video(tmp_path / "x.hashes", **LOOK)
    video.write(FIELD)
    monkeypatch.setattr(simreel._abi.lib, "simreel_video_ready", lambda *_: 0, raising=False)  # encoders that are behind
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            video.write(FIELD)
    assert video.frames == 1
    video.abandon()


def test_a_close_that_waits_hears_signals(tmp_path, monkeypatch):
    libc = ctypes.CDLL(None)
    mutex, close = (ctypes.c_char * 64)(), simreel._abi.lib.simreel_video_close
    returned = threading.Event()
    libc.pthread_mutex_lock(mutex)

    def slow(*arguments):  # as the library does: no bytecode runs meanwhile
        try:
            libc.pthread_mutex_lock(mutex)
        finally:
            returned.set()
        return close(*arguments)

    monkeypatch.setattr(simreel._abi.lib, "simreel_video_close", slow)
    video = simreel.Video(tmp_path / "x.hashes", **LOOK)
    video.write(FIELD)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    give_up = threading.Timer(5, libc.pthread_mutex_unlock, (mutex,))
    give_up.start()
    with pytest.raises(KeyboardInterrupt):
        video.close()
    assert not returned.is_set()
    give_up.cancel()
    libc.pthread_mutex_unlock(mutex)
    assert video.close().frames == 1 and (tmp_path / "x.hashes").exists()


def test_tables_may_be_nested(tmp_path):
    outputs = []
    for name, view in (("flat", {"view.colormap": "magma"}), ("nested", {"view": {"colormap": "magma"}})):
        with simreel.Video(tmp_path / f"{name}.hashes", view=view, **LOOK) as video:
            video.write(FIELD)
        outputs.append((tmp_path / f"{name}.hashes").read_text())
    assert outputs[0] == outputs[1]


def fails(*arguments, **environment):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, **environment})
    assert done.returncode == 1 and done.stdout == ""
    return done.stderr


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python 3.9 does not tell what -m names")
def test_a_program_that_does_not_start_is_one_sentence(tmp_path):
    library = tmp_path / "libsimreel.so"
    library.write_bytes(b"\x7fELF\2\1\1" + bytes(11) + b"\x3e\0" + bytes(44))
    unknown = fails("-m", "simreel", SIMREEL_LIBRARY=str(library))
    assert unknown.startswith(f"simreel cannot load its library ({library}: ") and unknown.count("\n") == 1
    for way in ("/nowhere/simreel: No such file or directory", f"{library}: Permission denied"):
        assert fails("-m", "simreel", SIMREEL_PROGRAM=way.partition(":")[0]) == (
            f"simreel: {way}; unset SIMREEL_PROGRAM, or set it to the path of a program simreel\n")


def test_a_python_for_another_machine_says_so(tmp_path):
    library = tmp_path / "libsimreel.so"
    library.write_bytes(b"\x7fELF\2\1\1" + bytes(11) + b"\x3e\0" + bytes(44))
    said = fails("-c", "import platform; platform.machine = lambda: 'aarch64'; import simreel", SIMREEL_LIBRARY=str(library))
    assert said.splitlines()[-1] == (f"ImportError: this Python is for aarch64, simreel's library ({library}) for x86-64 Linux; "
                                     "take another Python, or build from source")


def test_a_zero_byte_ends_no_text_silently(tmp_path):
    text = '[solver]\nkind = "wave"\ngrid = [32, 24]\n'
    for call in (lambda: simreel.check(text + "\0[nonsense"), lambda: simreel.render(text, outputs=tmp_path / "a\0b.png"),
                 lambda: simreel.compare("a\0b", "c"),
                 lambda: simreel.Video(tmp_path / "a\0b.png"), lambda: simreel.figure(tmp_path / "a.png", FIELD, title="a\0b")):
        with pytest.raises(simreel.UsageError):
            call()
    assert not list(tmp_path.iterdir())
