"""Parameters of the DAGs, as described and validated by Airflow's trigger form.

The form validates each value on its own. Checks that need files or other values run in the task
`begin`, as on the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.sdk import Param

from pipeline.base.limits import MAX_SEED, MAX_TRACES
from pipeline.base.paths import RUN_ID_PATTERN
from pipeline.settings.presets import PRESETS
from pipeline.settings.settings import KEYS, READING_KEYS, RUN_KEYS

OWN, WHERE = "Custom workload", "Storage"
"""Sections of the form that are collapsed at first. Other parameters are always visible."""

EXAMPLES = {
    "assignment": "deltas=5,10",
    "autoscaling": "strategies=headroom:sweep,linear",
    "live": "strategies=MWF,kd_16",
    "learning": "seeds=10",
    "applications": "policies=ds2,queueing_paths:alpha=0.25",
    "pulsar": "recognise_s=0.2",
    "brokers": "scalings=10",
}
"""A setting of each family's experiments."""

MAX_PATH, MAX_SETTING = 4096, 10_000


def params(preset: str) -> dict[str, Param]:
    """Parameters of a DAG whose default preset is ``preset``, in the order of the form."""
    family = PRESETS[preset].family
    return {
        "preset": _preset(preset, family),
        "set": _lines(
            "Settings",
            "KEY=VALUE, one per line, applied to every experiment: "
            + ", ".join(KEYS[family])
            + ". "
            f"Example: {EXAMPLES[family]}",
            pattern=rf"^\s*({'|'.join((*RUN_KEYS, *READING_KEYS, *KEYS[family]))})\s*=",
            maxLength=MAX_SETTING,
        ),
        "seed": Param(
            None,
            type=["null", "integer"],
            minimum=0,
            maximum=MAX_SEED,
            title="Root seed",
            description="The same seed gives the same streams and tables. Empty: the value of "
            "the preset or configuration file.",
        ),
        "traces": _lines(
            "Recorded traces",
            "Absolute paths of CSV, Parquet or JSON files, one per line; used instead of "
            "generated streams.",
            {"section": OWN, "maxItems": MAX_TRACES},
            pattern="^/",
            maxLength=MAX_PATH,
        ),
        "config": _text(
            "Configuration file",
            "Absolute path of a YAML or JSON file with settings and experiments.",
            OWN,
            pattern="^/",
            maxLength=MAX_PATH,
        ),
        "warehouse": _text(
            "Warehouse",
            "Absolute path of the folder with the Delta tables. Empty: GROUPSCALE_WAREHOUSE.",
            WHERE,
            pattern="^/",
            maxLength=MAX_PATH,
        ),
        "run_id": _text(
            "Run id",
            "1 to 64 letters, digits, dots, hyphens or underscores. Replaces the rows of an "
            "earlier run with this id. Empty: a new id.",
            WHERE,
            pattern=f"^{RUN_ID_PATTERN}$",
        ),
    }


def _preset(default: str, family: str) -> Param:
    presets = [preset for preset in PRESETS.values() if preset.family == family]
    meanings = "; ".join(f"{preset.name}: {preset.meaning}" for preset in presets)
    return Param(
        default,
        type=["null", "string"],
        enum=[*(preset.name for preset in presets), None],
        title="Preset",
        description=f"{meanings}. Empty: the configuration file decides.",
    )


def _lines(
    title: str, description: str, more: Mapping[str, Any] | None = None, **item: Any
) -> Param:
    # Without null among its types, the form would require a line.
    items = {"type": "string", **item}
    schema = {"type": ["null", "array"], "items": items, "title": title, **(more or {})}
    return Param([], description, schema=schema)


def _text(title: str, description: str, section: str, **schema: Any) -> Param:
    return Param(
        None,
        type=["null", "string"],
        title=title,
        description=description,
        section=section,
        **schema,
    )
