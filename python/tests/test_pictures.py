"""Pictures of a running program: red, green, blue and alpha reach the outputs as they are."""

import numpy as np
import pytest

import simreel
from test_video import OnlyDlpack


def pixels(path):
    """The rows of an uncompressed or plain PNG, by numpy and zlib alone."""
    import struct
    import zlib
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    channels, size = {2: 3, 6: 4}[color], depth // 8
    step = channels * size
    rows, raw, above = [], zlib.decompress(packed), bytes(width * step)
    for y in range(height):
        kind, line = raw[y * (width * step + 1)], bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        for i in range(len(line)):
            a, b, c = (line[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
        above = bytes(line)
        rows.append(above)
    return np.frombuffer(b"".join(rows), {1: ">u1", 2: ">u2"}[size]).reshape(height, width, channels)


def picture(channels=3, shape=(18, 24)):
    return np.random.default_rng(5).integers(0, 256, (*shape, channels), np.uint8)


@pytest.mark.parametrize("turn", ["plain", "fortran", "planes", "rows turned", "read only", "DLPack"])
def test_pictures_are_shown_as_they_are(tmp_path, turn):
    values = picture()
    given = {"plain": values, "fortran": np.asfortranarray(values), "planes": np.ascontiguousarray(values.transpose(2, 0, 1)).transpose(1, 2, 0),
             "rows turned": np.ascontiguousarray(values[::-1])[::-1], "read only": np.frombuffer(values.tobytes(), np.uint8).reshape(values.shape),
             "DLPack": OnlyDlpack(values)}[turn]
    with simreel.Video(tmp_path / "a%d.png", tmp_path / "b%d.png", device="cpu") as video:
        video.write(given)
        video.write(255 - given if turn != "DLPack" else 255 - values)
    assert (pixels(tmp_path / "a0.png") == values).all() and (pixels(tmp_path / "b1.png") == 255 - values).all()
    assert video.result.range is None


def test_alpha_shows_the_background(tmp_path):
    values = picture(4)
    values[:4, :, 3], values[4:8, :, 3] = 0, 255
    for name, background in (("a", "#204060"), ("b", "#00000000")):
        with simreel.Video(tmp_path / f"{name}.png", device="cpu", view={"view.background": background}) as video:
            video.write(values)
    shown = pixels(tmp_path / "a.png")
    alpha = values[..., 3:].astype(float) / 255
    assert (np.abs(shown[..., :3] - (values[..., :3] * alpha + np.array([32, 64, 96]) * (1 - alpha))) <= 0.51).all()
    assert (shown[4:8, :, :3] == values[4:8, :, :3]).all()
    assert (pixels(tmp_path / "b.png")[4:, :, :3][values[4:, :, 3] > 0] == values[4:, :, :3][values[4:, :, 3] > 0]).all()


def test_pictures_in_sixteen_bits(tmp_path):
    with simreel.Video(tmp_path / "a.png", device="cpu", view={"output.depth": 16}) as video:
        video.write(picture())
    assert (pixels(tmp_path / "a.png") == picture().astype(int) * 257).all()


def test_pictures_in_a_video(tmp_path):
    values = picture(shape=(48, 64))
    with simreel.Video(tmp_path / "a.mp4", tmp_path / "a.hashes", device="cpu", size=(64, 48), fps=10) as video:
        for i in range(4):
            video.write(np.roll(values, i, axis=1), time=i)
    assert video.result.frames == 4 and len(set((tmp_path / "a.hashes").read_text().split()[1::2])) == 4


@pytest.mark.parametrize("outputs,arguments,frames,words", [
    (("a.npy",), {}, [picture()], "pictures go to videos, pictures and hashes"),
    (("a.pdf",), {}, [picture()], "pictures go to videos, pictures and hashes"),
    (("a.hashes",), {"title": "A"}, [picture()], "labels .* are written around fields and bodies"),
    (("a.hashes",), {"range": (0, 1), "size": (24, 18)}, [picture(), np.zeros((18, 24))], "frame 1 is a field, and the first one a picture"),
    (("a.hashes",), {}, [picture(), picture(shape=(24, 18))], "frame 1 is 24 x 18"),
])
def test_pictures_that_cannot_be_shown(tmp_path, outputs, arguments, frames, words):
    video = simreel.Video(*[tmp_path / name for name in outputs], device="cpu", **arguments)
    with pytest.raises(simreel.UsageError, match=words):
        for values in frames:
            video.write(values)
    video.abandon()
