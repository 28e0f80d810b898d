"""Options of ``groupscale import`` that are about a Prometheus."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable

if TYPE_CHECKING:
    from pipeline.inputs.prometheus.prometheus_import import Imported, Shows

PREFIX = "prometheus:"
STEP = "60s"
_PANEL = "From Prometheus"

Group = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Consumer group to follow.", rich_help_panel=_PANEL),
]
Topics = Annotated[
    list[str] | None,
    typer.Option(
        "--topic",
        metavar="NAME",
        help="Topic to import; repeatable \\[default: all that the group reads]",
        rich_help_panel=_PANEL,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Begin: a length of time before the end, such as 2d, or ISO 8601.",
        rich_help_panel=_PANEL,
    ),
]
Until = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="End \\[default: now]", rich_help_panel=_PANEL),
]
Step = Annotated[
    str | None,
    typer.Option(
        metavar="LENGTH",
        help=f"Time between samples, not below the scrape interval \\[default: {STEP}]",
        rich_help_panel=_PANEL,
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Metric of the end offsets, or of rates \\[default: that of a known exporter]",
        rich_help_panel=_PANEL,
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="NAME=VALUE",
        help="Label that series must have, such as cluster=prod; repeatable.",
        rich_help_panel=_PANEL,
    ),
]
Auth = Annotated[
    Path | None,
    typer.Option(
        "--prometheus-auth",
        metavar="FILE",
        help="File that only you can read, with a token or user:password.",
        rich_help_panel=_PANEL,
    ),
]
Ca = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Certificates of authorities, as PEM.", rich_help_panel=_PANEL
    ),
]
Tenant = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Tenant, sent as X-Scope-OrgID to Mimir or Cortex.",
        rich_help_panel=_PANEL,
    ),
]

_ONE_SLASH = re.compile(rf"^({PREFIX}[a-z]+:)/")
_OPTIONS = (
    "group", "topic", "since", "until", "step", "metric", "label", "prometheus-auth", "ca",
    "tenant",
)  # fmt: skip


def address(file: Path) -> str | None:
    """Address of a Prometheus that stands in place of a file; None if it is a file.

    Shells complete files where a command takes a path, which has one slash for two.
    """
    text = str(file)
    return _ONE_SLASH.sub(r"\1//", text) if text.startswith(PREFIX) else None


@dataclass(frozen=True)
class Asked:
    """The options as given; None for those not given."""

    group: str | None
    topics: Sequence[str] | None
    since: str | None
    until: str | None
    step: str | None
    metric: str | None
    labels: Sequence[str] | None
    auth: Path | None
    ca: Path | None
    tenant: str | None

    def refuse(self) -> None:
        """Raise `InputError` if an option is given though a file is read."""
        for name, value in zip(_OPTIONS, vars(self).values(), strict=True):
            if value:
                raise InputError(f"--{name} needs {PREFIX}URL in place of a file")

    def write(self, address: str, output: Path, file: Path) -> Imported:
        """Import from an address into a file; pages are kept beside the output meanwhile.

        Raises InputError or StageError as `PrometheusImport.write`.
        """
        from pipeline.inputs.prometheus import promql, server_access, stored_pages, time_range
        from pipeline.inputs.prometheus.known_series import Question
        from pipeline.inputs.prometheus.prometheus_import import PrometheusImport

        if self.since is None:
            raise InputError("--since is missing; name a length of time, such as 2d")
        server = server_access.server(address, self.auth, self.ca, self.tenant)
        when = time_range.asked(self.since, self.until, self.step or STEP, time.time())
        labels = tuple(map(promql.matcher, self.labels or ()))
        topics = tuple(dict.fromkeys(self.topics or ()))
        question = Question(self.group, topics, self.metric, labels)
        pages = stored_pages.StoredPages(stored_pages.folder_of(output), server.source)
        with _progress() as shows:
            work = PrometheusImport(server, question, when, pages, shows, _say)
            return work.write(file)


def _say(text: str) -> None:
    print(f"Note: {printable(text)}", file=sys.stderr)


@contextmanager
def _progress() -> Iterator[Shows]:
    """Show pages on standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("pages of Prometheus")
        yield lambda done, total: bar.update(task, completed=done, total=total)
