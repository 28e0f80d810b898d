"""Entry: ``python -m tools.bench.contest W1 W2``, with the files of the published workloads.

Every line is a setting: the hypervolume of ``shadow_hedge``; that of ``headroom+placement`` and
``headroom``, with the parameters that were best on training and with all; the best of all other
strategies; the difference to the best with trained parameters, with its interval; and for each
strategy the fewest replica-minutes at a mean SLA of 99 %, with the moves per partition and hour.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Floats
from algorithms.simulation import simulate
from tools.bench.contest import contest_scores, contest_settings, contest_workloads
from tools.bench.contest.contest_settings import OURS, RIVAL, Setting
from tools.bench.contest.contest_workloads import HELD_OUT, TRAINING, Entry, Published


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the contest, setting by setting."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.contest", description=__doc__)
    parser.add_argument("first", type=Path, help="file of the first published workload")
    parser.add_argument("second", type=Path, help="file of the second published workload")
    parser.add_argument("--part", choices=[TRAINING, HELD_OUT], default=TRAINING)
    parser.add_argument("--seeds", type=int, help="how many seeds, instead of all")
    parser.add_argument("--equal", type=int, default=5, help="equal partitions")
    parser.add_argument("--skewed", type=int, default=9, help="skewed partitions")
    parser.add_argument("--settings", type=int, default=48, help="how many, in random order")
    parser.add_argument(
        "--out", type=Path, help="JSON lines, one per setting; settings in it are skipped"
    )
    options = parser.parse_args(arguments)
    published = contest_workloads.read_published(options.first, options.second)
    every = list(contest_settings.settings(options.equal, options.skewed))
    order = np.random.default_rng(contest_scores.SEED).permutation(len(every))
    judged_before = _labels(options.out)
    for i in order[: options.settings]:
        if every[i].label in judged_before:
            continue
        row = judged(options.part, published, every[i], options.seeds)
        print(json.dumps(row), flush=True)
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def _labels(out: Path | None) -> set[str]:
    """Settings of a file that an earlier run has written."""
    if out is None or not out.exists():
        return set()
    return {json.loads(line)["setting"] for line in out.read_text(encoding="utf-8").splitlines()}


def judged(
    part: str, published: Published, setting: Setting, seeds: int | None = None
) -> dict[str, object]:
    """Compare all strategies in a setting; parameters are picked on training."""
    candidates = contest_settings.competitors(setting.partitions)
    names = np.array([each.strategy for each in candidates])
    loads = contest_workloads.entries(part, published, setting, seeds)
    points = measured(loads, candidates, setting)
    sources = [entry.source for entry in loads]
    weights = contest_scores.weights_of(sources)
    own = points[:, names == OURS]
    row: dict[str, object] = {"setting": setting.label, OURS: _area(own, weights)}
    rivals = {}
    for name in (RIVAL, "headroom"):
        all_of = points[:, names == name]
        kept = _trained(published, setting, [each for each in candidates if each.strategy == name])
        rivals[name] = all_of[:, kept]
        row[name] = [_area(rivals[name], weights), _area(all_of, weights)]
    for name in dict.fromkeys(names):
        if name not in (OURS, RIVAL, "headroom"):
            rivals[str(name)] = points[:, names == name]
            row[str(name)] = _area(rivals[str(name)], weights)
    best = max(rivals, key=lambda name: contest_scores.area(rivals[name], weights))
    gain = contest_scores.difference(own, rivals[best], weights, sources)
    row |= {"best other": best, "difference": [round(value, 4) for value in gain]}
    return row | {"SLA 99 %": {str(n): _at_99(points[:, names == n], weights) for n in set(names)}}


def measured(loads: Sequence[Entry], candidates: Sequence[Candidate], setting: Setting) -> Floats:
    """Points float64[workloads, candidates, 3]: both axes, and moves per partition and hour."""
    points = np.empty((len(loads), len(candidates), 3))
    for i, (_, rates) in enumerate(loads):
        most = rates.shape[0] * rates.shape[1] / 60.0  # in minutes, for steps of 1 s
        for j, each in enumerate(candidates):
            group = setting.group | dict(each.settings)
            result = simulate(rates, each.strategy, each.arguments, group)
            sla = 100.0 if result.sla_percent is None else result.sla_percent
            moves = result.partitions_moved / (most / 60.0)
            points[i, j] = result.replica_minutes / most, (100.0 - sla) / 20.0, moves
    return points


def _trained(published: Published, setting: Setting, candidates: Sequence[Candidate]) -> list[int]:
    loads = contest_workloads.entries(TRAINING, published, setting)
    points = measured(loads, candidates, setting)
    weights = contest_scores.weights_of([entry.source for entry in loads])
    return [int(i) for i in contest_scores.picked(points, weights)]


def _at_99(points: Floats, weights: Floats) -> list[float] | None:
    """Replica-minutes, over those of all partitions, and moves at an SLA of 99 %."""
    point = contest_scores.cheapest(points, weights, late=0.05)
    return None if point is None else [round(float(point[k]), 4) for k in (0, 2)]


def _area(points: Floats, weights: Floats) -> float:
    return round(contest_scores.area(points, weights), 4)


if __name__ == "__main__":
    main()
