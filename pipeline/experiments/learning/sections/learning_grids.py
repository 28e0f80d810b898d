"""Tables of the report: success of agents, agents beside rules, sensitivity, and claims."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from pipeline.experiments.learning.published import CLAIMS
from pipeline.experiments.learning.results.learning_study import Study
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Table
from schemas.metrics import LEARNING, metric

COLUMNS = tuple(item for item in LEARNING if item.name != "learning_share")
SHARE = metric("learning_share")

POINTS = ("score", "brokers", "over_slo_percent", "moves")
"""Columns of `evaluations` that are shown."""


class Claim(NamedTuple):
    """A verdict as words."""

    name: str
    statement: str
    ours: str
    verdict: str
    agreeing: str
    note: str


def success(study: Study) -> Table:
    """Agents of the first variant: share of seeds that succeed, and means, with intervals."""
    variant = study.setting["variants"][0]
    rows = study.scores[study.scores["variant"] == variant].to_dict("records")
    heads = ["reward", "seeds", SHARE.head, *(item.head for item in COLUMNS), "worst", "best"]
    return Table("", heads, [(row["agent"], _success(row)) for row in rows], "Agent")


def _success(row: dict[str, Any]) -> list[Cell]:
    score = numbers.fixed(row["score"], 2)
    return [
        Cell(row["reward"]),
        Cell(str(row["seeds"])),
        Cell(_percent(row["share"]), (_percents(row),)),
        Cell(score, (_between(row),)),
        *(Cell(numbers.fixed(row[item.column], item.decimals or 0)) for item in COLUMNS[1:]),
        Cell(numbers.fixed(row["worst"], 2)),
        Cell(numbers.fixed(row["best"], 2)),
    ]


def _percent(share: float) -> str:
    return numbers.fixed(share * SHARE.factor, SHARE.decimals or 0)


def _percents(row: dict[str, Any]) -> str:
    return f"{_percent(row['share_low'])} to {_percent(row['share_high'])}"


def _between(row: dict[str, Any]) -> str:
    if pd.isna(row["score_low"]):
        return numbers.MISSING
    return f"{numbers.fixed(row['score_low'], 2)} to {numbers.fixed(row['score_high'], 2)}"


def policies(study: Study) -> list[Table]:
    """Agents, rules and the optimum on the same held-out episodes, a table per reward."""
    variant = study.setting["variants"][0]
    own = study.evaluations[study.evaluations["variant"] == variant]
    heads = {"score": "score", "brokers": "brokers", "over_slo_percent": "over %", "moves": "moves"}
    tables = []
    for reward in study.setting["rewards"]:
        means = own[own["reward"] == reward].groupby("policy")[list(POINTS)].mean()
        ranked = means.sort_values("score", ascending=False, kind="stable").to_dict("index")
        rows = [
            (str(name), [Cell(numbers.fixed(row[c], 2 if c == "score" else 1)) for c in POINTS])
            for name, row in ranked.items()
        ]
        tables.append(Table(f"Reward {reward}", list(heads.values()), rows, "Policy"))
    return tables


def sensitivity(study: Study) -> Table | None:
    """Share of seeds that succeed by variant; None for a single one."""
    variants = list(study.setting["variants"])
    if len(variants) < 2:
        return None
    cells = [(a, r) for r in study.setting["rewards"] for a in study.setting["agents"]]
    found = study.scores.set_index(["variant", "agent", "reward"]).to_dict("index")
    rows = [
        (
            variant,
            [
                Cell(_percent(row["share"]), (_percents(row),))
                for agent, reward in cells
                for row in (found[variant, agent, reward],)
            ],
        )
        for variant in variants
    ]
    return Table("", [f"{agent}, {reward}" for agent, reward in cells], rows, "Variant")


def claims(study: Study) -> list[Claim]:
    """Verdicts on the paper's claims; of several rows of one, the first says how it is judged."""
    rows = study.verdicts.to_dict("records")
    before = [None, *(row["claim"] for row in rows)]
    return [_claim(row, row["claim"] == last) for row, last in zip(rows, before, strict=False)]


def _claim(row: dict[str, Any], again: bool) -> Claim:
    where = f"{row['claim']}, {row['location']}"
    name = f"{where}: {row['subject']}" if row["subject"] else where
    agreeing = f"{row['variants_agreeing']} of {row['variants']}" if row["variants"] else ""
    note = row["note"]
    if again:
        note = note.removeprefix(CLAIMS[row["claim"]].note).lstrip()
    return Claim(name, row["statement"], _ours(row), row["verdict"], agreeing, note)


def _ours(row: dict[str, Any]) -> str:
    if row["value"] is None or pd.isna(row["value"]):
        return numbers.MISSING
    value = f"{row['measure']}: {numbers.fixed(row['value'], 2)}"
    if row["low"] is None or pd.isna(row["low"]):
        return value
    low, high = (numbers.fixed(row[end], 2) for end in ("low", "high"))
    return f"{value} ({low} to {high})"
