"""Parameters of the DAGs: what the trigger form of Airflow's page explains and checks.

The form checks each value by itself. What takes files or other values to judge is checked by the
task `begin`, as the command line does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.sdk import Param

from pipeline.config.presets import PRESETS
from pipeline.config.settings import EXPERIMENT_KEYS, RUN_KEYS
from pipeline.limits import MAX_SEED, MAX_TRACES
from pipeline.paths import RUN_ID_PATTERN

OWN, WHERE = "Your own workload", "Where it is kept"
"""Parts of the form that are closed at first; parameters of neither are seen at once."""

MAX_PATH, MAX_SETTING = 4096, 10_000
_KEYS = "|".join((*RUN_KEYS, *EXPERIMENT_KEYS))


def params(preset: str) -> dict[str, Param]:
    """Parameters of a DAG whose default preset is ``preset``, in the order of the form."""
    return {
        "preset": _preset(preset),
        "set": _lines(
            "Settings",
            "KEY=VALUE, one per line, for every experiment: " + ", ".join(EXPERIMENT_KEYS) + ". "
            "Example: deltas=5,10",
            pattern=rf"^\s*({_KEYS})\s*=",
            maxLength=MAX_SETTING,
        ),
        "seed": Param(
            None,
            type=["null", "integer"],
            minimum=0,
            maximum=MAX_SEED,
            title="Root seed",
            description="Streams follow from it; the same seed gives the same tables. Empty: "
            "what the preset or the configuration file says.",
        ),
        "traces": _lines(
            "Recorded traces",
            "Absolute paths of CSV, Parquet or JSON files, one per line; they take the place of "
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
            "Absolute path of the folder of the Delta tables. Empty: GROUPSCALE_WAREHOUSE.",
            WHERE,
            pattern="^/",
            maxLength=MAX_PATH,
        ),
        "run_id": _text(
            "Run id",
            "1 to 64 letters, digits, dots, hyphens or underscores. Empty: a new one. The rows of "
            "an earlier run of this id are replaced.",
            WHERE,
            pattern=f"^{RUN_ID_PATTERN}$",
        ),
    }


def _preset(default: str) -> Param:
    meanings = "; ".join(f"{preset.name}: {preset.meaning}" for preset in PRESETS.values())
    return Param(
        default,
        type=["null", "string"],
        enum=[*PRESETS, None],
        title="Preset",
        description=f"{meanings}. Empty: what the configuration file says.",
    )


def _lines(
    title: str, description: str, more: Mapping[str, Any] | None = None, **item: Any
) -> Param:
    # Without null among its types the form would ask for a line.
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
