"""Contract of `policies`: the trained networks."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import integer, text
from schemas.table import Table
from schemas.tables.learning import learning_columns

TABLE = Table(
    name="policies",
    meaning="Trained networks, which groupscale learn export writes to files.",
    grain="agent, reward, variant and seed",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        learning_columns.AGENT,
        learning_columns.REWARD,
        learning_columns.VARIANT,
        learning_columns.SEED,
        text("environment", "What it scales: brokers or consumers.", ("brokers", "group")),
        integer("format_version", "number", "Version of the environment and network.", 1),
        Column("layers", "array<int>", "Sizes of the layers, input first.", "units", minimum=1),
        text("settings", "Settings of cluster and agent, as JSON."),
        text("weights", "Weights, then biases, by layer: float32, little-endian, as Base64."),
        text("digest", "SHA-256 of the weights' bytes, hexadecimal."),
    ),
    key=("run_id", *learning_columns.CELL, "seed"),
    partition_by=("run_id", "experiment"),
    rules=(learning_columns.every_policy(),),
)
