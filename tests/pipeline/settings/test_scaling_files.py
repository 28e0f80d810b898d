"""Experiments on autoscaling from files and ``--set``, and settings of another family."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.settings.load import resolve

pytestmark = pytest.mark.unit


def test_settings_and_files(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(
        "family: autoscaling\niterations: 60\nexperiments:\n"
        "  a: {profile: steady, partitions: 4, strategies: [linear, 'constant:sweep']}\n"
        "  b: {profile: ramp, strategies: headroom}\n"
    )
    config = resolve(None, file, ["replicates=3"], [])
    first, second = config.autoscaling
    assert (config.preset, config.experiments) == ("custom", ())
    assert (first.name, first.partitions, first.iterations, first.replicates) == ("a", 4, 60, 3)
    assert first.strategies[:2] == ("linear", "constant")
    assert second.strategies == ("headroom",)
    listed = resolve(None, file, ["strategies=linear,ds2"], []).autoscaling
    assert {e.strategies for e in listed} == {("linear", "ds2")}


@pytest.mark.parametrize(
    ("preset", "text", "message"),
    [
        (
            None,
            "family: planning\nexperiments: {a: {partitions: 4}}\n",
            "`family` .*'planning'",
        ),
        ("smoke", "family: autoscaling\n", "`family` .*smoke.*'autoscaling'"),
        (
            None,
            "family: autoscaling\nexperiments: {a: {deltas: [5]}}\n",
            "`deltas` .*autoscaling",
        ),
        (
            None,
            "experiments: {a: {protocol: eager}}\n",
            "`protocol` .*assignment",
        ),
    ],
)
def test_the_wrong_family(tmp_path: Path, preset: str | None, text: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        resolve(preset, file, [], [])
    assert "\n" not in str(caught.value)
    assert "c.yaml" in str(caught.value)


def test_settings_of_the_other_family_are_refused() -> None:
    with pytest.raises(InputError, match="--set deltas=5: `deltas`"):
        resolve("autoscaling-smoke", None, ["deltas=5"], [])
    with pytest.raises(InputError, match="--set wsla_s=5: `wsla_s`"):
        resolve("smoke", None, ["wsla_s=5"], [])
