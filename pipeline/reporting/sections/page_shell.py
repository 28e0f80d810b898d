"""What the pages of all families share: head, style, changes, checks and provenance.

A family's template extends ``shell.html.j2`` and fills its blocks; ``page_parts.html.j2`` has
macros for tables, figures and verdicts.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.reporting.drawing.figure import style
from pipeline.reporting.sections import baseline_section, numbers, provenance_section
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import (
    BY_CONSTRUCTION,
    CONSISTENT,
    DIFFERS,
    EXACT,
    MEANINGS,
    NO_INTERVAL,
    NOT_COMPARABLE,
    NOT_REPRODUCED,
    OPEN,
    REPRODUCED,
)

TEMPLATES = Path(__file__).parent / "templates"

MARKS = {
    EXACT: ("good", "="),
    BY_CONSTRUCTION: ("open", "∴"),
    REPRODUCED: ("good", "✓"),
    CONSISTENT: ("open", "≈"),
    NOT_REPRODUCED: ("bad", "✗"),
    DIFFERS: ("bad", "≠"),
    NO_INTERVAL: ("open", "?"),
    NOT_COMPARABLE: ("open", "–"),
    OPEN: ("open", "…"),
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


def render(
    template: Path, results: Results, content: dict[str, Any], script: str = "", css: str = ""
) -> str:
    """Fill a family's template.

    The file contains everything: style, figures as inline SVG, and the one script that the page's
    policy allows, if any. It makes no requests. The same results give the same text.

    Parameters
    ----------
    template
        File that extends ``shell.html.j2``.
    content
        What the family's own blocks show, by name.
    script, css
        Script of the page, and style that only this family needs.
    """
    environment = Environment(
        loader=FileSystemLoader([template.parent, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    frame = _frame(results) | {
        "script": Markup(script),
        "script_hash": _hash(script),
        "css": Markup((TEMPLATES / "report.css").read_text(encoding="utf-8") + css + style()),
    }
    return environment.get_template(template.name).render(**frame, **content)


def _frame(results: Results) -> dict[str, Any]:
    """What the shell itself shows, and what its macros need."""
    return {
        "run_id": results.run_id,
        "preset": str(results.run.get("preset") or "custom"),
        "created": _moment(results.run.get("created_at")),
        "seed": str(results.run.get("seed", "")),
        "changes": baseline_section.differences(results),
        "shifts": SHIFTS,
        "marks": MARKS,
        "meanings": MEANINGS,
        "drawing": Markup,
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


def _moment(value: Any) -> str:
    """Time of creation to the second; table times are UTC."""
    return "" if value is None else f"{value:%Y-%m-%d %H:%M:%S} UTC"


def _traces(results: Results) -> list[tuple[str, str, str]]:
    """File names of the recorded traces, with the forms that were recognised and their digests."""
    forms = {one["digest"]: one.get("form", "") for one in results.config.get("traces", [])}
    recorded = results["streams"][results["streams"]["source"] == "trace"]
    return [
        (str(name), forms.get(digest, ""), str(digest))
        for name, digest in zip(recorded["name"], recorded["digest"], strict=True)
    ]
