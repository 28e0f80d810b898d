"""``groupscale live record``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base.errors import StageError
from pipeline.base.process.signals import Interrupted
from pipeline.cli.commands.live_options import Bootstrap, Config, Topic, check_seconds, opened
from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import reporting_errors

if TYPE_CHECKING:
    from live.user_cluster.cluster_access import TopicAccess

LEAST_PERIOD_S, MOST_PERIOD_S = 0.2, 3600.0
MOST_ROWS = 1_000_000
"""Times that a trace can have."""


def record(
    topic: Topic,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Trace to write, a new CSV file.")
    ],
    bootstrap: Bootstrap = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="N", help="Length of the recording, s \\[default: until Ctrl-C]"),
    ] = None,
    period: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between two rows, s.")
    ] = 1.0,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Record the rates of a topic as a trace for `run`. Only reads. See docs/own-cluster.md."""
    with reporting_errors(debug):
        from live.user_cluster.trace_file import check_new

        check_seconds("--period", period, LEAST_PERIOD_S, MOST_PERIOD_S)
        if seconds is not None:
            check_seconds("--seconds", seconds, period, period * MOST_ROWS)
        # What is wrong with the file is said before ten seconds of waiting for a cluster.
        check_new(output)
        _record(opened(bootstrap, topic, config), output, period, seconds)


def _record(to: TopicAccess, output: Path, period: float, seconds: float | None) -> None:
    from live.user_cluster import cluster_access
    from live.user_cluster.rate_recorder import RateRecorder
    from live.user_cluster.trace_file import TraceFile
    from pipeline.cli.live import recording_text

    with closing(cluster_access.log_sizes(to)) as sizes, TraceFile(output, to.partitions) as file:
        recorder = RateRecorder(sizes, file, to.partitions, period)
        ended: Interrupted | None = None
        with _status() as show:
            try:
                recorder.run(seconds, lambda: show(recording_text.state(to.topic, recorder)))
            except Interrupted as error:
                ended = error
    if recorder.rows:
        for line in recording_text.outcome(recorder, output):
            print(line)
    # Ctrl-C is the usual end of a recording without a length.
    if ended is not None and (seconds is not None or not recorder.rows):
        raise ended
    if not recorder.rows:
        raise StageError(recording_text.nothing(to.topic, recorder))


@contextmanager
def _status() -> Iterator[Callable[[str], object]]:
    """Show a line that changes, in a terminal."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("Recording; Ctrl-C ends it") as status:
        yield lambda text: status.update(Text(text, no_wrap=True, overflow="ellipsis"))
