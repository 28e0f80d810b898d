"""An import from a server of https: ``--ca``, logins, and what is wrong with certificates."""

from __future__ import annotations

import base64
import shutil
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.pipeline.cli.command import Home
from tests.pipeline.inputs.prometheus import certificates, fake_prometheus, known_group
from tests.pipeline.inputs.prometheus.certificates import Signed
from tests.pipeline.inputs.prometheus.conftest import Imports
from tests.pipeline.inputs.prometheus.fake_prometheus import FakePrometheus

pytestmark = [
    pytest.mark.unit,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]

Serves = Callable[[ssl.SSLContext | None], FakePrometheus]
GROUP = ("--group", "billing")


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Signed:
    return certificates.authority(tmp_path_factory.mktemp("tls"), "ours")


@pytest.fixture(scope="module")
def here(ours: Signed) -> Signed:
    return certificates.certificate(ours.key.parent, "here", "localhost", ours)


@pytest.fixture
def serves(prometheus: FakePrometheus) -> Iterator[Serves]:
    """Serves `known_group` by TLS, if a context is given; imports ask that server."""
    with ExitStack() as stack:

        def served(context: ssl.SSLContext | None) -> FakePrometheus:
            fake = FakePrometheus(known_group.series())
            stack.enter_context(fake_prometheus.served(fake, context))
            prometheus.url = f"https://localhost:{fake.url.rpartition(':')[2]}"
            return fake

        yield served


@pytest.fixture
def refused(imports: Imports, tmp_path: Path, home: Home) -> Callable[..., tuple[int, str]]:
    """Exit status and message of an import that fails."""

    def line(*options: str | Path) -> tuple[int, str]:
        done = imports(tmp_path / "t.csv", *GROUP, *options)
        message, *log = done.output.splitlines()
        assert message.startswith("Error: Prometheus at https://")
        assert [one for one in log if not one.startswith("Log: ")] == []
        return done.exit_code, message

    return line


@pytest.mark.parametrize(
    ("login", "header"),
    [
        ("reader:hunter2", "Basic " + base64.b64encode(b"reader:hunter2").decode()),
        ("hunter2", "Bearer hunter2"),
    ],
)
def test_the_right_authority_and_a_login(
    login: str, header: str, serves: Serves, ours: Signed, here: Signed, imports: Imports,
    tmp_path: Path,
) -> None:  # fmt: skip
    fake = serves(here.context())
    file = tmp_path / "login"
    file.write_text(login)
    file.chmod(0o600)
    options = ("--ca", ours.certificate, "--prometheus-auth", file)
    done = imports(tmp_path / "t.csv", *GROUP, *options)
    assert done.exit_code == 0, done.output
    assert {asked.headers["Authorization"] for asked in fake.asked} == {header}


def test_an_unknown_authority(
    serves: Serves, here: Signed, refused: Callable[..., tuple[int, str]]
) -> None:
    serves(here.context())
    status, line = refused()
    assert status == 2
    assert "not signed by a known authority; name its own with --ca FILE" in line


def test_another_authority(
    serves: Serves, here: Signed, refused: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    serves(here.context())
    other = certificates.authority(tmp_path, "other")
    status, line = refused("--ca", other.certificate)
    assert status == 2
    assert f"not signed by an authority of --ca {other.certificate}; name its own" in line


@pytest.mark.parametrize(
    ("host", "days", "status", "words"),
    [
        ("localhost", -1, 1, "its certificate has expired; renew it there"),
        ("elsewhere", 2, 2, "its certificate is for another host name; use that name in the"),
    ],
)
def test_certificates_that_do_not_count(
    host: str, days: int, status: int, words: str, serves: Serves, ours: Signed, tmp_path: Path,
    refused: Callable[..., tuple[int, str]],
) -> None:  # fmt: skip
    serves(certificates.certificate(tmp_path, "one", host, ours, days).context())
    code, line = refused("--ca", ours.certificate)
    assert (code, words in line) == (status, True), line


def test_an_address_by_number(
    serves: Serves, prometheus: FakePrometheus, ours: Signed, here: Signed,
    refused: Callable[..., tuple[int, str]],
) -> None:  # fmt: skip
    serves(here.context())
    prometheus.url = prometheus.url.replace("localhost", "127.0.0.1")
    status, line = refused("--ca", ours.certificate)
    assert (status, "for another host name" in line) == (2, True), line


def test_a_server_that_asks_for_a_certificate(
    serves: Serves, ours: Signed, here: Signed, refused: Callable[..., tuple[int, str]]
) -> None:
    context = here.context(clients=ours.certificate)
    # Later versions refuse the client after it has sent its request, so that it may see a reset.
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    serves(context)
    status, line = refused("--ca", ours.certificate)
    assert (status, "require a certificate of the client" in line) == (1, True), line


def test_a_server_without_tls(serves: Serves, refused: Callable[..., tuple[int, str]]) -> None:
    serves(None)
    status, line = refused()
    assert (status, "does not speak TLS; begin its address with http://" in line) == (2, True), line


def test_a_file_that_is_damaged(
    serves: Serves, ours: Signed, here: Signed, imports: Imports, tmp_path: Path
) -> None:
    fake = serves(here.context())
    file = tmp_path / "ca.pem"
    file.write_text(ours.certificate.read_text().replace("M", "-", 3))
    done = imports(tmp_path / "t.csv", *GROUP, "--ca", file)
    assert done.exit_code == 2
    assert done.output == f"Error: --ca {file}: must be a PEM file with certificates\n"
    assert fake.asked == []
