"""Sweeps: tables of runs."""

import pytest

import simreel

SCENE = '[solver]\nkind = "wave"\ngrid = [64, 48]\n[[solver.droplet]]\n[view]\nsize = [64, 48]\n[animation]\nframes = 4\n'


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(SCENE)
    return path


def test_a_table_of_all_runs(tmp_path, scene):
    over = {"solver.damping": [0, 0.25], "title": ['a, "b"', "c"]}
    names = str(tmp_path / "out" / "{solver.damping}{title}.hashes")
    table = simreel.sweep(scene, over, names, keys={"view.colormap": "magma"}, device="cpu", panels=tmp_path / "p.svg")
    assert table["solver.damping"] == [0, 0, 0.25, 0.25] and table["exit"] == [0] * 4 and table["message"] == [None] * 4
    assert table["title"] == ['a, "b"', "c"] * 2
    assert table["output"][3] == str(tmp_path / "out" / "0.25c.hashes")
    assert table["energy"][0] == table["energy"][1] > table["energy"][2] > 0
    assert (tmp_path / "out" / "sweep.csv").exists() and (tmp_path / "p.svg").exists()
    single = simreel.sweep(scene, {"solver.damping": "0:1:3", "seed": [1, 2, 3]}, tmp_path / "{seed}.csv", zip=True, jobs=1)
    assert single["solver.damping"] == [0, 0.5, 1] and single["seed"] == [1, 2, 3]
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(table)["seconds"].min() > 0


def test_mistakes(tmp_path, scene):
    with pytest.raises(simreel.UsageError, match='"damping" in .solver. is -1'):
        simreel.sweep(scene, {"solver.damping": [-1, 1]}, tmp_path / "{solver.damping}.csv")
    with pytest.raises(simreel.UsageError, match=r"no list of values; write \[0.5\]"):
        simreel.sweep(scene, {"seed": 0.5}, tmp_path / "{seed}.csv")
    with pytest.raises(simreel.UsageError, match="the file of a scene"):
        simreel.sweep(SCENE, {"seed": [1, 2]}, tmp_path / "{seed}.csv")
    with pytest.raises(simreel.Error, match="1 are done, 0 diverged, 1 failed"):
        (tmp_path / "2.csv.checkpoint").write_text("")
        simreel.sweep(scene, {"seed": [1, 2]}, tmp_path / "{seed}.csv")
