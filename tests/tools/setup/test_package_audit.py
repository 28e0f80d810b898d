"""The audit finds packages that differ from their pins, and fails if no service responds."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from tools.console import SetupError
from tools.layout import here
from tools.setup import jars, package_audit

pytestmark = pytest.mark.unit

LOCK = """\
# made by make lock
a-b==1.0 \\
    --hash=sha256:00
    # via c
C.d[x,y]==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:11
"""


def test_pins_are_read_with_normalised_names():
    assert package_audit.pins(LOCK) == {"a-b": "1.0", "c-d": "2.0"}


def test_the_locks_of_this_repository_have_version_and_hash_everywhere():
    assert package_audit.unhashed(here()) == []


@pytest.mark.parametrize("line", ["a>=1.0", "a==1.0", "a", "a @ file:///x", "-e ."])
def test_what_has_no_version_or_hash_is_named(layout, line):
    (layout.requirements / "more.txt").write_text(f"{LOCK}{line}\n    # via b\n")
    assert package_audit.unhashed(layout) == [f"requirements/more.txt: {line}: no version or hash"]


def test_installed_otherwise_than_pinned_is_named():
    state = {"versions": {"a": "1.1", "b": "2", "c": "3"}, "changed": ["b: b/x.py"]}
    assert package_audit.compare({"a": "1.0", "b": "2"}, state) == [
        "a 1.1 is installed, but 1.0 is pinned",
        "c 3 is installed, but nothing is pinned",
        "b: b/x.py was changed after installation",
    ]


def test_changed_files_of_a_package_are_found(tmp_path):
    package = tmp_path / "site" / "toy-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: Toy\nVersion: 1.0\n")
    good = "sha256=LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ"  # of "hello"
    names = ["same.py", "other.py", "gone.py"]
    (package / "RECORD").write_text("".join(f"{name},{good},5\n" for name in names))
    (tmp_path / "site" / "same.py").write_text("hello")
    (tmp_path / "site" / "other.py").write_text("hullo")
    # Without the packages of this installation, whose files take seconds to read.
    code = f"import sys; from tools.setup import installed; sys.path = [{str(tmp_path / 'site')!r}]"
    said = subprocess.run(
        [sys.executable, "-c", f"{code}; installed.main()"],
        cwd=here().root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(said.stdout) == {
        "versions": {"toy": "1.0"},
        "changed": ["toy: other.py", "toy: gone.py"],
    }


REPORT = {
    "dependencies": [
        {"name": "fine", "version": "1", "vulns": []},
        {"name": "bad", "version": "2", "vulns": [{"id": "X-1", "fix_versions": ["3"]}]},
        {"name": "odd", "skip_reason": "not found"},
    ]
}


def test_what_is_vulnerable_or_was_not_asked_for_is_named():
    assert package_audit.vulnerable(REPORT) == [
        "bad 2: X-1, fixed in 3",
        "odd: not checked: not found",
    ]


JARS = sum(len(jars.pinned(here(), lock)) for lock in (jars.LOCK, jars.BROKER))
FEW = 2


@pytest.fixture
def osv(monkeypatch):
    """Function that sets a server's responses for JARs; empty at first."""
    answers = [b"{}"]
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answers[-1])

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setattr(package_audit, "OSV", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield SimpleNamespace(answers=answers, asked=asked)
    server.shutdown()
    server.server_close()


@pytest.fixture
def asked(layout, monkeypatch, program, tmp_path, osv):
    """Function that runs the second half of the audit against a script for pip-audit.

    It asks for the first JARs only, unless it is given another number or None for all.
    """
    listed = package_audit._jars
    monkeypatch.setattr(package_audit, "_differences", lambda place, env: [])
    monkeypatch.setattr(package_audit, "_conflicts", lambda place, env: [])
    monkeypatch.setattr(package_audit.packages, "uv_environment", lambda place: {})

    def run(script, n_jars=FEW):
        monkeypatch.setattr(package_audit, "_jars", lambda place: listed(place)[:n_jars])
        monkeypatch.setattr(
            package_audit, "_tool", lambda place: program(tmp_path / "tool", script)
        )
        package_audit.run(layout, {"PATH": "/usr/bin:/bin"})

    return run


def test_all_locks_are_asked_for(asked, tmp_path):
    asked(f"echo \"$*\" >> '{tmp_path}/calls'; echo '{{\"dependencies\": []}}'")
    calls = (tmp_path / "calls").read_text().splitlines()
    files = sorted(here().requirements.glob("*.txt"))
    expected = sorted(file.name for file in files if not file.name.endswith("jars.txt"))
    assert sorted(call.rpartition("/")[2] for call in calls) == expected


def test_jars_are_asked_for(asked, osv, capsys):
    asked("echo '{\"dependencies\": []}'", n_jars=None)
    names = {(one["package"]["name"], one["package"]["ecosystem"]) for one in osv.asked}
    assert {("io.delta:delta-storage", "Maven"), ("org.apache.kafka:kafka-raft", "Maven")} <= names
    assert len(osv.asked) == JARS
    osv.answers.append(b'{"vulns": [{"id": "GHSA-1"}]}')
    with pytest.raises(SetupError, match=f"{FEW} vulnerabilities"):
        asked("echo '{\"dependencies\": []}'")
    assert "io.delta:delta-storage 4.4.0: GHSA-1" in capsys.readouterr().err


@pytest.mark.parametrize("answer", [b"", b"<html>", b"[]", b'{"vulns": [1]}'])
def test_jars_that_nobody_knows_of_fail_the_audit(asked, osv, answer, capsys):
    osv.answers.append(answer)
    with pytest.raises(SetupError, match=f"{FEW} vulnerabilities"):
        asked("echo '{\"dependencies\": []}'")
    assert "io.delta:delta-storage 4.4.0: not checked: osv: " in capsys.readouterr().err


@pytest.mark.parametrize("said", ["<html>sorry</html>", "[]", "{}", '{"dependencies": 1'])
def test_what_is_no_report_is_no_answer(asked, said):
    with pytest.raises(SetupError, match="not checked"):
        asked(f"echo '{said}'")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 0", []),
        ("echo a needs b >&2; exit 1", ["a needs b"]),
        ("echo a needs b; exit 1", ["a needs b"]),
        ("exit 3", ["uv pip check failed with status 3 without an error message"]),
    ],
)
def test_packages_that_do_not_fit_are_named_and_silence_is_no_pass(
    layout, program, script, expected
):
    program(layout.venv / "bin" / "uv", script)
    assert package_audit._conflicts(layout, {"PATH": "/usr/bin:/bin"}) == expected


def test_nobody_to_ask_is_a_failure(asked):
    with pytest.raises(SetupError, match=r"not checked.*pypi: cannot connect"):
        asked("echo cannot connect >&2; exit 1")


def test_a_service_that_knows_no_package_has_not_been_asked(asked):
    report = {"dependencies": [{"name": "a", "skip_reason": "a was not found"}]}
    with pytest.raises(SetupError, match=r"osv: .*\(a was not found\)"):
        asked(f"echo '{json.dumps(report)}'")


def test_another_service_is_asked_where_the_first_is_silent(asked, capsys):
    asked('case "$*" in *osv*) echo \'{"dependencies": []}\' ;; *) exit 1 ;; esac')
    assert "no known vulnerabilities" in capsys.readouterr().err


def test_what_the_audit_does_not_cover_is_said(asked, layout, capsys):
    inside = layout.venv / "lib" / "python3.11" / "site-packages" / "pyspark" / "jars"
    inside.mkdir(parents=True)
    for name in ("spark-core_2.13-4.1.0.jar", "avro-1.12.1.jar"):
        (inside / name).touch()
    asked("echo '{\"dependencies\": []}'")
    assert "not looked up: the 2 JARs inside PySpark" in capsys.readouterr().err


def test_a_vulnerable_package_fails_the_audit(asked, capsys):
    with pytest.raises(SetupError, match="2 vulnerabilities"):
        asked(f"echo '{json.dumps(REPORT)}'; exit 1")
    assert "bad 2: X-1, fixed in 3" in capsys.readouterr().err
