"""At which backlog and receiver queue seamless scaling responds later than a restart."""

from __future__ import annotations

from pipeline.experiments.applications.results.application_study import Study
from pipeline.experiments.applications.results.crossing_points import (
    MATTERS_S,
    RESTARTS,
    STAGGERED,
    TOGETHER,
    UNKNOWN,
    Later,
    words,
)
from pipeline.experiments.applications.sections.figures import crossing_figure
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Field, Row, Section, Table, charts, number, text


def section(study: Study) -> Section:
    """The answer in a sentence, the cells as a figure and as a table; empty without backlogs."""
    if not study.later:
        return Section()
    backlogs = sorted({cell.backlog for cell in study.later})
    fields: list[Field] = [
        text("starts", "starts", terminal=True),
        text("seamless later", "later", terminal=True),
        *(number(f"backlog {backlog:,}", f"by_{backlog}", 2, ends=True) for backlog in backlogs),
    ]
    rows = [_row(study, queue, restart) for restart in RESTARTS for queue in _queues(study.later)]
    note = (
        "Seconds by which the mean response of seamless scaling is later (below 0: earlier) than "
        f"after a restart, with its 95 % interval over {study.setting['replicates']} replicates: "
        f"one instance of the slowest function, which becomes {study.setting['grown_to']}. New "
        f"instances work after {study.setting['startup_s']:g}{numbers.SPACE}s. "
        f"Less than {MATTERS_S:g}{numbers.SPACE}s counts as no difference."
    )
    return Section(
        "Seamless scaling or a restart",
        answer=[sentence(study.later)],
        tables=[Table("", "Receiver queue", fields, rows)],
        charts=charts((crossing_figure.later,), study),
        notes=[note],
    )


def sentence(cells: list[Later]) -> str:
    """The answer for the longest receiver queue."""
    queue = max(_queues(cells))
    together, staggered = (words(cells, queue, one) for one in (TOGETHER, STAGGERED))
    if together == UNKNOWN:
        return (
            f"When seamless scaling responds later than a restart is {UNKNOWN} from one replicate."
        )
    return (
        f"With {queue:,} events fetched ahead, seamless scaling responds later than a restart "
        f"{together} if the new instances all start at once, and {staggered} if they start one "
        "after another, as on Pulsar."
    )


def _row(study: Study, queue: int, restart: str) -> Row:
    own = [one for one in study.later if (one.receiver_queue, one.restart) == (queue, restart)]
    values: dict[str, object] = {
        "starts": RESTARTS[restart],
        "later": words(study.later, queue, restart),
    }
    for cell in own:
        name = f"by_{cell.backlog}"
        mean, low, high = cell.by_s
        values |= {name: mean, f"{name}_low": low, f"{name}_high": high}
    return Row(f"{queue:,}", values)


def _queues(cells: list[Later]) -> list[int]:
    return sorted({cell.receiver_queue for cell in cells})
