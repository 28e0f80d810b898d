"""Contract of `policies`: the trained networks."""

from schemas import shared_columns
from schemas.column import Column
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
        Column(
            "environment",
            "string",
            "What the policy scales: brokers of a cluster, or consumers of a group.",
            allowed=("brokers", "group"),
        ),
        Column(
            "format_version", "int", "Version of the environment and network.", "number", minimum=1
        ),
        Column("layers", "array<int>", "Sizes of the layers, input first.", "units", minimum=1),
        Column("settings", "string", "Settings of cluster and agent, as JSON."),
        Column(
            "weights",
            "string",
            "Weights, then biases, of each layer in order: float32, little-endian, as Base64.",
        ),
        Column("digest", "string", "SHA-256 of the weights' bytes, hexadecimal."),
    ),
    key=("run_id", *learning_columns.CELL, "seed"),
    partition_by=("run_id", "experiment"),
    rules=(learning_columns.every_policy(),),
)
