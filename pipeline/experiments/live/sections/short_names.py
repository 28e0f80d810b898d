"""Names of strategies that tables have room for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from pipeline.experiments.live.results.live_study import Study
from pipeline.reporting.sections.section_terminal import NAME


def short(strategies: Iterable[str]) -> dict[str, str]:
    """Each strategy; of a long one, arguments that all strategies of its kind share are left out.

    Different strategies keep different names.

    >>> list(short(["asking:linear:assignor=range:cooldown_s=10", "headroom:h=1.5"]).values())
    ['asking:linear', 'headroom:h=1.5']
    """
    names = list(strategies)
    kinds: dict[tuple[str, ...], list[set[str]]] = defaultdict(list)
    for name in names:
        kinds[_kind(name)].append(set(name.split(":")))
    shared = {kind: set.intersection(*every) - set(kind) for kind, every in kinds.items()}
    return {
        name: ":".join(part for part in name.split(":") if part not in shared[_kind(name)])
        if len(name) > NAME
        else name
        for name in names
    }


def _kind(name: str) -> tuple[str, ...]:
    return tuple(part for part in name.split(":") if "=" not in part)


def of(study: Study) -> Mapping[str, str]:
    """Short names of an experiment's strategies."""
    return short(study.setting["strategies"])


def in_full(study: Study) -> Iterator[str]:
    """A sentence with the names of which arguments are left out."""
    cut = [f"{brief} is {name}" for name, brief in of(study).items() if brief != name]
    if cut:
        yield f"In full: {'; '.join(cut)}."
