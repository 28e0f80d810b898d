"""``groupscale scaler``: wrong input, a replay, and a process that serves without a broker."""

from __future__ import annotations

import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.scaler.test_scaler_settings import FILE
from tests.pipeline.cli.command import call
from tests.pipeline.inputs.prometheus import certificates

BROKER = FILE.replace("b1:9092", "127.0.0.1:1")


def file_in(folder: Path, text: str = BROKER) -> Path:
    file = folder / "scaler.yaml"
    file.write_text(text)
    return file


@pytest.mark.unit
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--listen", "6000"], "`--listen` must be HOST:PORT"),
        (["--health-listen", "x:y"], "`--health-listen` must be HOST:PORT"),
        (["--grpc-listen", "x:y"], "`--grpc-listen` must be HOST:PORT"),
        (["--group", "shop/billing"], "`--group` is for --replay"),
        (["--replay", "none.csv"], "none.csv: not found"),
        (["--replay", "none.csv", "--group", "shop/x"], "`--group` must be one of shop/billing"),
    ],
)
def test_wrong_options_end_with_status_2(tmp_path: Path, words: list[str], said: str) -> None:
    result = call("scaler", "--config", file_in(tmp_path), *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.unit
def test_a_wrong_file_ends_with_status_2(tmp_path: Path) -> None:
    result = call("scaler", "--config", file_in(tmp_path, BROKER.replace("mu: 120", "mu: 0")))
    assert result.exit_code == 2
    assert "`scale.shop/billing.mu` must be a number between" in result.stderr


@pytest.mark.unit
@pytest.mark.slow
def test_a_replay_prints_each_count(tmp_path: Path) -> None:
    rows = "".join(f"{k},{20 * k},{10 * k}\n" for k in range(30))
    (tmp_path / "rates.csv").write_text(f"timestamp,orders/0,orders/1\n{rows}")
    words = ("--replay", tmp_path / "rates.csv", "--values", "rates")
    result = call("scaler", "--config", file_in(tmp_path), *words)
    assert result.exit_code == 0, result.stderr
    head, *lines = result.stdout.splitlines()
    assert head == "time_s,replicas,events_per_s,lag,deployed"
    assert [line.split(",")[0] for line in lines] == ["5", "10", "15", "20", "25"]
    assert [int(line.split(",")[1]) for line in lines] == [2, 2, 2, 2, 2], result.stdout


@contextmanager
def serving(folder: Path, text: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "GROUPSCALE_HOME": str(folder / "home")}
    arguments = [sys.executable, "-m", "pipeline.cli.app", "scaler", "--config"]
    with subprocess.Popen(
        [*arguments, str(file_in(folder, text)), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.unit
@pytest.mark.slow
def test_a_process_without_brokers_is_healthy_and_knows_nothing(tmp_path: Path) -> None:
    text = f"history: history.json\n{BROKER}"
    with serving(
        tmp_path, text, "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"
    ) as process:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        assert (line["what"], line["groups"]) == ("listening", 1)
        health = urllib.request.urlopen(f"http://{line['health']}/readyz", timeout=10)
        assert health.status == 200
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"http://{line['answers']}/v1/shop/billing", timeout=10)
        assert caught.value.code == 503
        said = json.loads(process.stdout.readline())
        assert (said["state"], said["replicas"]) == ("unknown", None)
        assert "no Kafka broker answers at 127.0.0.1:1" in said["reason"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    groups = json.loads((tmp_path / "history.json").read_text())["groups"]
    assert list(groups) == ["shop/billing"]


@pytest.mark.unit
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_process_with_certificates_has_health_without_them(tmp_path: Path) -> None:
    ca = certificates.authority(tmp_path, "ca")
    certificates.certificate(tmp_path, "own", "localhost", ca)
    text = f"tls: {{cert: own.pem, key: own.key}}\n{BROKER}"
    with serving(
        tmp_path, text, "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"
    ) as process:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        assert line["tls"] is True
        assert urllib.request.urlopen(f"http://{line['health']}/metrics", timeout=10).status == 200
        context = ssl.create_default_context(cafile=ca.certificate)
        port = line["answers"].rpartition(":")[2]
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(
                f"https://localhost:{port}/v1/shop/billing", timeout=10, context=context
            )
        assert caught.value.code == 503
        caught.value.close()


@pytest.mark.unit
@pytest.mark.slow
def test_a_strategy_that_places_partitions_ends_with_status_2(tmp_path: Path) -> None:
    with serving(tmp_path, BROKER.replace("linear", "headroom+placement")) as process:
        output, error = process.communicate(timeout=60)
    assert (process.returncode, output) == (2, "")
    assert error == (
        "Error: `scale.shop/billing`: `strategy` headroom+placement: places partitions, which "
        "needs a controller; choose one that decides on a count, such as headroom\n"
    )
