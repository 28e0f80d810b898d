"""Client properties become settings of both clients; secrets appear nowhere else."""

from __future__ import annotations

import os
import re
import time
import traceback
from pathlib import Path

import pytest

from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES, ClientProperties
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit

SECRET = 'pa"ss\\w=rd; #1'
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n"
JAVA = "org.apache.kafka.common.security"


def jaas(module: str = "plain.PlainLoginModule", username: str = "ada") -> str:
    """The setting, as one writes it in a properties file: both formats escape."""
    quoted = SECRET.replace("\\", "\\\\").replace('"', '\\"')
    text = f'{JAVA}.{module} required username="{username}" password="{quoted}";'
    return "sasl.jaas.config=" + text.replace("\\", "\\\\")


def read(folder: Path, *lines: str) -> ClientProperties:
    file = folder / "client.properties"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return client_properties.read(file)


def failure(folder: Path, *lines: str) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, *lines)
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    assert "w=rd" not in shown
    return str(caught.value).removeprefix(str(folder) + "/")


def test_sasl_in_the_words_of_java(tmp_path: Path) -> None:
    properties = read(
        tmp_path,
        "# comment",
        "security.protocol=sasl_plaintext",
        "sasl.mechanism = SCRAM-SHA-512",
        jaas("scram.ScramLoginModule"),
        "bootstrap.servers=b1:9092,b2:9092",
        "client.id=me",
    )
    assert properties.confluent == {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "ada",
        "sasl.password": SECRET,
        "client.id": "me",
    }
    assert properties.kafka_python == {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "ada",
        "sasl_plain_password": SECRET,
        "client_id": "me",
    }
    assert (properties.bootstrap, properties.warning) == ("b1:9092,b2:9092", "")


def test_sasl_and_tls_in_the_words_of_librdkafka(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text(PEM)
    properties = read(
        tmp_path,
        "security.protocol=SASL_SSL",
        "sasl.mechanisms=PLAIN",
        "sasl.username=ada",
        "sasl.password=s p",
        f"ssl.ca.location={tmp_path}/ca.pem",
        "ssl.endpoint.identification.algorithm=",
    )
    assert properties.confluent == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "ada",
        "sasl.password": "s p",
        "ssl.ca.location": f"{tmp_path}/ca.pem",
        "ssl.endpoint.identification.algorithm": "none",
    }
    assert properties.kafka_python["ssl_cafile"] == f"{tmp_path}/ca.pem"
    assert properties.kafka_python["ssl_check_hostname"] is False


def test_a_store_with_certificate_and_key(tmp_path: Path) -> None:
    (tmp_path / "me.pem").write_text(KEY + PEM)
    (tmp_path / "ca.pem").write_text(PEM)
    properties = read(
        tmp_path,
        "security.protocol=SSL",
        f"ssl.truststore.location={tmp_path}/ca.pem",
        "ssl.truststore.type=PEM",
        "ssl.truststore.password=none",
        f"ssl.keystore.location={tmp_path}/me.pem",
        "ssl.keystore.type=PEM",
        "ssl.key.password=hunter2",
        "ssl.endpoint.identification.algorithm=HTTPS",
    )
    me = f"{tmp_path}/me.pem"
    assert properties.confluent == {
        "security.protocol": "SSL",
        "ssl.ca.location": f"{tmp_path}/ca.pem",
        "ssl.certificate.location": me,
        "ssl.key.location": me,
        "ssl.key.password": "hunter2",
    }
    assert properties.kafka_python == {
        "security_protocol": "SSL",
        "ssl_cafile": f"{tmp_path}/ca.pem",
        "ssl_certfile": me,
        "ssl_keyfile": me,
        "ssl_password": "hunter2",
    }
    assert properties.warning == ""


def test_both_clients_know_every_setting(tmp_path: Path) -> None:
    from confluent_kafka.admin import AdminClient
    from kafka import KafkaAdminClient, KafkaConsumer

    properties = read(
        tmp_path, "security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", jaas(), "client.id=me"
    )
    AdminClient({**properties.confluent, "bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    names = {*properties.kafka_python, "ssl_cafile", "ssl_certfile", "ssl_keyfile", "ssl_password"}
    assert names < KafkaAdminClient.DEFAULT_CONFIG.keys()
    assert names < KafkaConsumer.DEFAULT_CONFIG.keys()


def test_the_last_one_of_a_key_counts(tmp_path: Path) -> None:
    properties = read(tmp_path, "security.protocol=SSL", "security.protocol=PLAINTEXT")
    assert properties.confluent == {"security.protocol": "PLAINTEXT"}


def test_settings_without_effect_are_named_in_one_line(tmp_path: Path) -> None:
    properties = read(
        tmp_path,
        "key.deserializer=org.x.Y",
        "max.poll.records=5",
        "request.timeout.ms=1",
        f'password="{SECRET}";',
        "linger.ms=1",
    )
    assert properties.warning.removeprefix(str(tmp_path)) == (
        "/client.properties: settings without effect here: "
        "max.poll.records, request.timeout.ms, line 4, linger.ms"
    )


def test_of_many_settings_without_effect_ten_are_named(tmp_path: Path) -> None:
    properties = read(tmp_path, *[f"a.b{i}=1" for i in range(12)])
    assert properties.warning.endswith("a.b9 and 2 more")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["security.protocol=TLS"], "1: `security.protocol` must be one of PLAINTEXT, SSL"),
        (["", "sasl.mechanism=PLAIN"], "2: `sasl.mechanism` needs `security.protocol=SASL_SSL`"),
        ([jaas()], "1: `sasl.jaas.config` needs `security.protocol=SASL_SSL`"),
        (["security.protocol=SASL_SSL"], " `sasl.mechanism` is missing: it must be one of PLAIN"),
        (
            ["security.protocol=SASL_SSL", "sasl.mechanism=GSSAPI"],
            "2: `sasl.mechanism` must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
        ),
        (
            ["security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", "sasl.username=ada"],
            " `sasl.jaas.config` is missing: it must have the form",
        ),
        (
            ["security.protocol=SASL_SSL", "sasl.mechanism=SCRAM-SHA-256", jaas()],
            "3: `sasl.jaas.config` must use the login module of SCRAM-SHA-256 "
            "(got PlainLoginModule, for PLAIN)",
        ),
        (
            ["security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", jaas(), "sasl.username=ada"],
            "4: `sasl.username` excludes `sasl.jaas.config`; remove one of the two",
        ),
        (
            ["security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", jaas() + SECRET],
            "3: `sasl.jaas.config` must have the form",
        ),
        (
            ["security.protocol=SSL", "ssl.ca.location=/no/ca"],
            "2: `ssl.ca.location` cannot be read",
        ),
        (["ssl.ca.location=/no/ca"], "1: `ssl.ca.location` needs `security.protocol=SSL` or"),
        (
            ["security.protocol=SSL", "ssl.truststore.certificates=x"],
            "2: `ssl.truststore.certificates` is not supported; save it as a PEM file",
        ),
        (
            ["security.protocol=SSL", "ssl.endpoint.identification.algorithm=http"],
            "2: `ssl.endpoint.identification.algorithm` must be https, or empty",
        ),
    ],
)
def test_an_error_names_file_line_key_and_rule(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    assert failure(tmp_path, *lines).startswith(f"client.properties:{message}")


def test_a_java_keystore_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "t.jks").write_bytes(b"\xfe\xed\xfe\xed")
    said = failure(tmp_path, "security.protocol=SSL", f"ssl.truststore.location={tmp_path}/t.jks")
    assert "2: `ssl.truststore.location` must be a PEM file with a certificate" in said
    assert "keytool -list -rfc" in said


def test_a_certificate_without_its_key(tmp_path: Path) -> None:
    (tmp_path / "me.pem").write_text(PEM)
    lines = ("security.protocol=SSL", f"ssl.certificate.location={tmp_path}/me.pem")
    assert "`ssl.key.location` is missing: it must be the path" in failure(tmp_path, *lines)
    store = ("security.protocol=SSL", f"ssl.keystore.location={tmp_path}/me.pem")
    assert "must be a PEM file with a private key" in failure(tmp_path, *store)


def test_no_text_of_an_object_has_a_secret(tmp_path: Path) -> None:
    properties = read(tmp_path, "security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", jaas())
    assert SECRET in properties.confluent.values()
    for text in (repr(properties), str(properties), f"{[properties]}"):
        assert not re.search(r"ada|w=rd", text)
    assert repr(NO_PROPERTIES) == "ClientProperties(bootstrap='', warning='')"


def login(folder: Path, text: str) -> ClientProperties:
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    lines = ("security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", f"sasl.jaas.config={escaped}")
    return read(folder, *lines)


@pytest.mark.parametrize(
    "text",
    [
        f"{JAVA}.plain.PlainLoginModule required username='ada' password=simple ;",
        f'{JAVA}.plain.PlainLoginModule   required\n username = "ada"\n password="simple"\n;',
        f'{JAVA}.plain.PlainLoginModule required username="ada" password="sim\\ple" x="1";',
    ],
)
def test_forms_of_a_login(tmp_path: Path, text: str) -> None:
    settings = login(tmp_path, text).confluent
    assert (settings["sasl.username"], settings["sasl.password"]) == ("ada", "simple")


FORM = 'must have the form org.apache.kafka.….PlainLoginModule required username="…" password="…";'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", FORM),
        (f'{JAVA}.plain.PlainLoginModule required username="ada" password="s"', FORM),
        (f'{JAVA}.plain.PlainLoginModule username="ada" password="s";', FORM),
        (
            f'{JAVA}.plain.PlainLoginModule required username="ada";',
            f'needs password="…"; it {FORM}',
        ),
        (
            f'{JAVA}.plain.PlainLoginModule required username="ada" password="s;',
            f"{FORM}; put values in double quotes",
        ),
        (
            'com.sun.security.auth.module.Krb5LoginModule required username="ada" password="s";',
            "must use one of the login modules PlainLoginModule, ScramLoginModule",
        ),
    ],
)
def test_what_is_no_login(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        login(tmp_path, text)
    assert str(caught.value) == f"{tmp_path}/client.properties:3: `sasl.jaas.config` {message}"


def test_many_options_of_a_login_are_read_in_time(tmp_path: Path) -> None:
    many = " ".join(f'o{number}="v"' for number in range(60_000))
    began = time.process_time()
    text = f'{JAVA}.plain.PlainLoginModule required {many} username="ada" password="s"  ;'
    assert login(tmp_path, text).confluent["sasl.username"] == "ada"
    # Half a minute if each option copies the rest.
    assert time.process_time() - began < 5


def test_many_continued_lines_are_read_in_time(tmp_path: Path) -> None:
    began = time.process_time()
    assert len(read(tmp_path, "client.id=" + "x\\\n" * 340_000).confluent["client.id"]) == 340_000
    # Minutes if each line is appended to those before it.
    assert time.process_time() - began < 5


def test_a_key_without_a_certificate_has_no_effect(tmp_path: Path) -> None:
    properties = read(tmp_path, "security.protocol=SSL", "ssl.key.location=/no/key")
    assert properties.warning.endswith("settings without effect here: ssl.key.location")


def test_a_pipe_is_no_certificate(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    said = failure(tmp_path, "security.protocol=SSL", f"ssl.truststore.location={tmp_path}/pipe")
    assert "2: `ssl.truststore.location` must be a PEM file" in said
    assert "not a regular file" in said
