"""MLflow's page of a preset's runs, with the columns that matter.

MLflow keeps a saved view in a tag of the experiment, and the address of the page can name one.
Tried with MLflow 3; another version that does not know the tag shows its own columns. There are two
views, because MLflow loads 100 runs at a time, and a run can have more children.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pipeline.base.text import addresses
from pipeline.reporting.tracking.content import PARENT, ROLE, Content
from schemas.verdicts import MEANINGS, NOT_COMPARABLE

if TYPE_CHECKING:
    from mlflow import MlflowClient

RUNS, SCORES = "groupscale-runs", "groupscale"
"""Keys of the views: of parent runs alone, and of all."""

TAG = "mlflow.sharedViewState."

MOST_MEASURES = 8
_OF_PARENT = ("tags.`regression`", "metrics.`differences.moved`")
"""Columns that only parent runs fill, if they are compared, next to the numbers of verdicts."""

_VERDICTS = tuple(
    f"verdicts.{kind.replace(' ', '_')}" for kind in MEANINGS if kind != NOT_COMPARABLE
)


class Scores:
    """Scores of child runs: their names, and their means for the parent run.

    parent: The parent run, which has some of its children's metrics as ``NAME/CHILD``.
    """

    def __init__(self, parent: Content) -> None:
        shared = (key.partition("/")[0] for key in parent.metrics if "/" in key)
        self._values: dict[str, list[float]] = {name: [] for name in shared}
        self._names: dict[str, None] = {}
        self._of_parent = _OF_PARENT if "regression" in parent.tags else ()
        self._verdicts = [name for name in _VERDICTS if parent.metrics.get(name)]

    def add(self, child: Content) -> None:
        """Take in a child run."""
        # What tells children apart is both a parameter and a tag.
        self._names |= dict.fromkeys(key for key in child.params if key in child.tags)
        for name, values in self._values.items():
            values += [child.metrics[name]] if name in child.metrics else []

    def means(self) -> dict[str, float]:
        """Mean of each shared metric over the children that have it."""
        reported = {name: values for name, values in self._values.items() if values}
        return {name: sum(values) / len(values) for name, values in reported.items()}

    def views(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Key, name and state of each view, in MLflow's spelling."""
        measures = [f"metrics.`{name}`" for name in list(self.means())[:MOST_MEASURES]]
        measures += [*self._of_parent, *(f"metrics.`{name}`" for name in self._verdicts)]
        parents = f"tags.`{ROLE}` = '{PARENT}'"
        yield RUNS, "Groupscale: runs", {"selectedColumns": measures, "searchFilter": parents}
        names = [f"params.`{name}`" for name in self._names]
        yield SCORES, "Groupscale: scores", {"selectedColumns": names + measures}


def save_views(client: MlflowClient, experiment: str, scores: Scores, now: int) -> None:
    """Save the views of an MLflow experiment; ``now`` in milliseconds since 1970."""
    times = {"createdAt": now, "updatedAt": now}
    for key, name, state in scores.views():
        saved = json.dumps({"name": name, **times, "state": json.dumps(state)})
        client.set_experiment_tag(experiment, f"{TAG}{key}", saved)


def address(tracking_uri: str, experiment: str | None) -> str | None:
    """Address of the page of an MLflow experiment's runs; None for a database without a server."""
    if not tracking_uri.startswith(("http://", "https://")):
        return None
    place = addresses.shown(tracking_uri).rstrip("/")
    # Without the type, MLflow's pages about language models are around the table.
    view = f"workflowType=machine_learning&viewStateShareKey={RUNS}"
    return place if experiment is None else f"{place}/#/experiments/{experiment}/runs?{view}"


def comparison(experiment: str, runs: Iterable[str]) -> str:
    """Address of the comparison of MLflow runs, within MLflow's pages."""
    query = {"runs": json.dumps([*runs]), "experiments": json.dumps([experiment])}
    return f"#/compare-runs?{urllib.parse.urlencode(query)}"
