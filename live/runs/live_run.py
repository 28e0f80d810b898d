"""One strategy on one stream, live: from empty topics to the evidence of all records."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from live.kafka import topics
from live.live_settings import LiveSettings
from live.records.run_clock import offset_now
from live.runs.strategy_run import Brokers, Script, StrategyRun
from live.strategy_kinds import parse
from pipeline.base.errors import GroupscaleError


def measure_strategy(
    settings: LiveSettings,
    rates: Sequence[Sequence[float]],
    strategy: str,
    cluster: Brokers,
    script: Script | None = None,
) -> Path:
    """Run a strategy on a stream until all records are processed.

    settings: Settings of the run; bootstrap, the login of brokers of our own, and clock are filled
        in here.
    rates: Bytes/s by iteration and partition.
    strategy: Name of a registered algorithm, or ``kafka_classic_n``, ``kafka_848_n`` or ``keda``.
    script: What happens to the run from outside; None for nothing.
    Returns: The run's folder: settings, rates, journal, evidence, and the reports of the producer
        and of the run.
    Raises RunFailed if a process fails or takes too long; the message names its log.
    Raises InputError if the strategy is unknown, or topics of the same run exist.
    """
    parse(strategy, settings.partitions)
    folder = Path(settings.folder)
    (folder / "evidence").mkdir(parents=True)
    settings = replace(
        settings,
        bootstrap=cluster.bootstrap,
        client_file=cluster.client_file or settings.client_file,
        clock_offset_ns=offset_now(),
    )
    topics.create(settings)
    try:
        run = StrategyRun(settings, rates, strategy, cluster, script)
        try:
            run.measure()
            run.report()
        finally:
            run.stop()
    except BaseException:
        # Brokers that are gone are a consequence, or the reason that the run gives.
        with suppress(GroupscaleError):
            _delete_topics(settings)
        raise
    _delete_topics(settings)
    return folder


def _delete_topics(settings: LiveSettings) -> None:
    topics.delete(settings.bootstrap, settings.run, settings.security.confluent)
