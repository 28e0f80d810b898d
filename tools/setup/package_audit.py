"""`make audit`: checks that packages are as pinned and have no known vulnerabilities.

The first half needs no network. The second queries a public service about each pinned version,
including the JARs of Delta and Kafka; if none responds the audit fails, because nothing was
checked. Of the JARs inside PySpark's package it only checks that they are as installed: many name
no version, and only another PySpark replaces one. It says so.
"""

from __future__ import annotations

import json
import re
import shutil
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from live.kafka.pinned_jars import Jar
from tools.console import CommandFailed, SetupError, logged, say, step, words
from tools.layout import Layout
from tools.setup import installed, jars, packages

LOCKS = ("bootstrap", "requirements", "dev")
"""Lock files of the environment."""

ASKED = (*LOCKS, "scaler", "build", "jre", "audit")
"""Lock files of all packages that are installed or run during installation; the first has one."""

OSV = "https://api.osv.dev/v1/query"
"""Address of the advisory service for JARs."""

SERVICES = ("pypi", "osv")
"""Advisory services of pip-audit, by its own names."""

PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*\])?==([^\s;\\]+)")
OPTIONS = ("--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off")
SECONDS = 900.0


def run(layout: Layout, env: Mapping[str, str]) -> None:
    """Check packages, then vulnerabilities. Raises SetupError if one is wrong or none answers."""
    with step("audit: pins, hashes and installed files"):
        problems = [*unhashed(layout), *_differences(layout, env), *_conflicts(layout, env)]
    for problem in problems:
        say(f"        {problem}")
    if problems:
        raise SetupError(f"audit: {len(problems)} packages differ from their pins (see above)")
    say("        all packages are pinned by hash and installed as pinned")
    with step("audit: known vulnerabilities"):
        lines = _vulnerabilities(layout, env)
    for line in lines:
        say(f"        {line}")
    if lines:
        raise SetupError(f"audit: {len(lines)} vulnerabilities found or not checked (see above)")
    say("        no known vulnerabilities found")
    say(f"        not looked up: the {bundled(layout):,} JARs inside PySpark")


def bundled(layout: Layout) -> int:
    """Number of JARs that PySpark's package brings along."""
    return sum(1 for _ in layout.venv.glob("lib/python*/site-packages/pyspark/jars/*.jar"))


def pins(text: str) -> dict[str, str]:
    """Versions by normalised name in a lock file, those with a marker included."""
    lines = [line for line in text.splitlines() if line and not line[0].isspace()]
    matches = [PIN.match(line) for line in lines if not line.startswith("#")]
    return {installed.normalised(match[1]): match[2] for match in matches if match}


def unhashed(layout: Layout) -> list[str]:
    """Lines of lock files that name a package without exact version or hash."""
    bad = []
    for file in sorted(layout.requirements.glob("*.txt")):
        if file.name.endswith("jars.txt"):  # of another form; set-up checks it
            continue
        for block in re.split(r"^(?=[^\s#])", file.read_text(), flags=re.MULTILINE):
            first = block.splitlines()[0].rstrip(" \\") if block else ""
            if not first or first.startswith("#"):
                continue
            if not PIN.match(first) or "--hash=sha256:" not in block:
                bad.append(f"requirements/{file.name}: {first}: no version or hash")
    return bad


def compare(pinned: Mapping[str, str], state: Mapping[str, Any]) -> list[str]:
    """Packages that differ from their pins, and files that differ from their package's hash."""
    versions: Mapping[str, str] = state["versions"]
    bad = [
        f"{name} {versions[name]} is installed, but {pinned.get(name, 'nothing')} is pinned"
        for name in sorted(versions)
        if versions[name] != pinned.get(name)
    ]
    return bad + [f"{file} was changed after installation" for file in state["changed"]]


def _differences(layout: Layout, env: Mapping[str, str]) -> list[str]:
    pinned: dict[str, str] = {}
    for name in LOCKS:
        pinned |= pins((layout.requirements / f"{name}.txt").read_text())
    command = words(layout.python, "-m", "tools.setup.installed")
    said = subprocess.run(command, env=env, cwd=layout.root, capture_output=True, text=True)
    if said.returncode != 0:
        return [f"cannot list the installed packages: {said.stderr.strip()[-200:]}"]
    return compare(pinned, json.loads(said.stdout))


def _conflicts(layout: Layout, env: Mapping[str, str]) -> list[str]:
    """Conflicts that `pip check` reports."""
    command = words(layout.venv / "bin" / "uv", "pip", "check", "--python", layout.python)
    said = subprocess.run(command, env=env, cwd=layout.root, capture_output=True, text=True)
    if said.returncode == 0:
        return []
    lines = f"{said.stdout}\n{said.stderr}".strip().splitlines()
    return lines or [f"uv pip check failed with status {said.returncode} without an error message"]


def _vulnerabilities(layout: Layout, env: Mapping[str, str]) -> list[str]:
    certificates = packages.uv_environment(layout).get("SSL_CERT_FILE")
    program = _tool(layout)
    trusted = {"REQUESTS_CA_BUNDLE": certificates} if certificates else {}
    # Reading all certificates takes longer than a request.
    context = ssl.create_default_context(cafile=certificates)
    reasons = []
    for service in SERVICES:
        command = [*words(program, *OPTIONS), "--vulnerability-service", service]
        try:
            lines = vulnerable(_of_locks(layout, command, {**env, **trusted}))
            return lines + [line for jar in _jars(layout) for line in _of_jar(jar, context)]
        except _NoAnswer as reason:
            reasons.append(f"{service}: {reason}")
    raise SetupError(
        "audit: vulnerabilities not checked, because no advisory service responds "
        f"({'; '.join(reasons)[:600]}); run the audit with network access"
    )


class _NoAnswer(Exception):
    """A service returned no data on any package."""


def _of_locks(layout: Layout, command: Sequence[str], env: Mapping[str, str]) -> dict[str, Any]:
    """Reports on the packages of all lock files, each package and version once.

    Locks are queried one by one, since two of them may pin different versions of a package.
    """
    reports: dict[tuple[str, str], Mapping[str, Any]] = {}
    for name in ASKED:
        report = _ask([*command, *words("-r", layout.requirements / f"{name}.txt")], env)
        reports |= {(p["name"], p.get("version", "")): p for p in report}
        skipped = [package for package in reports.values() if _is_skipped(package)]
        if reports and len(skipped) == len(reports):
            # pip-audit calls that "no known vulnerabilities".
            raise _NoAnswer(f"no package is known there ({skipped[0]['skip_reason']})")
    return {"dependencies": list(reports.values())}


def _ask(command: Sequence[str], env: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """pip-audit's report on each package of one lock file."""
    try:
        said = subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise _NoAnswer(f"no response in {SECONDS:.0f} s") from None
    try:
        report: list[Mapping[str, Any]] = json.loads(said.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        lines = f"{said.stdout}\n{said.stderr}".strip().splitlines()
        raise _NoAnswer(lines[-1] if lines else "no response") from None
    return report


def _jars(layout: Layout) -> list[Jar]:
    """JARs that runs use: Delta's, and those of the brokers of live runs."""
    return [jar for lock in (jars.LOCK, jars.BROKER) for jar in jars.pinned(layout, lock)]


def _of_jar(jar: Jar, context: ssl.SSLContext) -> list[str]:
    """Lines about a JAR that is known to be vulnerable, or could not be checked."""
    name, _, version = jar.coordinates.rpartition(":")
    asked = {"package": {"name": name, "ecosystem": "Maven"}, "version": version}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(OSV, json.dumps(asked).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30, context=context) as answer:
            vulnerabilities = json.loads(answer.read()).get("vulns", [])
            return [f"{name} {version}: {one['id']}" for one in vulnerabilities]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return [f"{name} {version}: not checked: osv: {str(error) or type(error).__name__}"]


def _is_skipped(package: Mapping[str, Any]) -> bool:
    return "skip_reason" in package


def vulnerable(report: Mapping[str, Any]) -> list[str]:
    """Lines about packages that pip-audit's JSON report lists as vulnerable or not checked."""
    lines = []
    for package in report["dependencies"]:
        if _is_skipped(package):
            lines.append(f"{package['name']}: not checked: {package['skip_reason']}")
        for vulnerability in package.get("vulns", ()):
            fixed = ", ".join(vulnerability.get("fix_versions", ())) or "no version"
            name = f"{package['name']} {package['version']}"
            lines.append(f"{name}: {vulnerability['id']}, fixed in {fixed}")
    return lines


def _tool(layout: Layout) -> Path:
    """pip-audit, in its own environment: its packages are not ours."""
    home = layout.cache / "audit"
    lock = layout.requirements / "audit.txt"
    stamp = home / ".complete"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        shutil.rmtree(home, ignore_errors=True)
        log, clean = layout.logs / "audit.log", packages.clean_environment()
        pip = words(home / "bin" / "python", "-m", "pip", "install", "--quiet", "--require-hashes")
        try:
            logged(words(sys.executable, "-m", "venv", home), clean, layout.root, log)
            logged([*pip, *words("-r", lock)], clean, layout.root, log)
        except CommandFailed as error:
            raise SetupError(f"audit: cannot install pip-audit: {error}") from error
        stamp.write_bytes(lock.read_bytes())
    return home / "bin" / "pip-audit"
