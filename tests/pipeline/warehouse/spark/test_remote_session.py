"""Addresses, ids and credentials of sessions on a Spark Connect server, without one."""

from __future__ import annotations

import threading
import uuid
from types import SimpleNamespace

import pytest

from pipeline.base.errors import InputError
from pipeline.base.progress import Work
from pipeline.warehouse.spark import remote_session

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("address", ["local[*]", "spark://head:7077", "sc://", "http://head:15002"])
def test_other_addresses_are_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv(remote_session.REMOTE, address)
    with pytest.raises(InputError, match=r"`GROUPSCALE_SPARK_REMOTE` must be sc://HOST:PORT"):
        remote_session.address()


@pytest.mark.parametrize("place", ["https://head", "sc://head:15002", "sc://h/;use_ssl=true"])
def test_a_token_in_an_address_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv(remote_session.REMOTE, f"{place}/;token=hunter2")
    with pytest.raises(InputError, match=f"set `{remote_session.TOKEN}`") as caught:
        remote_session.address()
    assert "hunter2" not in str(caught.value)


def test_without_a_server_there_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(remote_session.REMOTE, "")
    assert remote_session.address() is None


def test_ids_follow_from_names() -> None:
    first = remote_session.session_id("nightly", "run", "score", -1, 1)
    assert first == remote_session.session_id("nightly", "run", "score", -1, 1)
    assert first != remote_session.session_id("nightly", "run", "score", -1, 2)
    assert uuid.UUID(first).version == 4


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "spark-connect"])
def test_the_token_goes_along_without_tls(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv(remote_session.TOKEN, "sesame")
    channel = remote_session._channel(f"sc://{host}:15002", None)
    assert ("authorization", "Bearer sesame") in channel.metadata()


@pytest.mark.parametrize("place", ["sc://head:443/;use_ssl=true", "sc://head/;use_ssl=true;a=b"])
def test_with_tls_pyspark_sends_it(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv(remote_session.TOKEN, "sesame")
    own_id = remote_session.session_id("task")
    channel = remote_session._channel(place, own_id)
    assert channel.use_ssl
    assert "sesame" not in str(channel.metadata())
    assert (channel.userId, channel.session_id) == (remote_session.USER, own_id)


def test_servers_on_this_machine() -> None:
    assert all(
        map(remote_session.is_here, ["sc://127.0.0.1:15002", "sc://localhost", "sc://[::1]"])
    )
    assert not remote_session.is_here("sc://spark-connect:15002")


def test_progress_is_that_of_the_step_of_the_thread() -> None:
    def query(step: str, done: int) -> None:
        remote_session.mark(step)
        stages = [SimpleNamespace(num_tasks=8, num_completed_tasks=done)]
        remote_session._heard(stages, 1, step, False)

    for step, done in (("score", 3), ("check_latency", 5)):
        thread = threading.Thread(target=query, args=(step, done))
        thread.start()
        thread.join()
    work = remote_session.progress_of("score")
    assert work is not None
    assert work == Work(work.part, 3, 8)
    assert remote_session.progress_of("report") is None


def test_a_query_that_has_ended_has_no_progress() -> None:
    remote_session.mark("pareto")
    stages = [SimpleNamespace(num_tasks=8, num_completed_tasks=8)]
    remote_session._heard(stages, 0, "one", False)
    assert remote_session.progress_of("pareto") is not None
    remote_session._heard(stages, 0, "one", True)
    assert remote_session.progress_of("pareto") is None
