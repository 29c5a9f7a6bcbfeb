"""Figures, plots and panels of arrays; scenes that are no files; arrays of a run; the words of mistakes."""

import re

import numpy as np
import pytest

import simreel

Y, X = np.mgrid[0:30, 0:60]
FIELD = np.sin(X / 9) * np.cos(Y / 7)
SCENE = {"solver": {"kind": "wave", "grid": [32, 24]}, "animation": {"frames": 3}, "view.size": [64, 48],
         "view.range": [-0.1, 0.1]}


def texts_of(svg):
    return re.findall(r">([^<>]+)</tspan>", svg.read_text())


def test_an_array_is_a_figure(tmp_path):
    result = simreel.figure(tmp_path / "x.svg", FIELD, extent=[10, 40, -1, 14], label="$u$", colormap="magma",
                            vectors=(FIELD, FIELD), title="A title")
    assert result.outputs == [str(tmp_path / "x.svg")]
    shown = texts_of(tmp_path / "x.svg")
    assert "A title" in shown and "40" in shown and "12" in shown, shown
    assert 'width="85.0000mm"' in (tmp_path / "x.svg").read_text()
    with pytest.raises(simreel.UsageError, match="exists"):
        simreel.figure(tmp_path / "x.svg", FIELD)
    with pytest.raises(simreel.UsageError, match="two arrays of the shape of the field"):
        simreel.figure(tmp_path / "y.svg", FIELD, vectors=(FIELD, FIELD[:5]))


def test_coordinates_of_xarray_are_taken(tmp_path):
    xarray = pytest.importorskip("xarray")
    field = xarray.DataArray(FIELD, dims=("lat", "lon"), coords={"lat": np.linspace(30, 1, 30), "lon": np.arange(60) + 100.})
    field.lon.attrs["units"] = "degrees_east"
    field.attrs.update(long_name="zonal wind", units="m s-1")
    simreel.figure(tmp_path / "x.svg", field)
    shown = texts_of(tmp_path / "x.svg")
    assert "120" in shown and "lon (°E)" in shown and "zonal wind" in shown and "(m s" in shown, shown
    height = lambda name: float(re.search(r'height="([0-9.]+)mm"', (tmp_path / name).read_text())[1])
    assert height("x.svg") < 50, "a degree is as long upwards as across"
    section = field.rename(lat="height").assign_coords(height=np.arange(30) / 3)
    section.height.attrs["units"] = "km"
    simreel.figure(tmp_path / "y.svg", section)
    assert height("y.svg") > 45, "a kilometre has no length in degrees"


def test_panels_share_range_and_bar(tmp_path):
    simreel.panels(tmp_path / "p.svg", [FIELD, 2 * FIELD, -FIELD], titles=["one", "two", "three"], label="$u$")
    page = (tmp_path / "p.svg").read_text()
    shown = texts_of(tmp_path / "p.svg")
    assert sum("one" in text or "two" in text or "three" in text for text in shown) == 3, shown
    assert page.count("<image") == 4, "three fields and one bar"


def test_lines_are_a_plot(tmp_path):
    t = np.linspace(0, 10, 50)
    simreel.plot(tmp_path / "e.svg", t, np.exp(-t), np.cos(t), labels=["decay", "wave"], xlabel="$t$ (s)", xlim=(0, 8),
                 band=(np.exp(-t) - 0.1, np.exp(-t) + 0.1), legend_at="upper right")
    shown = texts_of(tmp_path / "e.svg")
    assert "decay" in shown and "wave" in shown and "8" in shown and "10" not in shown, shown
    simreel.plot(tmp_path / "r.svg", t, t, right=[t * 1000], right_labels=["b"], labels=["a"], right_label="right")
    assert "right" in texts_of(tmp_path / "r.svg")
    with pytest.raises(simreel.UsageError, match='no argument "cmap"; here it is colormap='):
        simreel.plot(tmp_path / "f.svg", t, t, cmap="jet")
    with pytest.raises(simreel.UsageError, match="all of one length"):
        simreel.plot(tmp_path / "f.svg", t, t[:4])
    with pytest.raises(simreel.UsageError, match="--xlim"):
        simreel.plot(tmp_path / "f.svg", t, t, xlim=(3, 1))


def test_a_scene_is_a_file_a_dict_or_a_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '[solver]\nkind = "wave"\ngrid = [32, 24]\n[animation]\nframes = 3\n[view]\nsize = [64, 48]\nrange = [-0.1, 0.1]\n'
    (tmp_path / "a.toml").write_text(text)
    for i, scene in enumerate(("a.toml", text, SCENE)):
        assert simreel.render(scene, outputs=f"{i}.hashes", device="cpu").frames == 3
    hashes = {(tmp_path / f"{i}.hashes").read_text() for i in range(3)}
    assert len(hashes) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0.hashes", "1.hashes", "2.hashes", "a.toml"]
    with pytest.raises(simreel.UsageError, match='^scene:.*gird'):
        simreel.check({"solver": {"kind": "wave", "gird": [3, 3]}})
    with pytest.raises(simreel.UsageError, match="give outputs"):
        simreel.render(SCENE)


def test_a_run_gives_its_arrays():
    every = simreel.arrays(SCENE, device="cpu")
    assert every.shape == (3, 24, 32) and np.isfinite(every).all()
    last = simreel.arrays(SCENE, frame=-1, device="cpu")
    assert (last == every[2]).all()
    flow = {"solver": {"kind": "lbm", "grid": [32, 24], "velocity": 0.05, "reynolds": 20, "length": 8},
            "animation": {"frames": 2}, "view.range": [0, 1]}
    both = simreel.arrays(flow, fields=["ux", "uy"], frame=-1, device="cpu")
    assert set(both) == {"ux", "uy"} and both["ux"].shape == (24, 32)


def test_names_of_other_packages_are_answered(tmp_path):
    for name, ours in (("cmap", "colormap="), ("vmin", "range="), ("figsize", "width="), ("nonsense", "help")):
        with pytest.raises(simreel.UsageError, match=re.escape(ours)):
            simreel.Video(tmp_path / "x.mp4", **{name: 1})
        with pytest.raises(simreel.UsageError, match=re.escape(ours)):
            simreel.figure(tmp_path / "x.svg", FIELD, **{name: 1})


def test_mistakes_are_in_the_words_of_python(tmp_path):
    with pytest.raises(simreel.UsageError) as error:
        simreel.check(SCENE, {"view.colormp": "magma"})
    assert "--set" not in str(error.value) and '{"view.colormp":' in str(error.value), error.value


def test_no_frame_is_no_output(tmp_path):
    old = tmp_path / "x.png"
    old.write_bytes(b"of another run")
    with simreel.Video(old, size=(64, 48), range=(0, 1), device="cpu", overwrite=True) as video:
        pass
    assert video.result.outputs == [] and video._repr_html_() is None
    assert "no frame was written" in video.result.remarks[0]
    assert old.read_bytes() == b"of another run"
