"""Signs requests to the pages of Spark's master and worker with their key.

The pages check neither users nor the header ``Host``, so any page in the operator's browser could
read them once its own name resolves to this machine. Spark's `JWSFilter` requires a token. It is
made with the standard library here, because set-up has no packages yet.
"""

from __future__ import annotations

import base64
import hmac
import json
import time
from pathlib import Path

from tools.services.service_topology import SPARK_FILTER

FILE = "spark-defaults.conf"
KEY = f"spark.{SPARK_FILTER}.param.secretKey"
VALID_SECONDS = 60


def headers(conf: Path) -> dict[str, str]:
    """Headers of a request, signed with the key in a folder of Spark's settings.

    Raises
    ------
    OSError, ValueError
        If there is no key.
    """
    key = base64.urlsafe_b64decode(_key(conf / FILE))
    claims = {"exp": int(time.time()) + VALID_SECONDS}
    signed = f"{_encoded({'alg': 'HS256'})}.{_encoded(claims)}"
    signature = _text(hmac.digest(key, signed.encode(), "sha256"))
    return {"Authorization": f"Bearer {signed}.{signature}"}


def _key(file: Path) -> str:
    for line in file.read_text().splitlines():
        name, _, value = line.partition(" ")
        if name == KEY:
            return value
    raise ValueError(f"{file} has no key for Spark's pages")


def _encoded(content: object) -> str:
    return _text(json.dumps(content).encode())


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
