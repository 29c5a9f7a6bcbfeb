"""Figures, plots and panels of arrays; scenes that are no files; arrays of a run; the words of mistakes."""

import glob
import os
import re
import warnings

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
    assert "A title" in shown and "40" in shown and "10" in shown, shown
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
    assert "120°E" in shown and "10" in shown and "lon" in shown and "zonal wind" in shown and "(m s" in shown, shown
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
    for value in (0, 1e18):  # the same everywhere
        simreel.panels(tmp_path / "same.png", [0 * FIELD + value], dpi=60, overwrite=True)


def test_a_table_is_its_columns_over_its_index(tmp_path):
    pandas = pytest.importorskip("pandas")
    t = pandas.date_range("2024-02-01", periods=40, name="day")
    table = pandas.DataFrame({"level": np.arange(40), "flow": np.arange(40) ** 2}, index=t)
    for name, arguments in {"a": [table], "b": [t, table], "c": [t, table["level"], table["flow"]]}.items():
        simreel.plot(tmp_path / f"{name}.svg", *arguments)
    a, b, c = ((tmp_path / f"{name}.svg").read_text() for name in "abc")
    assert a == b == c
    assert all(f">{word}<" in a for word in ("level", "flow", "Feb", "day (2024)"))
    simreel.plot(tmp_path / "e.svg", table[["level"]], right=[np.arange(40)], right_labels=["other"])
    assert ">level<" in (tmp_path / "e.svg").read_text() and ">other<" in (tmp_path / "e.svg").read_text()
    simreel.plot(tmp_path / "d.svg", table["level"])
    with pytest.raises(simreel.UsageError, match=r'"day" holds dates, which stand along x: plot\(file, table.set_index\("day"\)\)'):
        simreel.plot(tmp_path / "f.svg", table.reset_index())
    assert ">level<" in (tmp_path / "d.svg").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zoned = simreel.plot(tmp_path / "z.svg", table.tz_localize("Europe/Berlin")["level"].rename_axis("day"), dpi=60)
    assert "drawn in UTC" in zoned.remarks[0] and ">Feb<" in (tmp_path / "z.svg").read_text()


def test_lines_are_a_plot(tmp_path):
    t = np.linspace(0, 10, 50)
    simreel.plot(tmp_path / "e.svg", t, np.exp(-t), np.cos(t), labels=["decay", "wave"], xlabel="$t$ (s)", xlim=(0, 8),
                 band=(np.exp(-t) - 0.1, np.exp(-t) + 0.1), legend_at="upper right")
    shown = texts_of(tmp_path / "e.svg")
    assert "decay" in shown and "wave" in shown and "8" in shown and "10" not in shown, shown
    simreel.plot(tmp_path / "r.svg", t, t, right=[t * 1000], right_labels=["b"], labels=["a"], right_label="right")
    assert "right" in texts_of(tmp_path / "r.svg")
    simreel.plot(tmp_path / "b.svg", t, t, 2 * t, error=[t / 9, t / 5], band=[(t - 1, t + 1), (2 * t - 1, 2 * t + 1)])
    page = (tmp_path / "b.svg").read_text()
    for wrong in ({"error": 3}, {"error": [[t]]}, {"band": t}, {"band": (t, t, t)}, {"band": [(t, t), (t, t, t)]}):
        with pytest.raises(simreel.UsageError, match="for each line|given|list"):
            simreel.plot(tmp_path / "f.svg", t, t, 2 * t, **wrong)
    with pytest.raises(simreel.UsageError, match='no argument "lable"; did you mean label='):
        simreel.figure("x.pdf", np.zeros((4, 6)), lable="u")
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


def test_paths_start_in_the_current_folder_and_nothing_is_written_there(tmp_path, monkeypatch):
    (tmp_path / "d").mkdir()
    np.save(tmp_path / "d" / "x.npy", FIELD)
    (tmp_path / "own.csv").write_text("red,green,blue\n0,0,0\n1,0,0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as in a folder that may not be written
    before, out = sorted(os.listdir()), tmp_path.parent / (tmp_path.name + "_out")
    out.mkdir()
    scene = {"solver": {"kind": "data", "files": "d/x.npy", "axes": "yx"}, "view.range": [0, 1], "view.colormap": "own.csv"}
    seen = set()
    simreel.render(scene, outputs=out / "a.png", device="cpu", progress=lambda *_: seen.update(os.listdir()))
    assert sorted(seen) == before
    page = {"figure.dpi": 60, "panel": [{"data": "d/x.npy", "set": ["view.colormap=own.csv"]}]}
    assert simreel.figure(page, out / "b.png", device="cpu").findings[0].startswith("1 panel, ")
    simreel.panels(out / "c.png", [FIELD], colormap="own.csv", dpi=60)
    simreel.figure(out / "d.png", FIELD, colormap="own.csv", dpi=60)
    assert sorted(os.listdir()) == before
    with pytest.raises(simreel.UsageError, match="^scene:2:1: none.npy"):
        simreel.check('[solver]\nfiles = "none.npy"\nkind = "data"\n')
    with pytest.raises(simreel.UsageError, match=r"^figure:3:1: .*\n?.*none.toml"):
        simreel.figure('[figure]\n\n[[panel]]\nscene = "none.toml"\n', out / "e.png")
    for wrong in (lambda: simreel.figure(out / "e.png", FIELD, label="$x"), lambda: simreel.panels(out / "e.png", [FIELD], label="$x")):
        with pytest.raises(simreel.UsageError) as error:
            wrong()
        assert "$ is not closed" in str(error.value) and "tmp" not in str(error.value) and ":1:" not in str(error.value)


@pytest.mark.parametrize("first", [0, 2])
def test_a_frame_of_a_run_is_that_of_all(first):
    scene, keys = {**SCENE, "animation": {"frames": 5}}, {"animation.first": first}
    every = simreel.arrays(scene, keys, device="cpu")
    assert len(every) == 5 - first and len({frame.tobytes() for frame in every}) == len(every)
    for frame in range(first - 5, 5 - first):
        assert (simreel.arrays(scene, keys, frame=np.int64(frame), device="cpu") == every[frame]).all(), frame
    for frame in (5 - first, 700, first - 6):
        with pytest.raises(simreel.UsageError, match=f"^frame is {frame}, but the run has {5 - first} frames: 0 to "):
            simreel.arrays(scene, keys, frame=frame, device="cpu")
    for frame in (1.0, "1", [1], slice(2)):
        with pytest.raises(simreel.UsageError, match="the number of a frame is expected, or None for all"):
            simreel.arrays(scene, frame=frame, device="cpu")


def test_a_single_frame_is_not_looked_for_among_all(monkeypatch):
    seen, look = [], glob.glob
    monkeypatch.setattr(glob, "glob", lambda pattern: seen.append(look(pattern)) or seen[-1])
    scene = {**SCENE, "animation": {"frames": 400}}
    simreel.arrays(scene, frame=-1, device="cpu")
    assert [len(files) for files in seen] == [1]
    simreel.arrays(scene, frame=1, device="cpu")
    assert len(seen[-1]) < 400


def test_warnings_reach_the_result(tmp_path, caplog):
    assert simreel.plot(tmp_path / "p.svg", [0, 1, 2, 3, 4], [1, -2, 3, 0, 5], log_y=True).remarks == [
        "2 of 5 points are left out: they have no number, or none above 0 for a logarithmic axis"]
    said = "the first step has no finite value, and is drawn in the colour nan of [view]"
    empty = FIELD * np.nan
    assert simreel.figure(tmp_path / "f.png", empty).remarks == [f'field, "value": {said}']
    assert simreel.panels(tmp_path / "n.png", [FIELD, empty], dpi=60).remarks == [f'panel b: panel_1, "value": {said}']
    np.save(tmp_path / "x.npy", empty)
    scene = {"solver": {"kind": "data", "files": str(tmp_path / "x.npy"), "axes": "yx"}, "view.size": [64, 48]}
    told = f"{tmp_path / 'x.npy'}: {said}"
    assert told in simreel.check(scene) and told in simreel.render(scene, outputs=tmp_path / "r.png").remarks
    assert simreel.arrays(scene).shape == (1, *FIELD.shape) and told in caplog.text
    long = {"solver.kind": "wave", "solver.grid": [512, 512], "animation.frames": 10**9}
    assert any("this run takes about" in remark for remark in simreel.check(long, device="cpu"))


@pytest.mark.parametrize("label", ["E, total", 'the "best"', "# 1", "$E$, $W$", "[m]", "[a, b]", "-x", "a=b", "E; W"])
def test_any_label_is_that_of_its_line(tmp_path, label):
    simreel.plot(tmp_path / "a.svg", [0, 1], [0, 1], [1, 2], labels=[label, "W"], xlabel="")
    simreel.plot(tmp_path / "b.svg", [0, 1], [0, 1], xlabel=label, legend_at="none")
    simreel.plot(tmp_path / "c.svg", [0, 1], [0, 1], labels=[label], xlabel="")
    words = lambda name: [text for text in texts_of(tmp_path / name) if not re.fullmatch(r"[0-9.]+|y0|W", text)]
    assert "".join(words("a.svg")) == "".join(words("b.svg")) == "".join(words("c.svg")) != ""


@pytest.mark.parametrize("label", ["two\nlines", "a\ttab", "$", "no\0end"])
def test_labels_that_are_none_are_refused(tmp_path, label):
    with pytest.raises(simreel.UsageError):
        simreel.plot(tmp_path / "a.svg", [0, 1], [0, 1], [1, 2], labels=[label, "W"])
    assert not (tmp_path / "a.svg").exists()
    with pytest.raises(simreel.UsageError, match="name 1 lines, and the plot has 2"):
        simreel.plot(tmp_path / "a.svg", [0, 1], [0, 1], [1, 2], labels=["E"])


class Dataset:
    data_vars = {"a": None}


def ways(tmp_path, array):
    """What draws an array: a figure, panels, a plot of its first row, a video."""
    def video():
        with simreel.Video(tmp_path / "a.hashes", size=(64, 48), range=(0, 24), device="cpu", overwrite=True) as video:
            video.write(array)
        return video.result

    def row():
        return simreel.plot(tmp_path / "a.svg", range(6), array[0] if isinstance(array, np.ndarray) and array.ndim == 2 else array, overwrite=True)

    return {"figure": lambda: simreel.figure(tmp_path / "a.png", array, overwrite=True, device="cpu"),
            "panels": lambda: simreel.panels(tmp_path / "a.png", [array], overwrite=True, dpi=60), "plot": row, "video": video}


NUMBERS = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize("array,words", [
    (1j * NUMBERS, 'complex numbers ."c16". cannot be drawn; write numpy.abs'),
    (NUMBERS.astype("c8"), 'complex numbers ."c8". cannot be drawn'),
    (NUMBERS.astype("M8[ns]"), 'dates ."M8.ns.". are no numbers; write'),
    (NUMBERS.astype("m8[h]"), 'spans of time ."m8.h.". are no numbers; write'),
    (NUMBERS.astype(object), "convert them"), (NUMBERS.astype(str), r"with a.astype\(float\)|by a.astype\(float\)"), ("text", "is the text 'text'|no type of numbers|no array"),
    (None, "no type of numbers|no array"), ({"a": 1}, "no type of numbers|no array"), ([[1, 2], [3]], "is no array of numbers"),
    (Dataset(), 'give one of them: dataset."a".|no array'), (np.zeros((4, 6), "f4,f4"), "convert them to float32"),
    (np.float64(3), r"the shape \(\)|0 axes"), (np.zeros((2, 4, 6)), "take a plane: a.0.|write a plane"),
    (NUMBERS[:0, :], "without a value|the field is 0 x 6"),
], ids=lambda value: str(getattr(value, "dtype", type(value).__name__))[:12] if not isinstance(value, str) else "")
def test_what_holds_no_real_numbers_is_refused_everywhere(tmp_path, array, words):
    for way, draw in ways(tmp_path, array).items():
        if way == "plot" and getattr(array, "shape", None) == (0, 6):
            continue
        with pytest.raises(simreel.UsageError, match=words):
            draw()
        assert not list(tmp_path.glob("a.[ps]*")), way


def test_whatever_holds_the_numbers_the_picture_is_the_same(tmp_path):
    made = [NUMBERS, NUMBERS.astype("f2"), NUMBERS.astype(np.longdouble), *(NUMBERS.astype(t) for t in "i1 i8 u1 u8 >f4 >i2".split()),
            np.asfortranarray(NUMBERS), np.repeat(NUMBERS, 2, 1)[:, ::2], NUMBERS[::-1][::-1], np.frombuffer(NUMBERS.tobytes()).reshape(4, 6),
            NUMBERS.tolist(), np.ma.masked_less(NUMBERS, -1)]
    hidden = [np.where(NUMBERS < 5, np.nan, NUMBERS), np.ma.masked_less(NUMBERS, 5), np.ma.masked_less(NUMBERS.astype("i4"), 5)]
    pictures = [[], []]
    for shown, arrays in zip(pictures, (made, hidden)):
        for array in arrays:
            simreel.figure(tmp_path / "a.hashes", array, overwrite=True, device="cpu", view={"view.size": [200, 160]}, width=None)
            shown.append((tmp_path / "a.hashes").read_text())
    assert [len(set(shown)) for shown in pictures] == [1, 1] and pictures[0][0] != pictures[1][0]


def test_integers_that_no_double_holds_are_remarked_on(tmp_path):
    for array, remark in ((NUMBERS.astype("i8") * 2**57, True), (NUMBERS.astype("u8") * 2**56 + 2**63, True), (NUMBERS.astype("i8") - 2**53, False)):
        for way, draw in ways(tmp_path, array).items():
            assert any("integers beyond 2^53" in one for one in draw().remarks) == remark, way


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


def test_no_frame_is_no_output(tmp_path, caplog):
    old = tmp_path / "x.png"
    old.write_bytes(b"of another run")
    with simreel.Video(old, size=(64, 48), range=(0, 1), device="cpu", overwrite=True) as video:
        pass
    assert video.result.outputs == [] and video._repr_html_() is None
    assert "no frame was written" in video.result.remarks[0] and "no frame was written" in caplog.text
    assert old.read_bytes() == b"of another run"
