"""What the loop asks of Pulsar: functions, their statistics and the messages of their topics."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import requests

from live.pulsar import pulsar_login
from pipeline.base.errors import StageError

CLASS = "groupscale.HoldingFunction"
_SPACE = "public/default"
_SECONDS = 30.0


class FunctionFailed(StageError):
    """Pulsar refuses a request for a function; the message has its reason."""


class FunctionMissing(FunctionFailed):
    """Pulsar has no function of the name that `name` has."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Pulsar has no function {name}")
        self.name = name


class FunctionSpec(NamedTuple):
    """A function of an application."""

    name: str
    place: int
    """Which of a record's holds is its own."""
    source: str
    output: str
    """`source`, `output`: topics."""
    receiver_queue: int
    """Records that an instance fetches ahead."""
    guarantee: str
    hold: str
    """`guarantee`, `hold`: as `function_settings` has them."""
    width: int
    """To which it resizes the images of records, pixels; 0: it resizes none."""


class UserSums(NamedTuple):
    """What an instance has recorded since it started: number, and sums of x and x²."""

    number: float
    total: float
    squares: float


class FunctionsAdmin:
    """Requests to the administration of a Pulsar, at its address without a final slash.

    token_file: Has the token of its login.
    Requests for a function raise FunctionMissing if Pulsar does not have it.
    """

    def __init__(self, url: str, token_file: Path) -> None:
        self._url = url
        self._session = pulsar_login.session(token_file)

    def create(self, spec: FunctionSpec, jar: Path, parallelism: int) -> None:
        """Create a function of a JAR that `standalone_settings.worker_yaml` allows.

        Raises FunctionFailed if Pulsar refuses it.
        """
        self._ask("POST", _function(spec.name), files=_parts(spec, jar, parallelism))

    def resize(self, spec: FunctionSpec, jar: Path, parallelism: int) -> None:
        """Change the number of instances; the JAR stays. Raises FunctionFailed if refused."""
        self._ask_of(spec.name, "PUT", files=_parts(spec, jar, parallelism))

    def delete(self, name: str) -> None:
        """Delete a function. Raises FunctionFailed if Pulsar refuses it."""
        self._ask_of(name, "DELETE")

    def names(self) -> list[str]:
        """Names of all functions."""
        return sorted(self._ask("GET", f"v3/functions/{_SPACE}"))

    def ends(self, name: str) -> tuple[list[str], str]:
        """Topics that a function reads, and the one that it writes, by their short names."""
        config = self._ask_of(name, "GET")
        specs = config.get("inputSpecs") or {}
        return [_short(topic) for topic in sorted(specs)], _short(config.get("output") or "")

    def instances(self, name: str) -> int:
        """Number of instances asked for."""
        return int(self._ask_of(name, "GET")["parallelism"])

    def running(self, name: str) -> int:
        """Number of instances that run."""
        return int(self._ask_of(name, "GET", "/status")["numRunning"])

    def sums(self, name: str) -> list[Mapping[str, UserSums]]:
        """What each instance has recorded, by the metric's name."""
        instances = self._ask_of(name, "GET", "/stats")["instances"]
        return [_sums((each.get("metrics") or {}).get("userMetrics") or {}) for each in instances]

    def published(self, topic: str) -> int:
        """Messages published to a topic so far; 0 for one that does not exist yet."""
        stats = self._ask("GET", f"v2/persistent/{_SPACE}/{topic}/stats", missing={})
        return int(stats.get("msgInCounter", 0))

    def waiting(self, topic: str) -> int:
        """Entries that a topic's subscriptions have not acknowledged, as Pulsar counts them."""
        stats = self._ask("GET", f"v2/persistent/{_SPACE}/{topic}/stats", missing={})
        return sum(int(each["msgBacklog"]) for each in stats.get("subscriptions", {}).values())

    def _ask_of(self, name: str, method: str, detail: str = "", **options: Any) -> Any:
        """Ask about a function. Pulsar's list says whether it is missing; statuses do not."""
        try:
            return self._ask(method, f"{_function(name)}{detail}", **options)
        except FunctionFailed:
            if name not in self.names():
                raise FunctionMissing(name) from None
            raise

    def _ask(self, method: str, path: str, missing: Any = None, **options: Any) -> Any:
        try:
            answer = self._session.request(
                method, f"{self._url}/{path}", timeout=_SECONDS, **options
            )
        except requests.RequestException as error:
            raise FunctionFailed(f"Pulsar does not answer {method} {path}: {error}") from error
        if answer.status_code == requests.codes.not_found and missing is not None:
            return missing
        if not answer.ok:
            reason = " ".join(answer.text.split())[:300]
            raise FunctionFailed(f"Pulsar refuses {method} {path}: {reason or answer.status_code}")
        return answer.json() if answer.content else None


def _function(name: str) -> str:
    return f"v3/functions/{_SPACE}/{name}"


def _short(topic: str) -> str:
    return topic.rpartition("/")[2]


def _parts(spec: FunctionSpec, jar: Path, parallelism: int) -> dict[str, tuple[Any, ...]]:
    """Parts of a request.

    The JAR is named, not uploaded. Pulsar 4.0.7 keeps what is uploaded in its store of packages,
    which starts after the functions worker: after a restart, instances could not load their class,
    and Pulsar tries that only once. It also keeps it after a function is deleted, and then refuses
    the function's name. A change must name the JAR too: Pulsar fails to check a name left out.
    """
    config = json.dumps(_config(spec, parallelism))
    return {
        "functionConfig": (None, config, "application/json"),
        "url": (None, jar.absolute().as_uri()),
    }


def _config(spec: FunctionSpec, parallelism: int) -> dict[str, Any]:
    return {
        "tenant": "public",
        "namespace": "default",
        "name": spec.name,
        "runtime": "JAVA",
        "className": CLASS,
        "inputSpecs": {
            f"persistent://{_SPACE}/{spec.source}": {"receiverQueueSize": spec.receiver_queue}
        },
        "output": f"persistent://{_SPACE}/{spec.output}",
        "parallelism": parallelism,
        "processingGuarantees": spec.guarantee.upper(),
        "autoAck": True,
        # Else what is waiting would be gone with a function that is deleted by mistake.
        "cleanupSubscription": False,
        # Instances count as running before they have subscribed: with "Latest", a function would
        # miss what came until then.
        "subscriptionPosition": "Earliest",
        # Named, or the first update would add it, and every instance would restart for it.
        "producerConfig": {},
        "userConfig": {"place": str(spec.place), "hold": spec.hold, "width": str(spec.width)},
    }


def _sums(metrics: Mapping[str, Any]) -> dict[str, UserSums]:
    """Sums by metric; Pulsar names those of metric x ``…x_count`` and ``…x_sum``."""
    found = {}
    for name in ("service", "gap"):
        counts = (_value(metrics, f"{name}_count"), _value(metrics, f"{name}_sum"))
        found[name] = UserSums(*counts, _value(metrics, f"{name}_squared_sum"))
    return found


def _value(metrics: Mapping[str, Any], end: str) -> float:
    for name, value in metrics.items():
        if name == end or name.endswith(f"user_metric_{end}"):
            return float(value)
    return 0.0
