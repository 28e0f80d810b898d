"""Policies as files: written from table `policies`, read again and checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.broker_model import METRICS
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learning_names import AGENTS, REWARDS
from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_SEED
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.policies import policy_content, policy_weights
from pipeline.settings.learning_experiment import Settings
from pipeline.warehouse.storage.reader import Source

ACTIONS = 3

OBSERVED = "metrics"
"""Key of the settings that says which metrics a network observes, in order. Their ranges are
settings of the cluster."""


@dataclass(frozen=True)
class Policy:
    """A policy that was read from a file."""

    name: str
    """Agent, reward, variant and seed."""
    agent: str
    reward: str
    settings: Settings
    """Those that it was trained with."""
    weights: policy_weights.Weights


def settings_text(settings: Settings) -> str:
    """All that a policy depends on besides its random numbers, as JSON."""
    values = asdict(settings.brokers) | asdict(settings.agent)
    return json.dumps(values | {OBSERVED: list(METRICS)}, sort_keys=True)


def stored(source: Source, run_id: str, seeds: int) -> Iterator[dict[str, Any]]:
    """Rows of `policies` of a run in order, of the first seeds of each agent.

    Raises InputError if the run has none, or no seed is asked for, or more than there can be.
    """
    if not 1 <= seeds <= MAX_SEED:
        raise InputError(f"`--seeds` must be 1 to {MAX_SEED} (got {shown(seeds)})")
    rows: pa.Table = source.rows("policies", policy_content.KEYS, run_id=[run_id])
    if not rows.num_rows:
        raise InputError(f"run {named(run_id)} has no policies; name a run of the family learning")
    rows = rows.filter(pc.less_equal(rows["seed"], seeds))
    keys = ("experiment", "variant", "reward", "agent", "seed")
    yield from rows.sort_by([(key, "ascending") for key in keys]).to_pylist()


def file_name(row: Mapping[str, Any]) -> str:
    """Name of a policy's file."""
    parts = [row[name] for name in ("experiment", "agent", "reward", "variant")]
    words = "-".join(str(part).replace("=", "_").replace(":", "_") for part in parts)
    return f"{words}-{row['seed']:04d}.json"


def read(path: Path) -> Policy:
    """Read a policy. Raises InputError if damaged, or of another version or environment."""
    content = policy_content.read(path)
    try:
        return _checked(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _checked(content: Mapping[str, Any]) -> Policy:
    policy_content.check_environment(content, policy_weights.BROKERS)
    policy_content.check(content, {"agent": AGENTS, "reward": REWARDS})
    settings = _settings(content["settings"])
    network = [len(METRICS), *settings.agent.hidden, ACTIONS]
    if content["layers"] != network:
        layers = "-".join(map(str, network))
        raise InputError(
            f"`layers` must be {layers}, as in `settings` (got {shown(content['layers'])})"
        )
    weights = policy_weights.unpacked(network, str(content["weights"]), str(content["digest"]))
    words = (content["agent"], content["reward"], content["variant"], f"seed {content['seed']}")
    return Policy(
        ", ".join(map(str, words)), content["agent"], content["reward"], settings, weights
    )


def _settings(values: object) -> Settings:
    names = {f.name for model in (BrokerSettings, AgentSettings) for f in fields(model)}
    if not isinstance(values, dict) or values.keys() != names | {OBSERVED}:
        raise InputError("`settings` has other names than this version; train the policy again")
    if values[OBSERVED] != list(METRICS):
        raise InputError("`settings` has other metrics than this version; train the policy again")
    own: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
    try:
        return Settings(
            check_brokers(BrokerSettings(**{f.name: own[f.name] for f in fields(BrokerSettings)})),
            check_agent(AgentSettings(**{f.name: own[f.name] for f in fields(AgentSettings)})),
        )
    except (InvalidParameterError, TypeError) as error:
        raise InputError(f"`settings`: {error}") from None
