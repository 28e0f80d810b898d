"""Wrong settings of experiments on learning, each with a name."""

from __future__ import annotations

from collections.abc import Sequence

EXPERIMENTS: dict[str, Sequence[str]] = {
    "an unknown agent": ("agents=ppo",),
    "an unknown reward": ("rewards=speed",),
    "an unknown setting of a variant": ("variants=base,speed=2",),
    "a wrong value of a variant": ("variants=learning_rate=-1",),
    "a load that is not finite": ("load=NaN",),
    "a negative load": ("load=-1",),
    "a load for each of two decisions": ("load=[1,2]",),
    "a batch larger than the replay": ("batch=43",),
    "too many decisions": ("episodes=1000000", "seeds=1000"),
    "a key of assignment": ("deltas=5",),
}
"""Settings of preset `learning-smoke`."""

POLICIES: dict[str, str] = {
    "a policy that is no JSON": "{",
    "a policy without content": "{}",
    "a list for a policy": "[]",
}
"""Contents of files that are no policies."""
