"""Arrays on a GPU, of every package that is installed: the frames of the same numbers in host memory, drawn there."""

import glob

import numpy as np
import pytest

import simreel

pytestmark = pytest.mark.skipif(not glob.glob("/dev/nvidia[0-9]*"), reason="there is no GPU")
LOOK = {"size": (64, 48), "range": (0, 60), "colormap": "magma", "device": "cuda"}
VALUES = np.arange(48, dtype=np.float32).reshape(6, 8)
PICTURE = np.random.default_rng(5).integers(0, 256, (48, 64, 3), np.uint8)


class OnlyCuda:
    """What CUDA's array interface says of an array, and nothing else."""

    def __init__(self, array, **more):
        self.array = array  # keeps the memory
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **more}


def on_gpu(package, values):
    module = pytest.importorskip({"warp": "warp", "numba": "numba.cuda"}.get(package, package))
    try:
        if package == "torch":
            return module.from_numpy(values.copy()).cuda()
        if package == "cupy":
            return module.asarray(values)
        if package == "jax":
            return module.device_put(values, module.devices("gpu")[0])
        if package == "warp":
            return module.array(values, dtype={np.dtype("f4"): module.float32, np.dtype("u1"): module.uint8}[values.dtype],
                                device="cuda")
        return module.to_device(values)
    except Exception as reason:
        pytest.skip(f"{package} finds no GPU: {reason}")


def hashes(path, *arrays, **look):
    with simreel.Video(path, **{**LOOK, **look}) as video:
        for number, values in enumerate(arrays):
            video.write(values, time=number)
    return path.read_text()


@pytest.fixture
def plain(tmp_path):
    try:
        return hashes(tmp_path / "host.hashes", VALUES)
    except simreel.Error as reason:
        pytest.skip(f"simreel does not draw on a GPU here: {reason}")


@pytest.mark.parametrize("package", ["torch", "cupy", "jax", "warp", "numba"])
def test_a_field(tmp_path, plain, package):
    assert hashes(tmp_path / "a.hashes", on_gpu(package, VALUES)) == plain


@pytest.mark.parametrize("package", ["torch", "cupy", "warp", "numba"])
def test_by_cudas_array_interface_alone(tmp_path, plain, package):
    assert hashes(tmp_path / "a.hashes", OnlyCuda(on_gpu(package, VALUES))) == plain


@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_strides(tmp_path, plain, package):
    wide = np.zeros((6, 16), np.float32)
    wide[:, ::2] = VALUES
    for array in (on_gpu(package, wide)[:, ::2], on_gpu(package, np.ascontiguousarray(VALUES.T)).T):
        assert hashes(tmp_path / "a.hashes", array, overwrite=True) == plain
        assert hashes(tmp_path / "b.hashes", OnlyCuda(array), overwrite=True) == plain


@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_the_work_of_a_stream_is_waited_for(tmp_path, plain, package):
    """Long work, then the values, on a stream of the caller; it may overwrite them after `write`."""
    module = pytest.importorskip(package)
    array = on_gpu(package, np.zeros_like(VALUES))
    values, large = on_gpu(package, VALUES), on_gpu(package, np.ones((2048, 2048), np.float32))
    if package == "torch":
        stream = module.cuda.Stream()
        inside, number = (lambda: module.cuda.stream(stream)), stream.cuda_stream
        module.cuda.synchronize()
    else:
        stream = module.cuda.Stream(non_blocking=True)
        inside, number = (lambda: stream), stream.ptr
        module.cuda.Device().synchronize()

    def fill():
        for _ in range(20):
            large @ large
        array[:] = values

    expected = hashes(tmp_path / "c.hashes", VALUES, VALUES, VALUES)
    for name, given in (("a", array), ("b", OnlyCuda(array, stream=number))):
        with simreel.Video(tmp_path / f"{name}.hashes", **LOOK) as video:
            with inside():
                for _ in range(3):
                    fill()
                    video.write(given)
                    array[:] = 0
        assert (tmp_path / f"{name}.hashes").read_text() == expected


@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_a_picture(tmp_path, package):
    look = {"size": None, "range": None, "colormap": None}
    expected = hashes(tmp_path / "a.hashes", PICTURE, **look)
    assert expected == hashes(tmp_path / "c.hashes", PICTURE, **look, **{"device": "cpu"})
    assert hashes(tmp_path / "b.hashes", on_gpu(package, PICTURE), **look) == expected


def test_bodies(tmp_path, plain):
    xyz, mass = np.random.default_rng(2).normal(size=(50, 3)), np.random.default_rng(3).random(50)
    texts = []
    for name, put in (("a", lambda v: v), ("b", lambda v: on_gpu("torch", v))):
        with simreel.Video(tmp_path / f"{name}.hashes", device="cuda", size=(64, 48)) as video:
            video.write_bodies(put(xyz), weight=put(mass))
        texts.append((tmp_path / f"{name}.hashes").read_text())
    assert texts[0] == texts[1]
