"""How well any algorithm could do: bounds of consumers and of Rscore, proved where possible.

`fewest_consumers` is about one iteration alone; `least_rscore` about one iteration after a given
assignment, with a given number of consumers. Both give an interval that holds the optimum, whatever
the solver does: a limit that is reached, or a solver that fails, leaves it wide, never wrong.
"""

from algorithms.bounds.consumers import fewest_consumers
from algorithms.bounds.effort import Effort, effort
from algorithms.bounds.result import Bound
from algorithms.bounds.rscore import least_rscore
from algorithms.bounds.sample import sampled
from algorithms.bounds.volume import l2

__all__ = ["Bound", "Effort", "effort", "fewest_consumers", "l2", "least_rscore", "sampled"]
