"""Autoscaling strategies: all entries of the registry, and which are compared by default."""

from __future__ import annotations

from algorithms.autoscaling import sweeps
from algorithms.autoscaling.arguments import Argument
from algorithms.autoscaling.scaling_policies import (
    AT_ONCE,
    LONGEST_WINDOW_S,
    SCALE_DOWN,
    SCALE_UP,
)
from algorithms.autoscaling.strategy import ASSIGNOR, COUNTING, PACKING, Strategy
from algorithms.autoscaling.sweeps import Over

COMPARED = (
    *("constant", "headroom", "headroom+placement", "linear", "threshold", "queueing", "ds2"),
    *("keda_hpa", "shadow_hedge"),
    *("least_loaded_1", "least_loaded_2", "overprovision", "MWF", "BFD", "SR_1"),
)
"""Strategies that are compared by default. Left out are ``optimal``, which sees the present;
``dqn``, which needs training; ``mpc``, which needs time for plans; ``ilp``, which differs from
``least_loaded_2`` in packings only; assignors, which are ``constant`` with another placement;
``queueing_paths``, which is meant for applications; those by time lag, which is
near 0 until a group is behind; and most packings. ``overprovision`` knows all peaks: it is the
upper end of the cost."""

PACKAGE = "algorithms.autoscaling"

_EZZEDDINE = "Ezzeddine 2024"
_RUSSO_RUSSO = "Russo Russo 2021"
_MOST = 2**31 - 1

F_UP = Argument("f_up", 0.9, above=0.0, at_most=1.0)
F_DOWN = Argument("f_down", 0.4, above=0.0, at_most=1.0)
_K_MAX = Argument("k_max", 15, at_least=1, at_most=_MOST)

_TOLERANCES = (
    Argument("tolerance_up", 0.1, at_least=0.0),
    Argument("tolerance_down", 0.1, at_least=0.0),
)
_AUTOSCALED = (
    *_TOLERANCES,
    Argument("scale_up", SCALE_UP),
    Argument("scale_down", SCALE_DOWN, at_most=100.0),
)
"""Arguments of strategies whose metric the pod autoscaler follows: Kubernetes' defaults."""

_SEES_PAST = (("observe", "last"),)
"""Where end offsets over time are followed: rates of the present step are of events that have not
arrived."""

SYNCED = (
    Argument("sync_s", 15.0, above=0.0),
    Argument("phase_s", 0.0, at_least=0.0),
    *_TOLERANCES,
    Argument("scale_up", AT_ONCE),
    Argument("scale_down", AT_ONCE, at_most=100.0),
)
"""Arguments of strategies behind KEDA and the pod autoscaler, which hold by themselves."""

QUIET_S, COOLDOWN_S = 300.0, 300.0
"""Time without events after which the scaler asks for no replicas, and after which KEDA then stops
the last one, by default, seconds."""

MOST_ACTIVATION, LONGEST_QUIET_S = 10**9, 7 * 86_400.0
"""Greatest values of the scaler's arguments for idle groups."""

TO_ZERO = (
    Argument("activation", 0, at_least=0, at_most=MOST_ACTIVATION),
    Argument("quiet_s", QUIET_S, at_least=0.0, at_most=LONGEST_QUIET_S),
    Argument("polling_s", 30.0, above=0.0),
    Argument("idle_s", COOLDOWN_S, at_least=0.0),
)
"""Arguments of strategies that the scaler runs, for groups that may have no replicas."""

_H = Argument("h", 1.2, above=0.0)
_HEADROOMS = Over("h", (0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0))
_RESPONSE_TIMES = Over("r_max", (0.006, 0.01, 0.02, 0.05, 0.2, 1.0, 5.0))

STRATEGIES = (
    Strategy(
        name="constant",
        title="Constant replicas",
        family=COUNTING,
        paper="the number at the start",
        module=f"{PACKAGE}.constant",
        needs=(),
        sweep=sweeps.replica_counts,
    ),
    Strategy(
        name="headroom",
        title="Headroom over the recent peak",
        family=COUNTING,
        paper="Groupscale",
        module=f"{PACKAGE}.headroom",
        decision_s=1.0,
        takes=(
            _H,
            Argument("hold", 10.0, at_least=0.0, at_most=LONGEST_WINDOW_S),
        ),
        needs=("rates", "lags", "owners", "time"),
        settings=(("largest_first", False),),
        placed_settings=(("largest_first", True),),
        sweep=_HEADROOMS,
    ),
    Strategy(
        name="linear",
        title="Replicas in proportion to the rate",
        family=COUNTING,
        paper=f'{_EZZEDDINE}, reference "Linear"',
        module=f"{PACKAGE}.linear",
        decision_s=1.0,
        takes=(F_UP, F_DOWN),
        sweep=Over("f_down", (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
    ),
    Strategy(
        name="threshold",
        title="Thresholds of the total lag",
        family=COUNTING,
        paper=f"{_RUSSO_RUSSO}, Pulsar Functions",
        module=f"{PACKAGE}.threshold",
        takes=(
            Argument("t_in", 50.0, at_least=0.0),
            Argument("t_out", 150.0, at_least=0.0),
            _K_MAX,
        ),
        needs=("lags", "replicas"),
        sweep=sweeps.lag_thresholds,
    ),
    Strategy(
        name="time_threshold",
        title="Thresholds of the time lag",
        family=COUNTING,
        paper=f"Groupscale; the rule of {_RUSSO_RUSSO}, Pulsar Functions",
        module=f"{PACKAGE}.time_threshold",
        group=_SEES_PAST,
        takes=(
            Argument("in_s", 10.0, at_least=0.0),
            Argument("out_s", 30.0, at_least=0.0),
            _K_MAX,
        ),
        needs=("rates", "lags", "replicas", "time"),
        sweep=sweeps.time_thresholds,
    ),
    Strategy(
        name="queueing",
        title="Bound of the response time by queueing theory",
        family=COUNTING,
        paper=f"{_RUSSO_RUSSO}, Eq. 1-3",
        module=f"{PACKAGE}.queueing_scaling",
        takes=(
            Argument("r_max", 1.0, above=0.0),
            Argument("ca", 1.0, at_least=0.0),
            Argument("cs", 1.0, at_least=0.0),
            _K_MAX,
            Argument("estimate", False),
        ),
        needs_with=(("estimate", "counts"),),
        sweep=_RESPONSE_TIMES,
    ),
    Strategy(
        name="queueing_paths",
        title="Bound of the response time, one replica more or fewer",
        family=COUNTING,
        paper=f"{_RUSSO_RUSSO}, policy for paths",
        module=f"{PACKAGE}.queueing_paths_scaling",
        takes=(
            Argument("r_max", 1.0, above=0.0),
            Argument("alpha", 0.5, at_least=0.0, at_most=1.0),
            Argument("ca", 1.0, at_least=0.0),
            Argument("cs", 1.0, at_least=0.0),
            _K_MAX,
        ),
        needs=("rates", "replicas"),
        sweep=_RESPONSE_TIMES,
    ),
    Strategy(
        name="ds2",
        title="DS2 for one function",
        family=COUNTING,
        paper="Kalavri et al. 2018",
        module=f"{PACKAGE}.ds2",
    ),
    Strategy(
        name="keda_hpa",
        title="KEDA with the horizontal pod autoscaler",
        family=COUNTING,
        paper="KEDA, scaler apache-kafka; Kubernetes, autoscaling/v2",
        module=f"{PACKAGE}.keda_hpa",
        decision_s=15.0,
        takes=(
            Argument("threshold", 10, at_least=1, at_most=_MOST),
            Argument("allow_idle", False),
            Argument("limit_to_partitions_with_lag", False),
            Argument("ensure_even", False),
            Argument("exclude_persistent_lag", False),
            Argument("activation", 0, at_least=0, at_most=_MOST),
            *_AUTOSCALED,
            Argument("polling_s", 30.0, above=0.0),
            Argument("idle_s", 300.0, at_least=0.0),
            Argument("per_topic", False),
        ),
        needs=("lags", "replicas", "time"),
        needs_with=(("exclude_persistent_lag", "consumed"),),
        sweep=Over("threshold", (2, 5, 10, 20, 50, 100, 200, 500, 1000)),
    ),
    Strategy(
        name="keda_prometheus",
        title="Headroom over the recent peak, by KEDA's Prometheus trigger",
        family=COUNTING,
        paper="Groupscale; KEDA, scaler prometheus; Kubernetes, autoscaling/v2",
        module=f"{PACKAGE}.keda_prometheus",
        decision_s=1.0,
        takes=(
            _H,
            Argument("hold", 30.0, at_least=0.0, at_most=LONGEST_WINDOW_S),
            Argument("window_s", 120.0, above=0.0, at_most=LONGEST_WINDOW_S),
            Argument("scrape_s", 30.0, at_least=0.1),
            Argument("scrape_phase", 0.5, at_least=0.0, at_most=1.0),
            *SYNCED,
        ),
        needs=("rates", "replicas", "time"),
        sweep=_HEADROOMS,
    ),
    Strategy(
        name="keda_time_lag",
        title="Time lag, by KEDA's Prometheus trigger",
        family=COUNTING,
        paper="KEDA, scaler prometheus; Kubernetes, autoscaling/v2",
        module=f"{PACKAGE}.keda_time_lag",
        decision_s=15.0,
        group=_SEES_PAST,
        takes=(
            Argument("target_s", 60.0, at_least=0.001),
            Argument("scrape_s", 30.0, at_least=0.1),
            *_AUTOSCALED,
        ),
        needs=("rates", "lags", "owners", "replicas", "time"),
        sweep=Over("target_s", (5.0, 15.0, 30.0, 60.0, 120.0, 300.0)),
    ),
    *(
        Strategy(
            name=f"least_loaded_{number}",
            title=title,
            family=PACKING,
            paper=f"{_EZZEDDINE}, Algorithm {number}",
            module=f"{PACKAGE}.least_loaded_scaling",
            decision_s=1.0,
            takes=(F_UP, F_DOWN),
            needs=("rates", "lags", "owners", "replicas"),
            settings=(("replan", number == 2),),
            sweep=sweeps.utilizations,
        )
        for number, title in enumerate(
            ("Least-loaded packing", "Least-loaded packing, lags projected"), start=1
        )
    ),
    Strategy(
        name="ilp",
        title="Exact packing instead of the least-loaded one",
        family=PACKING,
        paper=f"{_EZZEDDINE}, Eq. 5",
        module=f"{PACKAGE}.least_loaded_scaling",
        decision_s=1.0,
        takes=(F_UP, F_DOWN, Argument("replan", True)),
        needs=("rates", "lags", "owners", "replicas"),
        settings=(("exact", True),),
        sweep=sweeps.utilizations,
    ),
    Strategy(
        name="optimal",
        title="Least-loaded packing of the present rates",
        family=PACKING,
        paper=f'{_EZZEDDINE}, reference "Optimal"',
        module=f"{PACKAGE}.optimal_packing",
        decision_s=1.0,
        observe="now",
        foresees=True,
        takes=(Argument("capacity", 85.0, above=0.0),),
        sweep=sweeps.capacities,
    ),
    Strategy(
        name="overprovision",
        title="Replicas for all peaks at once",
        family=PACKING,
        paper=f'{_EZZEDDINE}, reference "Overprovisioning"',
        module=f"{PACKAGE}.overprovision",
        decision_s=1.0,
        foresees=True,
        takes=(F_UP,),
        needs=(),
        sweep=sweeps.UPPER_UTILIZATIONS,
    ),
    Strategy(
        name="shadow_hedge",
        title="Rules and planners that would have been cheapest so far, partitions placed by rate",
        family=PACKING,
        paper="Groupscale, docs/own-strategy.md",
        module=f"{PACKAGE}.placed_counts",
        decision_s=1.0,
        takes=(Argument("w", 0.3, above=0.0), Argument("move_cost", 0.0, at_least=0.0)),
        needs=("rates", "lags", "owners", "replicas", "time", "counts"),
        settings=(("counting", f"{PACKAGE}.shadow_hedge"),),
        sweep=Over("w", (0.001, 0.003, 0.01, 0.03, 0.07, 0.15, 0.3, 0.7, 2.0, 10.0, 60.0)),
    ),
    Strategy(
        name="mpc",
        title="First step of the cheapest plan over forecast scenarios",
        family=COUNTING,
        paper="Groupscale, docs/learning.md",
        module=f"{PACKAGE}.mpc",
        decision_s=1.0,
        takes=(
            Argument("w", 0.25, above=0.0),
            Argument("horizon", 10, at_least=1, at_most=60),
            Argument("scenarios", 8, at_least=1, at_most=32),
        ),
        needs=("rates", "lags", "replicas"),
        sweep=Over("w", (0.01, 0.03, 0.1, 0.25, 0.5, 1.5, 5.0, 20.0)),
    ),
    *(
        Strategy(
            name=assignor,
            title=f"{title}, constant replicas",
            family=ASSIGNOR,
            paper=paper,
            module=f"{PACKAGE}.constant",
            assignor=assignor,
            needs=(),
            sweep=sweeps.replica_counts,
        )
        for assignor, title, paper in (
            ("range", "Range assignor", "Apache Kafka"),
            ("kip848_range", "Range assignor of KIP-848", "Apache Kafka 4.1"),
            ("roundrobin", "Round robin assignor", "Apache Kafka"),
            ("sticky", "Sticky assignor", "Apache Kafka"),
            ("cooperative_sticky", "Cooperative sticky assignor", "Apache Kafka"),
            ("kip848_uniform", "Uniform assignor of KIP-848", "Apache Kafka 4.1"),
            ("kip848_uniform_4_0", "First uniform assignor of KIP-848", "Apache Kafka 4.0"),
            ("kip169", "Lag-aware assignor", "KIP-169"),
        )
    ),
    Strategy(
        name="dqn",
        title="Replicas that a trained network values most",
        family=COUNTING,
        paper="Giannakopoulos and Kalogeraki 2022, agents; Groupscale, docs/learning.md",
        module=f"{PACKAGE}.trained.dqn_scaling",
        decision_s=1.0,
        takes=(Argument("policy", ""),),
        needs=("rates", "lags", "owners", "replicas", "time"),
    ),
)
"""In display order."""
