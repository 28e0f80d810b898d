"""Tables of presets and of algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from algorithms.assignment import parametric_names, registry
from algorithms.learning.learning_names import AGENTS
from pipeline.config.field_checks import REFERENCE, algorithm_names
from pipeline.config.learning_experiment import BASE
from pipeline.config.presets import DEFAULT, PAPERS, PRESETS, Preset
from pipeline.config.settings import MODELS


def presets() -> RenderableType:
    """The presets, one line per experiment, and the purpose of each preset."""
    table = _table("preset")
    table.add_column("experiment", no_wrap=True)
    for head in ("partitions", "iterations", "replicates"):
        table.add_column(head, justify="right")
    table.add_column("δ, %", no_wrap=True)
    table.add_column("compared", no_wrap=True)
    notes = []
    for preset in PRESETS.values():
        for i, (name, settings) in enumerate(preset.experiments.items()):
            head = preset.name if i == 0 else ""
            table.add_row(head, name, *_sizes(preset, settings), *_work(settings))
        default = " (default)" if preset.name == DEFAULT else ""
        notes.append(Text(f"{preset.name}{default}: {preset.meaning}"))
    last = Text(f"{REFERENCE}: the paper's twelve algorithms")
    return Group(table, Text(""), *notes, last)


def _sizes(preset: Preset, settings: Mapping[str, Any]) -> list[str]:
    """Partitions, iterations and replicates; a recorded file has its own length, once."""
    fields = MODELS[preset.family].model_fields
    given = {**settings, "iterations": "", "replicates": 1} if preset.name == PAPERS else settings
    # Agents have episodes and seeds in place of iterations and replicates.
    learning = preset.family == "learning"
    keys = ("", "episodes", "seeds") if learning else ("partitions", "iterations", "replicates")
    values = [given.get(key, fields[key].default) if key else "" for key in keys]
    return [f"{value:,}" if value else "" for value in values]


def _work(settings: Mapping[str, Any]) -> tuple[str, str]:
    """δ, if it has one, and the algorithms or strategies of an experiment."""
    if "strategies" in settings:
        names = [str(item) for item in settings["strategies"]]
        delta = f"{settings['delta']:g}" if "delta" in settings else ""
        return delta, names[0] if len(names) == 1 else f"{len(names)} strategies"
    if "deltas" not in settings:
        variants = len(settings.get("variants", (BASE,)))
        many = f", {variants} variants" if variants > 1 else ""
        return "", f"{', '.join(settings.get('agents', AGENTS))}{many}"
    return _range(settings["deltas"]), _count(settings["algorithms"])


def _range(deltas: Sequence[object]) -> str:
    return ", ".join(map(str, deltas)) if len(deltas) < 3 else f"{deltas[0]}–{deltas[-1]}"


def _count(algorithms: Sequence[str]) -> str:
    """The reference set, and how many algorithms more."""
    more = len(algorithm_names("algorithms", algorithms)) - 1
    return f"{REFERENCE} +{more}" if more else REFERENCE


def algorithms() -> RenderableType:
    """The registered algorithms, families with a parameter last."""
    table = _table("name")
    for head in ("description", "family", "defined in"):
        table.add_column(head)
    works: dict[str, int] = {}
    for name in registry.names():
        found = registry.get(name)
        work, _, place = found.paper.rpartition(", ")
        number = works.setdefault(work, len(works) + 1)
        table.add_row(name, found.title, found.family, Text(f"[{number}] {place}"))
    for form, meaning, family in (*parametric_names.PATTERNS, parametric_names.OWN_PATTERN):
        table.add_row(form, meaning, family, "")
    notes = [Text(f"[{number}] {work}") for work, number in works.items()]
    return Group(table, Text(""), *notes)


def _table(first: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    return table
