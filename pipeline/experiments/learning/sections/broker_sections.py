"""Sections on agents of brokers: learning curves, agents over seeds, beside rules, by variant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.experiments.learning.results.learning_study import Study
from pipeline.experiments.learning.sections.figures import FIGURES
from pipeline.reporting.sections.section import (
    Experiment,
    Row,
    Section,
    Table,
    charts,
    measured,
    number,
    text,
)
from schemas.metrics import LEARNING

_SHARE, _SCORE, *_OTHERS = LEARNING


def experiment(study: Study) -> Experiment:
    """All sections of an experiment."""
    curves = Section(charts=charts(FIGURES, study))
    sections = [curves, _over_seeds(study), _beside_rules(study), *_by_variant(study)]
    return Experiment(study.name, study.words, sections)


_OVER_SEEDS = (
    text("reward", "reward", terminal=True),
    text("seeds", "seeds"),
    measured(_SHARE, ends=True, terminal=True, metric=_SHARE.tracked),
    measured(_SCORE, ends=True, terminal=True),
    *(measured(item, terminal=True) for item in _OTHERS),
    number("worst", "worst", 2),
    number("best", "best", 2),
)


def _over_seeds(study: Study) -> Section:
    """Agents of the first variant: share of seeds that succeed, and means, with intervals."""
    variant = study.setting["variants"][0]
    rows = [
        Row(row["agent"], row, "/".join((study.name, row["agent"], row["reward"], variant)))
        for row in study.scores[study.scores["variant"] == variant].to_dict("records")
    ]
    note = (
        "Below, 95 % intervals: exact binomial ones of the share, bootstrapped ones of the "
        f"interquartile mean. Variant {variant}."
    )
    tables = [Table("", "Agent", _OVER_SEEDS, rows)]
    return Section("Agents over their seeds", tables=tables, notes=[note])


_POINTS = (
    number("score", "score", 2),
    number("brokers", "brokers", 1),
    number("over %", "over_slo_percent", 1),
    number("moves", "moves", 1),
)


def _beside_rules(study: Study) -> Section:
    """Agents, rules and the optimum on the same held-out episodes, a table per reward."""
    own = study.evaluations[study.evaluations["variant"] == study.setting["variants"][0]]
    columns = [field.key for field in _POINTS]
    tables = []
    for reward in study.setting["rewards"]:
        means = own[own["reward"] == reward].groupby("policy")[columns].mean()
        ranked = means.sort_values("score", ascending=False, kind="stable").to_dict("index")
        rows = [Row(str(name), values) for name, values in ranked.items()]
        tables.append(Table(f"Reward {reward}", "Policy", _POINTS, rows))
    note = "Means over the same held-out episodes, and over the seeds of an agent."
    return Section("Agents, rules and the optimum", tables=tables, notes=[note])


def _by_variant(study: Study) -> Iterator[Section]:
    """Share of seeds that succeed by variant; nothing for a single one."""
    variants = list(study.setting["variants"])
    if len(variants) < 2:
        return
    cells = [(a, r) for r in study.setting["rewards"] for a in study.setting["agents"]]
    fields = [
        number(
            f"{agent}, {reward}",
            f"{agent}, {reward}",
            _SHARE.decimals or 0,
            _SHARE.factor,
            ends=True,
            metric=f"{_SHARE.tracked}/{study.name}/{agent}/{reward}",
        )
        for agent, reward in cells
    ]
    rows = [Row(name, _shares(study, name), name) for name in variants]
    note = "Seeds that succeed, %, by variant, with exact 95 % intervals."
    yield Section("Sensitivity", tables=[Table("", "Variant", fields, rows)], notes=[note])


def _shares(study: Study, variant: str) -> dict[str, Any]:
    """Share and its interval by agent and reward."""
    return {
        f"{row['agent']}, {row['reward']}{end}": row[f"share{end}"]
        for row in study.scores[study.scores["variant"] == variant].to_dict("records")
        for end in ("", "_low", "_high")
    }
