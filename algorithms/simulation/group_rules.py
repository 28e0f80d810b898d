"""Settings of a simulated group in the form in which kernels read them."""

from __future__ import annotations

from typing import NamedTuple


class Rules(NamedTuple):
    """Settings of a run; see `algorithms.simulation.group_settings.GroupSettings`.

    Attributes
    ----------
    steps : int
        Number of steps N.
    end_s, drained_s : float
        End of step N, and of the time in which waiting events can still depart, in s.
    burst : bool
        Whether the events of a step arrive at its start.
    window : int
        Steps from one decision to the next.
    offset_s : float
        Time from the start of a step to its decision, in s.
    observes_now : bool
        Whether the strategy sees the rates of the present step.
    protocol, assignor : int
        Codes of the names.
    shape : float
        Shape of the Gamma distribution of service rates, 0 if they are constant.
    step_s, mu, cooldown_s, startup_s, heartbeat_s, rebalance_s, move_pause_s, min_replicas, \
    max_replicas, seed
        The settings of these names.
    """

    steps: int
    step_s: float
    end_s: float
    drained_s: float
    mu: float
    burst: bool
    window: int
    offset_s: float
    observes_now: bool
    cooldown_s: float
    startup_s: float
    heartbeat_s: float
    rebalance_s: float
    move_pause_s: float
    protocol: int
    assignor: int
    min_replicas: int
    max_replicas: int
    shape: float
    seed: int
