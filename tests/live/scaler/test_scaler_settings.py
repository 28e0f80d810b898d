"""The scaler's file."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from live.scaler import count_decisions, scaler_settings
from live.scaler.scaler_settings import MOST_TARGETS, ScalerSettings
from live.scaler.server_tls import TlsFiles
from pipeline.base.errors import InputError
from tools.layout import here

pytestmark = pytest.mark.unit

FILE = """\
bootstrap: b1:9092
allow:
  shop: {groups: [billing], topics: [orders]}
scale:
  shop/billing:
    topic: orders
    group: billing
    strategy: linear
    mu: 120
    max_replicas: 9
"""


def read(folder: Path, text: str) -> ScalerSettings:
    file = folder / "scaler.yaml"
    file.write_text(text)
    return scaler_settings.read(file)


def test_a_file_with_its_defaults(tmp_path: Path) -> None:
    settings = read(tmp_path, FILE)
    target = settings.targets["shop/billing"]
    assert (settings.bootstrap, settings.history) == ("b1:9092", None)
    assert (settings.clock.look_s, settings.clock.blind_s) == (5.0, 60.0)
    assert (target.mu, target.min_replicas, target.members_per_replica) == (120.0, 1, None)


def test_login_and_history_are_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "client.properties").write_text("bootstrap.servers=b2:9092\nclient.id=scaler\n")
    text = FILE.replace("bootstrap: b1:9092", "config: client.properties\nhistory: h.json")
    settings = read(tmp_path, text)
    assert settings.bootstrap == "b2:9092"
    assert settings.properties.confluent["client.id"] == "scaler"
    assert settings.history == tmp_path / "h.json"


def test_the_page_has_a_file_that_is_read(tmp_path: Path) -> None:
    page = (here().root / "docs" / "own-cluster.md").read_text(encoding="utf-8")
    begin = page.index("    bootstrap: localhost")
    (tmp_path / "client.properties").write_text("client.id=scaler\n")
    settings = read(tmp_path, textwrap.dedent(page[begin : page.index("\n`GET", begin)]))
    target = settings.targets["shop/billing"]
    assert count_decisions.check(target, settings.clock.look_s).label == target.strategy


def test_counts_of_changed_settings_are_told_apart(tmp_path: Path) -> None:
    before = read(tmp_path, FILE).targets["shop/billing"].digest
    assert read(tmp_path, FILE).targets["shop/billing"].digest == before
    changed = read(tmp_path, FILE.replace("mu: 120", "mu: 121"))
    assert changed.targets["shop/billing"].digest != before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mu: 120", "mu: 0", "`scale.shop/billing.mu` must be a number between 0.001 and 1e+15"),
        ("mu: 120", "mu: .nan", "`scale.shop/billing.mu` must be a number"),
        ("    mu: 120\n", "", "(got nothing)"),
        ("    topic: orders\n", "", "`scale.shop/billing.topic` must be a text (got nothing)"),
        ("mu: 120", "muu: 120", "has the unknown key 'muu' (did you mean mu?)"),
        ("max_replicas: 9", "max_replicas: 9\n    min_replicas: 10", "must be at most `max_rep"),
        ("max_replicas: 9", "max_replicas: 9\n    min_replicas: 0", "must be at least 1 (got 0)"),
        ("max_replicas: 9", "max_replicas: 1.5", "must be an integer between 1 and 1,000,000"),
        ("group: billing", "group: others", "must be one of `allow.shop.groups` (got 'others')"),
        ("topic: orders", "topic: others", "must be one of `allow.shop.topics` (got 'others')"),
        ("shop/billing:", "warehouse/billing:", "with a namespace that `allow` names"),
        ("shop/billing:", "billing:", "`scale` must have names NAMESPACE/NAME"),
        ("shop/billing:", "shop/Billing:", "`scale` must have names NAMESPACE/NAME"),
        ("  shop: {", "  Shop: {", "`allow` must have names of namespaces (got 'Shop')"),
        ("[orders]", "orders", "`allow.shop.topics` must be a list of 1 to 1,000 names"),
        (", topics: [orders]", "", "`allow.shop.topics` must be a list"),
        ("bootstrap: b1:9092", "bootstrap: b1", "must be HOST:PORT"),
        ("bootstrap: b1:9092\n", "", "`bootstrap` is missing"),
        ("bootstrap: b1:9092", "bootstrap: b1:9092\nlook_s: 0", "`look_s` must be a number betw"),
        (
            "bootstrap: b1:9092",
            "bootstrap: b1:9092\nlook_s: 50",
            "`blind_s` must be at least 2 × `look_s` (got 60 and 50 s)",
        ),
        ("bootstrap: b1:9092", "bootstrap: [", "not valid YAML"),
        ("bootstrap: b1:9092", "config: missing", "missing"),
    ],
)
def test_wrong_files_are_refused_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in FILE
    with pytest.raises(InputError) as caught:
        read(tmp_path, FILE.replace(old, new))
    message = str(caught.value)
    assert message.startswith(f"{tmp_path}/scaler.yaml")
    assert said in message
    assert "\n" not in message


def test_at_most_200_groups(tmp_path: Path) -> None:
    head, _, entry = FILE.partition("  shop/billing:\n")
    text = head + "".join(f"  shop/g{n}:\n{entry}" for n in range(MOST_TARGETS))
    assert len(read(tmp_path, text).targets) == MOST_TARGETS
    with pytest.raises(InputError, match=r"at most 200 groups \(got 201\)"):
        read(tmp_path, f"{text}  shop/one-more:\n{entry}")


SEVERAL = FILE.replace("topics: [orders]", "topics: [orders, bills]").replace(
    "topic: orders", "topics: [orders, bills]"
)


def test_several_topics_are_in_the_order_of_simulations(tmp_path: Path) -> None:
    several = read(tmp_path, SEVERAL).targets["shop/billing"]
    assert several.topics == ("bills", "orders")
    other_order = SEVERAL.replace(
        "topics: [orders, bills]\n    g", "topics: [bills, orders]\n    g"
    )
    assert other_order != SEVERAL
    assert read(tmp_path, other_order).targets["shop/billing"].digest == several.digest
    one = read(tmp_path, FILE).targets["shop/billing"]
    assert one.topics == ("orders",)
    assert one.digest != several.digest
    listed = FILE.replace("topic: orders", "topics: [orders]")
    assert read(tmp_path, listed).targets["shop/billing"] == one


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ("topics: [orders, others]", "`scale.shop/billing.topics` must be one of `allow.shop.top"),
        ("topics: [orders, orders]", "must name each topic once (got 'orders' twice)"),
        ("topics: []", "`scale.shop/billing.topics` must be a list of 1 to 1,000 names"),
        ("topics: orders", "`scale.shop/billing.topics` must be a list of 1 to 1,000 names"),
        ("topic: [orders]", "must be a text (got a list of length 1); several topics are a list"),
        ("topic: orders\n    topics: [bills]", "must have either `topic` or `topics` (got both)"),
    ],
)
def test_topics_that_are_not_named_are_refused(tmp_path: Path, topics: str, said: str) -> None:
    text = SEVERAL.replace("topics: [orders, bills]\n    g", f"{topics}\n    g")
    with pytest.raises(InputError, match=re.escape(said)):
        read(tmp_path, text)


@pytest.mark.parametrize("text", ["", "[]", "bootstrap", "a: 1"])
def test_no_mapping_of_known_keys(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"scaler\.yaml"):
        read(tmp_path, text)


def test_certificates_are_beside_the_file(tmp_path: Path) -> None:
    tls = read(tmp_path, FILE + "tls: {cert: tls.crt, key: tls.key}\n").tls
    assert tls == TlsFiles(tmp_path / "tls.crt", tmp_path / "tls.key", None)
    tls = read(tmp_path, FILE + "tls: {cert: tls.crt, key: /k.pem, client_ca: ca.crt}\n").tls
    assert tls == TlsFiles(tmp_path / "tls.crt", Path("/k.pem"), tmp_path / "ca.crt")
    assert read(tmp_path, FILE).tls is None


@pytest.mark.parametrize(
    ("tls", "said"),
    [
        ("{cert: tls.crt}", "`tls.key` is missing"),
        ("{key: tls.key}", "`tls.cert` is missing"),
        ("{cert: tls.crt, key: 3}", "`tls.key` must be the name of a PEM file"),
        ("{cert: a, key: b, ca: c}", "`tls` has the unknown key 'ca'"),
        ("tls.crt", "`tls` must be a mapping"),
    ],
)
def test_certificates_that_are_not_named_are_refused(tmp_path: Path, tls: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        read(tmp_path, f"{FILE}tls: {tls}\n")
