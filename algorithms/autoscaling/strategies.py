"""Registry of autoscaling strategies; also imported as `algorithms.autoscaling.registry`.

To add one, write a module with a state, a kernel and a ``start`` function, and `register` it below.
Reading names, titles and arguments is cheap: kernels and Numba are imported only at the first
start. Every algorithm of `algorithms.assignment.registry` is a strategy under its own name, so is
every assignor, with constant replicas. Every counting strategy with the suffix `PLACEMENT` places
the partitions itself.
"""

from __future__ import annotations

from dataclasses import replace

from algorithms.assignment import registry as assignment_registry
from algorithms.autoscaling.arguments import Argument
from algorithms.autoscaling.scaling_policies import LONGEST_WINDOW_S, SCALE_DOWN, SCALE_UP
from algorithms.autoscaling.strategy import ASSIGNOR, COUNTING, PACKING, Strategy
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError, near

__all__ = ["PLACEMENT", "get", "known_patterns", "names", "register"]

PLACEMENT = "+placement"
"""Suffix of counting strategies: the group's partitions are placed by rate, with few moves, instead
of by its assignor."""

_STRATEGIES: dict[str, Strategy] = {}

_PACKAGE = "algorithms.autoscaling"
_EZZEDDINE = "Ezzeddine 2024"
_RUSSO_RUSSO = "Russo Russo 2021"
_MOST = 2**31 - 1


def register(strategy: Strategy) -> None:
    """Add a strategy to the registry.

    Its name must be free, and none of `algorithms.assignment.registry`.
    """
    name = strategy.name
    if _find(name) is not None:
        raise InvalidParameterError(f"strategy {name!r} is already registered; choose another name")
    _STRATEGIES[name] = strategy


def get(name: str) -> Strategy:
    """Return the strategy of a name.

    name: One of `names`; a counting strategy with `PLACEMENT`, as ``linear+placement``; or a name
        that `algorithms.assignment.registry.get` accepts, as ``kd_3``, ``SR_0.4`` or ``BFD+M``.
    Raises UnknownAlgorithmError if the name is unknown; the message lists the known ones.

    >>> get("linear").family, get("BFD").family
    ('counting', 'packing')
    """
    strategy = _find(name)
    if strategy is None:
        known = known_patterns()
        raise UnknownAlgorithmError(
            f"unknown strategy {name!r}{near(name, known)}; choose one of {', '.join(known)}"
        )
    return strategy


def names() -> tuple[str, ...]:
    """Names of all strategies without a parameter, in display order."""
    return (*_STRATEGIES, *assignment_registry.names())


def known_patterns() -> tuple[str, ...]:
    """Every name that `get` accepts, for messages; a family with a parameter is one entry."""
    return (*_STRATEGIES, *assignment_registry.known_patterns(), _PLACED_PATTERN)


def _find(name: str) -> Strategy | None:
    return _STRATEGIES.get(name) or _placed(name) or _packing_algorithm(name)


def _placed(name: str) -> Strategy | None:
    counting = _STRATEGIES.get(name.removesuffix(PLACEMENT))
    if counting is None or counting.family != COUNTING or not name.endswith(PLACEMENT):
        return None
    settings = {**dict(counting.settings), **dict(counting.placed_settings)}
    return replace(
        counting,
        name=name,
        title=f"{counting.title}, partitions placed by rate",
        family=PACKING,
        paper=f"{counting.paper}; placement: Groupscale",
        module=f"{_PACKAGE}.placed_counts",
        needs=tuple(dict.fromkeys((*counting.needs, *_PLACEMENT_NEEDS))),
        settings=(("counting", counting.module), *settings.items()),
        placed_settings=(),
    )


def _packing_algorithm(name: str) -> Strategy | None:
    try:
        algorithm = assignment_registry.get(name)
    except UnknownAlgorithmError:
        return None
    return Strategy(
        name=algorithm.name,
        title=algorithm.title,
        family=PACKING,
        paper=algorithm.paper,
        module=f"{_PACKAGE}.packing_algorithm",
        takes=(_F_UP,),
        needs=("rates", "owners"),
        settings=(("algorithm", algorithm.name),),
    )


_PLACED_PATTERN = f"NAME{PLACEMENT} (NAME is a counting strategy)"
_PLACEMENT_NEEDS = ("rates", "owners", "replicas", "time")

_F_UP = Argument("f_up", 0.9, above=0.0, at_most=1.0)
_F_DOWN = Argument("f_down", 0.4, above=0.0, at_most=1.0)
_K_MAX = Argument("k_max", 15, at_least=1, at_most=_MOST)

register(
    Strategy(
        name="constant",
        title="Constant replicas",
        family=COUNTING,
        paper="the number at the start",
        module=f"{_PACKAGE}.constant",
        needs=(),
    )
)
register(
    Strategy(
        name="headroom",
        title="Headroom over the recent peak",
        family=COUNTING,
        paper="Groupscale",
        module=f"{_PACKAGE}.headroom",
        decision_s=1.0,
        takes=(
            Argument("h", 1.2, above=0.0),
            Argument("hold", 10.0, at_least=0.0, at_most=LONGEST_WINDOW_S),
        ),
        needs=("rates", "lags", "owners", "time"),
        settings=(("largest_first", False),),
        placed_settings=(("largest_first", True),),
    )
)
register(
    Strategy(
        name="linear",
        title="Replicas in proportion to the rate",
        family=COUNTING,
        paper=f'{_EZZEDDINE}, reference "Linear"',
        module=f"{_PACKAGE}.linear",
        decision_s=1.0,
        takes=(_F_UP, _F_DOWN),
    )
)
register(
    Strategy(
        name="threshold",
        title="Thresholds of the total lag",
        family=COUNTING,
        paper=f"{_RUSSO_RUSSO}, Pulsar Functions",
        module=f"{_PACKAGE}.threshold",
        takes=(
            Argument("t_in", 50.0, at_least=0.0),
            Argument("t_out", 150.0, at_least=0.0),
            _K_MAX,
        ),
        needs=("lags", "replicas"),
    )
)
register(
    Strategy(
        name="queueing",
        title="Bound of the response time by queueing theory",
        family=COUNTING,
        paper=f"{_RUSSO_RUSSO}, Eq. 1-3",
        module=f"{_PACKAGE}.queueing_scaling",
        takes=(
            Argument("r_max", 1.0, above=0.0),
            Argument("ca", 1.0, at_least=0.0),
            Argument("cs", 1.0, at_least=0.0),
            _K_MAX,
            Argument("estimate", False),
        ),
        needs_with=(("estimate", "counts"),),
    )
)
register(
    Strategy(
        name="queueing_paths",
        title="Bound of the response time, one replica more or fewer",
        family=COUNTING,
        paper=f"{_RUSSO_RUSSO}, policy for paths",
        module=f"{_PACKAGE}.queueing_paths_scaling",
        takes=(
            Argument("r_max", 1.0, above=0.0),
            Argument("alpha", 0.5, at_least=0.0, at_most=1.0),
            Argument("ca", 1.0, at_least=0.0),
            Argument("cs", 1.0, at_least=0.0),
            _K_MAX,
        ),
        needs=("rates", "replicas"),
    )
)
register(
    Strategy(
        name="ds2",
        title="DS2 for one function",
        family=COUNTING,
        paper="Kalavri et al. 2018",
        module=f"{_PACKAGE}.ds2",
    )
)
register(
    Strategy(
        name="keda_hpa",
        title="KEDA with the horizontal pod autoscaler",
        family=COUNTING,
        paper="KEDA, scaler apache-kafka; Kubernetes, autoscaling/v2",
        module=f"{_PACKAGE}.keda_hpa",
        decision_s=15.0,
        takes=(
            Argument("threshold", 10, at_least=1, at_most=_MOST),
            Argument("allow_idle", False),
            Argument("limit_to_partitions_with_lag", False),
            Argument("ensure_even", False),
            Argument("exclude_persistent_lag", False),
            Argument("activation", 0, at_least=0, at_most=_MOST),
            Argument("tolerance_up", 0.1, at_least=0.0),
            Argument("tolerance_down", 0.1, at_least=0.0),
            Argument("scale_up", SCALE_UP),
            Argument("scale_down", SCALE_DOWN, at_most=100.0),
            Argument("polling_s", 30.0, above=0.0),
            Argument("idle_s", 300.0, at_least=0.0),
            Argument("per_topic", False),
        ),
        needs=("lags", "replicas", "time"),
        needs_with=(("exclude_persistent_lag", "consumed"),),
    )
)
for _pass, _title in ((1, "Least-loaded packing"), (2, "Least-loaded packing, lags projected")):
    register(
        Strategy(
            name=f"least_loaded_{_pass}",
            title=_title,
            family=PACKING,
            paper=f"{_EZZEDDINE}, Algorithm {_pass}",
            module=f"{_PACKAGE}.least_loaded_scaling",
            decision_s=1.0,
            takes=(_F_UP, _F_DOWN),
            needs=("rates", "lags", "owners", "replicas"),
            settings=(("replan", _pass == 2),),
        )
    )
register(
    Strategy(
        name="optimal",
        title="Least-loaded packing of the present rates",
        family=PACKING,
        paper=f'{_EZZEDDINE}, reference "Optimal"',
        module=f"{_PACKAGE}.optimal_packing",
        decision_s=1.0,
        observe="now",
        foresees=True,
        takes=(Argument("capacity", 85.0, above=0.0),),
    )
)
register(
    Strategy(
        name="overprovision",
        title="Replicas for all peaks at once",
        family=PACKING,
        paper=f'{_EZZEDDINE}, reference "Overprovisioning"',
        module=f"{_PACKAGE}.overprovision",
        decision_s=1.0,
        foresees=True,
        takes=(_F_UP,),
        needs=(),
    )
)
register(
    Strategy(
        name="shadow_hedge",
        title="Rules and planners that would have been cheapest so far, partitions placed by rate",
        family=PACKING,
        paper="Groupscale, docs/own-strategy.md",
        module=f"{_PACKAGE}.placed_counts",
        decision_s=1.0,
        takes=(Argument("w", 0.3, above=0.0), Argument("move_cost", 0.0, at_least=0.0)),
        needs=("rates", "lags", "owners", "replicas", "time", "counts"),
        settings=(("counting", f"{_PACKAGE}.shadow_hedge"),),
    )
)
register(
    Strategy(
        name="mpc",
        title="First step of the cheapest plan over forecast scenarios",
        family=COUNTING,
        paper="Groupscale, docs/learning.md",
        module=f"{_PACKAGE}.mpc",
        decision_s=1.0,
        takes=(
            Argument("w", 0.25, above=0.0),
            Argument("horizon", 10, at_least=1, at_most=60),
            Argument("scenarios", 8, at_least=1, at_most=32),
        ),
        needs=("rates", "lags", "replicas"),
    )
)
for _assignor, _title, _paper in (
    ("range", "Range assignor", "Apache Kafka"),
    ("kip848_range", "Range assignor of KIP-848", "Apache Kafka 4.1"),
    ("roundrobin", "Round robin assignor", "Apache Kafka"),
    ("sticky", "Sticky assignor", "Apache Kafka"),
    ("cooperative_sticky", "Cooperative sticky assignor", "Apache Kafka"),
    ("kip848_uniform", "Uniform assignor of KIP-848", "Apache Kafka 4.1"),
    ("kip848_uniform_4_0", "First uniform assignor of KIP-848", "Apache Kafka 4.0"),
    ("kip169", "Lag-aware assignor", "KIP-169"),
):
    register(
        Strategy(
            name=_assignor,
            title=f"{_title}, constant replicas",
            family=ASSIGNOR,
            paper=_paper,
            module=f"{_PACKAGE}.constant",
            assignor=_assignor,
            needs=(),
        )
    )
register(
    Strategy(
        name="dqn",
        title="Replicas that a trained network values most",
        family=COUNTING,
        paper="Giannakopoulos and Kalogeraki 2022, agents; Groupscale, docs/learning.md",
        module=f"{_PACKAGE}.trained.dqn_scaling",
        decision_s=1.0,
        takes=(Argument("policy", ""),),
        needs=("rates", "lags", "owners", "replicas", "time"),
    )
)
