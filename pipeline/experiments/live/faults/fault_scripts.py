"""What happens to a run: one script for each fault.

A script yields the time at which it goes on, in seconds since the beginning of the run.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

from live.runs.strategy_run import StrategyRun
from pipeline.experiments.live.faults.halt_point import MOMENTS, RECOVER, HaltPoint

Steps = Generator[float, None, None]

FAULT_S = 7.0
"""When a fault happens: in the second iteration, when all consumers are at work."""

HANGING = "pipeline.experiments.live.faults.hanging_consumer"
"""What consumers run that hang when they get SIGUSR1."""

HALTING = "pipeline.experiments.live.faults.halting_controller"
"""What controllers run that stop at the run's `HaltPoint`."""

TAKE_OVER_S = 5.0
"""Time in which the successor of a controller completes a plan, seconds."""

VICTIM = 0
"""The strategies of `live faults` use the consumer with this number."""


def _incarnation(run: StrategyRun, consumer: int = VICTIM) -> int:
    return max(i for one, i in run.launcher.running() if one == consumer)


def kill_consumer(run: StrategyRun, at_s: float = FAULT_S) -> Steps:
    """The consumer with the least number gets kill -9."""
    yield at_s
    consumer = min(one for one, _ in run.launcher.running())
    run.note("fault", consumer=consumer)
    run.launcher.send(consumer, _incarnation(run, consumer), signal.SIGKILL)


def stop_consumer(run: StrategyRun) -> Steps:
    """SIGSTOP of a consumer for three leases; then it goes on."""
    yield FAULT_S
    run.launcher.keeps_lost = True
    incarnation = _incarnation(run)
    run.note("fault", consumer=VICTIM)
    run.launcher.send(VICTIM, incarnation, signal.SIGSTOP)
    yield FAULT_S + 3 * run.settings.lease_s
    run.note("woken", consumer=VICTIM)
    run.launcher.send(VICTIM, incarnation, signal.SIGCONT)
    yield FAULT_S + 4 * run.settings.lease_s
    status = run.launcher.statuses.get((VICTIM, incarnation))
    run.note("status", status=status, incarnation=incarnation)


def hang_consumer(run: StrategyRun) -> Steps:
    """A consumer's loop stands still in a call that does not return; its other threads go on."""
    run.launcher.module = HANGING
    return _hang(run)


def _hang(run: StrategyRun) -> Steps:
    yield FAULT_S
    # The watchdog must end it, not the controller.
    run.launcher.keeps_lost = True
    incarnation = _incarnation(run)
    run.note("fault", consumer=VICTIM)
    run.launcher.send(VICTIM, incarnation, signal.SIGUSR1)
    begun_s = run.seconds()
    while (VICTIM, incarnation) not in run.launcher.statuses and run.seconds() < begun_s + 20:
        yield run.seconds()
    status = run.launcher.statuses.get((VICTIM, incarnation))
    run.note("status", status=status, after_s=run.seconds() - begun_s)


def fill_disk(run: StrategyRun) -> Steps:
    """The disk of the only broker has no space left."""
    yield FAULT_S
    run.note("fault")
    with suppress(OSError), (run.cluster.folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(2**20))


def kill_controller(run: StrategyRun) -> Steps:
    """The controller gets kill -9 in each of its states; each time another takes over."""
    run.controller_module = HALTING
    return _kill_at(run, HaltPoint(Path(run.settings.folder)))


def _kill_at(run: StrategyRun, point: HaltPoint) -> Steps:
    # The plan of the last successor, and that of an iteration, are complete before the run ends.
    last_s = (run.settings.iterations - 2) * run.settings.iteration_s
    yield FAULT_S
    for moment in MOMENTS:
        point.request(moment)
        if moment == RECOVER:
            _replace_controller(run)
        while not point.is_reached:
            if run.seconds() > last_s:
                point.withdraw()
                return
            yield run.seconds()
        run.note("fault", moment=moment)
        _replace_controller(run)
        end_s = run.seconds() + TAKE_OVER_S
        while not run.controller.is_ready and run.seconds() < end_s:
            yield run.seconds()


def _replace_controller(run: StrategyRun) -> None:
    run.controller.child.send(signal.SIGKILL)
    run.controller.child.status_within(5.0)
    run.succeed_controller()


def second_controller(run: StrategyRun) -> Steps:
    """Another controller starts while the first one is at work."""
    yield FAULT_S
    run.note("fault", pid=run.controller.child.pid)
    run.succeed_controller()
    former = run.former_controllers[0]
    end_s = FAULT_S + 5 * run.settings.lease_s
    while former.status is None and (time_s := run.seconds()) < end_s:
        yield time_s
    run.note("status", status=former.status)


def restart_broker(run: StrategyRun) -> Steps:
    """The only broker ends in order and starts again."""
    yield FAULT_S
    run.note("fault")
    run.cluster.restart(1)
    run.note("answers")


def kill_broker(run: StrategyRun) -> Steps:
    """The only broker gets kill -9, and starts again."""
    yield FAULT_S
    run.note("fault")
    run.cluster.kill(1)
    run.cluster.start_node(1)
    run.note("answers")


def kill_node(run: StrategyRun) -> Steps:
    """One of three nodes gets kill -9."""
    yield FAULT_S
    run.note("fault")
    run.cluster.kill(2)


def break_consumer(run: StrategyRun) -> Steps:
    """A consumer gets kill -9 and does not start any more, however often it is launched."""
    yield FAULT_S
    run.note("fault", consumer=VICTIM)
    run.launcher.broken = {VICTIM}
    run.launcher.send(VICTIM, _incarnation(run), signal.SIGKILL)


def kill_producer(run: StrategyRun) -> Steps:
    """The producer gets kill -9."""
    yield FAULT_S
    run.note("fault")
    if run.producer is not None:
        run.producer.send(signal.SIGKILL)


def kill_monitor(run: StrategyRun) -> Steps:
    """The monitor gets kill -9."""
    yield FAULT_S
    run.note("fault")
    if run.monitor is not None:
        run.monitor.send(signal.SIGKILL)
