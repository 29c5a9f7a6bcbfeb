"""Videos of arrays: the frames of a scene that reads them, whatever holds the numbers."""

import array as buffers
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import simreel

ROWS, COLUMNS = 6, 8
LOOK = {"size": (64, 48), "range": (0, 60), "colormap": "magma"}


def field(frame=0, dtype=np.float32):
    return (frame + np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)).astype(dtype)


def hashes(path, *arrays, **look):
    with simreel.Video(path, device="cpu", **{**LOOK, **look}) as video:
        for number, values in enumerate(arrays):
            video.write(values, time=number)
    return path.read_text()


@pytest.fixture
def plain(tmp_path):
    """The frame of `field` as a scene draws it that reads a file."""
    np.save(tmp_path / "plain.npy", field())
    scene = tmp_path / "plain.toml"
    scene.write_text('[solver]\nkind = "data"\nfiles = "plain.npy"\naxes = "yx"\n[view]\nsize = [64, 48]\nrange = [0, 60]\n'
                     'colormap = "magma"\n')
    simreel.render(scene, outputs=tmp_path / "plain.hashes", device="cpu")
    return (tmp_path / "plain.hashes").read_text()


class OnlyDlpack:
    """Another package's array: all that is known of it is DLPack."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def shapes_of_memory():
    values = field()
    doubled = np.zeros((ROWS, 2 * COLUMNS), np.float32)
    doubled[:, ::2] = values
    read_only = values.copy()
    read_only.flags.writeable = False
    yield "double", values.astype(np.float64)
    yield "half", values.astype(np.float16)
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        yield np.dtype(kind).name, values.astype(kind)
    yield "fortran", np.asfortranarray(values)
    yield "every second", doubled[:, ::2]
    yield "rows turned", np.ascontiguousarray(values[::-1])[::-1]
    yield "columns turned", np.ascontiguousarray(values[:, ::-1])[:, ::-1]
    yield "read only", read_only
    yield "DLPack", OnlyDlpack(values)
    yield "DLPack, fortran", OnlyDlpack(np.asfortranarray(values))
    yield "buffer", memoryview(buffers.array("f", values.ravel())).cast("B").cast("f", (ROWS, COLUMNS))
    yield "read-only buffer", memoryview(values.tobytes()).cast("f", (ROWS, COLUMNS))
    yield "strided buffer", memoryview(np.asfortranarray(values))
    yield "lists", values.tolist()


@pytest.mark.parametrize("name,values", list(shapes_of_memory()), ids=lambda v: v if isinstance(v, str) else "")
def test_any_array_gives_the_frames_of_a_file(tmp_path, plain, name, values):
    assert hashes(tmp_path / "a.hashes", values) == plain


def test_bools_are_zero_and_one(tmp_path):
    truth = field() % 3 == 0
    assert hashes(tmp_path / "a.hashes", truth, range=(0, 1)) == hashes(tmp_path / "b.hashes", truth.astype(np.float32),
                                                                       range=(0, 1))


def test_rows_may_repeat(tmp_path):
    repeated = np.broadcast_to(field()[2], (ROWS, COLUMNS))
    assert hashes(tmp_path / "a.hashes", repeated) == hashes(tmp_path / "b.hashes", repeated.copy())


def test_what_is_masked_is_no_number(tmp_path):
    whole = field(dtype=np.int16)
    holes = whole.astype(np.float32)
    holes[2, 3] = np.nan
    masked = np.ma.masked_equal(whole, whole[2, 3])
    assert hashes(tmp_path / "a.hashes", masked) == hashes(tmp_path / "b.hashes", holes)


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_arrays_of_other_packages(tmp_path, plain, package):
    module = pytest.importorskip(package)
    if package == "jax":
        made = module.numpy.asarray(field())
        assert hashes(tmp_path / "a.hashes", made) == plain
        return
    made = module.from_numpy(field())
    assert hashes(tmp_path / "a.hashes", made) == plain
    assert hashes(tmp_path / "b.hashes", made.t().contiguous().t().requires_grad_()) == plain
    assert hashes(tmp_path / "c.hashes", made.half()) == plain
    with pytest.raises(simreel.UsageError, match="convert them to float32"):
        hashes(tmp_path / "d.hashes", made.bfloat16())


def test_upper_origin_turns_the_rows(tmp_path, plain):
    assert hashes(tmp_path / "a.hashes", np.ascontiguousarray(field()[::-1]), origin="upper") == plain
    assert hashes(tmp_path / "b.hashes", field(), origin="upper") != plain


def test_an_array_may_be_overwritten_after_write(tmp_path):
    one = hashes(tmp_path / "a.hashes", *[field(i) for i in range(20)])
    values = field()
    with simreel.Video(tmp_path / "b.hashes", device="cpu", **LOOK) as video:
        for i in range(20):
            values[:] = field(i)
            video.write(values, time=i)
            values[:] = -1
    assert (tmp_path / "b.hashes").read_text() == one


def test_two_videos_at_once(tmp_path):
    one = hashes(tmp_path / "a.hashes", *[field(i) for i in range(30)])
    threads = [threading.Thread(target=hashes, args=(tmp_path / f"{k}.hashes", *[field(i) for i in range(30)]))
               for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(tmp_path / f"{k}.hashes").read_text() for k in range(2)] == [one, one]


def test_memory_does_not_grow(tmp_path):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    values = np.random.default_rng(1).random((480, 640), np.float32)
    with simreel.Video(tmp_path / "a.hashes", device="cpu", size=(160, 120), range=(0, 1)) as video:
        for _ in range(200):
            video.write(values)
        before = resident()
        for _ in range(800):
            video.write(values[::-1])
        assert video.frames == 1000
        assert resident() - before < 12e6  # a frame has 1.2 MB


def test_an_exception_keeps_a_part_that_plays(tmp_path):
    """The frames of whole segments are in it."""
    with pytest.raises(ZeroDivisionError):
        with simreel.Video(tmp_path / "a.mkv", device="cpu", fps=4, view={"output.segment": 4}, **LOOK) as video:
            for i in range(60):
                video.write(field(i % 9))
            1 / 0
    assert not (tmp_path / "a.mkv").exists()
    assert "abandoned" in repr(video)
    os.rename(tmp_path / "a.mkv.part", tmp_path / "part.mkv")
    with simreel.Video(tmp_path / "whole.mkv", device="cpu", fps=4, view={"output.segment": 4}, **LOOK) as video:
        for i in range(60):
            video.write(field(i % 9))
    found = simreel.compare(tmp_path / "whole.mkv", tmp_path / "part.mkv")
    assert found.pairs >= 16 and found.pairs == found.identical and found.extra == 0


def test_nothing_is_printed(tmp_path, capfd):
    for name in ("a.mp4", "b.webm", "c.gif"):
        with simreel.Video(tmp_path / name, device="cpu", fps=50, **LOOK) as video:
            for i in range(5):
                video.write(field(i))
    assert capfd.readouterr() == ("", "")


CTRL_C = """
import os, signal, sys, numpy, simreel
with simreel.Video(sys.argv[1], device="cpu", range=(0, 1), size=(64, 48)) as video:
    while True:
        video.write(numpy.zeros((6, 8)))
        if video.frames == 5:
            os.kill(os.getpid(), signal.SIGINT)
"""


def test_control_c_leaves_no_final_file(tmp_path):
    done = subprocess.run([sys.executable, "-c", CTRL_C, str(tmp_path / "a.hashes")], capture_output=True, text=True)
    assert "KeyboardInterrupt" in done.stderr
    assert not (tmp_path / "a.hashes").exists()
    assert len((tmp_path / "a.hashes.part").read_text().splitlines()) == 5  # every frame that was taken


def test_a_video_that_is_forgotten_ends_with_the_interpreter(tmp_path):
    code = ("import sys, numpy, simreel\nvideo = simreel.Video(sys.argv[1], device='cpu', range=(0, 1))\n"
            "video.write(numpy.zeros((6, 8)))")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.hashes")], capture_output=True, timeout=120)
    assert done.returncode == 0 and not (tmp_path / "a.hashes").exists()


def test_bodies(tmp_path):
    random = np.random.default_rng(2)
    xyz, mass = random.normal(size=(50, 3)), random.random(50)
    speed = random.random(50)
    moves = np.stack([speed, 0 * speed, 0 * speed], axis=1)
    texts = []
    for name, arguments in (("a", {"value": speed}), ("b", {"velocity": moves}), ("c", {})):
        path = tmp_path / f"{name}.hashes"
        with simreel.Video(path, device="cpu", size=(64, 48), view={"view.field": "speed"}) as video:
            video.write_bodies(xyz, weight=mass, **arguments)
        texts.append(path.read_text())
    assert texts[0] == texts[1] != texts[2]
    with simreel.Video(tmp_path / "d.hashes", device="cpu", size=(64, 48)) as video:
        video.write_bodies(np.asfortranarray(xyz), weight=mass, value=speed)  # colours of the values by default
    assert (tmp_path / "d.hashes").read_text() == texts[0]


@pytest.mark.parametrize("make,words", [
    (lambda v: v.write(np.zeros((6, 8), complex)), 'complex numbers ."c16". cannot be drawn'),
    (lambda v: v.write(np.zeros((6, 8), ">f4")), "byte order of another machine"),
    (lambda v: v.write(np.zeros((6, 8, 3))), r"of uint8; this one is .6, 8, 3. of another type. Of levels from 0 to 1"),
    (lambda v: v.write(np.zeros((6, 8, 5), np.uint8)), r"this one is .6, 8, 5.\. Of"),
    (lambda v: v.write(np.zeros((2, 6, 8, 3), np.uint8)), "the field has 4 axes"),
    (lambda v: v.write(np.zeros((6, 8, 3), np.uint8)), "the picture is 6 x 8; each side has 16 to 16384 pixels"),
    (lambda v: v.write(np.zeros((20, 30, 3), np.uint8)), r"size in .view. is 64 x 48, and the pictures are 30 x 20"),
    (lambda v: v.write(np.zeros(6)), "the field has 1 axes"),
    (lambda v: v.write(np.zeros((6, 8), "i1,f4")["f1"]), "no multiples of its numbers' 4 bytes"),
    (lambda v: v.write("text"), "str is no array of numbers"),
    (lambda v: v.write(None), "NoneType is no array of numbers"),
    (lambda v: (v.write(np.zeros((6, 8))), v.write(np.zeros((8, 6)))), "frame 1 is 8 x 6"),
    (lambda v: v.write_bodies(np.zeros((6, 2))), "position is 6 x 2"),
    (lambda v: v.write_bodies(np.full((6, 3), np.nan)), "position of body 0 is not finite"),
    (lambda v: v.write_bodies(np.zeros((6, 3)), velocity=np.full((6, 3), np.inf)), "velocity of body 0 is not finite"),
    (lambda v: v.write_bodies(np.zeros((6, 3)), value=np.full(6, -1.0)), "value of body 0 is -1"),
])
def test_what_cannot_be_drawn_is_refused(tmp_path, make, words):
    video = simreel.Video(tmp_path / "a.hashes", device="cpu", **LOOK)
    with pytest.raises(simreel.UsageError, match=words):
        make(video)
    video.abandon()


class FakeGpuArray:
    __cuda_array_interface__ = {"shape": (6, 8), "typestr": "<f4", "data": (4096, False), "version": 3, "stream": 1}


class FakeGpuTensor:
    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        raise AssertionError("not asked on the CPU")


@pytest.mark.parametrize("array", [FakeGpuArray(), FakeGpuTensor()])
def test_arrays_on_a_gpu_are_refused_on_the_cpu(tmp_path, array):
    video = simreel.Video(tmp_path / "a.hashes", device="cpu", **LOOK)
    with pytest.raises(simreel.UsageError, match="the array lies on a GPU, and this video is drawn on the CPU; draw it"):
        video.write(array)
    video.abandon()


@pytest.mark.parametrize("outputs,arguments,words", [
    (("a.avi",), {}, 'did you mean ".mp4"'),
    ((), {}, "a video needs an output"),
    (("a.hashes",), {"colormap": "magmaa"}, 'did you mean "magma"'),
    (("a.hashes",), {"view": {"view.colourmap": 1}}, 'did you mean "colormap"'),
    (("a.hashes",), {"origin": "left"}, '"lower" or "upper" is expected'),
    (("a.hashes",), {"device": "tpu"}, "the number of a GPU, or None is expected"),
    (("a.hashes",), {"range": (1,)}, "range"),
    (("a.hashes",), {"range": "global"}, '.low, high. or "first", for that of the first frame, is expected'),
])
def test_mistakes_are_found_at_once(tmp_path, outputs, arguments, words):
    with pytest.raises(simreel.UsageError, match=words):
        simreel.Video(*[tmp_path / name for name in outputs], **arguments)


def test_messages_speak_of_arguments(tmp_path):
    with pytest.raises(simreel.UsageError) as wrong:
        simreel.Video(tmp_path / "a.hashes", colormap="virids", view={"view.colourmap": 1})
    assert "view:" not in str(wrong.value)
    (tmp_path / "a.hashes").write_text("x")
    with pytest.raises(simreel.UsageError, match="overwrite=True"):
        simreel.Video(tmp_path / "a.hashes", **LOOK).write(field())


def test_names_of_outputs_stand_beside_each_other(tmp_path):
    with pytest.raises(simreel.UsageError, match="several are given one by one"):
        simreel.Video([tmp_path / "a.mp4", tmp_path / "a.h5"], **LOOK)


@pytest.mark.parametrize("value,words", [(0, "which is 0 everywhere"), (np.nan, "which has no finite value")])
def test_a_first_frame_that_says_nothing_of_the_range(tmp_path, caplog, value, words):
    with simreel.Video(tmp_path / "a.hashes", device="cpu", **{**LOOK, "range": "first"}) as video:
        video.write(np.full((6, 8), value))
        video.write(field())
    (remark,) = video.result.remarks
    assert remark.startswith('range = "first" takes the range') and words in remark and remark in caplog.text


def test_what_an_earlier_video_left_is_not_resumed(tmp_path):
    video = simreel.Video(tmp_path / "a.mkv", device="cpu", **LOOK)
    video.write(field())
    video.abandon()
    with pytest.raises(simreel.UsageError, match="did not finish this file .*; move the file or pass overwrite=True"):
        simreel.Video(tmp_path / "a.mkv", device="cpu", **LOOK)


def test_a_field_needs_a_range(tmp_path):
    video = simreel.Video(tmp_path / "a.hashes", device="cpu")
    with pytest.raises(simreel.UsageError, match='range=.low, high., or range="first"'):
        video.write(field())
    video.close()
    assert not (tmp_path / "a.hashes").exists()
    with pytest.raises(simreel.UsageError, match="the video is closed"):
        video.write(field())


@pytest.mark.parametrize("name", ["a.mp4", "a.mov", "a.mkv", "a.webm", "a.gif", "a.webp", "a.apng", "a%03d.png", "a.png", "a.y4m", "a%d.h5",
                                  "a.h5", "a%d.npy", "a.npy", "a%d.npz", "a.npz", "a.csv", "a.hashes"])
def test_every_output_takes_frames_whose_number_nobody_knows(tmp_path, name):
    with simreel.Video(tmp_path / name, device="cpu", **{**LOOK, "fps": 25}) as video:
        for i in range(3):
            video.write(field(i), time=i / 10)
    assert video.result.frames == 3
    files = sorted(tmp_path.iterdir())
    assert len(files) == (3 if "%" in name else 1) and all(file.stat().st_size > 0 for file in files)
    if name in ("a%d.npy", "a.npy"):
        assert (np.load(files[-1]) == field(2)).all()


def test_labels_reach_the_figure(tmp_path):
    look = {"size": (320, 240)}
    bare = hashes(tmp_path / "a.hashes", field(), **look)
    texts = {bare}
    for i, more in enumerate(({"colorbar": True}, {"colorbar": "right", "label": r"$\omega$ (1/s)"},
                              {"time": "t = {time:.2f} s"}, {"title": "A \"wave\""},
                              {"colorbar": "right", "view": {"figure.units": {"value": "m"}}})):
        texts.add(hashes(tmp_path / f"{i}.hashes", field(), **look, **more))
    assert len(texts) == 6


def test_the_result_and_the_notebook(tmp_path):
    path = tmp_path / "a.mp4"
    with simreel.Video(path, tmp_path / "a.hashes", device="cpu", **{**LOOK, "range": "first"}) as video:
        assert video._repr_html_() is None
        for i in range(3):
            video.write(field(i))
    assert video.frames == 3 and video.close() is video.result
    assert video.result.outputs == [str(path), str(tmp_path / "a.hashes")]
    assert video.result.range == (0, 47)
    page = video._repr_html_()
    assert page.startswith("<video controls loop") and "data:video/mp4;base64," in page
    simreel._result.MOST_BYTES, most = 10, simreel._result.MOST_BYTES
    try:
        assert video._repr_html_().startswith("<a href=")
    finally:
        simreel._result.MOST_BYTES = most
