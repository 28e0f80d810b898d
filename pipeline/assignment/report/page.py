"""The report as one HTML file that needs nothing else to be read."""

from __future__ import annotations

import base64
import hashlib
import math
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.assignment.paper import published, reproduction
from pipeline.assignment.paper.reproduce_latency import latency_verdicts
from pipeline.assignment.report import (
    answer_section,
    bounds_section,
    frontier_section,
    score_tables,
)
from pipeline.assignment.report.figures import Figure, draw_all, style
from pipeline.report import (
    baseline_section,
    numbers,
    provenance_section,
)
from pipeline.runs.run_results import ReportFrames
from schemas.verdicts import (
    CONSISTENT,
    EXACT,
    MEANINGS,
    NO_INTERVAL,
    NOT_COMPARABLE,
    NOT_REPRODUCED,
    REPRODUCED,
)

TEMPLATES = Path(__file__).parent / "templates"

MARKS = {
    EXACT: ("good", "="),
    REPRODUCED: ("good", "✓"),
    CONSISTENT: ("open", "≈"),
    NOT_REPRODUCED: ("bad", "✗"),
    NO_INTERVAL: ("open", "?"),
    NOT_COMPARABLE: ("open", "–"),
}
"""CSS class and sign of each verdict: neither colour nor sign stands alone."""

SHIFTS = {
    baseline_section.MOVED: ("bad", "!"),
    baseline_section.CHANGED: ("open", "≈"),
    baseline_section.NEW: ("open", "+"),
    baseline_section.GONE: ("open", "−"),
    baseline_section.SAME: ("good", "="),
}
"""The same for differences from the baseline."""


def build(frames: ReportFrames) -> str:
    """Make the report of one run.

    Everything is in the file: style, figures as inline SVG, the one script that the page's
    policy allows; no request to anywhere. Without scripts the page says the same. The same
    frames give the same text.
    """
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("report.html.j2").render(**_content(frames))


def _content(frames: ReportFrames) -> dict[str, Any]:
    found = reproduction.all_verdicts(frames)
    drawn = draw_all(frames)
    script = _read("fronts.js")
    return {
        "script": Markup(script),
        "script_hash": _hash(script),
        "css": Markup(_read("report.css") + style()),
        "run_id": frames.run_id,
        "preset": str(frames.run.get("preset") or "custom"),
        "created": _moment(frames.run.get("created_at")),
        "seed": str(frames.run.get("seed", "")),
        "answer": answer_section.answer(frames),
        "changes": baseline_section.differences(frames),
        "shifts": SHIFTS,
        "meanings": MEANINGS,
        "verdicts": [one for one in found if one.verdict != NOT_COMPARABLE],
        "incomparable": [one for one in found if one.verdict == NOT_COMPARABLE],
        "by_interval": any(math.isfinite(one.low) for one in latency_verdicts(frames)),
        "tally": {kind: n for kind, n in reproduction.tally(found).items() if n},
        "marks": MARKS,
        "paper": published.PAPER,
        "figures": [figure for figure in drawn if isinstance(figure, Figure)],
        "omitted": [figure for figure in drawn if not isinstance(figure, Figure)],
        "drawing": Markup,
        "frontier": frontier_section.frontier(frames),
        "scores": score_tables.score_sections(frames),
        "latency": score_tables.latency_sections(frames),
        "bounds": bounds_section.bound_sections(frames),
        "rules": provenance_section.rules(frames),
        "settings": provenance_section.settings(frames),
        "traces": _traces(frames),
        "tables": frames.tables,
        "versions": sorted(frames.versions.items()),
        "timings": provenance_section.timings(frames),
        "listing": numbers.listing,
    }


def _hash(script: str) -> str:
    """Name of a script in the page's content security policy."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _moment(value: Any) -> str:
    """Time of creation to the second; table times are UTC."""
    return "" if value is None else f"{value:%Y-%m-%d %H:%M:%S} UTC"


def _traces(frames: ReportFrames) -> list[tuple[str, str]]:
    """File names of the recorded traces, with their digests."""
    recorded = frames.streams[frames.streams["source"] == "trace"]
    return list(zip(recorded["name"].astype(str), recorded["digest"].astype(str), strict=True))
