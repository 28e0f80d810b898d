"""What is declared of a setting decides what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.group_defaults import GroupSettings
from algorithms.core.setting import REQUIRED, SettingError, declared, setting, shared
from algorithms.core.setting_checks import check_neighbours, checked
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learned_group import GroupTraining, LearnedGroup
from algorithms.simulation.application_settings import ApplicationSettings

pytestmark = pytest.mark.unit

CLASSES = (
    *(GroupSettings, AgentSettings, BrokerSettings, LearnedGroup, GroupTraining),
    ApplicationSettings,
)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    least: int = setting(2, "Least.", "items", at_least=1, at_most=(9, "most"))
    most: int = setting(REQUIRED, "Most.", "items", at_least=1, at_most=9)
    share: float = setting(0.5, "Share.", "ratio", above=0, at_most=1)
    pause_s: float | None = setting(None, "Pause.", "s", at_least=0)
    kind: str = setting("a", "Kind.", one_of=("a", "b"))
    is_open: bool = setting(False, "Whether it is open.")
    nodes: int = setting(1, "Nodes.", "brokers", one_of=(1, 3))
    layers: tuple[int, ...] = setting((8,), "Layers.", at_least=1)
    pair: tuple[float, ...] = setting((0.1, 0.2), "Pair.", at_least=0, length=2)
    load: float | tuple[float, ...] = setting(1.0, "Load.", at_least=0)


@pytest.mark.parametrize(
    "values",
    [
        *({"least": value} for value in (0, 10, 2.0, "2", True, None, float("nan"))),
        *({"share": value} for value in (0, 1.01, float("nan"), float("inf"), 10**400, "1", None)),
        *({"pause_s": value} for value in (-1e-9, "1", False)),
        *({"kind": value} for value in ("", "c", 1, None, ["a"], np.zeros(2))),
        *({"is_open": value} for value in (0, 1, "true", None)),
        *({"nodes": value} for value in (0, 2, True, 1.0)),
        *({"layers": value} for value in ((), (0,), (1.5,), "8", None)),
        *({"pair": value} for value in ((0.1,), (0.1, 0.2, 0.3), (0.1, -1), 0.1)),
        *({"load": value} for value in (-1, (1, -1), (), "x")),
    ],
)
def test_what_is_not_as_declared_is_refused_on_one_line(values: dict[str, Any]) -> None:
    (name,) = values
    with pytest.raises(SettingError) as caught:
        checked(Sizes(**{"most": 5, **values}))
    assert caught.value.names == (name,)
    error = caught.value
    assert str(error).startswith(f"{name}{error.at} must be {error.allowed} (got ")
    assert error.at or error.allowed == declared(Sizes)[name].limits


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((8, 0), "layers[1] must be an integer of at least 1 (got 0)"),
        ((8, 4, None), "layers[2] must be an integer of at least 1 (got None)"),
    ],
)
def test_the_wrong_value_of_a_list_is_named(value: tuple[Any, ...], message: str) -> None:
    with pytest.raises(SettingError) as caught:
        declared(Sizes)["layers"].check(value)
    assert str(caught.value) == message
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


def test_values_become_plain() -> None:
    sizes = Sizes(
        least=np.int64(3),
        most=np.int32(9),
        share=1,
        pause_s=np.float32(2.0),
        is_open=np.True_,
        layers=[4, 5],
        pair=(0, 1),
        load=[1, 2],
    )  # type: ignore[arg-type]
    plain = checked(sizes)
    assert (plain.least, plain.share, plain.pause_s, plain.is_open) == (3, 1.0, 2.0, True)
    assert (plain.layers, plain.pair, plain.load) == ((4, 5), (0.0, 1.0), (1.0, 2.0))
    assert {type(plain.least), type(plain.most)} == {int}
    assert {type(plain.share), type(plain.pause_s)} == {float}
    assert checked(Sizes(most=5, layers=6)).layers == (6,)  # type: ignore[arg-type]
    assert checked(Sizes(most=5)).pause_s is None


def test_a_neighbour_limits_a_setting() -> None:
    assert checked(Sizes(least=5, most=5)).least == 5
    with pytest.raises(SettingError) as caught:
        checked(Sizes(least=6, most=5))
    assert caught.value.names == ("least", "most")
    with pytest.raises(SettingError):
        check_neighbours(Sizes(least=6, most=5))


@pytest.mark.parametrize("cls", CLASSES)
def test_neighbours_are_settings_of_the_same_class(cls: type) -> None:
    items = declared(cls)
    for item in items.values():
        assert {item.neighbour_below, item.neighbour_above} <= {"", *items}


@pytest.mark.parametrize("cls", CLASSES)
def test_defaults_are_legal(cls: type) -> None:
    for name, item in declared(cls).items():
        if item.default is not REQUIRED:
            assert item.check(item.default) == item.default, name
        assert item.meaning.endswith("."), name


def test_settings_are_shared_by_name() -> None:
    assert shared(Sizes(most=5), ("most", "steps", "kind")) == {"most": 5, "kind": "a"}
