"""Wrong settings of experiments on learning, and foreign or damaged policies, each with a name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pipeline.inputs.policies import policy_content
from tests.pipeline.experiments.learning import broker_policy_rows
from tests.pipeline.inputs.policies import group_policy_rows

EXPERIMENTS: dict[str, Sequence[str]] = {
    "an unknown agent": ("agents=ppo",),
    "an unknown reward": ("rewards=speed",),
    "an unknown setting of a variant": ("variants=base,speed=2",),
    "a wrong value of a variant": ("variants=learning_rate=-1",),
    "a learning rate above one": ("learning_rate=1.5",),
    "a load that is not finite": ("load=NaN",),
    "a negative load": ("load=-1",),
    "a load for each of two decisions": ("load=[1,2]",),
    "a batch larger than the replay": ("batch=43",),
    "too many decisions": ("episodes=1000000", "seeds=1000"),
    "a key of assignment": ("deltas=5",),
    "one number of brokers": ("min_brokers=4", "max_brokers=4"),
    "a reward that is always the same": ("rewards=violations", "cost_of_violation=0"),
    "shares that exceed one": ("local_shares=0.9,0.9,0.9",),
    "an unknown curve": ("curve=invented",),
}
"""Settings of preset `learning-smoke`."""

ON_GROUPS: dict[str, Sequence[str]] = {
    "an unknown agent on groups": ("agents=ppo",),
    "an unknown reward on groups": ("rewards=speed",),
    "a reward of brokers on groups": ("rewards=count",),
    "an unknown action": ("action=jump",),
    "an unknown rule": ("rules=fastest",),
    "a setting of brokers in a variant": ("variants=spread=0.1",),
    "a factor of rates that is not finite": ("rate_most=inf",),
    "a negative factor of rates": ("rate_least=-1",),
    "a weight that is not finite": ("weight=NaN",),
    "windows that no trace to train on can hold": ("trace_seconds=300",),
    "a replay smaller than one decision": ("windows=200", "replay=100"),
}
"""Settings of preset `learning-groups-smoke`."""


def _on_brokers(**changes: Any) -> str:
    return policy_content.text_of(broker_policy_rows.row(**changes))


def _on_group(**changes: Any) -> str:
    return policy_content.text_of(group_policy_rows.row(**changes))


def _with_settings(**changes: Any) -> str:
    return json.dumps(json.loads(group_policy_rows.row()["settings"]) | changes)


POLICIES: dict[str, str] = {
    "a policy that is no JSON": "{",
    "a policy without content": "{}",
    "a list for a policy": "[]",
    "a policy that is cut off": _on_brokers()[:-200],
    "a policy of another version": _on_brokers(format_version=1),
    "a policy of an unknown environment": _on_brokers(environment="threads"),
    "a policy of another network": _on_brokers(layers=[37, 5, 3]),
    "a policy of an unknown agent": _on_brokers(agent="ppo"),
    "a policy with an unknown reward": _on_brokers(reward="speed"),
    "a policy with damaged weights": _on_brokers(digest="0"),
    "a policy with damaged settings": _on_brokers().replace('"gamma": 0.99', '"gamma": 0.5'),
    "a policy of groups of another version": _on_group(format_version=1),
    "a policy of groups of another network": _on_group(layers=[24, 16, 16]),
    "a policy of groups with other inputs": _on_group(settings=_with_settings(inputs={})),
    "a policy of groups with damaged weights": _on_group(digest="0"),
}
"""Contents of files that are no policies, or cannot be used."""

STRATEGIES: dict[str, str] = {
    "a policy that is cut off": _on_group()[:-200],
    "a policy that was changed": _on_group().replace('"agent": "dqn"', '"agent": "double_dqn"'),
    "a policy of brokers": _on_brokers(),
}
"""Contents of files that are no strategy."""

WITH_STRATEGY: dict[str, Sequence[str]] = {
    "simulate": ("simulate", "steady", "--partitions", "5", "--strategy", "dqn:{t.json}"),
    "recommend": (
        *("recommend", "steady", "--partitions", "5", "--mu", "200", "--slo", "99%@0.5s"),
        *("--strategy", "dqn:{t.json}"),
    ),
}
"""Calls that take a policy as a strategy."""

LIVE = (
    *("run", "--preset", "live-smoke", "--set", "partitions=5"),
    *("--set", "strategies=dqn:{t.json}"),
)
"""The same for a live run; its message cuts a long path of the file."""

TRACES: dict[str, str] = {
    "a negative load": "1,a,-5\n",
    "an infinite load": "1,a,inf\n",
    "one interval": "1,a,5\n",
}
"""Rows of traces on which a policy of brokers cannot be judged."""

GOOD_POLICY = _on_brokers()
