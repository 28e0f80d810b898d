"""What a run with brokers that join and leave has left in its folder, as arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from live.brokers import broker_load_process
from live.brokers.scaling_journal import ScalingJournal
from live.brokers.scaling_process import JOURNAL
from live.records import evidence_file
from pipeline.base.errors import StageError

Records = npt.NDArray[np.void]
"""Rows of `live.records.evidence_file.STORED`."""

Entry = Mapping[str, Any]


class Evidence(NamedTuple):
    """Files of a run; times are ns of the machine's clock."""

    began_ns: int
    """When the first record was due."""
    sent: dict[str, Records]
    """Acknowledged records by kind of producer; ``read_ns`` is when it was sent, ``done_ns`` when
    it was acknowledged."""
    read: dict[str, Records]
    """What was read of each kind's records, in the order of each partition."""
    ended: Entry
    """Counts of the load: ``refused``, ``late``, ``drained``."""
    journal: Sequence[Entry]
    """Phases of our controller, in order."""
    pauses: Sequence[Entry]
    """Times without a change (``still``), faults, and elections (``elected``)."""


def read(folder: Path) -> Evidence:
    """Read what a run has left. Raises StageError if a file is missing or damaged."""
    try:
        ended = json.loads((folder / "ended.json").read_text())
        began_ns = int(ended["began_ns"])
        sent, received = _by_kind(folder, "sent"), _by_kind(folder, "read")
        lines = (folder / "pauses.jsonl").read_text().splitlines()
        pauses = [json.loads(line) for line in lines]
        if not (folder / JOURNAL).exists():
            raise FileNotFoundError(JOURNAL)
    except (OSError, ValueError, LookupError) as error:
        raise StageError(f"{folder}: the evidence is incomplete ({error})") from error
    journal = ScalingJournal(folder / JOURNAL)
    journal.close()
    return Evidence(began_ns, sent, received, ended, journal.entries, pauses)


def _by_kind(folder: Path, name: str) -> dict[str, Records]:
    """Records of both kinds of producers: a client, from 0, has the partitions of its own."""
    kinds: dict[str, list[Records]] = {}
    for client in range(broker_load_process.CLIENTS):
        records = evidence_file.records(folder / f"{name}-{client}.bin")
        kinds.setdefault(broker_load_process.kind_of(client), []).append(records)
    return {kind: np.concatenate(parts) for kind, parts in kinds.items()}
