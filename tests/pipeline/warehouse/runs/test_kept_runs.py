"""A measured run is measured once for a configuration and code, unless it did not end well."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base import progress
from pipeline.warehouse.runs import kept_runs

pytestmark = pytest.mark.unit


class Runs:
    """Measures runs, and counts how often."""

    def __init__(self, place: Path, version: str = "settings-code") -> None:
        self.place, self.measured = place, list[str]()
        kept_runs.begin(place, version)

    def once(self, name: str, fails: bool = False) -> kept_runs.Notes:
        folder = self.place / "stream" / name

        def measure() -> kept_runs.Notes:
            # As live runs do: what another attempt has left is in the way.
            folder.mkdir(parents=True)
            (folder / "evidence").write_text(name)
            if fails:
                raise ZeroDivisionError
            self.measured.append(name)
            return {"load": float(len(self.measured))}

        return kept_runs.once(folder, name, measure)


def test_a_repeated_experiment_goes_on_with_the_runs_it_lacks(tmp_path: Path) -> None:
    first = Runs(tmp_path / "e")
    assert first.once("a") == {"load": 1.0}
    with pytest.raises(ZeroDivisionError):
        first.once("b", fails=True)
    again = Runs(tmp_path / "e")
    # What was noted when the run was measured, not what is true now.
    assert [again.once(name)["load"] for name in ("b", "a", "c")] == [1.0, 1.0, 2.0]
    assert again.measured == ["b", "c"]
    assert (tmp_path / "e" / "stream" / "a" / "evidence").read_text() == "a"


def test_other_settings_or_code_begin_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    monkeypatch.setattr(progress, "note", notes.append)
    Runs(tmp_path / "e").once("a")
    assert notes == ["a"]
    other = Runs(tmp_path / "e", "settings-newer")
    assert notes[1:] == ["e: other settings or code than before; all is measured again"]
    assert not (tmp_path / "e" / "stream").exists()
    other.once("a")
    assert other.measured == ["a"]
    # An experiment of the same run with another folder is not touched.
    Runs(tmp_path / "f")
    assert (tmp_path / "e" / "stream" / "a").exists()


def test_a_folder_without_a_version_is_not_kept(tmp_path: Path) -> None:
    left = tmp_path / "e" / "stream" / "a"
    left.mkdir(parents=True)
    (left / kept_runs.MEASURED).write_text("{}")
    runs = Runs(tmp_path / "e")
    runs.once("a")
    assert runs.measured == ["a"]


def test_a_published_run_that_is_repeated_measures_all_again(tmp_path: Path) -> None:
    Runs(tmp_path / "e").once("a")
    kept_runs.publish(tmp_path)
    # Its evidence stays until then.
    assert (tmp_path / "e" / "stream" / "a" / "evidence").read_text() == "a"
    again = Runs(tmp_path / "e")
    again.once("a")
    assert again.measured == ["a"]
    kept_runs.publish(tmp_path / "missing")
