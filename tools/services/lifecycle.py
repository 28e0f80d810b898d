"""`make up`, `make down`, `make status`."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from pipeline.base.process import process_table
from tools import waiting_lock
from tools.console import SetupError, say
from tools.layout import Layout
from tools.services import (
    airflow_rest,
    credentials,
    health,
    logs,
    migrations,
    parsed_dags,
    port_checks,
    postgres,
    private_folders,
    processes,
    records,
    status_table,
)
from tools.services.commands import Installation, installation
from tools.services.records import Record
from tools.services.service_topology import ADMIN, BY_NAME, HOST, SERVICES, Port, Service
from tools.services.status_table import HEALTHY, STOPPED, UNREAD, ServiceStatus

PATIENCE_SECONDS = 1800.0
"""A service that is alive is healthy in half a minute on a quiet machine, and may take minutes on a
busy one; one that has ended is noticed at once."""

SAY_EVERY_SECONDS = 30.0
GRACE_SECONDS = 20.0
LOOK_EVERY_SECONDS = 0.5


def up(layout: Layout, env: Mapping[str, str]) -> None:
    """Start services that are not running, wait until all are healthy, and bound the others' logs.

    Raises SetupError if a port is taken, or a running service was started with other settings:
        nothing has been started. If a service ends or does not become healthy: the services that
        this call started are stopped again. If Airflow does not read a DAG: all services keep
        running, since its page shows why.
    """
    with _alone(layout):
        running = _running(layout)
        missing = [service for service in SERVICES if service.name not in running]
        ports = _ports(running)
        logs.bound(layout)
        made = installation(layout, env, ports)
        _check_settings(made, running)
        port_checks.check_free([service.name for service in missing], ports)
        if missing:
            postgres.programs(layout)
            _start(made, missing)
        unread = parsed_dags.wait(layout)
        print(status_table.render(_rows(layout)))
        _say_places(layout)
    if unread:
        raise SetupError(parsed_dags.describe(layout, unread))


def down(layout: Layout) -> None:
    """Stop what `up` started, in reverse. Raises SetupError if it is another user's."""
    with _alone(layout):
        recorded = records.load(layout)
        if not recorded:
            say("No services are running")
            return
        _stop(layout, recorded)


def status(layout: Layout) -> bool:
    """Print the table of services; returns whether all are healthy and all DAGs are read."""
    rows = _rows(layout)
    unread = _unread(layout, rows)
    print(
        status_table.render([*rows, *(ServiceStatus(f"DAG {name}", "", UNREAD) for name in unread)])
    )
    if unread:
        say(parsed_dags.describe(layout, unread))
    _say_places(layout)
    return not unread and all(row.state == HEALTHY for row in rows)


def _start(made: Installation, missing: Collection[Service]) -> None:
    layout, started = made.layout, {}
    say(f"Starting {len(missing)} services (about a minute); logs: {layout.logs}")
    try:
        for service in missing:
            _wait_for(layout, service.needs)
            if service.name == "postgres":
                postgres.make(layout, made.secrets, made.environment("postgres"))
            started[service.name] = _launch(made, service.name)
            if service.name == "postgres":
                _wait_for(layout, ("postgres",))
                migrations.ensure(made)
        _wait_for(layout, BY_NAME)
    except BaseException:
        say("Stopping the services started so far")
        _stop(layout, started)
        raise


def _launch(made: Installation, name: str) -> Record:
    folder = made.folder(name)
    folder.mkdir(parents=True, exist_ok=True, mode=private_folders.OWNER)
    user = postgres.user() if name == "postgres" else None
    log = made.layout.logs / f"{name}.log"
    began = time.time()
    command, env = made.command(name), made.environment(name)
    leader = processes.start(command, env, folder, log, user)
    record = Record(name, leader, dict(made.ports), began, records.digests(env))
    try:
        records.save(made.layout, record)
    except BaseException:
        # Without a record, `down` could not find it.
        _end(record)
        raise
    return record


def _wait_for(layout: Layout, names: Collection[str]) -> None:
    """Wait until services are healthy; all started services must stay alive."""
    until = time.monotonic() + PATIENCE_SECONDS
    say_at = time.monotonic() + SAY_EVERY_SECONDS
    while True:
        recorded = records.load(layout)
        _check_alive(layout, recorded)
        asked = {name: _problem(layout, recorded[name]) for name in names}
        lacking = {name: problem for name, problem in asked.items() if problem}
        if not lacking:
            return
        if time.monotonic() > until:
            name, problem = next(iter(lacking.items()))
            raise SetupError(
                f"{name} is not healthy after {PATIENCE_SECONDS:.0f} s ({problem}); "
                f"see {layout.logs / name}.log"
            )
        if time.monotonic() > say_at:
            say_at += SAY_EVERY_SECONDS
            say(f"Waiting for {', '.join(lacking)} ({next(iter(lacking.values()))})")
        time.sleep(LOOK_EVERY_SECONDS)


def _check_alive(layout: Layout, recorded: Mapping[str, Record]) -> None:
    seen = process_table.everything()
    for name, record in recorded.items():
        if not processes.is_alive(record.leader, seen):
            raise SetupError(f"{name} ended unexpectedly; see {layout.logs / name}.log")


def _problem(layout: Layout, record: Record) -> str | None:
    def address(name: str, port: Port) -> tuple[str, int]:
        return HOST, record.ports[port.variable]

    return health.problem(record.service, address, record.since)


def _running(layout: Layout) -> dict[str, Record]:
    """Records of running services; remains of others are stopped and their records removed.

    A service that needs one that is gone counts as gone: it ends too, now or in a minute.
    """
    recorded = records.load(layout)
    seen = process_table.everything()
    alive: dict[str, Record] = {}
    for service in SERVICES:  # after what it needs
        record = recorded.get(service.name)
        is_whole = all(name in alive for name in service.needs)
        if record is not None and is_whole and processes.is_alive(record.leader, seen):
            alive[service.name] = record
    _stop(layout, {name: r for name, r in recorded.items() if name not in alive})
    return alive


def _ports(running: Mapping[str, Record]) -> dict[str, int]:
    """Configured ports; services that are already running must have been started with them."""
    ports = port_checks.wanted()
    for name, record in running.items():
        other = [v for v, number in ports.items() if record.ports[v] != number]
        if other:
            raise SetupError(
                f"{name} already runs with {other[0]}={record.ports[other[0]]} (requested: "
                f"{ports[other[0]]}); run `make down` first, or restore the variable"
            )
    return ports


def _check_settings(made: Installation, running: Mapping[str, Record]) -> None:
    """Check that running services were started with the current settings."""
    changed = {
        name: records.changed(record, made.environment(name)) for name, record in running.items()
    }
    names = [name for name, variables in changed.items() if variables]
    if names:
        variables = sorted({variable for name in names for variable in changed[name]})
        raise SetupError(
            f"{', '.join(names)} already run with other settings ({', '.join(variables)}); run "
            "`make down` first, or restore them"
        )


def _stop(layout: Layout, recorded: Mapping[str, Record]) -> None:
    for name, record in reversed(list(recorded.items())):
        _end(record)
        records.remove(layout, name)
        say(f"stopped {name}")


def _end(record: Record) -> None:
    # PostgreSQL ends its own children, and does not wait for clients after this signal.
    is_database = record.service == "postgres"
    number = signal.SIGINT if is_database else signal.SIGTERM
    processes.stop(record.leader, number, is_database, GRACE_SECONDS)


def _rows(layout: Layout) -> list[ServiceStatus]:
    recorded, seen = records.load(layout), process_table.everything()
    rows = []
    for service in SERVICES:
        record = recorded.get(service.name)
        if record is None:
            rows.append(ServiceStatus(service.name, "", STOPPED))
        elif not processes.is_alive(record.leader, seen):
            rows.append(
                ServiceStatus(service.name, _address(service, record.ports), "ended unexpectedly")
            )
        else:
            state = _problem(layout, record) or HEALTHY
            rows.append(
                ServiceStatus(
                    service.name, _address(service, record.ports), state, record.leader.pid
                )
            )
    return rows


def _unread(layout: Layout, rows: Collection[ServiceStatus]) -> Mapping[str, str]:
    """DAGs that Airflow has not read, with reasons; unknown while its API server is down."""
    well = {row.service for row in rows if row.state == HEALTHY}
    return parsed_dags.unread(layout) if {airflow_rest.API, parsed_dags.READER} <= well else {}


def _address(service: Service, numbers: Mapping[str, int]) -> str:
    if service.page:
        return f"http://{HOST}:{numbers[service.page.variable]}"
    return f"{HOST}:{numbers[service.ports[0].variable]}" if service.ports else ""


def _say_places(layout: Layout) -> None:
    recorded = records.load(layout)
    places = {service.name: service for service in SERVICES if service.page}
    for name, file in credentials.PAGES.items():
        service = next(one for one in places.values() if one.name.startswith(name.lower()))
        record = recorded.get(service.name)
        place = "" if record is None else f"{_address(service, record.ports)}, "
        say(f"{name}: {place}user {ADMIN}, password in {layout.services / file}")
    say(f"Databases in {postgres.data_folder(layout)}, logs in {layout.logs}")


@contextmanager
def _alone(layout: Layout) -> Iterator[None]:
    """Let only one `up` or `down` run at a time."""
    private_folders.services(layout)
    file = (layout.services / "lock").open("w")
    with waiting_lock.held(file, "waiting for another `make up` or `make down` to finish"):
        yield
