"""The stage that writes streams and their rates, the first of each family that has streams."""

from __future__ import annotations

from pipeline.warehouse.runs.stage import TRACES, Stage

STREAMS = Stage(
    "write_streams",
    "streams and their rates, generated from the root seed or recorded in traces",
    "pipeline.experiments.shared.write_streams",
    reads=(TRACES,),
    writes=("streams", "measurements"),
)
"""The module that `Family.streams` names says what the streams are."""
