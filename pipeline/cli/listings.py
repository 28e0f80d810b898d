"""Tables of what there is to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pipeline.config.fields import REFERENCE
from pipeline.config.presets import DEFAULT, PRESETS, Preset


def presets() -> RenderableType:
    """The presets, each with the sizes of its experiments."""
    parts: list[RenderableType] = []
    for preset in PRESETS.values():
        note = " (default)" if preset.name == DEFAULT else ""
        parts += [Text(f"{preset.name}{note}: {preset.meaning}"), _experiments(preset), Text("")]
    return Group(*parts, Text(f"{REFERENCE} stands for the paper's twelve algorithms."))


def _experiments(preset: Preset) -> Table:
    table = _table("experiment")
    for head in ("partitions", "iterations", "replicates"):
        table.add_column(head, justify="right")
    table.add_column("δ, %")
    table.add_column("algorithms")
    for name, settings in preset.experiments.items():
        table.add_row(name, *_sizes(settings), _listed(settings, "deltas"),
                      _listed(settings, "algorithms"))  # fmt: skip
    return table


def _sizes(settings: Mapping[str, Any]) -> list[str]:
    return [f"{settings[key]:,}" for key in ("partitions", "iterations", "replicates")]


def _listed(settings: Mapping[str, Any], key: str) -> str:
    return ", ".join(str(item) for item in settings[key])


def algorithms() -> RenderableType:
    """The registered algorithms, families with a parameter last."""
    from algorithms.assignment import names, registry

    table = _table("name")
    for head in ("what it is", "family", "defined in"):
        table.add_column(head)
    works: dict[str, int] = {}
    for name in registry.names():
        found = registry.get(name)
        work, _, place = found.paper.rpartition(", ")
        number = works.setdefault(work, len(works) + 1)
        table.add_row(name, found.title, found.family, Text(f"[{number}] {place}"))
    for form, meaning, family in names.PATTERNS:
        table.add_row(form, meaning, family, "")
    notes = [Text(f"[{number}] {work}") for work, number in works.items()]
    return Group(table, Text(""), *notes)


def _table(first: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    return table
