"""The runs of a warehouse that a baseline is chosen from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from pipeline.base.errors import InputError
from pipeline.settings import own_algorithms
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.storage.reader import Source
from schemas.tables.common.runs import PUBLISHED

NEWEST = 5
"""Run ids that a message names."""


class Recorded(NamedTuple):
    """A run as table `runs` has it."""

    run_id: str
    setup: str
    """Equal for runs of the same configuration, whatever their seed."""
    seed: int
    code: str | None
    """Version of the code; None if unknown, because files differed from it."""
    created_at: datetime
    """When it began, UTC. Its comparison with its own baseline was made later."""
    published_at: datetime | None
    """When it was published, UTC; None if it is not."""
    moved: bool = False
    """Whether anything had moved against the run's own baseline."""


class Promotion(NamedTuple):
    """A row of table `baselines`."""

    run_id: str
    promoted_at: datetime
    promoted_by: str
    reason: str


@dataclass(frozen=True)
class History:
    """All runs of a warehouse, by id, and all promotions."""

    runs: Mapping[str, Recorded]
    promotions: tuple[Promotion, ...] = ()

    def published(self, run_id: str, what: str = "RUN_ID") -> Recorded:
        """A published run. Raises InputError, which names some, if it is not."""
        run = self.runs.get(run_id)
        if run is None or run.published_at is None:
            state = "does not exist" if run is None else "is not published"
            raise InputError(f"`{what}`: run {run_id!r} {state}; {self._choices()}")
        return run

    def _choices(self) -> str:
        there = [(run.published_at, run.run_id) for run in self.runs.values() if run.published_at]
        newest = [run_id for _, run_id in sorted(there, reverse=True)[:NEWEST]]
        if not newest:
            return "this warehouse has no published runs; choose another folder with --warehouse"
        return f"choose a published run, such as {', '.join(newest)}"


def read(source: Source) -> History:
    """Read runs and promotions in three parallel queries."""
    with ThreadPoolExecutor(max_workers=3) as pool:
        runs = pool.submit(source.rows, "runs", _RUNS)
        promotions = pool.submit(source.rows, "baselines", Promotion._fields)
        moved = pool.submit(source.rows, "differences", ["run_id"], verdict=["moved"])
        red = set(moved.result()["run_id"].to_pylist())
        return History(
            {row["run_id"]: _recorded(row, red) for row in runs.result().to_pylist()},
            tuple(
                Promotion(**row | {"promoted_at": row["promoted_at"].astimezone(UTC)})
                for row in promotions.result().to_pylist()
            ),
        )


_RUNS = ("run_id", "status", "config", "seed", "versions", "created_at", "finished_at")


def _recorded(row: Mapping[str, Any], red: set[str]) -> Recorded:
    published = row["status"] == PUBLISHED
    return Recorded(
        row["run_id"],
        setup(row["config"]),
        row["seed"],
        _code(json.loads(row["versions"])),
        row["created_at"].astimezone(UTC),
        row["finished_at"].astimezone(UTC) if published else None,
        row["run_id"] in red,
    )


@lru_cache(maxsize=1024)
def setup(config: str) -> str:
    """Key of a configuration: all of it except seed, preset and paths.

    A configuration from an older version is read with today's defaults for settings it does not
    have. One that is no longer valid only equals configurations with the same text.
    """
    try:
        return RunConfig.from_json(config).fingerprint(seed=False)
    except ValueError:
        content = json.loads(config)
        return json.dumps({key: content[key] for key in content if key != "seed"}, sort_keys=True)


def _code(versions: Mapping[str, str]) -> str | None:
    return own_algorithms.code(versions, known_code(versions.get("code")))


def known_code(version: str | None) -> str | None:
    """Version of the code; None if it does not identify the code."""
    if version is None or version == "unknown" or version.endswith("+changes"):
        return None
    return version
