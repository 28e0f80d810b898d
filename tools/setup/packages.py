"""Installs the locked packages: pip installs uv, uv the rest, every file checked by hash."""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.base.process import own_environment
from tools.console import logged, words
from tools.layout import Layout

# Variables of another Python installation that would affect ours.
FOREIGN = (*own_environment.PYTHON, "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")
CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def install(layout: Layout) -> None:
    """Install uv, the locked packages and this project. Raises CommandFailed if one fails."""
    locks = layout.requirements
    env = clean_environment()
    pip = words(layout.python, "-m", "pip", "install", "--quiet", "--require-hashes")
    _log(layout, [*pip, *words("-r", locks / "bootstrap.txt")], env)
    files = [locks / name for name in ("bootstrap.txt", "requirements.txt", "dev.txt")]
    uv(layout, *words("sync", "--require-hashes", "--compile-bytecode", *files))
    # `compat` puts the root on the path: type checkers and Airflow find the packages too.
    editable = words("--config-setting", "editable_mode=compat", "--editable", layout.root)
    uv(layout, "install", "--no-deps", *editable)
    forget_downloads(layout)


def uv(layout: Layout, action: str, *arguments: str) -> None:
    """Run ``uv pip`` with pip's own settings; source archives build with pinned tools."""
    command = words(layout.venv / "bin" / "uv", "pip", action, *arguments)
    pinned = words("--build-constraints", layout.requirements / "build.txt")
    target = words("--python", layout.python)
    _log(layout, [*command, *target, *pinned], uv_environment(layout))


def forget_downloads(layout: Layout) -> None:
    """Free 1.5 GB that only an interrupted installation can use."""
    shutil.rmtree(_uv_cache(layout), ignore_errors=True)


def clean_environment() -> dict[str, str]:
    """Return this process's environment without traces of other Python installations."""
    return {name: value for name, value in os.environ.items() if name not in FOREIGN}


def uv_environment(layout: Layout) -> dict[str, str]:
    """Environment for uv: pip's settings (files, PIP_ variables) as uv's variables."""
    env = clean_environment()
    ask = words(layout.python, "-m", "pip", "config", "list")
    config = logged(ask, env, layout.root, _file(layout))
    defaults = {
        "UV_CACHE_DIR": str(_uv_cache(layout)),
        "UV_NO_PROGRESS": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_SYSTEM_CERTS": "1",
    }
    return defaults | translated(parse(config), env) | env


def parse(config: str) -> dict[str, str]:
    """Read ``pip config list``; variables override ``install``, which overrides ``global``."""
    settings: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for line in config.splitlines():
            name, equals, value = line.partition("=")
            if equals and name.startswith(f"{section}."):
                settings[name.removeprefix(f"{section}.")] = str(ast.literal_eval(value))
    return settings


def translated(pip: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """Return pip's settings as the variables that uv reads."""
    certificates = pip.get("cert") or next((env[n] for n in CERTIFICATES if env.get(n)), "")
    variables = {
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        "UV_INDEX": " ".join(pip.get("extra-index-url", "").split()),
        # As pip does: all indexes are equal. The hashes determine which file is the right one.
        "UV_INDEX_STRATEGY": "unsafe-best-match" if pip.get("extra-index-url") else "",
        "UV_FIND_LINKS": ",".join(filter(_reachable, pip.get("find-links", "").split())),
        "UV_NO_INDEX": pip.get("no-index", ""),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
        "UV_HTTP_TIMEOUT": pip.get("timeout", pip.get("default-timeout", "")),
        "SSL_CERT_FILE": certificates,
        "ALL_PROXY": pip.get("proxy", ""),
    }
    return {name: value for name, value in variables.items() if value}


def _reachable(link: str) -> bool:
    """Whether it is a URL or an existing folder: pip ignores missing folders, uv fails."""
    return "://" in link or Path(link).exists()


def _uv_cache(layout: Layout) -> Path:
    return layout.cache / "uv"


def _file(layout: Layout) -> Path:
    return layout.logs / "setup.log"


def _log(layout: Layout, command: Sequence[str], env: Mapping[str, str]) -> None:
    logged(command, env, layout.root, _file(layout))
