"""What coordinates decide: a field and everything on it lie where they say, whatever the order of rows, columns and axes."""

import itertools
import os

import numpy as np
import pytest

import simreel

LAT, LON = np.linspace(20, 60, 9), np.arange(0, 130, 10.)
ROW, COLUMN = np.mgrid[0:9, 0:13]
WIND = {"u": np.where(ROW == 8, 1.0, 0.1), "v": np.where(COLUMN == 12, 1.0, 0.0), "field": ROW + COLUMN / 9.0}


class Labelled:
    """As much of xarray's DataArray as is asked for."""

    def __init__(self, values, dims, coords, units=(), name=None, attrs=()):
        self.values, self.shape, self.dims, self.name, self.attrs = values, np.shape(values), dims, name, dict(attrs)
        self.coords = {key: Labelled(at, (key,), {}, attrs={"units": dict(units).get(key, "")})
                       for key, at in coords.items()}

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


def real(*arguments, **more):
    xarray = pytest.importorskip("xarray")
    made = Labelled(*arguments, **more)
    return xarray.DataArray(made.values, dims=made.dims, coords={name: (name, at.values, at.attrs) for name, at in made.coords.items()},
                            name=made.name, attrs=made.attrs)


# Three bits of each array: latitude falls, longitude falls, the axes are exchanged; and longitudes may begin again.
def turned(name, bits, roll=0, make=Labelled, lat=LAT, lon=LON):
    values = np.roll(WIND[name], roll, axis=1)
    lon = np.roll(lon, roll)
    down, left, other = bits
    values, lat, lon = values[::-1 if down else 1, ::-1 if left else 1], lat[::-1 if down else 1], lon[::-1 if left else 1]
    return make(values.T if other else values, ("lon", "lat") if other else ("lat", "lon"), {"lat": lat, "lon": lon},
                units={"lon": "degrees_east", "lat": "degrees_north"})


BITS = list(itertools.product((0, 1), repeat=3))
VIEW = {"figure.contours": 4, "view.size": [200, 160]}


def hashes(path, field, vectors=None, view=VIEW, **more):
    view = {**view, "figure.arrows": 9} if vectors and "figure.streamlines" not in view else view
    simreel.figure(path, field, vectors=vectors, range=(0, 10), width=None, view=view, device="cpu", overwrite=True, **more)
    return path.read_text()


@pytest.mark.parametrize("make", [Labelled, real])
@pytest.mark.parametrize("lines", [{}, {"figure.streamlines": True}])
def test_any_order_is_the_same_figure(tmp_path, make, lines):
    view = {**VIEW, **lines}
    one = hashes(tmp_path / "a.hashes", turned("field", BITS[0], make=make), [turned(n, BITS[0], make=make) for n in "uv"], view)
    assert one != hashes(tmp_path / "a.hashes", turned("field", BITS[0]), (WIND["u"] * 0 + 1, WIND["v"]), view)
    for field, u in itertools.product(BITS if make is Labelled else BITS[1::3], BITS[::3]):
        v = BITS[(BITS.index(field) + 3 * BITS.index(u)) % 8]
        arrays = [turned("u", u, make=make), turned("v", v, make=make)]
        assert hashes(tmp_path / "a.hashes", turned("field", field, make=make), arrays, view) == one, (field, u, v)


def test_plain_vectors_lie_as_the_array_of_the_field(tmp_path):
    one = hashes(tmp_path / "a.hashes", turned("field", BITS[0]), (WIND["u"], WIND["v"]))
    for bits in BITS[1:]:
        arrays = [turned(name, bits).values for name in "uv"]
        assert hashes(tmp_path / "a.hashes", turned("field", bits), arrays) == one


def test_longitudes_that_begin_again_are_rolled(tmp_path):
    lon = np.arange(0, 360, 30.)
    wind = {name: values[:, :12] for name, values in WIND.items()}
    there = lambda name, lon, roll: Labelled(np.roll(wind[name], roll, 1), ("lat", "lon"), {"lat": LAT, "lon": np.roll(lon, roll)},
                                             units={"lon": "degrees_east"})
    view = {**VIEW, "figure.aspect": "auto"}
    one = hashes(tmp_path / "a.hashes", there("field", lon, 0), [there(name, lon, 0) for name in "uv"], view)
    for roll in (1, 5, -2):
        assert hashes(tmp_path / "a.hashes", there("field", lon, roll), [there(n, lon, -roll) for n in "uv"], view) == one
    west = np.where(lon < 180, lon, lon - 360)
    assert hashes(tmp_path / "a.hashes", there("field", lon, 0), [there(name, west, 0) for name in "uv"], view) == one


def test_a_mask_and_an_overlay_lie_with_the_field(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = set()
    for bits in BITS[::2]:  # a mask has rows and columns
        np.save("mask.npy", Labelled(turned("v", bits).values > 0.5, (), {}).values.astype("u1"))
        view = {**VIEW, "solver.mask": "mask.npy", "view.obstacle": "#ff0000", "overlay": [{"text": "here", "position": [90, 40]}]}
        found.add(hashes(tmp_path / "a.hashes", turned("field", bits), view=view))
    assert len(found) == 1 and found != {hashes(tmp_path / "a.hashes", turned("field", BITS[0]))}


def test_videos_and_panels_lie_so_too(tmp_path):
    videos, pages = set(), []
    for i, bits in enumerate(BITS):
        with simreel.Video(tmp_path / "a.hashes", size=(64, 48), range=(0, 10), device="cpu", overwrite=True) as video:
            video.write(turned("field", bits, roll=0 if i % 2 else 4, lon=np.arange(0, 390, 30.)[:13] - 90))
        videos.add((tmp_path / "a.hashes").read_text())
        simreel.panels(tmp_path / f"{i}.png", [turned("field", bits), turned("u", BITS[i - 1])], dpi=60)
        pages.append(simreel.compare(tmp_path / "0.png", tmp_path / f"{i}.png").identical)
    assert len(videos) == 1 and pages == [1] * 8


def test_the_lines_of_a_plot_go_with_its_coordinate(tmp_path):
    line = lambda falls: Labelled(LAT[::-1 if falls else 1] ** 2, ("lat",), {"lat": LAT[::-1 if falls else 1]})
    at = lambda falls: Labelled(LAT[::-1 if falls else 1], ("lat",), {"lat": LAT[::-1 if falls else 1]})
    plain = lambda falls: LAT[::-1 if falls else 1] ** 2
    pages = set()
    for x, y, make in itertools.product((0, 1), (0, 1), (line, plain)):
        simreel.plot(tmp_path / "a.svg", at(x), make(x if make is plain else y), overwrite=True)
        pages.add((tmp_path / "a.svg").read_text())
    assert len(pages) == 1


def test_origin_is_for_arrays_without_coordinates(tmp_path):
    remark = 'origin="upper" is for arrays without coordinates; the rows lie where "lat" says'
    field = turned("field", BITS[4])
    assert simreel.figure(tmp_path / "a.png", field, origin="upper", device="cpu").remarks == [remark]
    texts = []
    for origin in ("upper", "lower"):
        with simreel.Video(tmp_path / "a.hashes", size=(64, 48), range=(0, 10), device="cpu", origin=origin, overwrite=True) as video:
            video.write(field)
            video.write(field)
        texts.append((tmp_path / "a.hashes").read_text())
        assert [one for one in video.result.remarks if "origin" in one] == [remark] * (origin == "upper")
    assert texts[0] == texts[1]
    bare = Labelled(field.values, ("lat", "lon"), {})
    assert hashes(tmp_path / "b.hashes", bare, origin="upper") == hashes(tmp_path / "c.hashes", field.values, origin="upper")


def test_coordinates_that_do_not_fit_are_refused(tmp_path):
    field, other = turned("field", BITS[0]), turned("u", BITS[0], lat=LAT + 1)
    with pytest.raises(simreel.UsageError, match='the coordinate "lat" of vectors is not that of the field; interpolate'):
        simreel.figure(tmp_path / "a.png", field, vectors=(other, other))
    renamed = Labelled(WIND["u"], ("lat", "lon_u"), {})
    with pytest.raises(simreel.UsageError, match=r"vectors has the axes \('lat', 'lon_u'\), and the field \('lat', 'lon'\)"):
        simreel.figure(tmp_path / "a.png", field, vectors=(renamed, renamed))
    broken = turned("field", BITS[0], lat=LAT[[0, 2, 1, *range(3, 9)]])
    with pytest.raises(simreel.UsageError, match='^field, "lat": its coordinates neither rise nor fall'):
        simreel.figure(tmp_path / "a.png", broken)
    names = Labelled(WIND["u"], ("lat", "place"), {"lat": LAT, "place": np.array(["a"] * 13)})
    assert simreel.figure(tmp_path / "n.png", names, device="cpu").remarks == [
        'the coordinate "place" holds no numbers, so that its axis counts cells']


def texts_of(svg):
    import re
    return re.findall(r">([^<>]+)</tspan>", svg.read_text())


def test_dates_and_uneven_coordinates_are_shown(tmp_path):
    days = np.datetime64("2001-01-28", "ns") + np.arange(9) * np.timedelta64(1, "D")
    for unit in ("ns", "us", "s", "D"):
        over_time = Labelled(WIND["field"], ("time", "lon"), {"time": days.astype(f"M8[{unit}]"), "lon": LON})
        simreel.figure(tmp_path / "t.svg", over_time, overwrite=True, device="cpu")
        shown = " ".join(texts_of(tmp_path / "t.svg"))
        assert "time (2001)" in shown and "31 Feb 02" in shown, shown
    uneven = Labelled(WIND["field"], ("y", "x"), {"y": 2.0 ** np.arange(9), "x": LON})
    simreel.figure(tmp_path / "u.svg", uneven, view={"figure.aspect": "auto"}, device="cpu")
    assert "200" in texts_of(tmp_path / "u.svg")
    for x in (days, days.astype("M8[us]").tolist(), Labelled(days, ("time",), {}, name="day")):
        simreel.plot(tmp_path / "p.svg", x, WIND["field"][:, 0], overwrite=True, xlim=(days[0], days[7]))
        name = "day (2001)" if isinstance(x, Labelled) else "2001"
        assert "31 Feb 02" in " ".join(texts_of(tmp_path / "p.svg")) and name in texts_of(tmp_path / "p.svg"), texts_of(tmp_path / "p.svg")


@pytest.mark.parametrize("calendar,shown", [("noleap", "27 28 Mar 02"), ("all_leap", "27 28 29 Mar 02"), ("360_day", "27 28 29 30 Mar 02"),
                                            ("standard", "27 28 Mar 02")])
def test_calendars_of_xarray_are_kept(tmp_path, calendar, shown):
    cftime = pytest.importorskip("cftime")
    days = np.array([cftime.datetime(2001, 2, 25, calendar=calendar) + np.timedelta64(k, "D").item() for k in range(9)])
    field = Labelled(WIND["field"], ("time", "lon"), {"time": days, "lon": LON}, units={"lon": "degrees_east"})
    simreel.figure(tmp_path / "f.svg", field, device="cpu")
    simreel.plot(tmp_path / "p.svg", days, WIND["field"][:, 0])
    assert shown in " ".join(texts_of(tmp_path / "p.svg")), texts_of(tmp_path / "p.svg")
    assert {"360_day": "27 29 Mar", "all_leap": "28 29 Mar 02"}.get(calendar, "Mar 03") in " ".join(texts_of(tmp_path / "f.svg")), texts_of(tmp_path / "f.svg")


def test_units_are_written_as_the_program_writes_them(tmp_path):
    xarray = pytest.importorskip("xarray")
    speed = {"units": "m s**-1", "long_name": "wind"}
    u = xarray.DataArray(np.ones((8, 12)), dims=("y", "x"), attrs=speed)
    warm = xarray.DataArray(np.arange(96.0).reshape(8, 12), dims=("y", "x"), attrs={"units": "degC", "long_name": "air"})
    simreel.figure(tmp_path / "a.svg", warm, vectors=(u, u), view={"figure.arrow_key": "auto"}, device="cpu")
    assert ">air (°C)<" in (tmp_path / "a.svg").read_text() and ">1 m s<" in (tmp_path / "a.svg").read_text()
    simreel.figure(tmp_path / "c.svg", u.copy(data=warm), device="cpu")
    assert ">wind (m s<" in (tmp_path / "c.svg").read_text()
