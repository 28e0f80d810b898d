"""The measured rows of an experiment in which brokers are added and removed by decisions."""

from __future__ import annotations

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import measured_intervals, measured_latencies
from algorithms.learning.learning_names import AGENTS
from algorithms.learning.measured_intervals import MeasuredCluster
from live.brokers.deciding.deciding_choices import THRESHOLD
from pipeline.base.errors import InputError
from pipeline.settings.broker_experiment import BrokerExperiment


def of(experiment: BrokerExperiment) -> MeasuredCluster | None:
    """Rows of the experiment's load and numbers of brokers.

    None if there are none and nothing needs them: agents that learn on the cluster, and the rule.
    Raises InputError if something does.
    """
    least, most = experiment.least_brokers, experiment.most_brokers
    try:
        rows = measured_latencies.ROWS
        return measured_intervals.cluster_of(rows, experiment.load, least, most)
    except InvalidParameterError as error:
        needless = (THRESHOLD, *AGENTS) if experiment.learns else (THRESHOLD,)
        needing = [name for name in experiment.decided_by if name not in needless]
        if needing:
            raise InputError(
                f"experiment '{experiment.name}': `decided_by` {needing[0]} needs measured rows: "
                f"{error}"
            ) from None
        return None
