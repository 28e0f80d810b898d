"""KEDA's own code asks over TLS: only certificates of a TriggerAuthentication count."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

import pytest

from tests.live.scaler.keda.asking_keda import (
    GRPC,
    HTTP,
    Keda,
    Trigger,
    Unusable,
    over_grpc,
    over_http,
)
from tests.live.scaler.keda.running_scaler import RunningScaler
from tests.live.scaler.keda.test_counts_in_keda import value_of
from tests.pipeline.inputs.prometheus import certificates
from tests.pipeline.inputs.prometheus.certificates import Signed

pytestmark = [
    pytest.mark.keda,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]

HOST = "localhost"
BY_KIND = {HTTP: ("ca", "cert", "key"), GRPC: ("caCert", "tlsClientCert", "tlsClientKey")}
"""Parameters of a TriggerAuthentication: authority, certificate and key."""

Made = dict[str, Signed]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("certificates")
    every = {name: certificates.authority(folder, name) for name in ("ca", "other_ca")}
    for name, by in (("server", "ca"), ("client", "ca"), ("other_client", "other_ca")):
        every[name] = certificates.certificate(folder, name, HOST, every[by])
    return every


@pytest.fixture(scope="module")
def scaler(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningScaler]:
    """One that asks its clients for certificates."""
    tls = {
        "cert": str(made["server"].certificate),
        "key": str(made["server"].key),
        "client_ca": str(made["ca"].certificate),
    }
    own = RunningScaler(tmp_path_factory.mktemp("scaler"), tls=tls)
    yield own
    own.kill()


def auth(made: Made, kind: str, authority: str = "ca", client: str = "client") -> dict[str, str]:
    texts = (made[authority].certificate, made[client].certificate, made[client].key)
    return {name: file.read_text() for name, file in zip(BY_KIND[kind], texts, strict=True)}


Opens = Callable[..., Trigger]


@pytest.fixture
def opens(keda: Keda, scaler: RunningScaler) -> Opens:
    """Opens a trigger on the scaler."""

    def opened(
        kind: str, own: dict[str, str], more: dict[str, str] | None = None, host: str = HOST
    ) -> Trigger:
        address = scaler.http if kind == HTTP else scaler.grpc
        at = f"{host}:{address.rpartition(':')[2]}"
        url = f"https://{at}/v1/shop/billing"
        metadata = over_http(url) if kind == HTTP else over_grpc(at)
        return keda.open(kind, {**metadata, **(more or {})}, own)

    return opened


MTLS = {"authMode": "tls"}


@pytest.mark.parametrize(
    ("kind", "more"), [(HTTP, MTLS), (GRPC, {}), (GRPC, {"enableTLS": "true"})]
)
def test_certificates_of_a_trigger_authentication(
    opens: Opens, made: Made, kind: str, more: dict[str, str]
) -> None:
    trigger = opens(kind, auth(made, kind), more)
    value_of(trigger, 3)
    assert trigger.specs().error == ""


def test_over_http_they_are_ignored_without_an_auth_mode(opens: Opens, made: Made) -> None:
    read = opens(HTTP, auth(made, HTTP)).read()
    assert "certificate signed by unknown authority" in read.error


def test_over_http_no_part_may_be_missing(opens: Opens, made: Made) -> None:
    own = auth(made, HTTP)
    with pytest.raises(Unusable, match="key"):
        opens(HTTP, {name: own[name] for name in ("ca", "cert")}, MTLS)


@pytest.mark.parametrize(
    ("more", "said"),
    [({}, "code = Unavailable"), ({"enableTLS": "true"}, "certificate signed by unknown authorit")],
)
def test_over_grpc_certificates_in_metadata_are_ignored(
    opens: Opens, made: Made, more: dict[str, str], said: str
) -> None:
    """Without `enableTLS` KEDA speaks plaintext, with it it trusts the system's authorities."""
    trigger = opens(GRPC, {}, {**auth(made, GRPC), **more})
    assert said in trigger.read().error
    assert trigger.specs().error == "got empty metric spec"


@pytest.mark.parametrize(("kind", "more"), [(HTTP, MTLS), (GRPC, {})])
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"authority": "other_ca"}, "certificate signed by unknown authority"),
        ({"client": "other_client"}, ""),
    ],
)
def test_certificates_of_another_authority(
    opens: Opens, made: Made, kind: str, more: dict[str, str], changed: dict[str, str], said: str
) -> None:
    read = opens(kind, auth(made, kind, **changed), more).read()
    assert read.metrics == []
    assert read.error
    assert said in read.error


@pytest.mark.parametrize(("kind", "more"), [(HTTP, MTLS), (GRPC, {})])
def test_the_certificate_must_name_the_host(
    opens: Opens, made: Made, kind: str, more: dict[str, str]
) -> None:
    read = opens(kind, auth(made, kind), more, host="127.0.0.1").read()
    assert "cannot validate certificate for 127.0.0.1" in read.error


@pytest.mark.parametrize("kind", [HTTP, GRPC])
def test_plaintext_gets_no_count(keda: Keda, scaler: RunningScaler, kind: str) -> None:
    url = f"http://{scaler.http}/v1/shop/billing"
    metadata = over_http(url) if kind == HTTP else over_grpc(scaler.grpc)
    read = keda.open(kind, metadata).read()
    assert (read.metrics, read.error != "") == ([], True)
