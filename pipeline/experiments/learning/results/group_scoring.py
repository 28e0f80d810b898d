"""What agents and rules cost on unseen parts of traces, relative to the clairvoyant plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.inference import block_regrets, claim_shares
from algorithms.learning.group_traces import TEST, VALIDATION
from algorithms.learning.learned_group import LearnedGroup, spelled_weight
from algorithms.learning.learning_names import AGENTS
from pipeline.experiments.learning.kernels.group_kernel import CLAIRVOYANT, CONSTANT
from pipeline.settings.learning_experiment import LearningExperiment
from schemas.tables.learning.group_columns import SPLITS

ALL = "all"

Row = dict[str, Any]


class _Costs(NamedTuple):
    """Costs of a strategy by block, ``float64[S, K]`` of each trace, and those of the plan."""

    own: list[Floats]
    least: list[Floats]


def rows(one: LearningExperiment, evaluations: pd.DataFrame, root: int) -> Iterator[Row]:
    """Rows of `group_scores` of an experiment, without ``run_id``."""
    for weight in one.weights():
        yield from _of_weight(one, evaluations, group_of(one, weight), root)


def group_of(one: LearningExperiment, weight: float) -> LearnedGroup:
    """The group of an experiment, with one of the weights of its variants."""
    groups = (one.group_settings(variant).group for variant in one.variants)
    return next(group for group in groups if group.weight == weight)


def _of_weight(
    one: LearningExperiment, evaluations: pd.DataFrame, group: LearnedGroup, root: int
) -> Iterator[Row]:
    rules = {rule: best_setting(evaluations, rule, group) for rule in one.rules}
    reference = min(rules, key=lambda rule: rules[rule][1])
    agents = [
        (agent, variant)
        for agent in one.agents
        for variant in one.variants
        if one.group_settings(variant).group.weight == group.weight
    ]
    chosen = [(rule, setting) for rule, (setting, _) in rules.items()]
    plan = (CLAIRVOYANT, spelled_weight(group.weight))
    for split in (*SPLITS, ALL):
        tests = evaluations[evaluations["part"] == TEST]
        if split != ALL:
            tests = tests[tests["split"] == split]
        best = float(_regrets(tests, (reference, rules[reference][0]), group).mean())
        others = [one for one in _constants(tests) if one not in chosen]
        for strategy in (*agents, *chosen, plan, *others):
            seed = derive_seed(root, "group scores", one.name, split, *strategy)
            score = _score(tests, strategy, group, seed)
            share = _share(score, best) if strategy[0] in AGENTS else _NO_SHARE
            del score["regrets"]
            fixed = {"experiment": one.name, "weight": group.weight, "split": split}
            named = {"reference": reference, "chosen": strategy not in others}
            yield fixed | score | named | share


def _constants(tests: pd.DataFrame) -> list[tuple[str, str]]:
    """All constant numbers of replicas, which show what agents are better than."""
    settings = tests.loc[tests["policy"] == CONSTANT, "parameters"].unique()
    return [(CONSTANT, setting) for setting in sorted(settings)]


def best_setting(evaluations: pd.DataFrame, rule: str, group: LearnedGroup) -> tuple[str, float]:
    """The parameters of a rule that cost least on the validation parts, and their regret."""
    held = evaluations[evaluations["part"] == VALIDATION]
    settings = held.loc[held["policy"] == rule, "parameters"].unique()
    regrets = {
        setting: float(_regrets(held, (rule, setting), group).mean())
        for setting in sorted(settings)
    }
    best = min(regrets, key=lambda setting: regrets[setting])
    return best, regrets[best]


def _costs(rows: pd.DataFrame, strategy: tuple[str, str], group: LearnedGroup) -> _Costs:
    own = rows[(rows["policy"] == strategy[0]) & (rows["parameters"] == strategy[1])]
    plan = rows[
        (rows["policy"] == CLAIRVOYANT) & (rows["parameters"] == spelled_weight(group.weight))
    ].set_index("trace")
    names = sorted(plan.index)
    by_trace = dict(iter(own.sort_values("seed").groupby("trace")))
    return _Costs(
        [np.stack([_cost(row, group) for row in by_trace[n].to_dict("records")]) for n in names],
        [_cost(plan.loc[n].to_dict(), group) for n in names],
    )


def _cost(row: Row, group: LearnedGroup) -> Floats:
    """Cost of each block."""
    paid: Floats = np.array(row["block_paid_s"], float)
    return paid / group.partitions + group.weight * late_of(row) / group.late_unit


def late_of(row: Row) -> Floats:
    """Late events of each block: the rest, which departed after the end, is in the last one."""
    late: Floats = np.array(row["block_late"], float)
    late[-1] += max(row["late"] - late.sum(), 0.0)
    return late


def _regrets(rows: pd.DataFrame, strategy: tuple[str, str], group: LearnedGroup) -> Floats:
    costs = _costs(rows, strategy, group)
    return block_regrets.regrets(costs.own, costs.least)


def _score(rows: pd.DataFrame, strategy: tuple[str, str], group: LearnedGroup, seed: int) -> Row:
    costs = _costs(rows, strategy, group)
    regrets = block_regrets.regrets(costs.own, costs.least)
    interval = block_regrets.regret_interval(costs.own, costs.least, seed)
    own = rows[(rows["policy"] == strategy[0]) & (rows["parameters"] == strategy[1])]
    return {
        "policy": strategy[0],
        "parameters": strategy[1],
        "seeds": len(regrets),
        "traces": len(costs.least),
        "replicas": 60.0 * float(own["replica_minutes"].sum() / own["seconds"].sum()),
        "late_percent": 100.0 * float(own["late"].sum() / own["events"].sum()),
        "regret": interval.mean,
        "regret_low": interval.low,
        "regret_high": interval.high,
        "best": float(regrets.min()),
        "worst": float(regrets.max()),
        "regrets": regrets,
    }


_NO_SHARE: Row = dict.fromkeys(("share", "share_low", "share_high"))


def _share(score: Row, reference: float) -> Row:
    """Seeds that are at most as far from the plan as the reference, with the exact interval."""
    regrets = score["regrets"]
    share = claim_shares.exact_share(int((regrets <= reference).sum()), len(regrets))
    return {"share": share.share, "share_low": share.low, "share_high": share.high}
