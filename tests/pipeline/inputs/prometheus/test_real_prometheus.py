"""A real Prometheus gives the rates that are written, and the group as it is."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pipeline.inputs import traces
from tests.pipeline.cli.command import call
from tests.pipeline.inputs.prometheus import real_prometheus
from tests.pipeline.inputs.prometheus.real_prometheus import MEMBERS, MU, RATES

PROGRAM = real_prometheus.find()

pytestmark = [
    pytest.mark.prometheus,
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="Prometheus is not installed"),
]

SCRAPED_S = 30
GROUP = ("--group", "billing", "--since", "1h", "--step", "2s")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that has scraped the group for `SCRAPED_S`."""
    assert PROGRAM is not None
    folder = tmp_path_factory.mktemp("prometheus")
    with (
        real_prometheus.exporter() as target,
        real_prometheus.prometheus(PROGRAM, folder, target) as url,
    ):
        # Prometheus looks for its targets some seconds after its start.
        real_prometheus.wait_for_a_sample(url)
        time.sleep(SCRAPED_S)
        yield f"prometheus:{url}"


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_rates_and_group(name: str, address: str, tmp_path: Path) -> None:
    out = tmp_path / name
    done = call("import", address, *GROUP, "-o", out)
    assert done.exit_code == 0, done.output
    trace = traces.read(out)
    assert trace.partitions == ("orders/0", "orders/1")
    # Steps of 2 s; the first and last are not whole, and one may be late on a busy machine.
    assert len(trace.rates) >= SCRAPED_S // 2 - 3
    # A sample is up to a second older than its time, by as much in each step but for jitter.
    np.testing.assert_allclose(np.nanmean(trace.rates, axis=0), RATES, rtol=0.05)
    assert f"members: {MEMBERS} at the end" in done.output
    rate = re.search(r"rate of a member: ([0-9.]+) events/s by the mean member", done.output)
    assert rate is not None, done.output
    assert float(rate[1]) == pytest.approx(MU, rel=0.05)
    assert "rebalances: not seen; the number of members never changed" in done.output
    assert "Prometheus has data only from" in done.output


def test_names_are_those_of_prometheus(address: str, tmp_path: Path) -> None:
    for options in (
        ("--group", 'x"} or up{a="'),
        ("--group", "billing", "--topic", "ord.rs"),
    ):
        done = call("import", address, *options, "--since", "1h", "-o", tmp_path / "t.csv")
        assert done.exit_code == 2, done.output
        assert re.search(r"it has (billing|orders)$", done.output.strip()), done.output


def test_topics_as_a_pattern(address: str, tmp_path: Path) -> None:
    options = ("--topic", "orders", "--topic", "orders", "--since", "1h", "--step", "2s")
    done = call("import", address, *options, "-o", tmp_path / "t.csv")
    assert done.exit_code == 0, done.output
    assert len(traces.read(tmp_path / "t.csv").partitions) == 2


def test_pages_of_days_are_taken(address: str, tmp_path: Path) -> None:
    options = ("--topic", "orders", "--since", "10h", "--step", "1s")
    done = call("import", address, *options, "-o", tmp_path / "t.csv")
    assert done.exit_code == 0, done.output
    rates = np.nanmean(traces.read(tmp_path / "t.csv").rates, axis=0)
    np.testing.assert_allclose(rates, RATES, rtol=0.05)
