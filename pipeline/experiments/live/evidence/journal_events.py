"""Messages and faults in the controller's journal, as rows."""

from __future__ import annotations

from typing import Any

from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder

COMPONENTS = {"sent": "controller", "heard": "consumer", "fault": "fault"}
"""What an entry of the journal is of."""

FIELDS = ("consumer", "incarnation", "plan", "partition", "epoch")


def events(folder: RunFolder) -> list[dict[str, Any]]:
    """Rows of `live_events` by time, without the names of run, stream and strategy."""
    entries = [entry for entry in folder.entries if entry["what"] in COMPONENTS]
    entries.sort(key=lambda entry: int(entry["at_ns"]))
    return [
        {
            "event": number,
            "time_s": (entry["at_ns"] - folder.settings.began_ns) / 1e9,
            "component": COMPONENTS[entry["what"]],
            "kind": entry["kind"],
        }
        | {name: entry.get(name) for name in FIELDS}
        | {"next_offset": entry.get("offset")}
        | _without_epoch(entry)
        for number, entry in enumerate(entries, 1)
    ]


def _without_epoch(entry: Entry) -> dict[str, None]:
    """A stop of a partition whose epoch is not in the message is about no tenure."""
    is_whole = (entry.get("partition") is None) == (entry.get("epoch") is None)
    return {} if is_whole else {"partition": None, "epoch": None}
