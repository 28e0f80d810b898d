"""Process of the controller: ``controller_process SETTINGS.json STRATEGY RATES.bin IN OUT``.

It ends with status 0 when all consumers have ended, 1 after a failure, and 3 if another controller
has taken over.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from pathlib import Path

from live import live_settings
from live.controller.group_controller import GroupController, LaunchFailed
from live.controller.invalid_messages import InvalidMessages
from live.controller.launcher_channel import LauncherChannel, LauncherGone
from live.controller.live_decisions import Decisions, GivenRates
from live.controller.live_strategy import LiveStrategy
from live.controller.measured_rates import MeasuredRates
from live.controller.recoveries import MOST_RECOVERIES, Recoveries
from live.controller.scaled_start import scaled_decisions
from live.controller.topic_reader import TopicReader
from live.controller.transactions import Fenced
from live.live_settings import GIVEN, LiveSettings
from live.protocol.group_claim import GroupClaim
from live.records import rates_file
from live.records.journal import Journal
from live.records.run_clock import RunClock
from live.strategy_kinds import Scaled, parse
from pipeline.base.errors import InputError

FAILED, FENCED = 1, 3

FINAL = (Fenced, LauncherGone, LaunchFailed, InputError)
"""Errors after which a recovery would not help. All others may be over by then."""


class TooManyErrors(Exception):
    """The controller has failed again after each of its recoveries in a row."""


def main(arguments: list[str]) -> int:
    """Run the controller; returns its exit status."""
    settings = live_settings.load(Path(arguments[0]))
    launcher = LauncherChannel(int(arguments[3]), int(arguments[4]))
    clock = RunClock(settings.clock_offset_ns)
    file = Path(settings.folder) / "controller.jsonl"
    with Journal(file, clock.now, pid=os.getpid()) as journal:
        try:
            return _run(settings, arguments[1], Path(arguments[2]), launcher, journal)
        except Fenced:
            return FENCED
        except LauncherGone:
            return FAILED
        except (LaunchFailed, InputError, TooManyErrors) as error:
            launcher.failed(str(error))
            return FAILED


def _run(
    settings: LiveSettings,
    name: str,
    rates: Path,
    launcher: LauncherChannel,
    journal: Journal,
) -> int:
    # Time for two decisions, and for the loss of a consumer to be noticed and answered.
    claim = GroupClaim()
    recoveries = Recoveries(2 * max(settings.iteration_s, settings.decide_s, settings.lease_s))
    while True:
        try:
            decisions = _decisions(settings, name, rates, journal)
            controller = GroupController(settings, decisions, launcher, journal, claim)
            _turns(controller, launcher, recoveries)
            return 0
        except FINAL:
            raise
        except Exception as error:
            _recover(error, recoveries, journal)


def _recover(error: Exception, recoveries: Recoveries, journal: Journal) -> None:
    """Wait before another controller goes on from what this one had committed."""
    traceback.print_exception(error)
    text = f"{type(error).__name__}: {error}"
    pause_s = recoveries.failed()
    if pause_s is None:
        raise TooManyErrors(f"{text} (after {MOST_RECOVERIES} recoveries in a row)") from error
    journal.write("fault", kind="recover", message=text)
    time.sleep(pause_s)


def _decisions(settings: LiveSettings, name: str, rates: Path, journal: Journal) -> Decisions:
    kind = parse(name, settings.partitions)
    if isinstance(kind, Scaled):
        return scaled_decisions(settings, kind.label, rates, journal)
    strategy = LiveStrategy(name, settings.partitions, settings.capacity, settings.seed)
    if settings.speeds == GIVEN:
        stream = rates_file.read(rates, settings.iterations, settings.partitions)
        return GivenRates(strategy, stream, settings)
    topic = settings.topic("speed")
    reject = InvalidMessages(journal, topic).reject
    measurements = TopicReader(settings.bootstrap, topic, reject, settings.security.confluent)
    return MeasuredRates(strategy, measurements, settings, journal)


def _turns(controller: GroupController, launcher: LauncherChannel, recoveries: Recoveries) -> None:
    """Take turns until the run is over and all consumers have ended."""
    is_ready = is_ending = False
    while not (is_ending and controller.is_empty):
        controller.turn(launcher.began_ns)
        recoveries.worked(controller.is_settled, time.monotonic())
        if not is_ready and controller.is_settled:
            launcher.ready()
            is_ready = True
        if launcher.is_over and not is_ending:
            controller.end()
            is_ending = True
    controller.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
