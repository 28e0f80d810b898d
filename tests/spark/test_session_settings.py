"""Jobs whose results are no longer needed can be cancelled."""

import socket
import struct
import threading
import time

import psutil
import pytest

from pipeline.warehouse.spark import session

pytestmark = pytest.mark.spark


def test_jobs_of_a_task_that_took_too_long_are_ended(spark):
    context = spark.sparkContext
    ended = []

    def work():
        try:
            context.parallelize([0], 1).foreach(lambda _: time.sleep(300))
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not context.statusTracker().getActiveJobsIds() and time.monotonic() < until:
        time.sleep(0.05)
    session.cancel_jobs()
    thread.join(30)
    assert not thread.is_alive()
    assert "cancel" in str(ended[0]).lower()
    assert spark.range(3).count() == 3


RPC, STREAM = 3, 6
"""Kinds of request frames of Spark's transport."""


def answer(port, kind, payload):
    """Response of a port of Spark's transport to an unauthenticated frame."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(struct.pack(">qb", 9 + len(payload), kind) + payload)
        return connection.recv(65536)


def test_ports_of_the_session_serve_nobody_without_the_secret(spark):
    gateway = spark.sparkContext._gateway
    jvm = psutil.Process(gateway.proc.pid)
    listening = [c.laddr for c in jvm.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert {address.ip for address in listening} <= {"127.0.0.1", "::ffff:127.0.0.1"}
    # Those of the driver and of its blocks; py4j's waits in silence for a token of its own.
    ports = [address.port for address in listening if address.port != gateway.java_parameters.port]
    assert len(ports) == 2
    serialized, stream = b"\xac\xed\x00\x05junk", b"/files/x"
    asked = {
        RPC: struct.pack(">qi", 7, len(serialized)) + serialized,
        STREAM: struct.pack(">i", len(stream)) + stream,
    }
    said = [answer(port, kind, payload) for port in ports for kind, payload in asked.items()]
    assert all(b"Sasl" in text or b"Unauthenticated call" in text for text in said)
    assert spark.conf.get("spark.authenticate.secret", None) is None
    assert not [word for word in jvm.cmdline() if "authenticate.secret" in word]
