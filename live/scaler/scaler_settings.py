"""The file of ``groupscale scaler``: brokers, who may ask about what, and groups to decide for.

bootstrap: b1:9092
config: client.properties
allow:
  shop: {groups: [billing], topics: [orders]}
scale:
  shop/billing:
    topic: orders
    group: billing
    strategy: headroom:h=1.15:hold=30
    mu: 120
    max_replicas: 9
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from algorithms.autoscaling.blind_answers import BLIND_S
from algorithms.core.input_errors import near
from algorithms.core.setting import REQUIRED, Declaration, SettingError, declared, setting
from algorithms.simulation.group_settings import GroupSettings
from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES, ClientProperties
from live.scaler import idle_settings
from live.scaler.idle_settings import IdleSettings
from live.scaler.server_tls import TlsFiles
from live.user_cluster import cluster_access
from pipeline.base.errors import InputError
from pipeline.base.text import kubernetes_names, yaml_values
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces import files

MOST_TARGETS = 200
"""Groups that one process decides for."""

_MOST_BYTES = 2**20
_MOST_NAMED = 1000


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Times of all groups."""

    look_s: float = setting(
        5.0, "Time between two looks at a group.", "s", at_least=0.5, at_most=60
    )
    blind_s: float = setting(
        BLIND_S,
        "Time without a look after which the greatest count of the last hour holds.",
        "s",
        at_least=1,
        at_most=3600,
    )


@dataclass(frozen=True, kw_only=True)
class ScalerTarget(IdleSettings):
    """A group that is decided for."""

    topics: tuple[str, ...]
    """Topics that the group reads, in order; the file says `topic` where it is one."""
    group: str
    strategy: str
    """Strategy with its parameters, as for `simulate`."""
    mu: float
    """Rate that one replica serves, events/s."""
    max_replicas: int
    min_replicas: int
    members_per_replica: int | None = setting(
        None,
        "Members of the group in each replica. Default: members per host, if all have as many.",
        "members",
        at_least=1,
        at_most=1000,
    )

    @property
    def digest(self) -> str:
        """Of all settings: counts of other settings say nothing of these."""
        text = repr(sorted(asdict(self).items()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class ScalerSettings:
    """All that the file says, checked."""

    bootstrap: str
    properties: ClientProperties
    history: Path | None
    """File with the counts of the last hour."""
    grpc_listen: str
    """HOST:PORT for gRPC; empty: none."""
    tls: TlsFiles | None
    """Certificates of the servers that KEDA asks; None: plaintext."""
    clock: Clock
    allow: Mapping[str, Mapping[str, tuple[str, ...]]]
    """By namespace: ``groups`` and ``topics`` that may be asked about."""
    targets: Mapping[str, ScalerTarget]
    """By ``NAMESPACE/NAME``."""


_TEXT_KEYS = ("bootstrap", "config", "history", "grpc_listen")
_KEYS = (*_TEXT_KEYS, "tls", "allow", "scale", *(field.name for field in fields(Clock)))
_TLS_KEYS = ("cert", "key", "client_ca")
_ALLOWED = ("groups", "topics")
_TOPIC, _TOPICS = "topic", "topics"
_TEXTS = ("group", "strategy")
_NUMBERS = ("mu", "min_replicas", "max_replicas")
"""Settings of a group, as simulations have them; `mu` must be given."""


def read(file: Path) -> ScalerSettings:
    """Read the file. Raises InputError with file, field, value, limit and remedy if it is wrong."""
    try:
        content = yaml_values.load(files.read_text(file, _MOST_BYTES))
    except yaml_values.NotYaml as error:
        at = "" if error.line is None else f":{error.line}"
        raise InputError(f"{file}{at}: {error}") from None
    except RecursionError:
        raise InputError(f"{file}: nested too deeply") from None
    try:
        return _checked(_mapping("", content, _KEYS), file.parent)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def _checked(content: Mapping[str, Any], folder: Path) -> ScalerSettings:
    properties, config = NO_PROPERTIES, _text("config", content)
    if config:
        properties = client_properties.read(folder / config)
    bootstrap = _text("bootstrap", content) or properties.bootstrap
    if not bootstrap:
        raise InputError("`bootstrap` is missing; give it as HOST:PORT of a broker")
    history = _text("history", content)
    clock = Clock(**_declared("", content, Clock))
    if clock.blind_s < 2 * clock.look_s:
        raise InputError(
            f"`blind_s` must be at least 2 × `look_s` (got {clock.blind_s:g} and "
            f"{clock.look_s:g} s); raise it"
        )
    allow = _allowed(content)
    return ScalerSettings(
        cluster_access.check_bootstrap(bootstrap, properties),
        properties,
        folder / history if history else None,
        _text("grpc_listen", content),
        _tls(content.get("tls"), folder),
        clock,
        allow,
        _targets(content, allow),
    )


def _tls(value: object, folder: Path) -> TlsFiles | None:
    if value is None:
        return None
    names = _mapping("tls", value, _TLS_KEYS)
    for key, name in names.items():
        if not (isinstance(name, str) and name):
            raise InputError(f"`tls.{key}` must be the name of a PEM file (got {_got(name)})")
    for key in _TLS_KEYS[:2]:
        if key not in names:
            raise InputError(f"`tls.{key}` is missing; give the name of a PEM file")
    client_ca = names.get("client_ca")
    return TlsFiles(
        folder / names["cert"], folder / names["key"], folder / client_ca if client_ca else None
    )


def _allowed(content: Mapping[str, Any]) -> dict[str, dict[str, tuple[str, ...]]]:
    allow = {}
    for namespace, value in _mapping("allow", content.get("allow")).items():
        path = f"allow.{namespace}"
        if not kubernetes_names.NAMESPACE.fullmatch(namespace):
            raise InputError(
                f"`allow` must have names of namespaces (got {named(namespace)}), such as shop"
            )
        rights = _mapping(path, value, _ALLOWED)
        allow[namespace] = {key: _names(f"{path}.{key}", rights.get(key)) for key in _ALLOWED}
    return allow


def _targets(
    content: Mapping[str, Any], allow: Mapping[str, Mapping[str, tuple[str, ...]]]
) -> dict[str, ScalerTarget]:
    scale = _mapping("scale", content.get("scale"))
    if len(scale) > MOST_TARGETS:
        raise InputError(
            f"`scale` can have at most {MOST_TARGETS} groups (got {len(scale)}); run a second "
            "scaler"
        )
    targets = {}
    for name, value in scale.items():
        namespace, slash, own = name.partition("/")
        if not (slash and namespace in allow and kubernetes_names.OBJECT.fullmatch(own)):
            raise InputError(
                f"`scale` must have names NAMESPACE/NAME, with a namespace that `allow` names "
                f"(got {named(name)}), such as {next(iter(allow))}/billing"
            )
        target = _target(f"scale.{name}", value)
        asked = [("groups", target.group), *((_TOPICS, topic) for topic in target.topics)]
        for key, text in asked:
            if text not in allow[namespace][key]:
                own = key if key in value else key[:-1]
                raise InputError(
                    f"`scale.{name}.{own}` must be one of `allow.{namespace}.{key}` (got "
                    f"{named(text)}); add it there"
                )
        targets[name] = target
    return targets


def _target(path: str, value: object) -> ScalerTarget:
    content = _mapping(path, value, [_TOPIC, *(field.name for field in fields(ScalerTarget))])
    texts = {name: content.get(name) for name in _TEXTS}
    for name, text in texts.items():
        if not (isinstance(text, str) and text):
            raise InputError(f"`{path}.{name}` must be a text (got {_got(text)})")
    own = declared(GroupSettings)
    numbers = {
        name: _value(f"{path}.", own[name], content.get(name, _default(own[name])))
        for name in _NUMBERS
    }
    each = _declared(f"{path}.", content, ScalerTarget)
    target = ScalerTarget(topics=_topics(path, content), **{**texts, **numbers, **each})
    idle_settings.check(path, content, target.min_replicas, target.members_per_replica)
    if target.min_replicas > target.max_replicas:
        raise InputError(
            f"`{path}.min_replicas` must be at most `max_replicas`, {target.max_replicas} (got "
            f"{target.min_replicas})"
        )
    return target


def _topics(path: str, content: Mapping[str, Any]) -> tuple[str, ...]:
    """The topics of a group, in the order of simulations."""
    if _TOPICS not in content:
        topic = content.get(_TOPIC)
        if not (isinstance(topic, str) and topic):
            raise InputError(
                f"`{path}.{_TOPIC}` must be a text (got {_got(topic)}); several topics are a list, "
                f"`{_TOPICS}`"
            )
        return (topic,)
    if _TOPIC in content:
        raise InputError(f"`{path}` must have either `{_TOPIC}` or `{_TOPICS}` (got both)")
    topics = _names(f"{path}.{_TOPICS}", content[_TOPICS])
    for topic in topics:
        if topics.count(topic) > 1:
            raise InputError(
                f"`{path}.{_TOPICS}` must name each topic once (got {named(topic)} twice)"
            )
    return tuple(sorted(topics))


def _declared(prefix: str, content: Mapping[str, Any], cls: type) -> dict[str, Any]:
    """Values of a dataclass's settings, of those that are given."""
    return {
        name: _value(prefix, item, content.get(name))
        for name, item in declared(cls).items()
        if content.get(name) is not None
    }


def _value(prefix: str, item: Declaration, value: object) -> Any:
    try:
        return item.check(value)
    except SettingError as error:
        raise InputError(
            f"`{prefix}{item.name}` must be {error.allowed} (got {_got(value)})"
        ) from None


def _mapping(path: str, value: object, known: Iterable[str] = ()) -> dict[str, Any]:
    """A mapping that is not empty and, if some are given, has known keys alone."""
    place = f"`{path}`" if path else "the file"
    if not isinstance(value, dict) or not value:
        raise InputError(f"{place} must be a mapping with at least one key (got {_got(value)})")
    for key in value if known else ():
        if key not in known:
            guess = near(key, known) or f"; must be one of {', '.join(known)}"
            raise InputError(f"{place} has the unknown key {named(key)}{guess}")
    return value


def _text(key: str, content: Mapping[str, Any]) -> str:
    value = content.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"`{key}` must be a text (got {shown(value)})")
    return value or ""


def _names(path: str, value: object) -> tuple[str, ...]:
    names = value if isinstance(value, list) else []
    are_names = all(isinstance(name, str) and name for name in names)
    if not (are_names and 0 < len(names) <= _MOST_NAMED):
        raise InputError(
            f"`{path}` must be a list of 1 to {_MOST_NAMED:,} names (got {_got(value)})"
        )
    return tuple(names)


def _default(item: Declaration) -> Any:
    return None if item.name == "mu" or item.default is REQUIRED else item.default


def _got(value: object) -> str:
    return "nothing" if value is None else shown(value)
