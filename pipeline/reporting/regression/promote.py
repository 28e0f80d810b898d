"""Accepts a run as the baseline of its configuration: a row of `baselines`."""

from __future__ import annotations

import getpass

from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.reporting.regression import baseline_candidates
from pipeline.reporting.regression.baseline_candidates import Promotion
from pipeline.warehouse.runs.context import now
from pipeline.warehouse.storage import reader
from pipeline.warehouse.storage.append import append
from schemas.tables.common.baselines import MAX_TEXT

TABLE = "baselines"


def promote(paths: Paths, run_id: str, reason: str, by: str | None = None) -> Promotion:
    """Record a published run as the baseline for later ones.

    by: Name of the approver; the current user if None.
    Raises InputError if the run is not published, or name or reason are blank, too long or not
        printable.
    """
    why, who = line("--reason", reason), line("--by", _user() if by is None else by)
    baseline_candidates.read(reader.of(paths)).published(run_id)
    promotion = Promotion(run_id, now(), who, why)
    append(paths, TABLE, promotion._asdict())
    return promotion


def line(option: str, text: str) -> str:
    """A text as one line, or an error that says what is allowed."""
    one_line = " ".join(text.split())
    if not one_line or len(one_line) > MAX_TEXT or not one_line.isprintable():
        seen = f"{len(one_line):,}" if len(one_line) > MAX_TEXT else repr(text)
        raise InputError(f"`{option}` must be 1 to {MAX_TEXT} printable characters (got {seen})")
    return one_line


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise InputError("`--by` is required: the current user has no name") from error
