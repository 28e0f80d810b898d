"""Bounds of the consumers and the Rscore that any algorithm could reach, proved where possible.

`fewest_consumers` bounds one iteration alone; `least_rscore` one iteration after a given
assignment, with a given number of consumers. Both return an interval that contains the optimum,
whatever the solver does: if a limit is reached or the solver fails, the interval stays wide, but is
never wrong.

The bounds of autoscaling strategies are in `algorithms.bounds.clairvoyant_plan` and
`algorithms.bounds.clairvoyant_front`.
"""

from algorithms.bounds.consumers import fewest_consumers
from algorithms.bounds.effort import Effort, effort
from algorithms.bounds.result import Bound
from algorithms.bounds.rscore import least_rscore
from algorithms.bounds.sample import sampled
from algorithms.bounds.volume import l2

__all__ = ["Bound", "Effort", "effort", "fewest_consumers", "l2", "least_rscore", "sampled"]
