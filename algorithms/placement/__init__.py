"""Which broker holds which replica after brokers are added or removed.

`least_moves` balances replicas and leaders with the fewest moves, and proves it; `round_robin` is
the published rule. `measured` compares a plan with the placement before.
"""

from algorithms.placement.least_moves import least_moves
from algorithms.placement.move_plan import BrokerLists, LeastPlan
from algorithms.placement.plan_measures import PlanMeasures, forced_moves, measured
from algorithms.placement.round_robin import round_robin

__all__ = [
    "BrokerLists",
    "LeastPlan",
    "PlanMeasures",
    "forced_moves",
    "least_moves",
    "measured",
    "round_robin",
]
