"""Presets, algorithms and strategies, as tables and as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from algorithms.assignment import parametric_names, registry
from algorithms.autoscaling import strategies
from algorithms.autoscaling.arguments import Value
from algorithms.autoscaling.scaling_policies import Behaviour
from algorithms.learning.learning_names import AGENTS
from pipeline.base.errors import InputError
from pipeline.base.text.plain_table import plain_table
from pipeline.base.text.printable import printable
from pipeline.base.text.quoting import named
from pipeline.settings.field_checks import REFERENCE, algorithm_names
from pipeline.settings.learning_experiment import BASE
from pipeline.settings.presets import DEFAULT, PAPERS, PRESETS, Preset
from pipeline.settings.presets import get as find_preset
from pipeline.settings.settings import DEFAULT_FAMILY, MODELS


def families() -> RenderableType:
    """The names of the presets by family: they stay on one screen, however many there are."""
    table = _table("family")
    table.show_header = False  # a family's name and its presets need none
    table.add_column("presets")
    for family in MODELS:
        names = [_marked(preset) for preset in PRESETS.values() if preset.family == family]
        table.add_row(family, ", ".join(names))
    remedy = "What they run: groupscale presets --family NAME, groupscale presets NAME"
    return Group(table, Text(""), Text(remedy))


def presets(family: str) -> RenderableType:
    """The presets of a family, one line each, with their numbers of experiments."""
    table = _table("preset")
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("meaning")
    for preset in _of_family(family):
        table.add_row(_marked(preset), str(len(preset.experiments)), preset.meaning)
    return table


def _of_family(family: str) -> list[Preset]:
    """Its presets; `InputError` if there is no such family."""
    if family not in MODELS:
        raise InputError(f"--family must be one of {', '.join(MODELS)} (got {named(family)})")
    return [preset for preset in PRESETS.values() if preset.family == family]


def _marked(preset: Preset) -> str:
    return f"{preset.name} (default)" if preset.name == DEFAULT else preset.name


def experiments(name: str) -> RenderableType:
    """The experiments of a preset, one line each; `InputError` if the name is unknown."""
    preset = find_preset(name)
    sizes = MODELS[preset.family].SHOWN_SIZES
    heads = ("experiment", *sizes, "δ, %", "compared")
    rows = [
        (experiment, *_sizes(preset, settings), *_work(settings))
        for experiment, settings in preset.experiments.items()
    ]
    filled = [(head, cells) for head, *cells in zip(heads, *rows, strict=True) if any(cells)]
    table = plain_table()
    for head, _ in filled:
        table.add_column(head, justify="right" if head in sizes else "left", no_wrap=True)
    for row in zip(*(cells for _, cells in filled), strict=True):
        table.add_row(*row)
    title = Text(f"{_marked(preset)}: {preset.meaning}")
    of_paper = [Text(""), Text(f"{REFERENCE}: the paper's twelve algorithms")]
    return Group(title, Text(""), table, *(of_paper if preset.family == DEFAULT_FAMILY else ()))


def _sizes(preset: Preset, settings: Mapping[str, Any]) -> list[str]:
    """Its `SHOWN_SIZES`; a recorded file has its own length, once."""
    fields = MODELS[preset.family].model_fields
    shown = {**settings, "iterations": "", "replicates": 1} if preset.name == PAPERS else settings
    keys = MODELS[preset.family].SHOWN_SIZES
    values = [shown.get(key, fields[key].default) for key in keys]
    return [f"{value:,}" if value else "" for value in values]


def _work(settings: Mapping[str, Any]) -> tuple[str, str]:
    """δ, if it has one, and the algorithms or strategies of an experiment."""
    if "strategies" in settings:
        names = [str(item) for item in settings["strategies"]]
        delta = settings.get("delta")
        return "" if delta is None else f"{delta:g}", _strategies(names)
    if "policies" in settings:
        return "", f"{len(settings['policies'])} policies"
    if "resizings" in settings:
        return "", f"{settings['resizings']} changes each way"
    if "decided_by" in settings:
        return "", ", ".join(settings["decided_by"])
    if "scalings" in settings:
        return "", f"{settings['scalings']} scalings"
    if "deltas" not in settings:
        variants = len(settings.get("variants", (BASE,)))
        many = f", {variants} variants" if variants > 1 else ""
        return "", f"{', '.join(settings.get('agents', AGENTS))}{many}"
    return _range(settings["deltas"]), _count(settings["algorithms"])


def _strategies(names: Sequence[str]) -> str:
    """The one strategy, unless its parameters would take the table's room, or how many."""
    if len(names) > 1:
        return f"{len(names)} strategies"
    return "1 strategy" if "=" in names[0] else names[0]


def _range(deltas: Sequence[object]) -> str:
    return ", ".join(map(str, deltas)) if len(deltas) < 3 else f"{deltas[0]}–{deltas[-1]}"


def _count(algorithms: Sequence[str]) -> str:
    """The reference set, and how many algorithms more."""
    more = len(algorithm_names("algorithms", algorithms)) - 1
    return f"{REFERENCE} +{more}" if more else REFERENCE


def preset_rows(name: str | None = None, family: str | None = None) -> list[dict[str, Any]]:
    """The presets, one, or those of a family, with their experiments' settings.

    Settings that are left out have their defaults.
    """
    every = PRESETS.values() if family is None else _of_family(family)
    return [
        {
            "preset": preset.name,
            "family": preset.family,
            "meaning": preset.meaning,
            "default": preset.name == DEFAULT,
            "experiments": {name: dict(settings) for name, settings in preset.experiments.items()},
        }
        for preset in (every if name is None else (find_preset(name),))
    ]


def algorithm_rows() -> list[dict[str, Any]]:
    """The registered algorithms, then families with a parameter, whose names are patterns."""
    registered = [registry.get(name) for name in registry.names()]
    return [
        *(
            _described(algorithm.name, algorithm.title, algorithm.family, algorithm.paper)
            for algorithm in registered
        ),
        *(_described(*pattern, None) for pattern in _PATTERNS),
    ]


def _described(name: str, description: str, family: str, paper: str | None) -> dict[str, Any]:
    return {"name": name, "description": description, "family": family, "defined_in": paper}


_PATTERNS = (*parametric_names.PATTERNS, parametric_names.OWN_PATTERN)


def algorithms() -> RenderableType:
    """The registered algorithms, families with a parameter last."""
    table = _table("name")
    for head in ("description", "family", "defined in"):
        table.add_column(head)
    works: dict[str, int] = {}
    for row in algorithm_rows():
        table.add_row(row["name"], row["description"], row["family"], _place(row, works))
    return Group(table, Text(""), *_numbered(works))


def failed_runs(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Failed and unfinished runs, each with its cause below it."""
    lines = []
    for row in rows:
        head = f"{row['run_id']}  {row['preset']}  {row['created_at']}  {row['status']}"
        cause = row["error"] or "still running, or killed"
        lines += [Text(printable(head)), Text(f"    {printable(cause)}")]
    remedy = "Rerun: groupscale run --run-id RUN_ID with the same options; see docs/runbook.md"
    return Group(*lines, Text(""), Text(remedy))


def strategy_rows() -> list[dict[str, Any]]:
    """The strategies of autoscaling, with their parameters' defaults; algorithms are not listed."""
    every = [strategies.get(name) for name in strategies.names() if name not in registry.names()]
    return [
        _described(strategy.name, strategy.title, strategy.family, strategy.paper)
        | {"parameters": {name: _default(value) for name, value in strategy.arguments.items()}}
        | {"deployable": not strategy.foresees}
        for strategy in every
    ]


def _default(value: Value) -> object:
    if isinstance(value, Behaviour):
        policies = [policy._asdict() for policy in value.policies]
        return value._asdict() | {"policies": policies}
    return value


def strategy_table() -> RenderableType:
    """The strategies of autoscaling."""
    table = _table("name")
    for head in ("description", "parameters", "family", "defined in"):
        table.add_column(head)
    works: dict[str, int] = {}
    for row in strategy_rows():
        parameters = ", ".join(_parameter(*item) for item in row["parameters"].items())
        table.add_row(
            row["name"], row["description"], parameters, row["family"], _place(row, works)
        )
    last = Text(
        "Every algorithm of `groupscale algorithms` is a strategy too. NAME+placement places the "
        "partitions of a counting strategy by rate."
    )
    return Group(table, Text(""), *_numbered(works), Text(""), last)


def _parameter(name: str, value: object) -> str:
    if isinstance(value, dict):  # as autoscaling/v2 has it
        return name
    return f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"


def _place(row: Mapping[str, Any], works: dict[str, int]) -> Text:
    """Where something is defined, with the number of the work."""
    if row["defined_in"] is None:
        return Text("")
    work, _, place = row["defined_in"].rpartition(", ")
    return Text(f"[{works.setdefault(work or place, len(works) + 1)}] {place if work else ''}")


def _numbered(works: Mapping[str, int]) -> list[Text]:
    return [Text(f"[{number}] {work}") for work, number in works.items()]


def _table(first: str) -> Table:
    table = plain_table()
    table.add_column(first, no_wrap=True)
    return table
