"""Columns and rules that the tables of learning agents have in common."""

from schemas.column_kinds import integer, text
from schemas.rule import Rule

AGENT = text("agent", "Learning agent: dqn or double_dqn.", ("dqn", "double_dqn"))

REWARD = text(
    "reward",
    "Reward function: few brokers (count, the paper's first), few violations of the objective "
    "(violations, its second), or both (weighted, its third); late for agents on groups.",
    ("count", "violations", "weighted", "late"),
)

VARIANT = text(
    "variant",
    "Settings that differ from the experiment's, such as learning_rate=0.001; base if none does.",
)

SEED = integer("seed", "index", "Number of the agent among those with other random numbers.", 1)

EPISODES = integer("episode", "episodes", "Number of the training episode, from 1.", 1)

CELL = ("experiment", "agent", "reward", "variant")
"""Columns that together name what is trained with several seeds."""

_PLAN = (
    "(SELECT name AS experiment, coalesce(environment, 'brokers') AS environment, "
    "agent, reward, variant, seeds, episodes FROM "
    "(SELECT inline(from_json(config, 'learning ARRAY<STRUCT<name: STRING, environment: STRING, "
    "agents: ARRAY<STRING>, rewards: ARRAY<STRING>, variants: ARRAY<STRING>, seeds: INT, "
    "episodes: INT>>').learning) FROM {runs}) "
    "LATERAL VIEW explode(agents) a AS agent LATERAL VIEW explode(rewards) r AS reward "
    "LATERAL VIEW explode(variants) v AS variant)"
)
_SEEDS = f"(SELECT * FROM {_PLAN} LATERAL VIEW explode(sequence(1, seeds)) s AS seed)"
_STEPS = f"(SELECT * FROM {_SEEDS} LATERAL VIEW explode(sequence(1, episodes)) e AS episode)"


def every_cell() -> Rule:
    """Require exactly one row per agent, reward and variant that scales brokers."""
    on_brokers = f"(SELECT * FROM {_PLAN} WHERE environment = 'brokers')"
    return _same_rows("cells_planned", "agent, reward and variant", on_brokers, CELL)


def every_policy() -> Rule:
    """Require exactly one row per agent, reward, variant and seed."""
    return _same_rows(
        "policies_planned", "agent, reward, variant and seed", _SEEDS, (*CELL, "seed")
    )


def every_episode() -> Rule:
    """Require exactly one row per agent, reward, variant, seed and training episode."""
    return _same_rows(
        "episodes_planned",
        "agent, reward, variant, seed and episode",
        _STEPS,
        (*CELL, "seed", "episode"),
    )


def _same_rows(name: str, words: str, expected: str, columns: tuple[str, ...]) -> Rule:
    listed = ", ".join(columns)
    return Rule(
        name,
        f"There is exactly one row per configured {words}.",
        f"SELECT {listed}, sum(expected) AS n_expected, sum(found) AS n_found FROM ("
        f"SELECT {listed}, 1 AS expected, 0 AS found FROM {expected} UNION ALL "
        f"SELECT {listed}, 0 AS expected, 1 AS found FROM {{batch}}) "
        f"GROUP BY {listed} HAVING sum(expected) <> 1 OR sum(found) <> 1",
    )
