"""``/metrics`` in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_answers import STATES

_PREFIX = "groupscale_scaler_"
_METRICS = {
    "replicas": ("gauge", "Replicas that are answered; absent while unknown."),
    "state": ("gauge", "1 for the present state: seeing, blind, blind_long or unknown."),
    "error": ("gauge", "1, with the reason why the group is not seen."),
    "looks_total": ("counter", "Complete looks."),
    "failed_looks_total": ("counter", "Looks that were not complete, or no decision came of."),
    "decisions_total": ("counter", "Decisions."),
    "blind_seconds_total": ("counter", "Time without a complete look."),
    "answers_total": ("counter", "Answers by status."),
    "events_per_second": ("gauge", "Rate of the last decision."),
    "lag_records": ("gauge", "Records that were not committed at the last decision."),
    "lag_seconds": ("gauge", "Age of the oldest of them, interpolated from end offsets."),
    "members": ("gauge", "Members of the group at the last look."),
}

Sample = tuple[str, dict[str, str], float]


def text(targets: Iterable[ScaledTarget]) -> str:
    """All metrics of all groups."""
    samples: dict[str, list[str]] = {name: [] for name in _METRICS}
    for target in targets:
        for name, labels, value in _samples(target):
            samples[name].append(f"{_PREFIX}{name}{_labels(labels)} {value:.10g}\n")
    return "".join(
        f"# HELP {_PREFIX}{name} {meaning}\n# TYPE {_PREFIX}{name} {kind}\n{''.join(samples[name])}"
        for name, (kind, meaning) in _METRICS.items()
    )


def _samples(target: ScaledTarget) -> Iterator[Sample]:
    namespace, _, name = target.name.partition("/")
    own = {"namespace": namespace, "name": name}
    answer, tally = target.answer(), target.tally
    if answer.replicas is not None:
        yield "replicas", own, answer.replicas
    for state in STATES:
        yield "state", {**own, "state": state}, float(state == answer.state)
    if answer.state != STATES[0]:
        yield "error", {**own, "reason": answer.reason}, 1.0
    yield "looks_total", own, tally.looks
    yield "failed_looks_total", own, tally.failed_looks
    yield "decisions_total", own, tally.decision_count
    yield "blind_seconds_total", own, tally.total_unseen_s
    for status, number in list(tally.answers.items()):
        yield "answers_total", {**own, "status": str(int(status))}, number
    if tally.decided is not None:
        yield "events_per_second", own, tally.decided.rate
        yield "lag_records", own, tally.decided.lag
        yield "lag_seconds", own, tally.decided.lag_s
    yield "members", own, tally.members


def _labels(labels: dict[str, str]) -> str:
    escaped = (
        (name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n"))
        for name, value in labels.items()
    )
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"
