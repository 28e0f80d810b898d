"""Memory of a process."""

from __future__ import annotations

from pathlib import Path


def memory_mb(pid: int) -> tuple[int, int]:
    """Resident memory and that shared with no other process (RSS, USS), MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return kib["Rss"] // 1024, (kib["Private_Clean"] + kib["Private_Dirty"]) // 1024
