"""The report as one self-contained HTML file."""

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
from pipeline.runs.run_results import Results
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


def build(results: Results) -> str:
    """Make the report of one run.

    The file contains everything: style, figures as inline SVG, and the one script that the page's
    policy allows. It makes no requests. Without scripts the page says the same. The same results
    give the same text.
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
    return environment.get_template("report.html.j2").render(**_content(results))


def _content(results: Results) -> dict[str, Any]:
    found = reproduction.all_verdicts(results)
    drawn = draw_all(results)
    script = _read("fronts.js")
    return {
        "script": Markup(script),
        "script_hash": _hash(script),
        "css": Markup(_read("report.css") + style()),
        "run_id": results.run_id,
        "preset": str(results.run.get("preset") or "custom"),
        "created": _moment(results.run.get("created_at")),
        "seed": str(results.run.get("seed", "")),
        "answer": answer_section.answer(results),
        "changes": baseline_section.differences(results),
        "shifts": SHIFTS,
        "meanings": MEANINGS,
        "verdicts": [one for one in found if one.verdict != NOT_COMPARABLE],
        "incomparable": [one for one in found if one.verdict == NOT_COMPARABLE],
        "by_interval": any(math.isfinite(one.low) for one in latency_verdicts(results)),
        "tally": {kind: n for kind, n in reproduction.tally(found).items() if n},
        "marks": MARKS,
        "paper": published.PAPER,
        "figures": [figure for figure in drawn if isinstance(figure, Figure)],
        "omitted": [figure for figure in drawn if not isinstance(figure, Figure)],
        "drawing": Markup,
        "frontier": frontier_section.frontier(results),
        "scores": score_tables.score_sections(results),
        "latency": score_tables.latency_sections(results),
        "bounds": bounds_section.bound_sections(results),
        "rules": provenance_section.rules(results),
        "settings": provenance_section.settings(results),
        "traces": _traces(results),
        "tables": results.states,
        "versions": sorted(results.versions.items()),
        "timings": provenance_section.timings(results),
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


def _traces(results: Results) -> list[tuple[str, str]]:
    """File names of the recorded traces, with their digests."""
    recorded = results["streams"][results["streams"]["source"] == "trace"]
    return list(zip(recorded["name"].astype(str), recorded["digest"].astype(str), strict=True))
