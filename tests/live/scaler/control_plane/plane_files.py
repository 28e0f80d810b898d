"""Certificates, kubeconfig and flags of a control plane on the loopback address."""

from __future__ import annotations

import json
import shutil
import ssl
from pathlib import Path
from typing import NamedTuple

from live.kafka.reserved_ports import HOST
from tests.pipeline.inputs.prometheus import certificates

NAME = "localhost"
"""Host of all certificates."""

KEDA, METRICS = "keda", "keda-metrics-apiserver"
"""Namespace of KEDA, and Service of its metrics."""

_PROXY = "proxy"
"""Name with which the API asks KEDA's metrics server."""

SYNC_S = 2
"""Between two syncs of the pod autoscaler, in place of 15."""

_CONTROLLERS = (
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "horizontal-pod-autoscaler-controller",
    # Deletes pods with their Deployment, and pod autoscalers with their ScaledObject.
    "garbage-collector-controller",
)


class Ports(NamedTuple):
    """Where the processes listen."""

    etcd: int
    peers: int
    api: int
    health: int
    service: int
    """`health`, `service`: of KEDA's operator."""
    metrics: int
    page: int
    """`metrics`, `page`: of KEDA's metrics server."""


class PlaneFiles:
    """Files in a folder, and the command lines that name them."""

    def __init__(self, folder: Path, ports: Ports) -> None:
        self.folder, self._ports = folder, ports
        self._authority = certificates.authority(folder, "ca")
        self._signed = {
            name: certificates.certificate(folder, name, NAME, self._authority)
            for name in ("server", "client", "accounts")
        }
        # Only this name may say for whom it asks.
        self._proxy = certificates.certificate(folder, "proxy", _PROXY, self._authority)
        self._keda = self._for_keda()
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps(self._config()))

    def client(self) -> ssl.SSLContext:
        """What a client of the API needs."""
        context = ssl.create_default_context(cafile=str(self._authority.certificate))
        context.load_cert_chain(*self._signed["client"])
        return context

    def authority(self) -> bytes:
        """Certificate of the authority, as PEM."""
        return self._authority.certificate.read_bytes()

    def etcd(self) -> list[str]:
        at = [f"http://{HOST}:{port}" for port in (self._ports.etcd, self._ports.peers)]
        return [str(self.folder / "etcd"), *at]

    def apiserver(self) -> list[str]:
        server, accounts = self._signed["server"], self._signed["accounts"]
        return _flags(
            etcd_servers=f"http://{HOST}:{self._ports.etcd}",
            bind_address=HOST,
            secure_port=self._ports.api,
            # It refuses the loopback address here, which nothing asks for then.
            advertise_address="192.0.2.1",
            endpoint_reconciler_type="none",
            service_cluster_ip_range="10.96.0.0/24",
            tls_cert_file=server.certificate,
            tls_private_key_file=server.key,
            client_ca_file=self._authority.certificate,
            requestheader_client_ca_file=self._authority.certificate,
            requestheader_allowed_names=_PROXY,
            requestheader_username_headers="X-Remote-User",
            requestheader_group_headers="X-Remote-Group",
            requestheader_extra_headers_prefix="X-Remote-Extra-",
            proxy_client_cert_file=self._proxy.certificate,
            proxy_client_key_file=self._proxy.key,
            service_account_issuer="https://kubernetes.default.svc",
            service_account_key_file=accounts.certificate,
            service_account_signing_key_file=accounts.key,
            authorization_mode="AlwaysAllow",
            # Pods would wait for the accounts of a controller that does not run.
            disable_admission_plugins="ServiceAccount",
        )

    def manager(self) -> list[str]:
        return _flags(
            kubeconfig=self.kubeconfig,
            controllers=",".join(_CONTROLLERS),
            leader_elect="false",
            secure_port=0,
            horizontal_pod_autoscaler_sync_period=f"{SYNC_S}s",
        )

    def operator(self) -> list[str]:
        return _flags(
            metrics_bind_address=0,
            health_probe_bind_address=f"{HOST}:{self._ports.health}",
            metrics_service_bind_address=f"{HOST}:{self._ports.service}",
            cert_dir=self._keda,
        )

    def adapter(self) -> list[str]:
        return _flags(
            secure_port=self._ports.metrics,
            bind_address=HOST,
            port=self._ports.page,
            # As the certificate has it.
            metrics_service_address=f"{NAME}:{self._ports.service}",
            cert_dir=self._keda,
            client_ca_file=self._keda / "ca.crt",
            tls_cert_file=self._keda / "tls.crt",
            tls_private_key_file=self._keda / "tls.key",
            lister_kubeconfig=self.kubeconfig,
            authentication_kubeconfig=self.kubeconfig,
            authorization_kubeconfig=self.kubeconfig,
        )

    def _for_keda(self) -> Path:
        """Folder with the names that KEDA reads."""
        others = (f"{METRICS}.{KEDA}.svc",)
        own = certificates.certificate(self.folder, "keda", NAME, self._authority, others=others)
        folder = self.folder / "certs"
        folder.mkdir()
        for file, name in (
            (own.certificate, "tls.crt"),
            (own.key, "tls.key"),
            (self._authority.certificate, "ca.crt"),
        ):
            shutil.copy(file, folder / name)
        return folder

    def _config(self) -> dict[str, object]:
        client = self._signed["client"]
        cluster = {
            "server": f"https://{NAME}:{self._ports.api}",
            "certificate-authority": str(self._authority.certificate),
        }
        user = {
            "client-certificate": str(client.certificate),
            "client-key": str(client.key),
        }
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "own",
            "clusters": [{"name": "own", "cluster": cluster}],
            "users": [{"name": "own", "user": user}],
            "contexts": [{"name": "own", "context": {"cluster": "own", "user": "own"}}],
        }


def _flags(**values: object) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]
